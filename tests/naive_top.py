"""Brute-force twins of the metrics of the top of the list: their definitions, pair by pair, in fractions.

A list is known by labels, scores and whole weights. Rows at the quantile are cut in two: a share of each is in the top,
above the rest of it. Ties count one half.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

HALF = Fraction(1, 2)


class Piece(NamedTuple):
    label: int
    place: int  # higher is better
    mass: Fraction
    top: bool


def cut(y: Sequence[int], score: Sequence[int], weight: Sequence[int | Fraction], u: Fraction) -> list[Piece]:
    """The rows, those at the quantile in two pieces."""
    left = u * sum(weight)
    pieces = []
    for s in sorted(set(score), reverse=True):
        tied = [i for i in range(len(y)) if score[i] == s]
        mass = sum(weight[i] for i in tied)
        share = min(Fraction(1), max(Fraction(0), left / mass))
        left -= mass
        pieces += [Piece(y[i], 2 * s + 1, weight[i] * share, True) for i in tied]
        pieces += [Piece(y[i], 2 * s, weight[i] * (1 - share), False) for i in tied]
    return pieces


def mass_of(pieces: list[Piece], label: int | None = None, *, top: bool = False) -> Fraction:
    return sum((p.mass for p in pieces if label in (None, p.label) and (p.top or not top)), Fraction(0))


def rate(pieces: list[Piece]) -> Fraction:
    return mass_of(pieces, 1) / mass_of(pieces)


def control_point(pieces: list[Piece]) -> tuple[Fraction, Fraction]:
    """alpha and beta: masses of the top under each class."""
    alpha, beta = (mass_of(pieces, label, top=True) / mass_of(pieces, label) for label in (0, 1))
    return alpha, beta


def mass_constrained_error(pieces: list[Piece]) -> Fraction:
    """P{Y (s - Q) < 0}."""
    return sum((p.mass for p in pieces if p.top != (p.label == 1)), Fraction(0)) / mass_of(pieces)


def _won(upper: Piece, lower: Piece) -> Fraction:
    return HALF if upper.place == lower.place else Fraction(upper.place > lower.place)


def partial_auc(pieces: list[Piece]) -> Fraction:
    """P{s(X) > s(X'), X' in the top | Y = 1, Y' = 0}: the integral of beta up to alpha."""
    return _positive_above_negative(pieces, lambda positive, negative: negative.top)


def local_auc(pieces: list[Piece]) -> Fraction:
    """P{s(X) > s(X'), X in the top | Y = 1, Y' = 0}."""
    return _positive_above_negative(pieces, lambda positive, negative: positive.top)


def _positive_above_negative(pieces, counts) -> Fraction:  # type: ignore[no-untyped-def]
    pairs = [(p, q) for p in pieces if p.label == 1 for q in pieces if q.label == 0 and counts(p, q)]
    won = sum((p.mass * q.mass * _won(p, q) for p, q in pairs), Fraction(0))
    return won / (mass_of(pieces, 1) * mass_of(pieces, 0))


def local_ranking_error(pieces: list[Piece]) -> Fraction:
    """P{(s - s')(Y - Y') < 0, both in the top}, over all n^2 pairs."""
    wrong = Fraction(0)
    for p in pieces:
        for q in pieces:
            if p.top and q.top and p.label != q.label:
                better, worse = (p, q) if p.label > q.label else (q, p)
                wrong += p.mass * q.mass * (1 - _won(better, worse))
    return wrong / mass_of(pieces) ** 2


def local_risk(pieces: list[Piece]) -> Fraction:
    """R + (n- / n) L."""
    return local_ranking_error(pieces) + (1 - rate(pieces)) * mass_constrained_error(pieces)


def w_ranking(pieces: list[Piece]) -> Fraction:
    """Mean over the positives of F 1{in the top}, F the mid-distribution of the scores."""
    total = Fraction(0)
    for p in pieces:
        if p.label == 1 and p.top:
            total += p.mass * sum((q.mass * _won(p, q) for q in pieces), Fraction(0)) / mass_of(pieces)
    return total / mass_of(pieces, 1)
