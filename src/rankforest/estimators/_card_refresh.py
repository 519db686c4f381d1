"""The refresh of a scorecard on new rows: the steps stay, their points are estimated again."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..boosting.rounds import held_out_folds, judging_blocks
from ..data.binning import Bins, find_bins
from ..data.constraints import resolve_constraints
from ..data.known_bins import bins_with_cuts
from ..data.parts import Parts
from ..data.table import Table
from ..fitting.refresh import Refresh, judged
from ..metrics.roc import roc_auc
from ..metrics.too_far import TooMuchDrift
from ..scorecard.card import Axis, Scorecard
from ..scorecard.reestimate import reestimate
from ..words import area
from ._card_model import CardModel
from ._refresh import NewRows, history_from, new_rows

__all__ = ["RefreshesCard"]

_FOLDS = 5


class RefreshesCard(CardModel):
    """A scorecard that can be refreshed on new rows."""

    can_refresh = True

    refreshes_: tuple[Refresh, ...] = ()
    monotonic_cst: Any

    def refresh(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None) -> Self:
        """A card with new points in the old steps, estimated on new rows; this one stays as it is.

        Points move away from the old ones as far as the new rows say so, and stay where there are few rows. Whole
        points stay whole, directions are kept. The new points are judged on new rows that they were not estimated on,
        fold by fold: if the gain of the AUC over the old points may be due to chance, the old card is kept.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, q)
            New rows, with the features of the fit.
        y : array of shape (n,)
            With the two labels of the fit.
        sample_weight, groups, time
            As in `fit`: rows of a group, or later rows, are held out together.

        Returns
        -------
        RankScore
            ``refreshes_[-1]`` is the report, with the AUC before and after. Probabilities, masses, standard errors and
            held-out figures are those of the new rows.

        Raises
        ------
        TooMuchDrift
            If most of the new rows have values beyond those of the fit, or if the card says nothing about them.

        Examples
        --------
        >>> from rankforest import RankScore
        >>> from rankforest.data import simulate
        >>> old, new = (simulate.rf10_sparse(600, random_state=seed) for seed in (0, 1))
        >>> new.X[:, 0] *= -1  # one feature now speaks for the other label
        >>> card = RankScore(random_state=0).fit(old.X, old.y)
        >>> later = card.refresh(new.X, new.y)
        >>> later.refreshes_[-1].accepted, later.card_.steps[0].n_steps == card.card_.steps[0].n_steps
        (True, True)
        """
        card = self._fitted_card()
        used = sorted({j for term in card.terms for j in term.features})

        def find(table: Table) -> Bins:
            return _bins_for(card, table)

        training = new_rows(self, NewRows(X, y, sample_weight, groups, time), used, find)
        sample = training.sample
        rows = sample.training_rows()
        codes, old = rows.answers(card.codes_of), rows.answers(card.total)
        before = roc_auc(sample.labels, old, sample_weight=rows.weights)
        if before <= 0.5:
            raise TooMuchDrift(
                f"The card ranks the {sample.n_rows} new rows no better than chance (AUC {area(before)}); fit it again."
            )
        held_out = held_out_folds(sample.labels, _FOLDS, 1, training.seed, sample.hold_out)
        if held_out is None:
            raise ValueError("The new rows have one row of a label, so that none can be held out; add rows of it.")
        constraints = resolve_constraints(self.monotonic_cst, self.schema_)
        directions = None if constraints is None else constraints.directions
        found = reestimate(card, codes, sample.labels, rows.weights, held_out, directions)
        report = judged("the steps have new points", sample.labels, old, found.held_out, rows.weights)
        blocks = judging_blocks(held_out, sample.hold_out)
        changed = self._copy()
        changed.refreshes_ = (*self.refreshes_, report)
        return changed._keep_card(found.card, training, found.held_out, blocks) if report.accepted else changed

    def to_parts(self) -> dict[str, Any]:
        return {**super().to_parts(), **({"refreshes": list(self.refreshes_)} if self.refreshes_ else {})}

    def from_parts(self, parts: Parts) -> None:
        super().from_parts(parts)
        if "refreshes" in parts:
            self.refreshes_ = history_from(parts.list_of("refreshes", Refresh, most=10_000))


def _bins_for(card: Scorecard, table: Table) -> Bins:
    """Bins that never straddle an edge of the card."""
    own = find_bins(table)
    axes: list[Axis] = [*card.steps, *(axis for pair in card.pairs for axis in pair.axes)]
    edges: dict[int, list[np.ndarray]] = {}
    for axis in axes:
        if axis.edges is not None and len(axis.edges):
            edges.setdefault(axis.feature, [own.cuts[axis.feature]]).append(axis.edges)
    return bins_with_cuts(table, {j: np.unique(np.concatenate(cuts)) for j, cuts in edges.items()})
