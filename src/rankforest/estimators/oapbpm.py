"""OAP-BPM, the ensemble of PRanks, as a scikit-learn estimator."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from .. import _core
from ..data.parameters import at_least
from ..data.parts import Parts, check_moderate
from ..program import Program
from ._threshold_ranker import ThresholdRanker
from .registry import register

__all__ = ["OAPBPM"]


@register()
class OAPBPM(ThresholdRanker):
    """Online aggregate PRank-Bayes point machine (Harrington 2003): the mean of many PRanks.

    All learners process the rows together, and each learns from a row with probability `tau`. So the learners differ,
    and the mean of their directions and thresholds lies closer to the centre of all rules that fit than any one of
    them. Features are treated as in `PRank`. For a kernel, put a feature map such as
    :class:`sklearn.kernel_approximation.Nystroem` before it.

    Parameters
    ----------
    n_estimators : int, default=100
        Learners.
    tau : float, default=0.3
        Probability that a learner is trained on a row, in (0, 1].
    n_epochs : int, default=10
        Passes over the rows.
    average : bool, default=False
        Use the mean of each learner's rule over all steps, instead of its last rule.
    shuffle : bool, default=True
        Use a new order of the rows in every epoch.
    order : list of labels or None, default=None
        The labels from the lowest to the highest, where they are neither numbers nor an ordered categorical.
    categorical_features : list of names or positions, or None, default=None
        Features that are categories in addition to those whose type says so.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 is all. The model is the same for any number.
    random_state : int, RandomState or None, default=None
        Seed of the orders and of the rows of each learner.

    Attributes
    ----------
    coef_ : array
        Mean of the directions, for the standardised columns.
    thresholds_ : array of shape (k - 1,)
        Mean of the thresholds, ascending.
    estimator_coefs_ : array of shape (n_estimators, columns)
        Direction of each learner.
    estimator_thresholds_ : array of shape (n_estimators, k - 1)
        Thresholds of each learner.
    classes_ : array of shape (k,)
        The labels from the lowest to the highest.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only where the training table had names.

    Examples
    --------
    >>> import numpy as np
    >>> from rankforest import OAPBPM
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = np.digitize(X[:, 0] - X[:, 1], [-1, 0, 1])
    >>> model = OAPBPM(random_state=0).fit(X, y)
    >>> float(np.abs(model.predict(X) - y).mean()) < 0.05
    True
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        tau: float = 0.3,
        n_epochs: int = 10,
        average: bool = False,
        shuffle: bool = True,
        order: Any = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.tau = tau
        self.n_epochs = n_epochs
        self.average = average
        self.shuffle = shuffle
        self.order = order
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> OAPBPM:
        """Train all learners.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, q)
        y : array of shape (n,)
            2 to 100 ordered labels.
        """
        n_estimators = at_least("n_estimators", self.n_estimators, 1)
        at_least("n_epochs", self.n_epochs, 1)
        if isinstance(self.tau, bool) or not isinstance(self.tau, Real) or not 0.0 < float(self.tau) <= 1.0:
            raise ValueError(f"tau is {self.tau!r}; give the probability that a learner sees a row, in (0, 1].")
        training = self._training(X, y)
        params = self._params(training.labels.n_levels, share=float(self.tau))
        coefs, thresholds, _ = _core.prank(
            training.X, training.labels.codes, params, n_estimators, effective_n_jobs(self.n_jobs)
        )
        # set all attributes at the end: an interrupted fit leaves the model unchanged
        self.estimator_coefs_: np.ndarray = coefs
        self.estimator_thresholds_: np.ndarray = thresholds
        self.coef_: np.ndarray = coefs.mean(axis=0)
        self._keep(training, thresholds.mean(axis=0))
        return self

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return _core.prank_scores(X, self.coef_)

    # ---- the protocol

    def program(self) -> Program:
        return self._linear_program(self.coef_)

    def to_parts(self) -> dict[str, Any]:
        return {
            **super().to_parts(),
            "coef": self.coef_,
            "estimator_coefs": self.estimator_coefs_,
            "estimator_thresholds": self.estimator_thresholds_,
        }

    def from_parts(self, parts: Parts) -> None:
        super().from_parts(parts)
        self.coef_ = parts.array("coef", np.float64, len(self.standardization_.mean))
        self.estimator_coefs_ = parts.array("estimator_coefs", np.float64, None, len(self.coef_))
        n_learners, n_thresholds = len(self.estimator_coefs_), len(self.thresholds_)
        self.estimator_thresholds_ = parts.array("estimator_thresholds", np.float64, n_learners, n_thresholds)
        check_moderate(self.coef_, "coef")
        check_moderate(self.estimator_coefs_, "estimator_coefs")
        check_moderate(self.estimator_thresholds_, "estimator_thresholds")
