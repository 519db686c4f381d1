"""Base of the estimators whose fit is a scorecard: totals, probabilities, the table, explanations, changes by hand."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..data.parts import Parts, need
from ..data.training_rows import blocks_on_all_rows, on_all_rows
from ..fitting.calibration import Calibration, calibrate
from ..metrics.within import auc_within, auc_within_error
from ..program import Program
from ..program.calibrated import calibrated
from ..program.of_scorecard import total_of_card
from ..scorecard.card import Scorecard, average_points
from ..scorecard.curve import TotalCurve
from ..scorecard.explain import CardContrast, CardExplanation, explain_points, why_points
from ..scorecard.table import CardTable, card_table, card_text
from ..shapley.card_terms import CardTerms
from ..shapley.score_parts import ScoreParts
from ..tree.path import coded_row
from ..words import area, number
from ._card_edits import HELD_OUT, EditsCard
from ._ranker import Ranker
from ._table_model import Training, check_fitted
from .fitted_model import HeldOut, KeptRows, OneCard

__all__ = ["CardModel"]

_MEASURES = ("held_out_auc_", "held_out_auc_error_")


class CardModel(EditsCard, Ranker):
    """Base of scorecards; it has no parameters.

    Attributes
    ----------
    card_ : Scorecard
    curve_ : TotalCurve
        The rate of positives in bands of held-out totals; of training totals, if no rows were held out.
    held_out_scores_ : array of shape (n,)
        Total of each training row by a card that was not fitted on it; NaN if there is none.
    held_out_auc_, held_out_auc_error_ : float
        AUC of these totals, and its standard error for one card (DeLong).
    """

    card_: Scorecard
    curve_: TotalCurve
    _blocks: np.ndarray | None = None  # the fold that each row judges, if folds go forward in time

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_rows", "_kept")}

    # ---- fitting

    def _keep_card(
        self, card: Scorecard, training: Training, held_out: np.ndarray | None, blocks: np.ndarray | None = None
    ) -> Self:
        """Set all attributes of a fit; `held_out` has the held-out totals of the sample, NaN where there are none.

        `blocks` has the fold that judged each row, if folds go forward in time.
        """
        rows = training.sample.training_rows()
        total = rows.answers(card.total) if held_out is None else held_out
        known = ~np.isnan(total)
        labels, weights = rows.labels[known], None if rows.weights is None else rows.weights[known]
        calibration = calibrate(total[known], labels, weights)
        curve = TotalCurve.of(total[known], labels, weights)
        for name in HELD_OUT:
            self.__dict__.pop(name, None)
        self.card_, self.curve_, self._calibration = card, curve, calibration
        self._rows, self._kept = rows, training.kept
        if held_out is not None:
            self.held_out_scores_ = on_all_rows(held_out, training.kept)
            self.held_out_auc_ = auc_within(rows.labels, held_out, rows.weights, blocks)
            self.held_out_auc_error_ = auc_within_error(rows.labels, held_out, rows.weights, blocks)
            self._blocks = None if blocks is None else blocks_on_all_rows(blocks, training.kept)
        self._keep_names(training)
        return self

    def _fitted_card(self) -> Scorecard:
        check_fitted(self, "card_")
        return self.card_

    # ---- scores

    def score_coded(self, block: np.ndarray) -> np.ndarray:
        """The totals of a float64 block, categories coded as in the schema."""
        return self._fitted_card().total(block)

    def score_samples(self, X: Any) -> np.ndarray:
        """The total of each row, in points."""
        return super().score_samples(X)

    def decision_function(self, X: Any) -> np.ndarray:
        """Total minus the total at which the probability crosses 1/2; above 0 where `predict` is ``classes_[1]``."""
        total = self.score_samples(X)
        rising = bool(self.classes_[1] == self.pos_label_)
        return self._calibration.signed(total, rising=rising, span=self.card_.range)

    def _probabilities(self) -> Calibration:
        return self._calibration

    # ---- reading

    def table(self) -> CardTable:
        """Every step with points, rows, rate, weight of evidence and information value; the widest features first."""
        return card_table(self._fitted_card(), widest_first=True)

    def points_of(self, x: Any) -> CardExplanation:
        """The points of one row (a sequence, a mapping by name, a series or a one-row table); they add up exactly."""
        return self.words_of_row(coded_row(x, self._fitted_card().schema))

    def score_parts(self) -> ScoreParts:
        terms = CardTerms(self._fitted_card())
        return ScoreParts("points", (terms,), own=terms)

    def words_of_row(self, row: np.ndarray) -> CardExplanation:
        return explain_points(self._fitted_card(), row, self._chance(row))

    def words_of_pair(self, row: np.ndarray, other: np.ndarray) -> CardContrast:
        return why_points(self._fitted_card(), row, other, (self._chance(row), self._chance(other)))

    def _chance(self, row: np.ndarray) -> float:
        return float(self._calibration(self.card_.total(row[None, :]))[0])

    def export_text(self) -> str:
        """The card as text."""
        return f"{self._title()}\n{card_text(self._fitted_card(), most=6)}"

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each feature in the mean distance of points from their average; a pair counts half for each."""
        card = self._fitted_card()
        found = np.zeros(card.schema.n_features)
        for term in card.terms:
            rows = term.mass.reshape(-1, 2).sum(axis=1)
            away = np.abs(term.table - average_points(term))
            for j in term.features:
                found[j] += float(away @ rows) / max(float(rows.sum()), 1e-300) / len(term.features)
        return found / found.sum() if found.any() else found

    # ---- the protocol

    def one_card(self) -> OneCard:
        return OneCard(self._fitted_card(), self._calibration, self.curve_)

    def held_out_scores(self) -> HeldOut | None:
        if not hasattr(self, "held_out_scores_"):
            return None
        return HeldOut(self.held_out_scores_, self.held_out_auc_, self._blocks)

    def kept_rows(self) -> KeptRows | None:
        return KeptRows(self._rows, self._kept) if hasattr(self, "_rows") else None

    def figures(self) -> dict[str, Any]:
        card, found = self._fitted_card(), self.held_out_scores()
        low, high = card.range
        n_steps = sum(steps.n_steps for steps in card.steps)
        sizes = {"features_used": len(card.steps), "pairs": len(card.pairs), "steps": n_steps}
        edits = {"changes_by_hand": len(card.edits)} if card.edits else {}
        return {
            **{name: size for name, size in sizes.items() if size or name != "pairs"},
            "least_total": low, "greatest_total": high, **edits,
            **({} if found is None else {"held_out_auc": float(found.auc)}),
        }  # fmt: skip

    def _title(self) -> str:
        card, found = self._fitted_card(), self.held_out_scores()
        low, high = card.range
        told = f"{type(self).__name__}: {len(card.steps)} features, totals from {number(low, 6)} to {number(high, 6)}"
        return told if found is None else f"{told}, held-out AUC {area(found.auc)}"

    def text(self) -> str:
        edits = self._fitted_card().edits
        return self.export_text() + (f"\n\nChanged by hand:\n{edits}" if edits else "")

    def program(self) -> Program:
        graphs, total = total_of_card(self._fitted_card())
        return calibrated(type(self).__name__, self.schema_, graphs, total, self._calibration, self.pos_label_)

    def to_parts(self) -> dict[str, Any]:
        card, found = self._fitted_card(), self.held_out_scores()
        return {
            "card": card.to_parts(),
            "curve": self.curve_.to_parts(),
            "calibration": self._calibration.to_parts(),
            **({} if found is None else found.to_parts()),
            "measures": {} if found is None else {name: float(getattr(self, name)) for name in _MEASURES},
        }

    def from_parts(self, parts: Parts) -> None:
        self.card_ = Scorecard.from_parts(parts.below("card"), self.schema_)
        self.curve_ = TotalCurve.from_parts(parts.below("curve"))
        self._calibration = Calibration.from_parts(parts.below("calibration"))
        measured = parts.numbers("measures", _MEASURES)
        if measured:
            need(len(measured) == len(_MEASURES), "its held-out AUC is missing")
            self.held_out_auc_, self.held_out_auc_error_ = (measured[name] for name in _MEASURES)
            self.held_out_scores_, self._blocks = HeldOut.arrays_of(parts)
