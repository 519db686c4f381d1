"""A tree of the right size: boxes cut by soft labels, ranked by their rates, as many as held-out rows support.

Every split of the grown tree is a single cut, so every leaf is a box. The cuts are those of the soft labels, and the
boxes are ranked by their rates. This is done without each fold in turn, for every number of boxes; the rows of the fold
tell how well it ranks. If the labels themselves cut clearly better boxes (the forest misses a single good column among
thousands), those are taken. If cuts may be oblique, sums of features are searched without each fold too, and taken if
the boxes that they cut are better by more than a standard error.
"""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .. import _core
from ..data.binning import USUAL_BINS, Bins
from ..data.folds import Folds
from ..data.sample import Sample
from ..data.sums import WeightedSum, WideRows
from ..metrics._inputs import CumulativeMass
from ..metrics._top import top_of_mass
from ..splitting.leafrank import LeafRank
from ..tree.box_order import never_below, sorted_under
from ..tree.master_tree import MasterTree
from ..tree.oblique_tree import oblique
from ..tree.ordered_boxes import ordered_boxes
from ..tree.pruning import PruningPath, cell_mass_on, pruning_path, strata_mass
from ..tree.ranking_tree import RankingTree
from ..tree.subtree import collapse
from .chosen_size import ChosenSize
from .soft_labels import SoftLabels, own_labels, soft_labels
from .sums_of_rows import SumsOfRows
from .treerank import Growth, grow_trees

__all__ = ["MOST_STRATA", "distilled_tree"]

MOST_STRATA = 12  # of a readable tree
_BEST = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)  # numbers of boxes of the best tree
_FOLDS = 5
_LEAST_FOLDS = 3  # soft labels of a row come from trees without its fold, nor the one held out
_FEW_ROWS = 5_000  # of so many the folds are drawn twice, as those of one draw tell too little
_MOST_ROWS = 100_000  # that cuts and size are learned from
_PSEUDO_ROWS = 100.0  # with the expected rate, in the rate by which a box of the best tree is ranked


def distilled_tree(
    sample: Sample, growth: Growth, size: str, *, oblique_cuts: bool = False, seed: int, n_threads: int = 1
) -> tuple[MasterTree, ChosenSize | None]:
    """The tree of the chosen size, and how it was chosen.

    Parameters
    ----------
    sample : Sample
    growth : Growth
        `max_leaf_nodes` is the ceiling of the number of strata; the splitter is not used.
    size : {"readable", "best"}
    oblique_cuts : bool
        Whether cuts on sums of two features compete. The sample is then in this process.
    """
    most = growth.max_leaf_nodes or (MOST_STRATA if size == "readable" else max(_BEST))
    near, rows = _near(sample, seed)
    repeats = 2 if near.n_rows <= _FEW_ROWS and not near.hold_out.forward else 1
    drawn = [found for repeat in range(repeats) if (found := _folds(near, seed + repeat)) is not None]
    share = near.n_rows / sample.n_rows
    least = _least_rows(near.n_rows, math.ceil(growth.min_samples_leaf * share), size if drawn else "readable")
    # every row is there twice
    cuts = _CutsOfRates(max_depth=1, min_samples_leaf=2 * least, min_mass_leaf=0.0)
    growth = replace(growth, splitter=cuts, max_leaf_nodes=most, min_samples_leaf=2 * least)
    if not drawn:  # too few rows to hold any of them out
        most = min(most, MOST_STRATA)
        labels = own_labels(near, Folds(np.full(near.n_rows, -1), 0))
        growth = replace(growth, max_leaf_nodes=most)
        grown = _Grown.by(labels, None, growth, pseudo_rows=0.0, seed=seed, n_threads=n_threads)
        return grown.ranked(most).on(sample), None
    pseudo_rows = 0.0 if size == "readable" else _PSEUDO_ROWS
    n_strata = np.unique([k for k in (range(1, most + 1) if size == "readable" else (*_BEST, most)) if k <= most])

    expected: list[np.ndarray] = []
    by_soft: list[list[float]] = []
    by_own: list[list[float]] = []
    by_sums: list[list[float]] = []
    with_sums = SumsOfRows.near(sample, near, rows, least, n_threads) if oblique_cuts else None

    def held_out_auc(labels: SoftLabels, fold: int) -> list[float]:
        grown = _Grown.by(labels, fold, growth, pseudo_rows, seed=seed, n_threads=n_threads)
        mass = grown.mass_of(labels.folds.held_out(fold))
        return [grown.ranked(k).auc(mass, growth.top) for k in n_strata]

    for repeat, folds in enumerate(drawn):
        soft, own = soft_labels(near, folds, seed=seed + repeat, n_threads=n_threads), own_labels(near, folds)
        expected.append(soft.rate)
        for fold in range(folds.n_folds):
            by_soft.append(held_out_auc(soft, fold))
            by_own.append(held_out_auc(own, fold))
            if with_sums is not None:
                by_sums.append(held_out_auc(with_sums.labels(soft, fold, seed)[0], fold))
    chosen = ChosenSize(size, n_strata, np.array(by_soft), growth.top)
    rival = ChosenSize(size, n_strata, np.array(by_own), growth.top)
    labels = replace(soft, rate=np.mean(expected, axis=0))
    if rival.is_clearly_above(chosen):
        chosen, labels = rival, own_labels(near, folds)
    sums: tuple[WeightedSum, ...] = ()
    if with_sums is not None:
        by_oblique = ChosenSize(size, n_strata, np.array(by_sums), growth.top)
        if by_oblique.is_clearly_above(chosen, errors=1.0):
            chosen = by_oblique
            labels, sums = with_sums.labels(replace(soft, rate=np.mean(expected, axis=0)), None, seed)
    grown = _Grown.by(labels, None, growth, pseudo_rows, seed=seed, n_threads=n_threads)
    ranked = grown.ranked(int(n_strata[chosen.chosen]))
    if not sums:
        return ranked.on(sample), chosen
    whole = WideRows.of(sample, USUAL_BINS).with_sums(sums, n_threads)
    return oblique(ranked.on(whole), sums, sample.table.schema), chosen


