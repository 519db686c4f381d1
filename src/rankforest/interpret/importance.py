"""Which features make the ranking (2011 paper, section 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike

from ..metrics._responses import score_rows
from ..metrics.roc import roc_auc
from ..tree.master_tree import MasterTree
from ..tree.ordinal_tree import OrdinalTree
from ..tree.ranking_tree import RankingTree

__all__ = [
    "PermutationImportance",
    "auc_gains",
    "forest_importance",
    "importance",
    "ordinal_importance",
    "permutation_importance",
]


def auc_gains(tree: RankingTree) -> np.ndarray:
    """Gain of AUC of every inner node, |alpha(C) beta(C') - beta(C) alpha(C')| / 2 in shares of the whole sample."""
    total = tree.cell_mass[0]
    alpha, beta = (tree.node_mass / total).T
    alpha_left, beta_left = (tree.left_mass / total).T
    return np.abs(alpha * beta_left - beta * alpha_left) / 2


def importance(tree: MasterTree) -> np.ndarray:
    """Importance of every feature: the root of the summed squares of its nodes' gains of AUC, normalised to sum 1.

    A tree without a split has importance 0 everywhere. Rules that are not axis-parallel cut on no feature in
    particular: their trees have none of this kind.
    """
    return forest_importance([tree])


def forest_importance(trees: Sequence[MasterTree]) -> np.ndarray:
    """The same, with the squares summed over all trees."""
    squares = np.zeros(trees[0].schema.n_features)
    for tree in trees:
        if not isinstance(tree, RankingTree):
            raise AttributeError(
                "The cells of this model are not cut on single features, so there are no gains to sum by feature; use "
                "rankforest.interpret.permutation_importance."
            )
        squares += np.bincount(tree.feature, weights=auc_gains(tree) ** 2, minlength=len(squares))
    roots = np.sqrt(squares)
    return roots / roots.sum() if roots.any() else roots


def ordinal_importance(trees: Sequence[OrdinalTree]) -> np.ndarray:
    """Importance of every feature in trees of ordered labels: the impurity that its cuts take off, normalised to sum 1.

    A tree without a cut has importance 0 everywhere.
    """
    total = np.zeros(trees[0].schema.n_features)
    for tree in trees:
        total += np.bincount(tree.feature, weights=tree.node_gain, minlength=len(total))
    return total / total.sum() if total.any() else total


@dataclass(frozen=True, repr=False, eq=False)
class PermutationImportance:
    """What the ranking loses when a feature is shuffled.

    Attributes
    ----------
    names : tuple of str
        The features.
    mean, std : arrays of shape (n_features,)
        Mean drop of the metric over the repeats, and its standard deviation.
    drops : array of shape (n_features, n_repeats)
    baseline : float
        The metric before anything is shuffled.

    Examples
    --------
    >>> drops = np.array([[0.1, 0.3], [0.0, 0.0]])
    >>> print(PermutationImportance(("age", "debt"), drops.mean(axis=1), drops.std(axis=1), drops, 0.8))
    feature     mean       sd   (baseline 0.8000)
    age       0.2000   0.1000
    debt      0.0000   0.0000
    """

    names: tuple[str, ...]
    mean: np.ndarray
    std: np.ndarray
    drops: np.ndarray
    baseline: float

    def to_dict(self) -> dict[str, float]:
        """Mean drops by name, the largest first."""
        return {self.names[j]: float(self.mean[j]) for j in np.argsort(-self.mean, kind="stable")}

    def __str__(self) -> str:
        width = max(len("feature"), *map(len, self.names))
        lines = [f"{'feature':<{width}}  {'mean':>7}  {'sd':>7}   (baseline {self.baseline:.4f})"]
        for j in np.argsort(-self.mean, kind="stable"):
            lines.append(f"{self.names[j]:<{width}}  {self.mean[j]:>7.4f}  {self.std[j]:>7.4f}")
        return "\n".join(lines)

    __repr__ = __str__


def permutation_importance(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_repeats: int = 5,
    random_state: Any = None,
    sample_weight: ArrayLike | None = None,
    metric: Callable[..., float] = roc_auc,
) -> PermutationImportance:
    """Mean drop of AUC when the values of a feature are shuffled among the rows.

    Parameters
    ----------
    model : object with ``score_samples``, ``decision_function`` or ``predict_proba``
        A fitted ranking tree or forest, or any binary scikit-learn classifier that scores.
    X : array or data frame of shape (n, q)
        Rows that the model has not seen in ``fit``, if the drop is to speak of new rows.
    y : array of shape (n,)
    n_repeats : int
        Times that each feature is shuffled.
    random_state : int, RandomState or None
    sample_weight : array of shape (n,) or None
    metric : callable
        ``metric(y, score)``, with ``sample_weight`` where it is given; ``y`` is 1 for the positives and 0 otherwise.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf10_sparse(500, random_state=0)
    >>> model = TreeRank(max_depth=3).fit(sample.X, sample.y)
    >>> found = permutation_importance(model, sample.X, sample.y, random_state=0)
    >>> bool(found.baseline - found.mean.max() >= 0.4)
    True
    """
    from sklearn import inspection  # not needed to fit or score, and slow to import

    if not any(hasattr(model, name) for name in ("score_samples", "decision_function", "predict_proba")):
        raise TypeError(f"{type(model).__name__} has no score_samples and no decision_function, so it ranks no rows.")
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame) and not hasattr(X, "iloc"):
        X = frame.to_pandas()  # scikit-learn shuffles columns of arrays and pandas frames

    label = model.pos_label_ if hasattr(model, "pos_label_") else model.classes_[1]

    def scorer(model: Any, X: Any, y: np.ndarray, **weights: Any) -> float:
        return metric(y, score_rows(model, X, label)[0], **weights)

    labels = np.asarray(np.asarray(y) == label).astype(np.int64)
    weights = {} if sample_weight is None else {"sample_weight": np.asarray(sample_weight)}
    found = inspection.permutation_importance(
        model,
        X,
        labels,
        scoring=scorer,
        n_repeats=n_repeats,
        random_state=random_state,
        **weights,
    )
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(len(found.importances_mean))])
    return PermutationImportance(
        names=tuple(map(str, names)),
        mean=found.importances_mean,
        std=found.importances_std,
        drops=found.importances,
        baseline=scorer(model, X, labels, **weights),
    )
