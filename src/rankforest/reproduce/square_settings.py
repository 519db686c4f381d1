"""Figures 6 and 9 to 13 of the TreeRank paper (2011) as data: laws on the unit square, and trees fitted to them.

Figure 6 is an algorithm, the cutting of cells by weighted risk minimisation, and is run as it is printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from ..data.laws import ConditionalGaussians, Law, TruncatedGaussian, UniformQuarters
from ..data.simulate import Simulated
from ..estimators.tree_rank import TreeRank
from ..splitting.leafrank import LeafRank
from ..splitting.weighted_erm import WeightedERM
from ..tree.pruning_options import Pruning

__all__ = ["CROSSED", "STUDIES", "SquareLine", "SquareStudy", "draw_sample"]

N_TRAIN, N_TEST = 2000, 10_000

# Figure 11 is of "two Gaussian distributions where the frontier is more difficult to approximate"; their parameters are
# not printed. These two cross: one lies along the diagonal of the square, the other across it.
CROSSED = ConditionalGaussians(
    negative=TruncatedGaussian((0.6, 0.5), ((0.10, 0.07), (0.07, 0.10))),
    positive=TruncatedGaussian((0.4, 0.5), ((0.10, -0.07), (-0.07, 0.10))),
)


@dataclass(frozen=True)
class SquareLine:
    """A tree and its published values.

    Attributes
    ----------
    key, name : str
    model : TreeRank or None
        None: the optimal rule, eta itself.
    published : tuple of float or None
        AUC on the learning and on the test sample.
    """

    key: str
    name: str
    model: Any
    published: tuple[float, float] | None = None


@dataclass(frozen=True)
class SquareStudy:
    """A distribution and the trees fitted to it.

    Attributes
    ----------
    key, name : str
    number : int
        Part of the seed.
    law : Law
    n_train : int
    lines : list of SquareLine
    notes : list of str
    """

    key: str
    name: str
    number: int
    law: Law
    n_train: int
    lines: Sequence[SquareLine]
    notes: Sequence[str]


def draw_sample(law: Law, n: int, rng: np.random.Generator) -> Simulated:
    """Labels with probability 1/2 each, then the points."""
    y = 2 * rng.integers(0, 2, size=n, dtype=np.int64) - 1
    X = law.draw(y, rng)
    return Simulated(X, y, law.eta_of(X), law)


# "Each split is built from less than 5 terminal nodes", and 10-fold cross-validated pruning.
_FEW_CUTS = TreeRank(LeafRank(max_depth=None, max_leaf_nodes=4), pruning="cv", random_state=0)


def _at_most(strata: int | None, leaves: int | None) -> TreeRank:
    inner = LeafRank(max_depth=None, max_leaf_nodes=leaves)
    return TreeRank(inner, max_depth=None, max_leaf_nodes=strata, random_state=0)


def _weighted_erm(classifier: ClassifierMixin, routing: str) -> TreeRank:
    return TreeRank(WeightedERM(classifier, routing=routing), max_depth=5, random_state=0)


_HALF_PLANES, _RECTANGLES = LogisticRegression(), DecisionTreeClassifier(max_leaf_nodes=8)
_CROSS_VALIDATED = TreeRank(
    LeafRank(max_depth=None, min_mass_leaf=0.01, pruning=Pruning("cv", n_folds=10)),
    max_depth=None,
    pruning="cv",
    random_state=0,
)
_OPTIMAL = partial(SquareLine, "optimal", "optimal rule", None)
_ONE_TREE = (SquareLine("tree", "TreeRank, pruned", _FEW_CUTS), _OPTIMAL())
_SIZES = (f"The paper prints neither sizes nor AUC: {N_TRAIN:,} rows to learn from are assumed.",)

STUDIES = {
    study.key: study
    for study in (
        SquareStudy(
            "erm",
            "weighted ERM",
            6,
            ConditionalGaussians(),
            N_TRAIN,
            (
                SquareLine("linear", "half-planes, as printed", _weighted_erm(_HALF_PLANES, "in-sample")),
                SquareLine("linear-held-out", "half-planes, held-out", _weighted_erm(_HALF_PLANES, "held-out")),
                SquareLine("cart", "8 rectangles, as printed", _weighted_erm(_RECTANGLES, "in-sample")),
                SquareLine("cart-held-out", "8 rectangles, held-out", _weighted_erm(_RECTANGLES, "held-out")),
                _OPTIMAL(),
            ),
            (
                "The figure is an algorithm, and the paper prints no results of it. Assumed are the law of Figure 10, "
                f"{N_TRAIN:,} rows to learn from, trees of depth 5, and two classes of sets: half-planes (logistic "
                "regression) and unions of at most 8 rectangles (a classification tree).",
                "As printed, the classifier of a cell also splits its own training rows; held-out, they are split by "
                "classifiers that were not trained on them.",
            ),
        ),
        SquareStudy("uniform", "mixtures of uniform laws", 9, UniformQuarters(), N_TRAIN, _ONE_TREE, _SIZES),
        SquareStudy("gaussians", "conditional Gaussians", 10, ConditionalGaussians(), N_TRAIN, _ONE_TREE, _SIZES),
        SquareStudy(
            "crossed",
            "tougher Gaussians",
            11,
            CROSSED,
            N_TRAIN,
            _ONE_TREE,
            (*_SIZES, "The paper does not print its two laws; we assume two elongated Gaussians that cross."),
        ),
        SquareStudy(
            "complexity",
            "conditional Gaussians, four sizes of the two trees",
            12,
            ConditionalGaussians(),
            500,
            (
                SquareLine("i", "(i) at most 3 strata, 3 leaves", _at_most(3, 3), (0.71, 0.67)),
                SquareLine("ii", "(ii) at most 15, 15", _at_most(15, 15), (0.88, 0.67)),
                SquareLine("iii", "(iii) unlimited", _at_most(None, None), (0.91, 0.66)),
                SquareLine("iv", "(iv) both cross-validated", _CROSS_VALIDATED, (0.75, 0.71)),
                _OPTIMAL((0.76, 0.74)),
            ),
            (
                "The paper has one sample of 500 rows to learn from and one of 10,000 to test on; here both are drawn "
                "again in every replication.",
                "Inner leaves of (i) to (iii) hold at least 2% of the balanced mass of their cell, the default of "
                "LeafRank: without it an unlimited inner tree separates its cell perfectly and nothing is left to "
                "rank.",
            ),
        ),
    )
}
