"""Figures 2 to 4 of the ordinal ranking tree paper (2008): how the two trees grow on the synthetic set, level by level.

Figure 2 is the rank error on fresh rows by the depth of the tree (50 000 rows, 20 trials). Figures 3 and 4 show the
cuts of the Classification Tree and of the Ranking Tree on 1000 rows, at one depth after the other. The paper's claim is
that the first cuts of the Classification Tree set apart small pieces at the border, and those of the Ranking Tree go
through the middle, so that the Ranking Tree needs fewer levels. Here we measure the share of a cell on the smaller side
of its cut: 1/2 is a cut through the middle, 0 a cut at the border.

We have the text of the paper, which describes the figures, and not the figures themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..estimators.ordinal_tree import OrdinalRankingTree
from ..metrics.ordinal import mean_absolute_rank_error
from ..tree.ordinal_pruning import depth_path
from ..tree.ordinal_tree import OrdinalTree
from .ledger import Ledger, Outcome
from .options import RunOptions
from .ordinal_data import TrainTest, square_trial
from .replicate import Study, replicate

__all__ = [
    "TREES",
    "GrowthTrials",
    "SquareCut",
    "cuts_of",
    "grow",
    "growth_outcome",
    "growth_trial",
    "predictions",
    "trees_by_depth",
]

N_TRIALS, N_TEST = 20, 1000
CUT_DEPTH = 4
QUICK_TRIALS = 3

# criterion -> name; the Classification Tree predicts the most frequent label of a leaf, the others the median one
TREES = {"ranking": "Ranking Tree", "ordinal_gini": "Ranking Tree, ordinal Gini", "gini": "Classification Tree"}


class SquareCut(NamedTuple):
    """One cut of a tree on the unit square.

    Attributes
    ----------
    depth : int
        0 is the first cut.
    x, y : pair of floats
        Ends of its line.
    smaller_side : float
        Share of the rows of its cell on its smaller side.
    """

    depth: int
    x: tuple[float, float]
    y: tuple[float, float]
    smaller_side: float


@dataclass(frozen=True)
class GrowthTrials:
    """The trials of both trees, with one column of the ledger per depth and measure.

    Attributes
    ----------
    ledger : Ledger
    n_trials, n_train, depth : int
    seed : int
    """

    ledger: Ledger
    n_trials: int
    n_train: int
    depth: int
    seed: int

    def trials(self, criterion: str, figure: str) -> NDArray[np.float64]:
        """A measure for every trial (rows) and depth (columns)."""
        columns = [self.ledger.column(criterion, f"{figure}-{d}", self.n_trials) for d in range(1, self.depth + 1)]
        return np.column_stack(columns)


def trees_by_depth(criterion: str, trial: TrainTest, depth: int) -> list[OrdinalTree]:
    """The trees of depth 1, 2, ... up to `depth`, all pruned from the deepest one, which may stop earlier."""
    model = OrdinalRankingTree(criterion, max_depth=depth, pruning=None).fit(trial.X_train, trial.y_train)
    path = depth_path(model.tree_)
    return [path.prune(-d) for d in range(1, depth + 1)]


def predictions(criterion: str, tree: OrdinalTree, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Predictions of a tree: the most frequent label of the leaf for the Classification Tree, else the median one."""
    leaf = tree.leaf_mass.argmax(axis=1) if criterion == "gini" else tree.leaf_median
    return tree.levels[leaf[tree.apply(X)]]


def cuts_of(tree: OrdinalTree) -> list[SquareCut]:
    """All cuts of a tree on the unit square, parents before children."""
    counts = np.append(tree.node_count, tree.leaf_count)
    found = []
    boxes = {0: ((0.0, 1.0), (0.0, 1.0))}
    for node in range(tree.n_nodes):  # parents come before children
        box, axis, at = boxes[node], int(tree.feature[node]), float(tree.threshold[node])
        left, right = tree.children[node].tolist()
        across = box[1 - axis]
        ends = ((at, at), across) if axis == 0 else (across, (at, at))
        smaller = min(counts[left], counts[right]) / counts[node]
        found.append(SquareCut(int(tree.depth[node]), *ends, float(smaller)))
        (low, high), other = box[axis], box[1 - axis]
        for child, side in ((left, (low, at)), (right, (at, high))):
            boxes[child] = (side, other) if axis == 0 else (other, side)
    return found


def growth_outcome(seed: int, n_train: int, depth: int, criterion: str, replication: int) -> Outcome:
    """Number of leaves, test error and mean smaller side of the newest cuts, for every depth of one tree."""
    trial = growth_trial(seed, n_train, replication)
    figures = {}
    for d, tree in enumerate(trees_by_depth(criterion, trial, depth), start=1):
        newest = [cut.smaller_side for cut in cuts_of(tree) if cut.depth == d - 1]
        figures[f"leaves-{d}"] = float(tree.n_leaves)
        figures[f"error-{d}"] = mean_absolute_rank_error(trial.y_test, predictions(criterion, tree, trial.X_test))
        figures[f"smaller-{d}"] = float(np.mean(newest)) if newest else float("nan")
    return Outcome(figures)


def growth_trial(seed: int, n_train: int, replication: int) -> TrainTest:
    return square_trial(np.random.default_rng([seed, n_train, replication]), n_train=n_train, n_test=N_TEST)


def grow(study: str, n_train: int, depth: int, options: RunOptions) -> GrowthTrials:
    """Run the missing trials."""
    n = options.n_replications(N_TRIALS, quick=QUICK_TRIALS)
    if n < 2:
        raise ValueError(f"{n} trial has no interval; ask for two at least.")
    columns = [f"{figure}-{d}" for d in range(1, depth + 1) for figure in ("leaves", "error", "smaller")]
    settings = {"study": study, "seed": options.seed, "n_train": n_train, "version": __version__}
    ledger = Ledger(options.ledger_folder(study), columns, settings)
    run = partial(growth_outcome, options.seed, n_train, depth)
    replicate(Study(list(TREES), run), ledger, n, n_jobs=options.n_jobs)
    return GrowthTrials(ledger, n, n_train, depth, options.seed)
