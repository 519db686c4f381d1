"""Agreement inside a profile: the quick way through preferences equals the way through pairs of rankings."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_consensus as naive
import rankings
from rankforest.consensus import distance_matrix, kendall_distance, mean_pairwise_distance, preference_matrix

quick = settings(max_examples=100, deadline=None)


@pytest.mark.parametrize("normalize", ["distinct", "mass", None])
@quick
@given(rankings.profiles(most_items=7), st.data())
def test_mean_over_pairs(normalize: str | None, profile: rankings.Rows, data: st.DataObject) -> None:
    weights = data.draw(st.none() | rankings.weights(len(profile[0])))
    pairs = [
        kendall_distance(a, b, weights=weights, normalize=normalize) for a, b in itertools.combinations(profile, 2)
    ]
    matrix = distance_matrix(profile, weights, normalize=normalize)
    upper = matrix[np.triu_indices(len(profile), 1)]
    assert upper == pytest.approx(pairs)
    assert (matrix == matrix.T).all()
    mean = mean_pairwise_distance(profile, weights, normalize=normalize)
    assert mean == pytest.approx(np.mean(pairs) if pairs else 0.0)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n_rankings", "n_items"), [(12, 300), (2, 3000)])
def test_either_way_and_any_number_of_threads(n_rankings: int, n_items: int, weighted: bool) -> None:
    """Few items are counted, many are merged."""
    rng = np.random.default_rng(0)
    profile = rng.integers(0, 50, (n_rankings, n_items))
    weights = rng.random(n_items) if weighted else None
    means = {mean_pairwise_distance(profile, weights, n_jobs=jobs) for jobs in (1, 2, 3)}
    assert len(means) == 1
    upper = distance_matrix(profile, weights)[np.triu_indices(n_rankings, 1)]
    assert means.pop() == pytest.approx(upper.mean(), rel=1e-12)


@quick
@given(rankings.profiles(), st.data())
def test_preferences(profile: rankings.Rows, data: st.DataObject) -> None:
    votes = data.draw(st.none() | rankings.weights(len(profile)))
    assert preference_matrix(profile, ranking_weights=votes).tolist() == naive.before(profile, votes)
