"""Changes of a card by hand: other points, a direction, a feature left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from scipy.optimize import isotonic_regression

from ..data.errors import listed
from ..words import number
from .card import PairSteps, Scorecard, Steps, average_points
from .words import cell_words, term_name

__all__ = ["forbid", "force_direction", "set_points"]

Feature = str | int | Sequence[str | int]


def set_points(card: Scorecard, feature: Feature, step: Any, points: float) -> tuple[Scorecard, str]:
    """A card with other points in one step, and the change in words.

    Parameters
    ----------
    card : Scorecard
    feature : str, int or pair of them
        Name or position of the feature; two of them for the table of a pair.
    step : int, str or pair of ints
        The step: its position from 0 on (-1 is that of missing values), or its words in the table of the card.
    points : float
    """
    if isinstance(points, bool) or not isinstance(points, Real) or not np.isfinite(points):
        raise ValueError(f"points is {points!r}; give a number.")
    t = _term(card, feature)
    term = card.terms[t]
    words = cell_words(card.schema, term)
    code = _code(term, step, words)
    table = term.table.copy()
    before, table[code] = float(table[code]), float(points)
    said = f"{number(table[code], 6)} points instead of {number(before, 6)}"
    return _with_table(card, t, table), f"{term_name(card.schema, term)}, {words[code]}: {said}"


def force_direction(card: Scorecard, feature: Feature, direction: int) -> tuple[Scorecard, str]:
    """A card whose points of a numeric feature never fall (1) or never rise (-1) with its value.

    The points change as little as possible, by least squares over the training rows; whole points stay whole.
    """
    if isinstance(direction, bool) or direction not in (1, -1):
        raise ValueError(f"direction is {direction!r}; give 1 (points never fall with the value) or -1 (never rise).")
    t = _term(card, feature)
    term, name = card.terms[t], term_name(card.schema, card.terms[t])
    if not isinstance(term, Steps) or term.edges is None:
        raise ValueError(f"{name!r} has no order of its steps; give a numeric feature.")
    mass = np.maximum(term.mass[:-1].sum(axis=1), 1e-9)
    points = isotonic_regression(term.points, weights=mass, increasing=direction == 1).x
    if (term.points == np.round(term.points)).all():
        points = np.round(points)  # rounding keeps the order
    said = f"points never {'fall' if direction == 1 else 'rise'} with the value"
    return _with_table(card, t, np.append(points, term.missing)), f"{name}: {said}"


def forbid(card: Scorecard, feature: str | int) -> tuple[Scorecard, str]:
    """A card without a feature and its pairs; every row gets their average points, so that totals keep their level."""
    j = _position(card, feature)
    gone = [term for term in card.terms if j in term.features]
    if not gone:
        raise ValueError(f"{card.schema.names[j]!r} has no points on this card already.")
    average = sum(average_points(term) for term in gone)
    whole = all((term.table == np.round(term.table)).all() for term in card.terms)
    found = replace(
        card,
        steps=tuple(steps for steps in card.steps if j not in steps.features),
        pairs=tuple(pair for pair in card.pairs if j not in pair.features),
        offset=card.offset + (round(average) if whole else average),
    )
    return found, f"{card.schema.names[j]}: no points"


def _position(card: Scorecard, feature: Any) -> int:
    names = card.schema.names
    if isinstance(feature, str) and feature in names:
        return names.index(feature)
    if isinstance(feature, int | np.integer) and not isinstance(feature, bool) and 0 <= feature < len(names):
        return int(feature)
    raise ValueError(f"The card has no feature {feature!r}; its features are {listed(names)}.")


def _term(card: Scorecard, feature: Any) -> int:
    """The position of a term among the terms of the card."""
    if isinstance(feature, str) or not isinstance(feature, Sequence):
        wanted: tuple[int, ...] = (_position(card, feature),)
    else:
        wanted = tuple(_position(card, each) for each in feature)
    for t, term in enumerate(card.terms):
        if term.features == wanted:
            return t
    name, known = " x ".join(card.schema.names[j] for j in wanted), [term_name(card.schema, t) for t in card.terms]
    raise ValueError(f"{name!r} has no points on this card; it has those of {listed(known)}.")


def _code(term: Steps | PairSteps, step: Any, words: Sequence[str]) -> int:
    if isinstance(step, str) and step in words:
        return list(words).index(step)
    shape = term.points.shape if isinstance(term, PairSteps) else (len(words),)
    at = step if isinstance(step, Sequence) and not isinstance(step, str) else (step,)
    whole = all(isinstance(k, int | np.integer) and not isinstance(k, bool) for k in at)
    if whole and len(at) == len(shape) and all(-n <= k < n for k, n in zip(at, shape)):
        return int(np.ravel_multi_index([k % n for k, n in zip(at, shape)], shape))
    raise ValueError(f"step is {step!r}; give one of the steps {listed(words)}, or its position from 0 on.")


def _with_table(card: Scorecard, t: int, table: np.ndarray) -> Scorecard:
    steps, pairs, n = list(card.steps), list(card.pairs), len(card.steps)
    if t < n:
        steps[t] = replace(steps[t], points=table[:-1], missing=float(table[-1]))
    else:
        pairs[t - n] = replace(pairs[t - n], points=table.reshape(pairs[t - n].points.shape))
    return replace(card, steps=tuple(steps), pairs=tuple(pairs))
