"""One sentence for each wrong input, naming the value and the remedy."""

import numpy as np
import pytest

from rankforest.consensus import (
    distance_matrix,
    footrule_distance,
    kendall_distance,
    mean_pairwise_distance,
    median_ranking,
    mid_ranks,
    preference_matrix,
    ranking_cost,
    ranks_from_scores,
    spearman_distance,
    top_k_footrule_distance,
    top_k_kendall_distance,
)

nan = float("nan")


@pytest.mark.parametrize("distance", [kendall_distance, footrule_distance, spearman_distance])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, nan], [1, 2]), "a must be finite, got nan for item 1; pass one finite rank"),
        (([1, 2], [1, float("inf")]), "b must be finite, got inf for item 1"),
        (([1, 2], [1, 2, 3]), "a ranks 2 items and b ranks 3; pass two rankings of the same items"),
        (([[1, 2]], [1, 2]), r"a must have one dimension, got shape \(1, 2\)"),
        (([], []), "a is empty; pass the ranks of at least one item"),
        ((["x", "y"], [1, 2]), "a must hold real numbers"),
    ],
)
def test_rankings(distance: object, arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        distance(*arguments)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], "weights has 1 values for 2 items; pass one weight per item"),
        ([1, -2], "weights must be non-negative, got -2.0 for item 1; use 0"),
        ([1, nan], "weights must be finite, got nan for item 1"),
        ([0, 0], "weights are all 0; give at least one item a weight above 0"),
    ],
)
def test_weights(weights: list[float], message: str) -> None:
    for call in (
        lambda: kendall_distance([1, 2], [2, 1], weights=weights),
        lambda: mean_pairwise_distance([[1, 2]], weights),
        lambda: distance_matrix([[1, 2]], weights),
        lambda: median_ranking([[1, 2]], weights=weights),
        lambda: ranking_cost([[1, 2]], [1, 2], weights=weights),
    ):
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize("function", [median_ranking, mean_pairwise_distance, preference_matrix, distance_matrix])
@pytest.mark.parametrize(
    ("profile", "message"),
    [
        ([1, 2], r"profile must have the shape \(n_rankings, n_items\), got \(2,\); pass one ranking per row"),
        ([[1, 2], [1]], "profile is not a table"),
        (np.zeros((0, 3)), r"profile is empty, its shape is \(0, 3\)"),
        ([[1, 2], [nan, 1]], "profile must be finite, got nan for item 0 in ranking 1"),
        ([["a", "b"]], "profile must hold real numbers"),
    ],
)
def test_profiles(function: object, profile: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        function(profile)


def test_options() -> None:
    with pytest.raises(ValueError, match=r"method must be one of 'kemeny', .*, got 'Kemeny'"):
        median_ranking([[1, 2]], "Kemeny")
    with pytest.raises(ValueError, match="n_restarts must be a whole number at least 1, got 0"):
        median_ranking([[1, 2]], n_restarts=0)
    with pytest.raises(ValueError, match="time_limit must be a number of seconds, got -1"):
        median_ranking([[1, 2]], time_limit=-1)
    with pytest.raises(ValueError, match='method="footrule" takes no item weights; use method="median_rank"'):
        median_ranking([[1, 2]], "footrule", [1, 2])
    with pytest.raises(ValueError, match="ranking_weights has 2 values for 1 rankings"):
        median_ranking([[1, 2]], ranking_weights=[1, 1])
    with pytest.raises(ValueError, match='normalize must be "distinct", "mass" or None, got True'):
        kendall_distance([1, 2], [2, 1], normalize=True)
    with pytest.raises(ValueError, match=r"penalty must lie in \[0, 1\], got 2"):
        kendall_distance([1, 2], [2, 1], penalty=2)
    with pytest.raises(ValueError, match="k must be a whole number between 1 and 2, got 3"):
        top_k_kendall_distance([1, 2], [2, 1], 3)
    with pytest.raises(ValueError, match=r"location must lie beyond the end of the lists \(1\), got 0"):
        top_k_footrule_distance([1, 2], [2, 1], 1, location=0)
    with pytest.raises(ValueError, match="ranking ranks 3 items and the profile 2"):
        ranking_cost([[1, 2]], [1, 2, 3])
    with pytest.raises(ValueError, match=r"distance must be .* got 'cosine'"):
        ranking_cost([[1, 2]], [1, 2], distance="cosine")
    with pytest.raises(ValueError, match="values must be finite"):
        mid_ranks([1, nan])
    with pytest.raises(ValueError, match="scores must be finite"):
        ranks_from_scores([1, nan])


def test_inputs_are_left_alone() -> None:
    profile, weights = np.array([[2.0, 1.0, 3.0], [1.0, 3.0, 2.0]]), np.array([1.0, 2.0, 3.0])
    kept = profile.copy(), weights.copy()
    for method in ("kemeny", "borda", "copeland", "median_rank"):
        median_ranking(profile, method, weights)
    mean_pairwise_distance(profile.T.copy().T, weights)
    assert (profile == kept[0]).all()
    assert (weights == kept[1]).all()
