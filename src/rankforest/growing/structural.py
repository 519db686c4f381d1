"""Structural AUC maximisation: prune by a penalty on the number of leaves, without resampling."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..data.sample import Sample
from ..splitting.cell import SplittingRule
from ..splitting.dyadic import Dyadic
from ..splitting.leafrank import LeafRank
from ..tree.master_tree import MasterTree
from ..tree.pruning import BestSubtrees, best_subtrees
from .right_size import Grow

__all__ = ["Structural", "penalty_of", "structural"]

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
        """Leaves of the subtree that maximises the penalised AUC; of equally good ones the smallest."""
        return 1 + int(np.argmax(self.subtrees.auc - self.constant * self.penalty))

    def prune(self) -> MasterTree:
        """The chosen subtree."""
        return self.subtrees.prune(self.n_leaves)


def structural(
    tree: MasterTree, grow: Grow, sample: Sample, rule: SplittingRule, *, constant: float | str, seed: int
) -> Structural:
    """The subtrees of a grown tree with their penalties.

    The theoretical constant, 1, is far too large in practice. "auto" learns it from labels that cannot be ranked: trees
    are grown on the same rows with shuffled labels, and the constant is the least one that would prune all of them to
    the root.
    """
    size = {"n_rows": sample.n_rows, "n_features": tree.schema.n_features}
    share = float(tree.cell_mass[0, 1] / tree.cell_mass[0].sum())
    subtrees = best_subtrees(tree)
    penalties = penalty_of(rule, len(subtrees.auc), share=share, **size)
    if constant == "auto":
        rng = np.random.default_rng(seed)
        constant = 0.0
        for _ in range(_SHUFFLES):
            order = rng.permutation(sample.n_rows)
            weights = None if sample.weights is None else sample.weights[order]
            noise = best_subtrees(grow(Sample(sample.table, sample.binned, sample.labels[order], weights)))
            if len(noise.auc) > 1:
                of_noise = penalty_of(rule, len(noise.auc), share=share, **size)
                ratios = (noise.auc[1:] - noise.auc[0]) / (of_noise[1:] - of_noise[0])
                constant = max(constant, float(ratios.max()))
    return Structural(subtrees, penalties, float(constant))


def penalty_of(rule: SplittingRule, most_leaves: int, *, n_rows: int, n_features: int, share: float) -> np.ndarray:
    """Penalty of subtrees with 1 .. most_leaves leaves: O1 of the paper for LeafRank, O2 for dyadic cubes.

    O1, at most kappa cuts per cell: sqrt(32 (log(16 ((n + 1) q)^(2 K kappa)) + K) / n) / (p (1 - p)).
    O2, cubes of side 2^-J: sqrt((log(4 K^(2^(J q))) + K) / (2 n)) / (p (1 - p)).

    Examples
    --------
    >>> from rankforest import Dyadic
    >>> penalty_of(Dyadic(1), 2, n_rows=100, n_features=2, share=0.5).round(3)
    array([0.437, 0.702])
    """
    leaves = np.arange(1, most_leaves + 1)
    if isinstance(rule, LeafRank):
        exponent = 2.0 * leaves * rule.most_cuts(n_rows) * math.log((n_rows + 1) * n_features)
        square = 32.0 * (math.log(16.0) + exponent + leaves) / n_rows
    elif isinstance(rule, Dyadic):
        cubes = math.ldexp(1.0, min(rule.resolution * n_features, 1000))  # beyond that any tree is pruned to its root
        square = (math.log(4.0) + cubes * np.log(leaves) + leaves) / (2.0 * n_rows)
    else:
        raise TypeError(
            'pruning is "structural", whose penalty is known for LeafRank and Dyadic alone; set pruning to "cv".'
        )
    return np.sqrt(square) / (share * (1.0 - share))
