"""PRank as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from .. import _core
from ..data.parameters import at_least
from ..data.parts import InvalidParts, NotStorable, Parts, check_moderate, need
from ..program import ExportError, Program
from ._threshold_ranker import ThresholdRanker
from .registry import register

__all__ = ["PRank"]

KERNELS = ("linear", "rbf", "poly")
MAX_GRAM_ROWS = 20_000  # a kernel matrix of 20 000 rows takes 3.2 GB
_PRECOMPUTED, _RBF, _POLY = 0, 1, 2  # codes in the core
_PAIRS_AT_ONCE = 2**24


@register()
class PRank(ThresholdRanker):
    """A perceptron for ordered labels (Crammer and Singer 2001).

    The score of a row is w.x, and its label is found by thresholds b_1 <= ... <= b_{k-1}. The perceptron learns one row
    after the other. If it predicts a wrong label, the thresholds on the wrong side of the score move by 1 towards it,
    and w changes by as many times x. Categories are one-hot encoded, missing numbers are replaced by the mean, and all
    columns are centred and scaled so that a row has length 1 on average. There is no `sample_weight`, because the
    perceptron learns only from mistakes.

    Parameters
    ----------
    kernel : {"linear", "rbf", "poly"} or callable, default="linear"
        Replaces x.x'. "rbf" is ``exp(-gamma |x - x'|^2)``, "poly" ``(gamma x.x' + coef0)^degree``, both of the
        standardised features. A callable takes two arrays of rows and returns their kernel matrix. Every row that was
        predicted wrongly becomes a support vector. An epoch needs n kernel evaluations per support vector, and scoring
        a row needs one per support vector; with noisy labels a fixed share of all rows are support vectors. A callable
        is evaluated on all pairs of training rows at once, for at most 20000 rows.
    n_epochs : int, default=10
        Passes over the rows.
    average : bool, default=True
        Use the mean of the rule over all steps, which is more stable, instead of the last rule.
    shuffle : bool, default=True
        Use a new order of the rows in every epoch.
    gamma : float, default=1.0
        Parameter of the kernels "rbf" and "poly".
    degree : int, default=2
        Parameter of "poly".
    coef0 : float, default=1.0
        Parameter of "poly".
    order : list of labels or None, default=None
        The labels from the lowest to the highest, where they are neither numbers nor an ordered categorical.
    categorical_features : list of names or positions, or None, default=None
        Features that are categories in addition to those whose type says so.
    random_state : int, RandomState or None, default=None
        Seed of the orders.

    Attributes
    ----------
    coef_ : array
        w, for the standardised columns; linear kernel only.
    support_ : array of int
        Indices of the support vectors in the training table; other kernels only, as the next two.
    support_vectors_, dual_coef_ : array
        Their standardised features, and their coefficients.
    thresholds_ : array of shape (k - 1,)
        Ascending.
    rank_loss_ : array of shape (n_epochs,)
        Sum of `|predicted level - level|` over each epoch; every row is predicted before the update.
    classes_ : array of shape (k,)
        The labels from the lowest to the highest.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only where the training table had names.

    Examples
    --------
    >>> import numpy as np
    >>> from rankforest import PRank
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = np.digitize(X[:, 0] - X[:, 1], [-1, 0, 1])
    >>> model = PRank(random_state=0).fit(X, y)
    >>> float(np.abs(model.predict(X) - y).mean()) < 0.05
    True
    """

    def __init__(
        self,
        kernel: str | Callable[[np.ndarray, np.ndarray], np.ndarray] = "linear",
        *,
        n_epochs: int = 10,
        average: bool = True,
        shuffle: bool = True,
        gamma: float = 1.0,
        degree: int = 2,
        coef0: float = 1.0,
        order: Any = None,
        categorical_features: Any = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.n_epochs = n_epochs
        self.average = average
        self.shuffle = shuffle
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.order = order
        self.categorical_features = categorical_features
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> PRank:
        """Train the perceptron.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, q)
        y : array of shape (n,)
            2 to 100 ordered labels.
        """
        self._check_kernel()
        at_least("n_epochs", self.n_epochs, 1)
        training = self._training(X, y)
        rows, codes = training.X, training.labels.codes
        params = self._params(training.labels.n_levels, share=1.0)
        if self.kernel == "linear":
            weights, all_thresholds, losses = _core.prank(rows, codes, params, 1, 1)
            found: dict[str, Any] = {"coef_": weights[0]}
            thresholds, loss = all_thresholds[0], losses[0]
        else:
            matrix = self._gram(rows) if callable(self.kernel) else rows
            dual, thresholds, loss = _core.kernel_prank(matrix, codes, params, *self._core_kernel())
            support = np.flatnonzero(dual)
            found = {
                "support_": support,
                "support_vectors_": rows[support],
                "dual_coef_": dual[support],
            }
        # set all attributes at the end: an interrupted fit leaves the model unchanged
        for name in ("coef_", "support_", "support_vectors_", "dual_coef_"):
            if name in found:
                setattr(self, name, found[name])
            elif hasattr(self, name):
                delattr(self, name)
        self.rank_loss_ = loss
        self._keep(training, thresholds)
        return self

    def _check_kernel(self) -> None:
        if not callable(self.kernel) and self.kernel not in KERNELS:
            raise ValueError(
                f"kernel is {self.kernel!r}; choose one of {', '.join(map(repr, KERNELS))}, or give a function of two "
                "arrays of rows."
            )
        at_least("degree", self.degree, 1)
        if not (isinstance(self.gamma, Real) and 0.0 < self.gamma < np.inf):
            raise ValueError(f"gamma is {self.gamma!r}; give a number above 0.")
        if not (isinstance(self.coef0, Real) and np.isfinite(self.coef0)):
            raise ValueError(f"coef0 is {self.coef0!r}; give a finite number.")

    def _core_kernel(self) -> tuple[int, float, float, int]:
        """The kernel in the core's terms."""
        kind = _PRECOMPUTED if callable(self.kernel) else _RBF if self.kernel == "rbf" else _POLY
        return kind, float(self.gamma), float(self.coef0), int(self.degree)

    def _gram(self, rows: np.ndarray) -> np.ndarray:
        if len(rows) > MAX_GRAM_ROWS:
            raise ValueError(
                f"kernel is a function, which is evaluated on all pairs of rows, and X has {len(rows)} of them; use at "
                f"most {MAX_GRAM_ROWS} rows, or one of {', '.join(map(repr, KERNELS))}."
            )
        return self._kernel_matrix(rows, rows)

    def _kernel_matrix(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        assert callable(self.kernel)
        matrix = np.ascontiguousarray(self.kernel(rows, others), dtype=np.float64)
        if matrix.shape != (len(rows), len(others)) or not np.isfinite(matrix).all():
            raise ValueError(
                f"kernel gave an array of shape {matrix.shape} for {len(rows)} and {len(others)} rows; it must give a "
                "finite number for every pair of them."
            )
        return matrix

    def _scores(self, X: np.ndarray) -> np.ndarray:
        if hasattr(self, "coef_"):
            return _core.prank_scores(X, self.coef_)
        if not callable(self.kernel):
            return _core.kernel_prank_scores(X, self.support_vectors_, self.dual_coef_, *self._core_kernel())
        size = max(1, _PAIRS_AT_ONCE // max(1, len(self.support_)))
        parts = [X[start : start + size] for start in range(0, len(X), size)]
        kernels = (self._kernel_matrix(part, self.support_vectors_) for part in parts)
        return np.concatenate([_core.prank_scores(matrix, self.dual_coef_) for matrix in kernels])

    # ---- the protocol

    def program(self) -> Program:
        if self.kernel != "linear":
            raise ExportError(
                f"kernel is {self.kernel!r}, and exports support only linear scores; fit with kernel='linear'."
            )
        return self._linear_program(self.coef_)

    def to_parts(self) -> dict[str, Any]:
        if callable(self.kernel):
            raise NotStorable(
                "kernel is a function, which a model file cannot store; use one of the kernels that have a name, or "
                "pickle or joblib, whose files are only safe to load from a trusted source."
            )
        found = {**super().to_parts(), "rank_loss": self.rank_loss_}
        if self.kernel == "linear":
            return {**found, "coef": self.coef_}
        return {
            **found,
            "support": self.support_.astype(np.int64),
            "support_vectors": self.support_vectors_,
            "dual_coef": self.dual_coef_,
        }

    def from_parts(self, parts: Parts) -> None:
        need(isinstance(self.kernel, str), "its kernel cannot be read")
        try:
            self._check_kernel()
        except (ValueError, TypeError):
            raise InvalidParts("its kernel cannot be read") from None
        super().from_parts(parts)
        self.rank_loss_ = parts.array("rank_loss", np.float64, None)
        n_columns = len(self.standardization_.mean)
        if self.kernel == "linear":
            self.coef_ = parts.array("coef", np.float64, n_columns)
            check_moderate(self.coef_, "coef")
            return
        self.support_ = parts.array("support", np.int64, None)
        self.support_vectors_ = parts.array("support_vectors", np.float64, len(self.support_), n_columns)
        self.dual_coef_ = parts.array("dual_coef", np.float64, len(self.support_))
        need((self.support_ >= 0).all(), "a support vector has no row")
        check_moderate(self.support_vectors_, "support_vectors")
        check_moderate(self.dual_coef_, "dual_coef")
