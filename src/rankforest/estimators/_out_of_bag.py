"""Out-of-bag figures of a ranking forest."""

from __future__ import annotations

import numpy as np
from joblib import effective_n_jobs

from ..data.parameters import at_least
from ..data.training_rows import TrainingRows, on_all_rows
from ..forest.aggregation import KEMENY
from ..forest.out_of_bag import (
    EXACT_PAIRS,
    PairAuc,
    auc_of,
    out_of_bag_scores,
    pair_auc,
    scores_as_of_fresh_rows,
)
from ..forest.subpartition import Consensus
from ..forest.votes import flags_of
from ..metrics.roc import RocCurve, roc_curve
from ._forest import Forest
from .fitted_model import HeldOut, Voters

__all__ = ["OutOfBag"]


class OutOfBag(Forest):
    """Out-of-bag figures of a forest of ranking trees, by the aggregation in use."""

    oob_scores_: np.ndarray
    oob_auc_: float

    def _how(self, aggregation: str | None) -> str:
        raise NotImplementedError

    def _kemeny(self, how: str, n_threads: int) -> Consensus:
        raise NotImplementedError

    def _placed_by(self, how: str, n_threads: int) -> Consensus | None:
        """The consensus that places out-of-bag mean ranks; None if the aggregation is not a Kemeny ranking."""
        return self._kemeny(how, n_threads) if how in KEMENY else None

    @property
    def has_oob_scores(self) -> bool:
        """Whether there are out-of-bag scores: with `oob`, and where trees leave rows out."""
        return hasattr(self, "oob_scores_")

    def oob_pair_auc(self, *, max_pairs: int = EXACT_PAIRS, random_state: int = 0) -> PairAuc:
        """Out-of-bag AUC by pairs of training rows, each pair ranked by the trees that were trained on neither row.

        The trees' scores of the two rows are aggregated as in the forest; with "kemeny" the majority of the trees
        decides. With "kemeny_ties" the figure is that of "mean_rank", as `PairAuc.aggregation` shows.

        Parameters
        ----------
        max_pairs : int
            If there are more pairs, this number of pairs is drawn and the result has a standard error.
        random_state : int
            Seed of the draw.
        """
        (groves, draw), rows = self._judged_by(), self._rows_kept()
        return pair_auc(
            groves, draw, rows, self._how(None),
            max_pairs=at_least("max_pairs", max_pairs, 1), seed=random_state, n_threads=effective_n_jobs(self.n_jobs),
        )  # fmt: skip

    def oob_scores_as_of_fresh_rows(self) -> np.ndarray:
        """Out-of-bag scores with the spread of the scores of fresh rows, so that their quantiles can be thresholds.

        `oob_scores_` are means over a part of the trees. The score of a fresh row is a mean over all trees and lies
        closer to the middle. Rows without an out-of-bag score are NaN.
        """
        (groves, draw), rows = self._judged_by(), self._rows_kept()
        how, n_threads = self._how(None), effective_n_jobs(self.n_jobs)
        placed_by = self._placed_by(how, n_threads)
        scores = scores_as_of_fresh_rows(groves, draw, rows, how, n_threads, consensus=placed_by)
        return on_all_rows(scores, self._kept)

    def oob_roc(self) -> RocCurve:
        """ROC curve of the out-of-bag scores."""
        labels, scores, weights = self._oob_known()
        return roc_curve(labels, scores, sample_weight=weights)

    def _oob_known(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        rows = self._rows_kept()
        if not self.has_oob_scores:
            raise AttributeError('The forest has no out-of-bag scores; fit it with sampling="auto".')
        scores = self.oob_scores_ if self._kept is None else self.oob_scores_[self._kept]
        known = ~np.isnan(scores)
        weights = None if rows.weights is None else rows.weights[known]
        return rows.labels[known], scores[known], weights

    def _out_of_bag_figure(self, rows: TrainingRows, n_threads: int, X: np.ndarray | None) -> float:
        how = self._how(None)
        placed_by = self._placed_by(how, n_threads)
        groves, draw = self._judged_by()
        scores, _ = out_of_bag_scores(groves, draw, rows, how, n_threads, X, consensus=placed_by)
        return auc_of(scores, rows, draw.blocks)

    # ---- the protocol

    def held_out_scores(self) -> HeldOut | None:
        return HeldOut(self.oob_scores_, self.oob_auc_, self._blocks) if hasattr(self, "oob_auc_") else None

    def voters(self) -> Voters:
        return Voters(self.trees_, self._unseen)

    def _unseen(self, labels: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Whether each of the given rows (first axis) is out of bag for each tree (second)."""
        bits = np.concatenate([grove.out_of_bag(self._draw, labels, 1) for grove in self._groves])
        return flags_of(bits, rows)
