"""Changes of a fitted scorecard by hand: each gives a new model, with the AUC before and after."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ..data.labels import check_two_classes, read_known_labels
from ..data.read_weights import read_weights
from ..data.summary import ScoreSummary
from ..data.table import read_table
from ..data.training_rows import TrainingRows
from ..fitting.calibration import Calibration, carried_over
from ..metrics.roc import roc_auc
from ..scorecard.card import Scorecard
from ..scorecard.curve import TotalCurve
from ..scorecard.edits import Feature, forbid, force_direction, set_points
from ..scorecard.history import Edit, History
from ..scorecard.scaling import Scale, odds_line, scaled_card
from ..words import number
from ._table_model import TableModel, check_fitted

__all__ = ["HELD_OUT", "EditsCard"]

# Attributes that belong to the card of the fit, not to a changed one.
HELD_OUT = ("held_out_scores_", "held_out_auc_", "held_out_auc_error_", "_blocks")


@dataclass(frozen=True)
class _Measured:
    """Rows that a change is measured on: totals by any card, labels and weights."""

    ask: Any
    labels: np.ndarray
    weights: np.ndarray | None
    source: str


class EditsCard(TableModel):
    """Methods of a fitted scorecard that give a changed one; the model itself stays as it is.

    A change is measured on the rows that are given, or else on the training rows, if the model still has them: a model
    from a file does not. Probabilities are carried over: a new total has the mean of the probabilities that its rows
    had before. The result has no held-out scores, because these belong to the card of the fit.
    """

    card_: Scorecard
    curve_: TotalCurve
    _calibration: Calibration
    _rows: TrainingRows
    _kept: np.ndarray | None

    def set_points(
        self, feature: Feature, step: Any, points: float, *, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> Self:
        """A model with other points in one step.

        Parameters
        ----------
        feature : str, int or pair of them
            Name or position of the feature; two of them for the table of a pair.
        step : int, str or pair of ints
            The step: its position from 0 on (-1 is that of missing values), or its words in `table`.
        points : float
        X, y, sample_weight
            Rows to measure the change on, best such as were not used in the fit.
        """
        return self._changed(*set_points(self._card(), feature, step, points), X, y, sample_weight)

    def force_direction(
        self, feature: Feature, direction: int, *, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> Self:
        """A model whose points of a numeric feature never fall (1) or never rise (-1) with its value.

        The points change as little as possible. A fit with `monotonic_cst` lets the other features make up for it.
        """
        return self._changed(*force_direction(self._card(), feature, direction), X, y, sample_weight)

    def forbid(self, feature: str | int, *, X: Any = None, y: Any = None, sample_weight: Any = None) -> Self:
        """A model in which a feature has no points; every row gets its average points instead.

        A fit without the column lets the other features make up for it.
        """
        return self._changed(*forbid(self._card(), feature), X, y, sample_weight)

    def scaled(
        self,
        *,
        pdo: float = 20,
        base_points: float = 600,
        base_odds: float = 50,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """A model with totals on the scale of credit departments, in whole points again.

        Parameters
        ----------
        pdo : float
            Points to double the odds.
        base_points, base_odds : float
            At this total there are so many positives for each negative.
        X, y, sample_weight
            As in `set_points`; without any rows the scale is that of the stored curve.
        """
        scale = Scale(float(pdo), float(base_points), float(base_odds))
        scale.check()
        card, rows = self._card(), self._measured_rows(X, y, sample_weight)
        if rows is None:
            total, weights = (self.curve_.low + self.curve_.high) / 2, self.curve_.mass.sum(axis=1)
        else:
            total, weights = rows.ask(card.total), rows.weights
        line = odds_line(total, self._calibration(total), weights)
        found, error = scaled_card(card, line, scale)
        said = f"scaled: {scale}; rounding moves a total by at most {number(error, 3)}"
        if rows is not None:
            return self._with_card(found, said, rows)

        def moved(total: np.ndarray) -> np.ndarray:
            return np.asarray(scale.points(line.log_odds(total)))

        calibration, curve = self._calibration, self.curve_
        changed = self._copy_with(found, Edit(said))
        changed._calibration = replace(calibration, score=moved(calibration.score))
        changed.curve_ = replace(curve, low=moved(curve.low), high=moved(curve.high))
        return changed

    def _card(self) -> Scorecard:
        check_fitted(self, "card_")
        return self.card_

    def _changed(self, card: Scorecard, said: str, X: Any, y: Any, sample_weight: Any) -> Self:
        rows = self._measured_rows(X, y, sample_weight)
        if rows is None:
            raise ValueError("The model has no training rows, as it was stored; give X and y to measure the change on.")
        return self._with_card(card, said, rows)

    def _measured_rows(self, X: Any, y: Any, sample_weight: Any) -> _Measured | None:
        if (X is None) != (y is None):
            raise ValueError("Give both X and y to measure the change on, or neither of them.")
        if X is None:
            found = self.kept_rows()
            if found is None:
                return None
            return _Measured(found.rows.answers, found.rows.labels, found.rows.weights, "training")
        table = read_table(X, schema=self.schema_, estimator_name=type(self).__name__)
        labels = read_known_labels(
            y, n_rows=table.n_rows, classes=self.classes_, pos_label=self.pos_label_, purpose="measure the change"
        ).codes
        weights = read_weights(sample_weight, n_rows=table.n_rows)
        check_two_classes(labels, weights)
        if weights is not None:
            kept = weights > 0
            table, labels, weights = table.take(kept), labels[kept], weights[kept]
        blocks = list(table.blocks())
        return _Measured(lambda ask: np.concatenate([ask(block) for block in blocks]), labels, weights, "given")

    def _with_card(self, card: Scorecard, said: str, rows: _Measured) -> Self:
        """The model with another card, measured and calibrated on some rows."""
        old, new = rows.ask(self.card_.total), rows.ask(card.total)
        before, after = (roc_auc(rows.labels, total, sample_weight=rows.weights) for total in (old, new))
        changed = self._copy_with(card, Edit(said, before, after, len(rows.labels), rows.source))
        changed._calibration = carried_over(new, self._calibration(old), rows.weights)
        changed.curve_ = TotalCurve.of(new, rows.labels, rows.weights)
        changed.summary_ = self.summary_.with_scores(ScoreSummary.of("training", new))
        return changed

    def _copy(self) -> Self:
        changed = copy(self)
        if hasattr(self, "_rows"):  # `copy` leaves out what a pickle leaves out
            changed._rows, changed._kept = self._rows, self._kept
        return changed

    def _copy_with(self, card: Scorecard, edit: Edit) -> Self:
        """A copy with another card, one edit longer; held-out scores belong to the card of the fit."""
        changed = self._copy()
        for name in HELD_OUT:
            changed.__dict__.pop(name, None)
        changed.card_ = replace(card, edits=History((*self.card_.edits, edit)))
        return changed
