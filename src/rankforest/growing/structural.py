"""Structural AUC maximisation: pruning by a penalty on the number of leaves, without resampling."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.parts import Parts, check_finite, need
from ..data.sample import Sample
from ..splitting.cell import SplittingRule
from ..splitting.dyadic import Dyadic
from ..splitting.grid import Grid
from ..splitting.leafrank import LeafRank
from ..tree.master_tree import MasterTree
from ..tree.pruning import BestSubtrees, best_subtrees
from .right_size import Grow
from .treerank import Growth

__all__ = ["Structural", "check_penalty", "penalty_of", "structural"]

_SHUFFLES = 3


@dataclass(frozen=True)
class Structural:
    """Structural AUC maximisation: AUC - constant * penalty over the best subtrees of every size.

    Attributes
    ----------
    subtrees : BestSubtrees
    penalty : array
        Of a subtree with 1, 2, ... leaves.
    constant : float
    """

    subtrees: BestSubtrees
    penalty: np.ndarray
    constant: float

    @property
    def n_leaves(self) -> int:
        """Number of leaves of the subtree that maximises the penalised AUC; the smallest of equally good ones."""
        return 1 + int(np.argmax(self.subtrees.auc - self.constant * self.penalty))

    def prune(self) -> MasterTree:
        """The chosen subtree."""
        return self.subtrees.prune(self.n_leaves)

    def to_parts(self) -> dict[str, Any]:
        """All but the grown tree, as plain data."""
        return {
            "kind": "structural",
            "constant": float(self.constant),
            "auc": self.subtrees.auc,
            "left_leaves": np.concatenate(self.subtrees.left_leaves).astype(np.int64),
            "penalty": self.penalty,
        }

    @classmethod
    def from_parts(cls, parts: Parts, grown: MasterTree) -> Structural:
        """The same again, checked against the grown tree."""
        parts.choice("kind", ("structural",))
        below = leaves_below(grown)
        n = int(below[0])
        auc, penalty = parts.array("auc", np.float64, n), parts.array("penalty", np.float64, n)
        check_finite(auc, "auc of the subtrees")
        check_finite(penalty, "penalty of the subtrees")
        joined = parts.array("left_leaves", np.int64, int(below.sum()))
        left_leaves = tuple(np.split(joined, np.cumsum(below)[:-1]))
        for cell in np.flatnonzero(grown.cell_left >= 0).tolist():
            to_left, leaves = left_leaves[cell][1:], np.arange(2, below[cell] + 1)  # of 2, 3, ... leaves in all
            most_left, most_right = below[grown.cell_left[cell]], below[grown.cell_right[cell]]
            fine = (to_left >= 1) & (to_left <= most_left) & (to_left < leaves) & (leaves - to_left <= most_right)
            need(fine.all(), "a subtree of its pruning has more leaves than its cell")
        return cls(BestSubtrees(grown, auc, left_leaves), penalty, parts.number("constant"))


def leaves_below(tree: MasterTree) -> np.ndarray:
    """Number of leaves below each cell."""
    below = np.where(tree.cell_left < 0, 1, 0).astype(np.int64)
    for cell in range(len(below) - 1, 0, -1):  # children come after parents
        below[tree.cell_parent[cell]] += below[cell]
    return below


def structural(
    tree: MasterTree, grow: Grow, sample: Sample, growth: Growth, *, constant: float | str, seed: int
) -> Structural:
    """The subtrees of a grown tree with their penalties.

    The theoretical constant, 1, is far too large in practice. "auto" learns it from labels that cannot be ranked: trees
    are grown on the same rows with shuffled labels, and the constant is the least one that would prune all of them to
    the root.
    """
    share = float(tree.cell_mass[0, 1] / tree.cell_mass[0].sum())
    subtrees = best_subtrees(tree)
    penalties = penalty_of(growth, len(subtrees.auc), sample, share)
    if constant == "auto":
        rng = np.random.default_rng(seed)
        constant = 0.0
        for _ in range(_SHUFFLES):
            order = rng.permutation(sample.n_rows)
            noise = best_subtrees(sample.relabelled(order).grown(grow))
            if len(noise.auc) > 1:
                of_noise = penalty_of(growth, len(noise.auc), sample, share)
                ratios = (noise.auc[1:] - noise.auc[0]) / (of_noise[1:] - of_noise[0])
                constant = max(constant, float(ratios.max()))
    return Structural(subtrees, penalties, float(constant))


def check_penalty(rule: SplittingRule) -> None:
    """Raise an error for rules without a structural penalty, before the fit."""
    if not isinstance(rule, LeafRank | Dyadic):
        raise TypeError(
            'pruning is "structural", but the structural penalty is only known for LeafRank and Dyadic; set '
            'pruning to "cv".'
        )
    if isinstance(rule, Dyadic) and rule.box != "table":
        raise ValueError(
            'pruning is "structural", but the structural penalty is for the cubes of one grid, and Dyadic\'s box '
            f"is {rule.box!r}; set pruning to \"cv\", or box to 'table'."
        )


def penalty_of(growth: Growth, most_leaves: int, sample: Sample, share: float) -> np.ndarray:
    """Penalty of subtrees with 1 .. most_leaves leaves: O1 of the paper for LeafRank, O2 for dyadic cubes.

    O1, at most kappa cuts per cell: sqrt(32 (log(16 ((n + 1) q)^(2 K kappa)) + K) / n) / (p (1 - p)).
    O2, a grid of N cubes: sqrt((log(4 K^N) + K) / (2 n)) / (p (1 - p)). K^N is the number of ways to put the cubes into
    K strata; N is 2^(J q) where all features are numbers without missing values.

    Parameters
    ----------
    growth : Growth
        Of a LeafRank, or of a Dyadic with a resolution.
    most_leaves : int
    sample : Sample
        The rows that the tree was grown on.
    share : float
        p, their share of positives.
    """
    rule, leaves, n_rows = growth.splitter, np.arange(1, most_leaves + 1), sample.n_rows
    if isinstance(rule, LeafRank):
        exponent = 2.0 * leaves * rule.most_cuts(n_rows) * math.log((n_rows + 1) * sample.table.n_features)
        square = 32.0 * (math.log(16.0) + exponent + leaves) / n_rows
    else:
        assert isinstance(rule, Dyadic)
        assert rule.resolution is not None
        grid = Grid.of(sample, rule.resolution, rule.missing)
        # with more than e^690 cubes any tree is pruned to its root
        n_cubes = math.exp(min(grid.log_cubes(sample.binned.has_missing), 690.0))
        square = (math.log(4.0) + n_cubes * np.log(leaves) + leaves) / (2.0 * n_rows)
    return np.sqrt(square) / (share * (1.0 - share))