def _near(sample: Sample, seed: int) -> tuple[Sample, np.ndarray]:
    """The codes of the rows, in this process; of many rows a part, with as many of the rarer class as there are.

    Also the positions of these rows.
    """
    rows, weights = np.arange(sample.n_rows), sample.weights
    if sample.n_rows > _MOST_ROWS:
        rng = np.random.default_rng(seed)
        of_class = [np.flatnonzero(sample.labels == k) for k in (0, 1)]
        rare = int(np.argmin([len(of) for of in of_class]))
        n_rare = min(len(of_class[rare]), _MOST_ROWS // 2)
        sizes = {rare: n_rare, 1 - rare: _MOST_ROWS - n_rare}
        drawn = [rng.permutation(of)[: sizes[k]] for k, of in enumerate(of_class)]
        rows = np.sort(np.concatenate(drawn))
        # both classes keep their shares
        correction = np.array([len(of) / sizes[k] for k, of in enumerate(of_class)])[sample.labels[rows]]
        weights = correction if weights is None else weights[rows] * correction
    return replace(sample.local(rows), weights=weights), rows


def _folds(near: Sample, seed: int) -> Folds | None:
    """Folds to choose a size by; None if there are too few rows, or groups, of a class."""
    found = near.hold_out.folds_at_most(near.labels, _FOLDS, seed)
    return None if found is None or found.n_folds < (2 if found.forward else _LEAST_FOLDS) else found


def _least_rows(n_rows: int, asked: int, size: str) -> int:
    """Smallest number of rows of a box: no stratum is tiny."""
    usual = max(min(20, n_rows // 20), n_rows // 200) if size == "readable" else min(5, n_rows // 20)
    return max(1, asked, usual)


class _CutsOfRates(LeafRank):
    """LeafRank on rows that are there twice, as a positive and as a negative, with the weights of their rates."""

    _label_noise = 1.0

    def judging(self, labelled: Sample) -> _CutsOfRates:
        """The same, told how much the rates vary: less than labels, so chance makes fewer categories differ."""
        assert labelled.weights is not None
        positive, negative = np.split(labelled.weights, 2)
        weight = positive + negative
        rate, of_row = float(positive.sum() / weight.sum()), positive / weight
        cuts = copy(self)
        cuts._label_noise = 2.0 * float(np.average((of_row - rate) ** 2, weights=weight)) / (rate * (1.0 - rate))
        return cuts

    def to_core(self, n_features: int) -> _core.InnerParams:
        params = super().to_core(n_features)
        params.label_noise = self._label_noise
        return params


@dataclass(frozen=True)
class _Ranked:
    """Some boxes of a grown tree in their order.

    Attributes
    ----------
    tree : RankingTree
    leaves : array of int
        Cells of the tree.
    expected : array
        Rate of each of them by the soft labels.
    mass : array
        (negatives, positives) of each of them.
    """

    tree: RankingTree
    leaves: np.ndarray
    expected: np.ndarray
    mass: np.ndarray
    pseudo_mass: float  # with the expected rate, in the rate by which a box is ranked
    monotonic_cst: tuple[int | tuple[int, ...], ...] | None

    @cached_property
    def stratum(self) -> np.ndarray:
        """Stratum of each box, 0 the best; under constraints neighbours whose rates break the order share one."""
        rate = (self.mass[:, 1] + self.pseudo_mass * self.expected) / (self.mass.sum(axis=1) + self.pseudo_mass)
        stratum = np.empty(len(rate), dtype=np.int64)
        if self.monotonic_cst is None:
            stratum[np.lexsort((-self.expected, -rate))] = np.arange(len(rate))
        else:
            order = sorted_under(never_below(self.tree, self.leaves, self.monotonic_cst), rate)
            stratum[order] = _pooled(self.mass[order])
        return stratum

    def auc(self, cell_mass: np.ndarray, top: float) -> float:
        """AUC, or local AUC, of other rows, given their mass in every cell."""
        mass = np.zeros((int(self.stratum.max()) + 1, 2))
        np.add.at(mass, self.stratum, cell_mass[self.leaves])
        negative, positive = np.vstack([np.zeros(2), np.cumsum(mass, axis=0)]).T
        if top < 1.0:
            return float(top_of_mass(CumulativeMass(positive, negative, np.empty(0)), np.asarray(top)).local_auc[0])
        return float(np.sum(np.diff(negative) * (positive[1:] + positive[:-1])) / (2.0 * negative[-1] * positive[-1]))

    def on(self, sample: Sample) -> RankingTree:
        """The tree that ranks the boxes, with the rows of a sample in its strata."""
        chosen = np.zeros(len(self.tree.cell_parent), dtype=bool)
        chosen[self.leaves] = True
        boxes = collapse(self.tree, chosen)
        assert isinstance(boxes, RankingTree)
        bins = sample.binned.bins
        boxes = replace(boxes, has_missing=sample.binned.has_missing, threshold=_round_thresholds(boxes, bins))
        at = sample.answers(boxes.apply)
        mass = strata_mass(boxes, at, sample.labels, sample.weights)
        count = np.bincount(at, minlength=boxes.n_leaves).astype(np.float64)
        # leaves of a subtree keep their order, so these are the same boxes
        return ordered_boxes(boxes, replace(self, mass=mass).stratum, mass, count)


@dataclass(frozen=True)
class _Grown:
    """A tree of single cuts, grown by soft labels."""

    path: PruningPath
    sample: Sample  # the rows with their labels
    kept: np.ndarray  # those that it was grown on
    pseudo_rows: float
    monotonic_cst: tuple[int | tuple[int, ...], ...] | None

    @classmethod
    def by(
        cls, soft: SoftLabels, fold: int | None, growth: Growth, pseudo_rows: float, *, seed: int, n_threads: int
    ) -> _Grown:
        labelled, kept = soft.labelled(fold)
        assert isinstance(growth.splitter, _CutsOfRates)
        growth = replace(growth, splitter=growth.splitter.judging(labelled))
        tree = grow_trees(labelled, growth, seed=seed, n_threads=n_threads)[0]
        return cls(pruning_path(tree), soft.sample, kept, pseudo_rows, growth.monotonic_cst)

    @property
    def tree(self) -> RankingTree:
        assert isinstance(self.path.tree, RankingTree)
        return self.path.tree

    @cached_property
    def _strata(self) -> np.ndarray:
        return self.tree.apply(self.sample.binned.values(slice(None)))

    def mass_of(self, rows: np.ndarray) -> np.ndarray:
        """(negatives, positives) of some rows in every cell."""
        weights = None if self.sample.weights is None else self.sample.weights[rows]
        return cell_mass_on(self.tree, self._strata[rows], self.sample.labels[rows], weights)

    @cached_property
    def _mass(self) -> np.ndarray:
        return self.mass_of(self.kept)

    def ranked(self, most: int) -> _Ranked:
        """The boxes of the largest subtree that has no more than these."""
        path, tree = self.path, self.tree
        closed = path.collapse_at <= path.lambdas[int(np.argmax(path.n_leaves <= most))]
        below_closed = (tree.cell_parent >= 0) & closed[tree.cell_parent]
        leaves = np.flatnonzero(closed & ~below_closed)
        soft = tree.cell_mass[leaves]
        one_row = self._mass[0].sum() / len(self.kept)
        expected = soft[:, 1] / soft.sum(axis=1)
        return _Ranked(tree, leaves, expected, self._mass[leaves], self.pseudo_rows * one_row, self.monotonic_cst)


def _round_thresholds(boxes: RankingTree, bins: Bins) -> np.ndarray:
    """The thresholds of the boxes, which are cuts of bins, with as few digits as keep every training row in its box."""
    found = boxes.threshold.copy()
    is_cut = (boxes.set_offset < 0) & np.isfinite(found)
    for j in np.unique(boxes.feature[is_cut]).tolist():
        nodes = np.flatnonzero(is_cut & (boxes.feature == j))
        at, means = np.searchsorted(bins.cuts[j], found[nodes]), bins.means[j]
        cuts = bins.round_cuts(j)[at]
        separates = (means[at] <= cuts) & (cuts < means[at + 1])
        found[nodes[separates]] = cuts[separates]
    return found


def _pooled(mass: np.ndarray) -> np.ndarray:
    """Stratum of each box of an ordered list: neighbours whose rates break the order are pooled."""
    pools: list[tuple[np.ndarray, int]] = []  # mass and number of boxes
    for own in mass:
        pool = (own, 1)
        while pools and pools[-1][0][1] * pool[0].sum() < pool[0][1] * pools[-1][0].sum():
            above = pools.pop()
            pool = (above[0] + pool[0], above[1] + pool[1])
        pools.append(pool)
    return np.repeat(np.arange(len(pools)), [n for _, n in pools])
