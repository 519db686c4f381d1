"""Local AUC against its definition, pair by pair."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankforest.metrics import local_auc, roc_auc, roc_curve


@st.composite
def lists(draw: st.DrawFn) -> tuple[list[int], list[int], list[int]]:
    """Labels, scores with many ties, whole weights."""
    n = draw(st.integers(2, 14))
    y = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    score = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    return y, score, draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))


def by_pairs(y: list[int], score: list[int], weight: list[int], u: Fraction) -> Fraction:
    """P{s(X) > s(X'), X among the best u | Y = 1, Y' = 0}, ties one half.

    Rows at the quantile are cut in two: a share of each is in the top, above the rest of it.
    """
    left = u * sum(weight)
    pieces = []  # label, place, mass, in the top
    for s in sorted(set(score), reverse=True):
        tied = [i for i in range(len(y)) if score[i] == s]
        mass = sum(weight[i] for i in tied)
        share = min(Fraction(1), max(Fraction(0), left / mass))
        left -= mass
        pieces += [(y[i], 2 * s + 1, weight[i] * share, True) for i in tied]
        pieces += [(y[i], 2 * s, weight[i] * (1 - share), False) for i in tied]
    total = [sum(w for label, w in zip(y, weight) if label == k) for k in (0, 1)]
    won = Fraction(0)
    for label, place, mass, top in pieces:
        for other, other_place, other_mass, _ in pieces:
            if label == 1 and other == 0 and top:
                won += mass * other_mass * (Fraction(1, 2) if place == other_place else place > other_place)
    return won / (total[0] * total[1])


@settings(max_examples=150, deadline=None)
@given(lists(), st.fractions(0, 1, max_denominator=30).filter(bool), st.booleans())
def test_definition(case: tuple[list[int], list[int], list[int]], u: Fraction, weighted: bool) -> None:
    y, score, weight = case
    ones = [1] * len(y)
    found = local_auc(y, score, float(u), sample_weight=weight if weighted else None)
    assert isinstance(found, float)
    assert found == pytest.approx(float(by_pairs(y, score, weight if weighted else ones, u)), abs=1e-12)


@settings(max_examples=80, deadline=None)
@given(lists())
def test_the_whole_list_gives_the_auc(case: tuple[list[int], list[int], list[int]]) -> None:
    y, score, weight = case
    assert local_auc(y, score, 1.0) == pytest.approx(roc_auc(y, score), abs=1e-12)
    whole = local_auc(y, score, 1.0, sample_weight=weight)
    assert whole == pytest.approx(roc_auc(y, score, sample_weight=weight), abs=1e-12)


@settings(max_examples=80, deadline=None)
@given(lists(), st.floats(0.01, 1.0))
def test_partial_area_and_control_line(case: tuple[list[int], list[int], list[int]], u: float) -> None:
    """LocAUC = PartAUC + beta (1 - alpha), where the ROC curve meets u = p beta + (1 - p) alpha."""
    y, score, weight = case
    curve = roc_curve(y, score, sample_weight=weight)
    alpha, beta = np.asarray(curve.alpha), np.asarray(curve.beta)
    p = np.average(y, weights=weight)
    # along the curve, by the share of the list
    share = p * beta + (1 - p) * alpha
    a, b = np.interp(u, share, alpha), np.interp(u, share, beta)
    assert p * b + (1 - p) * a == pytest.approx(u)
    before = share < u
    part = np.trapezoid(np.append(beta[before], b), np.append(alpha[before], a))
    assert local_auc(y, score, u, sample_weight=weight) == pytest.approx(part + b * (1 - a), abs=1e-12)


@pytest.mark.parametrize("k", [1, 5, 12, 30])
def test_local_ranking_error(k: int) -> None:
    """LocAUC = beta - R / (2 p (1 - p)): R is the share of pairs of the top that are in the wrong order."""
    rng = np.random.default_rng(k)
    y, score = rng.integers(0, 2, 30), rng.permutation(30)
    top = np.argsort(-score)[:k]
    wrong = np.mean(
        [(score[i] - score[j]) * (y[i] - y[j]) < 0 and i in top and j in top for i in range(30) for j in range(30)]
    )
    p = y.mean()
    beta = y[top].sum() / y.sum()
    assert local_auc(y, score, k / 30) == pytest.approx(beta - wrong / (2 * p * (1 - p)))


def test_shapes_labels_and_the_best_possible() -> None:
    y, score = ["no", "yes", "no", "yes"], [1, 2, 3, 4]
    shares = np.array([[0.25, 0.5], [0.75, 1.0]])
    found = local_auc(y, score, shares)
    assert found.shape == (2, 2)
    assert found.ravel().tolist() == [local_auc(y, score, u) for u in shares.ravel()]
    swapped = local_auc(y, [-s for s in score], 0.5, pos_label="no")
    assert swapped == pytest.approx(local_auc([1, 0, 1, 0], [-s for s in score], 0.5))
    assert local_auc([0, 0, 1, 1], score, 0.5) == 1.0
    assert local_auc([1, 1, 0, 0], score, 0.5) == 0.0


@pytest.mark.parametrize("u", [0.0, -0.1, 1.1, float("nan"), [0.5, 2.0], []])
def test_shares_of_no_list_are_refused(u: Any) -> None:
    if u == []:
        assert local_auc([0, 1], [0, 1], u).shape == (0,)
        return
    with pytest.raises(ValueError, match=r"^u must lie in \(0, 1\], got .*; it is the share of the list .*\.$"):
        local_auc([0, 1], [0, 1], u)


def test_other_input_is_checked_as_everywhere() -> None:
    with pytest.raises(ValueError, match="class"):
        local_auc([1, 1], [0, 1], 0.5)
