"""Scores, ranks, buckets."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

import naive_consensus as naive
import rankings
from rankforest.consensus import kendall_tau, mid_ranks, ranks_from_scores
from rankforest.consensus.ranks import break_ties, levels_of, mid_ranks_among

quick = settings(max_examples=100, deadline=None)


@quick
@given(rankings.profiles(most_items=8))
def test_mid_ranks(profile: rankings.Rows) -> None:
    want = [[rank + naive.HALF for rank in naive.mass_ranks(row)] for row in profile]
    assert mid_ranks(profile).tolist() == want
    assert [mid_ranks(row).tolist() for row in profile] == want
    assert ranks_from_scores([[-x for x in row] for row in profile]).tolist() == want


@quick
@given(rankings.profiles(most_items=8))
def test_levels_and_strict_levels(profile: rankings.Rows) -> None:
    for row in profile:
        levels = levels_of(np.array(row, dtype=np.float64))
        assert levels.tolist() == [sorted(set(row)).index(x) for x in row]
        strict = break_ties(levels)
        assert sorted(strict.tolist()) == list(range(len(row)))
        assert sorted(range(len(row)), key=row.__getitem__) == np.argsort(strict).tolist()


def test_scores_of_two_scales_give_one_ranking() -> None:
    scores = np.random.default_rng(0).random(50)
    assert kendall_tau(ranks_from_scores(scores), ranks_from_scores(np.exp(5 * scores))) == 1.0


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.integers(1, 5))
def test_mid_ranks_among_all(scores, size):
    scores = np.array(scores, dtype=float)
    parts = [mid_ranks_among(np.sort(scores), scores[i : i + size]) for i in range(0, len(scores), size)]
    assert np.array_equal(np.concatenate(parts), rankdata(-scores))
