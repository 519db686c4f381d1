"""The refresh of a forest: a part of its trees is replaced by trees of the same kinds, grown on new rows."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs

from ..data.binning import Bins
from ..data.known_bins import bins_with_cuts
from ..data.parts import Parts
from ..data.table import Table
from ..data.training_rows import TrainingRows
from ..fitting.progress import Meter
from ..fitting.refresh import Refresh, judged
from ..forest.aggregation import KEMENY
from ..forest.groves import Grove, grow_grove
from ..forest.out_of_bag import auc_of, out_of_bag_scores
from ..forest.sampling import Draw, Sampling
from ..tree.ranking_tree import RankingTree
from ..words import percent
from ._out_of_bag import OutOfBag
from ._refresh import NewRows, history_from, new_rows
from ._table_model import Training, check_fitted

__all__ = ["RefreshesForest"]

_SHARES = (0.25, 0.5, 0.75, 1.0)  # of new trees
_NONE, _ALL = 0.0, 1.0


class RefreshesForest(OutOfBag):
    """A forest that can be refreshed on new rows."""

    can_refresh = True

    refreshes_: tuple[Refresh, ...] = ()
    sampling: Any

    def refresh(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None) -> Self:
        """A forest for new rows, by replacing a part of the trees; this one stays as it is.

        Trees of the same kinds are grown on the new rows, with the cuts that the forest has. A quarter, half, three
        quarters or all of the old trees make room for them: the smallest part whose out-of-bag AUC on the new rows is
        within a standard error of the best. A new row is scored by the old trees, which have not seen it, and by the
        new trees that were not trained on it. If the gain over the old forest may be due to chance, the old forest is
        kept.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, q)
            New rows, with the features of the fit.
        y : array of shape (n,)
            With the two labels of the fit.
        sample_weight, groups
            As in `fit`: rows of a group are held out together.
        time : None
            The new trees are judged by their out-of-bag rows; times raise ValueError.

        Returns
        -------
        RankingForest
            ``refreshes_[-1]`` is the report, with the AUC before and after. Probabilities and out-of-bag figures are
            those of the new rows.

        Raises
        ------
        TooMuchDrift
            If most of the new rows are where the forest has no cuts.

        Examples
        --------
        >>> from rankforest import RankingForest
        >>> from rankforest.data import simulate
        >>> old, new = (simulate.rf20(500, random_state=seed) for seed in (0, 1))
        >>> forest = RankingForest(40, random_state=0).fit(old.X, old.y)
        >>> later = forest.refresh(-new.X, new.y)  # everything is the other way round
        >>> later.refreshes_[-1].accepted, later.refreshes_[-1].what
        (True, 'all trees are new')
        """
        check_fitted(self, "_groves")
        trees = self.trees_
        if not all(isinstance(tree, RankingTree) for tree in trees):
            raise ValueError("Only forests whose trees are cut by LeafRank can be refreshed; fit this one again.")
        cuts = _cuts_of(trees)
        n_threads = effective_n_jobs(self.n_jobs)

        def find(table: Table) -> Bins:
            return bins_with_cuts(table, cuts, n_threads=n_threads)

        used = sorted({int(j) for tree in trees for j in np.unique(tree.feature)})
        training = new_rows(self, NewRows(X, y, sample_weight, groups, time), used, find)
        if training.sample.hold_out.forward:
            raise ValueError(
                "time is given, and the new trees of a refresh are judged by their out-of-bag rows; give groups, such "
                "as the day of each row, or fit on all rows with time."
            )
        draw = Sampling.of(self.sampling).draw(training.sample.labels, training.seed, training.sample.hold_out)
        if not draw.leaves_rows_out:
            raise ValueError(
                'A refresh is judged by out-of-bag rows, and every tree sees all rows; set sampling to "auto".'
            )
        groves, report = self._best_mixture(training, draw, n_threads)
        return self._refreshed(groves, draw, training, report, n_threads)

    def _best_mixture(self, training: Training, draw: Draw, n_threads: int) -> tuple[list[Grove], Refresh]:
        sample, rows = training.sample, training.sample.training_rows()
        latest = [grove for grove in self._groves if not grove.earlier] or self._groves
        number = 1 + max(grove.number for grove in self._groves)
        counts = _shared_out(len(self.trees_), [len(grove.trees) for grove in latest])
        with Meter(sum(counts)) as meter:
            new = [
                grow_grove(
                    Grove(grove.growth, number + k), n_trees, sample, draw, self._grows(grove.growth),
                    n_threads=n_threads, progress=meter.tick,
                )
                for k, (grove, n_trees) in enumerate(zip(latest, counts))
            ]  # fmt: skip
        how = "mean_rank" if self.aggregation_ in KEMENY else self.aggregation_
        mixtures = {share: _mixture(self._groves, new, share) for share in (_NONE, *_SHARES)}
        scores = {share: out_of_bag_scores(groves, draw, rows, how, n_threads)[0] for share, groves in mixtures.items()}
        best = _smallest_good_share(scores, rows)
        what = "all trees are new" if best == _ALL else f"{percent(best, 0)} of the trees are new"
        return mixtures[best], judged(what, rows.labels, scores[_NONE], scores[best], rows.weights)

    def _refreshed(self, groves: list[Grove], draw: Draw, training: Training, report: Refresh, n_threads: int) -> Self:
        changed, history = copy(self), (*self.refreshes_, report)
        if not report.accepted:
            changed.refreshes_ = history
            for name in self._not_stored:  # `copy` leaves out what a pickle leaves out
                if hasattr(self, name):
                    setattr(changed, name, getattr(self, name))
            return changed
        rows = training.sample.training_rows()
        changed._groves, changed._draw, changed._rows, changed._kept = groves, draw, rows, training.kept
        changed._judges = changed._blocks = None
        changed._forget()
        changed.refreshes_ = history
        changed._keep(changed._measured(groves, draw, rows, training.kept, n_threads))
        changed._keep_for_storage()
        changed._keep_names(training)
        return changed

    def to_parts(self) -> dict[str, Any]:
        return {**super().to_parts(), **({"refreshes": list(self.refreshes_)} if self.refreshes_ else {})}

    def from_parts(self, parts: Parts) -> None:
        super().from_parts(parts)
        if "refreshes" in parts:
            self.refreshes_ = history_from(parts.list_of("refreshes", Refresh, most=10_000))


def _cuts_of(trees: Sequence[RankingTree]) -> dict[int, np.ndarray]:
    """All thresholds of each numeric feature."""
    feature, threshold = (np.concatenate([getattr(tree, name) for tree in trees]) for name in ("feature", "threshold"))
    numeric = np.concatenate([tree.set_offset for tree in trees]) < 0
    usable = numeric & np.isfinite(threshold)
    return {int(j): np.unique(threshold[usable & (feature == j)]) for j in np.unique(feature[usable])}


def _shared_out(total: int, sizes: Sequence[int]) -> list[int]:
    """A number of trees in the proportions of some groves."""
    ends = np.round(np.cumsum(sizes) * (total / sum(sizes))).astype(int)
    return np.diff(ends, prepend=0).tolist()


def _mixture(old: Sequence[Grove], new: Sequence[Grove], share: float) -> list[Grove]:
    """New trees, and old ones that have seen none of the new rows."""
    kept = [replace(grove, trees=grove.trees[: round((1.0 - share) * len(grove.trees))], earlier=True) for grove in old]
    added = [replace(grove, trees=grove.trees[: round(share * len(grove.trees))]) for grove in new]
    return [grove for grove in (*added, *kept) if grove.trees]


def _smallest_good_share(scores: dict[float, np.ndarray], rows: TrainingRows) -> float:
    """The smallest share of new trees whose AUC is within a standard error of the best."""
    best = max(_SHARES, key=lambda share: (auc_of(scores[share], rows), -share))
    behind = (judged("", rows.labels, scores[share], scores[best], rows.weights) for share in _SHARES)
    return next(share for share, one in zip(_SHARES, behind) if one.auc_after - one.auc_before <= one.error)
