"""The regression function eta is the best score at every share of the list, for LocAUC but not for PartAUC.

The definitions are those of docs/methods/top.md.

On a finite space the law is a weighted sample: a cell of mass mu holds a positive row of mass mu eta and a negative one
of mass mu (1 - eta), tied. All scoring rules are then the orders of the cells with ties, and can be enumerated.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_top as naive
from rankforest.data import simulate
from rankforest.metrics import (
    control_point,
    hit_ratio,
    local_auc,
    local_ranking_error,
    local_risk,
    mass_constrained_error,
    partial_auc,
    w_ranking,
)
from rankforest.plots import LocalAucDisplay

Cells = list[tuple[int, int]]  # mass of the positives, of the negatives
cells = st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(any)


def laws(n_cells: int) -> st.SearchStrategy[Cells]:
    return st.lists(cells, min_size=n_cells, max_size=n_cells).filter(
        lambda law: all(sum(cell[k] for cell in law) for k in (0, 1))
    )


def scorings(n_cells: int) -> Iterator[tuple[int, ...]]:
    """All orders with ties: the words that use 0, 1, ..., max without a gap."""
    for word in itertools.product(range(n_cells), repeat=n_cells):
        if set(word) == set(range(max(word) + 1)):
            yield word


def as_list(law: Cells, scoring: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """Labels, scores and weights."""
    return [1, 0] * len(law), [s for s in scoring for _ in (1, 0)], [mass for cell in law for mass in cell]


def eta_of(law: Cells) -> tuple[int, ...]:
    """The order of the cells by their share of positives."""
    eta = [Fraction(positive, positive + negative) for positive, negative in law]
    levels = sorted(set(eta))
    return tuple(levels.index(value) for value in eta)


def test_the_scorings_are_all_there() -> None:
    assert [len(list(scorings(k))) for k in (1, 2, 3, 4)] == [1, 3, 13, 75]


@settings(max_examples=6, deadline=None)
@given(laws(3))
def test_eta_is_optimal_in_fractions(law: Cells) -> None:
    for u in (Fraction(k, 7) for k in range(1, 8)):
        best = naive.cut(*as_list(law, eta_of(law)), u)
        alpha, beta = naive.control_point(best)
        for scoring in scorings(3):
            other = naive.cut(*as_list(law, scoring), u)
            assert naive.local_auc(other) <= naive.local_auc(best)  # Theorem 20
            assert naive.w_ranking(other) <= naive.w_ranking(best)  # Theorem 24
            assert naive.local_risk(other) >= naive.local_risk(best)
            assert naive.mass_constrained_error(other) >= naive.mass_constrained_error(best)  # Proposition 1
            other_alpha, other_beta = naive.control_point(other)  # Lemma 18
            assert other_alpha >= alpha
            assert other_beta <= beta


@settings(max_examples=8, deadline=None)
@given(laws(4))
def test_eta_is_optimal_for_the_functions(law: Cells) -> None:
    u = np.arange(1, 26) / 25

    def all_of(scoring: Sequence[int]) -> list[np.ndarray]:
        y, score, weight = as_list(law, scoring)
        higher, lower = (local_auc, w_ranking, hit_ratio), (local_risk, mass_constrained_error)
        return [
            *(f(y, score, u, sample_weight=weight) for f in higher),
            *(-f(y, score, u, sample_weight=weight) for f in lower),
            partial_auc(y, score, max_fpr=u, sample_weight=weight),  # the base is the same for all scores
        ]

    best = all_of(eta_of(law))
    for scoring in scorings(4):
        for reached, possible in zip(all_of(scoring), best):
            assert (reached <= possible + 1e-12).all()


# Four kinds of rows, equally frequent, with eta = .9, .6, .4, .1.
COUNTEREXAMPLE: Cells = [(9, 1), (6, 4), (4, 6), (1, 9)]
BEST, CONFUSED = (3, 2, 1, 0), (3, 1, 2, 0)


def test_partial_auc_prefers_a_worse_order() -> None:
    u = Fraction(1, 2)
    best, confused = (naive.cut(*as_list(COUNTEREXAMPLE, order), u) for order in (BEST, CONFUSED))
    assert eta_of(COUNTEREXAMPLE) == BEST
    assert naive.partial_auc(best) == Fraction(21, 160)
    assert naive.partial_auc(confused) == Fraction(141, 800)
    assert naive.partial_auc(confused) > naive.partial_auc(best)
    assert naive.local_auc(confused) == Fraction(479, 800) < naive.local_auc(best) == Fraction(111, 160)
    for order, part, local in ((BEST, 0.13125, 0.69375), (CONFUSED, 0.17625, 0.59875)):
        y, score, weight = as_list(COUNTEREXAMPLE, order)
        assert partial_auc(y, score, 0.5, sample_weight=weight) == pytest.approx(part, abs=1e-15)
        assert local_auc(y, score, 0.5, sample_weight=weight) == pytest.approx(local, abs=1e-15)


def test_the_local_ranking_error_alone_prefers_a_top_without_positives() -> None:
    """Remark after Theorem 20: on its own R is made small by rows that are easy to rank, not by the best."""
    u = Fraction(1, 4)
    errors = {}
    for order in (BEST, (0, 3, 2, 1), (2, 1, 0, 3)):
        errors[order] = naive.local_ranking_error(naive.cut(*as_list(COUNTEREXAMPLE, order), u))
    assert errors[(2, 1, 0, 3)] == errors[BEST] < errors[(0, 3, 2, 1)]
    y, score, weight = as_list(COUNTEREXAMPLE, (2, 1, 0, 3))
    assert local_ranking_error(y, score, 0.25, sample_weight=weight) == pytest.approx(float(errors[BEST]))


def test_no_other_score_of_a_sample_beats_eta() -> None:
    """On a sample the theorem holds up to noise: scores that blur eta more and more lose more and more."""
    sample = simulate.rf20(20_000, random_state=0)
    rng = np.random.default_rng(0)
    u = [0.05, 0.1, 0.2, 0.5, 1.0]
    logit = np.log(sample.eta / (1 - sample.eta))
    noise = rng.normal(size=len(logit)) * logit.std()
    curves = [local_auc(sample.y, logit + blur * noise, u) for blur in (0.0, 0.7, 1.5, 3.0)]
    assert all((better > worse).all() for better, worse in itertools.pairwise(curves))
    assert (local_auc(sample.y, sample.X[:, 0], u) < curves[0]).all()


@pytest.mark.parametrize("draw", [simulate.rf20, simulate.rf10_sparse, simulate.uniform_mixture])
def test_eta_of_a_sample_has_the_local_auc_of_the_optimal_curve(draw) -> None:  # type: ignore[no-untyped-def]
    """LocAUC is an average over pairs: its standard error is below 1 / (2 sqrt(n / 2)), here .005."""
    sample = draw(20_000, random_state=1)
    u = [0.05, 0.2, 0.5, 1.0]
    display = LocalAucDisplay.from_predictions(sample.y, sample.eta, u, optimal=sample.roc_star)
    np.testing.assert_allclose(display.local_auc, display.optimal, atol=0.015)
    # So do the points in which the curves meet the control lines.
    alpha = np.linspace(0, 1, 100_001)
    beta = sample.roc_star(alpha)
    p = np.mean(sample.y == 1)
    expected = [np.interp(u, p * beta + (1 - p) * alpha, curve) for curve in (alpha, beta)]
    np.testing.assert_allclose(control_point(sample.y, sample.eta, u), expected, atol=0.015)
