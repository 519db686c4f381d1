"""A fitted scorecard as plain values, with which the page shows it, changes its points and evaluates it anew.

For the evaluation the page needs the rows by their steps alone: how many positives and negatives there are of every
combination of steps. Values of features and the order of the rows are not in it.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from scipy.stats import norm

from ..estimators.fitted_model import FittedModel, OneCard
from ..scorecard.card import PairSteps, Scorecard, Steps
from ..scorecard.table import weight_of_evidence
from ..scorecard.words import cell_words, step_words, term_name
from .features import of_model, summary_facts
from .plain import plain, rounded
from .quantile import auc_quantile
from .rows import Rows, spread

__all__ = ["card_facts"]

_MOST_CELLS = 50_000
_LISTED = 6  # categories of a step
_KNOTS = 400  # of the map to probabilities


def card_facts(
    model: FittedModel,
    one: OneCard,
    rows: Rows | None,
    shown: np.ndarray,
) -> dict[str, Any]:
    """Facts of a fitted model that is a scorecard.

    Parameters
    ----------
    model : FittedModel
    one : OneCard
        Its card.
    rows : Rows or None
        The rows of the evaluation; None takes the training rows, if the model still has them.
    shown : array of int
        Positions of the rows that the page contains by their steps, so that points can be changed; at most 50 000.
    """
    card = one.card
    facts: dict[str, Any] = {
        "kind": "card",
        **of_model(model, card.schema),
        "z": float(norm.ppf(0.975)),
        "summary": summary_facts(model),
        "offset": float(card.offset),
        "terms": [_term(card, term) for term in card.terms],
        "edits": [str(edit) for edit in card.edits],
        "calibration": _calibration(one),
        "source": None,
        "evaluation": None,
        "cells": None,
        "totals": None,
    }
    found = _evaluated(model, card, rows)
    if found is None:
        return facts
    codes, labels, weights = found
    kept, with_cells = spread(shown, _MOST_CELLS), len(shown) > 0
    mass = [np.bincount(codes[:, t], _weights(labels, weights)[:, 1], len(x.table)) for t, x in enumerate(card.terms)]
    same = all(np.array_equal(m, x.mass.reshape(-1, 2)[:, 1]) for m, x in zip(mass, card.terms))
    if with_cells:
        codes, labels, weights = codes[kept], labels[kept], None if weights is None else weights[kept]
    return facts | {
        "source": "training" if rows is None or (same and card.terms) else "given",
        "n_rows": len(found[1]),
        "n_shown": len(labels),
        "counts": np.bincount(labels, minlength=2).tolist(),
        "n_positives": int(found[1].sum()),
        "weighted": weights is not None,
        "t": auc_quantile(labels, weights),
        "cells": _cells(codes, labels, weights) if with_cells else None,
        "totals": _totals(card, codes, labels, weights),
    }


def _evaluated(
    model: FittedModel, card: Scorecard, rows: Rows | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None] | None:
    """Codes, labels and weights of the rows; None if there are none."""
    if rows is None:
        training = model.kept_rows()
        if training is None:
            return None
        kept = training.rows
        return kept.answers(card.codes_of), kept.labels, kept.weights
    counted = rows.counted
    codes = np.concatenate([card.codes_of(block) for block in rows.table.blocks()])[counted]
    return codes, rows.labels[counted], None if rows.weights is None else rows.weights[counted]


def _term(card: Scorecard, term: Steps | PairSteps) -> dict[str, Any]:
    mass = term.mass.reshape(-1, 2)
    woe, value = weight_of_evidence(mass)
    rows = mass.sum(axis=1)
    fact: dict[str, Any] = {
        "name": term_name(card.schema, term),
        "features": [card.schema.names[j] for j in term.features],
        "steps": cell_words(card.schema, term),
        "short": cell_words(card.schema, term, most=_LISTED),
        "points": plain(term.table),
        "error": rounded(term.spread.ravel()),
        "rows": plain(rows),
        "rate": rounded(np.divide(mass[:, 1], rows, out=np.full(len(rows), np.nan), where=rows > 0)),
        "woe": rounded(woe),
        "iv": float(value.sum()),
        "edges": None,
        "down": None,
        "across": None,
    }
    if isinstance(term, PairSteps):
        for side, axis in zip(("down", "across"), term.axes):
            fact[side] = step_words(card.schema.features[axis.feature], axis, most=_LISTED)
    elif term.edges is not None:
        fact["edges"] = plain(term.edges)
    return fact


def _calibration(one: OneCard) -> dict[str, Any]:
    kept = spread(np.arange(len(one.calibration.score)), _KNOTS)
    return {"total": rounded(one.calibration.score[kept], 9), "probability": rounded(one.calibration.probability[kept])}


def _cells(codes: np.ndarray, labels: np.ndarray, weights: np.ndarray | None) -> dict[str, Any]:
    """Every combination of steps, with the mass of the negatives and of the positives that have it."""
    width = np.uint8 if codes.size == 0 or codes.max() < 256 else np.uint16
    distinct, place = np.unique(codes.astype(width), axis=0, return_inverse=True)
    columns = [base64.b64encode(np.ascontiguousarray(column)).decode() for column in distinct.T]
    return {
        "bytes": np.dtype(width).itemsize,
        "codes": columns,
        **_masses(place.ravel(), len(distinct), labels, weights),
    }


def _totals(card: Scorecard, codes: np.ndarray, labels: np.ndarray, weights: np.ndarray | None) -> dict[str, Any]:
    """The same by total, for a page whose points cannot be changed, and for a first look at any."""
    total = np.full(len(codes), float(card.offset))
    for t, term in enumerate(card.terms):
        total += term.table[codes[:, t]]
    distinct, place = np.unique(total, return_inverse=True)
    return {"total": plain(distinct), **_masses(place, len(distinct), labels, weights)}


def _masses(place: np.ndarray, n: int, labels: np.ndarray, weights: np.ndarray | None) -> dict[str, Any]:
    """Masses of both classes at each of n places; with weights also the rows, and the sums of squares."""

    def at(of_rows: np.ndarray) -> tuple[list[Any], list[Any]]:
        sums = [np.bincount(place, of_rows[:, k], n) for k in (0, 1)]
        return plain(sums[0]), plain(sums[1])

    negatives, positives = at(_weights(labels, weights))
    facts = {"negatives": negatives, "positives": positives}
    if weights is None:
        return facts
    squares, counts = at(_weights(labels, weights**2)), at(_weights(labels, None))
    rows = plain(np.array(counts[0]) + np.array(counts[1]))
    return {**facts, "negative_squares": squares[0], "positive_squares": squares[1], "rows": rows}


def _weights(labels: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Weight of each row, in the column of its class."""
    w = np.ones(len(labels)) if weights is None else weights
    return np.column_stack([w * (labels == 0), w * (labels == 1)])
