"""Metrics of scores in partitions are those of the concatenated rows."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankforest import metrics
from rankforest.dask import metrics as on_dask
from rankforest.dask._steps import merge_sketches, merge_steps, steps_of

SHARES = [0.01, 0.1, 1 / 3, 0.5, 1.0]


def rows(n: int, distinct: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    score = rng.integers(distinct, size=n) / distinct
    return (rng.random(n) < score).astype(int), score, rng.integers(4, size=n).astype(float)


def split(values: np.ndarray, sizes: tuple[int, ...]) -> da.Array:
    return da.from_array(values, chunks=(sizes,))


SIZES = (200, 0, 1, 499, 300)  # an empty partition and one of one class are among them


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("distinct", [7, 10**9])
@pytest.mark.parametrize("most_steps", [10**6, 100])
def test_every_metric_is_that_of_all_rows(weighted: bool, distinct: int, most_steps: int) -> None:
    y, score, weight = rows(1000, distinct)
    options = {"sample_weight": split(weight, SIZES)} if weighted else {}
    local = {"sample_weight": weight} if weighted else {}
    ranked = on_dask.ranked_list(split(y, SIZES), split(score, SIZES), most_steps=most_steps, **options)
    # counts of weights that are whole numbers are exact too; ranges of scores round once, at the end
    close = {"rtol": 0.0 if distinct == 7 or most_steps == 10**6 else 1e-14}
    np.testing.assert_allclose(ranked.roc_auc(), metrics.roc_auc(y, score, **local), **close)
    np.testing.assert_allclose(ranked.local_auc(SHARES), metrics.local_auc(y, score, SHARES, **local), **close)
    for ours, theirs in zip(ranked.roc_curve(), metrics.roc_curve(y, score, **local)):
        np.testing.assert_array_equal(ours, theirs)
    ours, theirs = ranked.gains_table(7).to_dict(), metrics.gains_table(y, score, n_groups=7, **local).to_dict()
    assert ours.keys() == theirs.keys()
    for name in ours:
        np.testing.assert_allclose(ours[name], theirs[name], err_msg=name, **close)


def test_weights_that_are_no_whole_numbers() -> None:
    y, score, weight = rows(1000, 50)
    weight = weight * np.pi
    for most_steps in (10**6, 10):
        ranked = on_dask.ranked_list(
            split(y, SIZES), split(score, SIZES), sample_weight=split(weight, SIZES), most_steps=most_steps
        )
        assert ranked.roc_auc() == pytest.approx(metrics.roc_auc(y, score, sample_weight=weight), rel=1e-12)
        assert ranked.local_auc(0.1) == pytest.approx(metrics.local_auc(y, score, 0.1, sample_weight=weight), rel=1e-12)


def test_the_mean_of_the_parts_is_another_number() -> None:
    """The list of each partition is perfect, and the whole list is not."""
    y, score = np.array([0, 1, 0, 1]), np.array([1.0, 2.0, 3.0, 4.0])
    assert on_dask.roc_auc(split(y, (2, 2)), split(score, (2, 2))) == metrics.roc_auc(y, score) == 0.75


def test_scores_of_a_tree_cost_the_same_for_more_rows() -> None:
    few, many = (
        on_dask.ranked_list(*(split(column, (n // 2, n // 2)) for column in rows(n, 20)[:2])) for n in (2000, 20000)
    )
    assert few.bytes_sent == many.bytes_sent < 3000


def test_bytes_of_ranges_are_counted() -> None:
    y, score, _ = rows(4000, 10**9)
    ranked = on_dask.ranked_list(split(y, (2000, 2000)), split(score, (2000, 2000)), most_steps=500)
    before = ranked.bytes_sent
    assert before >= 24 * 4000  # each distinct score goes to its range once
    ranked.roc_curve()
    assert ranked.bytes_sent == before + 24 * 4000


def test_ordered_labels() -> None:
    rng = np.random.default_rng(0)
    y, score, weight = rng.integers(4, size=1000), rng.integers(9, size=1000) / 9, rng.integers(3, size=1000) * 1.0
    columns = split(y, SIZES), split(score, SIZES)
    assert on_dask.concordance_index(*columns) == metrics.concordance_index(y, score)
    found = on_dask.concordance_index(*columns, sample_weight=split(weight, SIZES))
    assert found == pytest.approx(metrics.concordance_index(y, score, sample_weight=weight), rel=1e-14)
    words = np.array(["poor", "fair", "good", "best"])[y]
    order = ["poor", "fair", "good", "best"]
    assert on_dask.concordance_index(split(words, SIZES), columns[1], order=order) == metrics.concordance_index(
        y, score
    )


def test_series_and_words() -> None:
    import dask.dataframe as dd

    frame = pd.DataFrame({"y": ["ja", "nein", "nein", "ja"], "s": [4.0, 3.0, 2.0, 1.0]}, index=[5, 7, 1, 3])
    split_frame = dd.from_pandas(frame, npartitions=2, sort=False)
    assert on_dask.roc_auc(split_frame["y"], split_frame["s"]) == metrics.roc_auc(frame["y"], frame["s"])


def test_partitions_that_differ_are_lined_up_or_refused() -> None:
    y, score, _ = rows(1000, 7)
    assert on_dask.roc_auc(split(y, (500, 500)), split(score, SIZES)) == metrics.roc_auc(y, score)
    with pytest.raises(ValueError, match=r"^y_true has 1 partitions and y_score has 5; split both in the same way"):
        on_dask.roc_auc(split(y[:9], (9,)), split(score, SIZES))
    with pytest.raises(TypeError, match=r"^y_score must be a Dask array, series or frame, got list"):
        on_dask.roc_auc([0, 1], [0.0, 1.0])


def test_a_bad_value_is_named() -> None:
    y, score, weight = rows(1000, 7)
    score[205] = np.nan
    with pytest.raises(ValueError, match=r"^Partition 3: y_score must be finite, got nan in row 4; "):
        on_dask.roc_auc(split(y, SIZES), split(score, SIZES))
    score[205], weight[0] = 0.5, -1.0
    with pytest.raises(ValueError, match=r"^Partition 0: sample_weight must be non-negative, got -1.0 in row 0; "):
        on_dask.roc_auc(split(y, SIZES), split(score, SIZES), sample_weight=split(weight, SIZES))
    y[:] = 1
    with pytest.raises(ValueError, match=r"^y_true holds one class only \(1\); "):
        on_dask.roc_auc(split(y, SIZES), split(score, SIZES))
    y[:3] = 0, 2, 3
    with pytest.raises(ValueError, match=r"^y_true holds 4 classes \(0, 1, 2, 3\); "):
        on_dask.roc_auc(split(y, SIZES), split(score, SIZES))
    with pytest.raises(ValueError, match=r"^sample_weight sums to 0 over the positive class; "):
        on_dask.roc_auc(split(y > 1, SIZES), split(score, SIZES), sample_weight=split((y < 2) * 1.0, SIZES))


@given(st.lists(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=9), min_size=1, max_size=6))
def test_merged_steps_are_the_steps_of_all_rows(parts: list[list[tuple[int, bool]]]) -> None:
    def steps(part: list[tuple[int, bool]]) -> object:
        return steps_of(np.array([s for s, _ in part], dtype=float), np.array([b for _, b in part], dtype=int), 2)

    merged, whole = merge_steps([steps(part) for part in parts]), steps([row for part in parts for row in part])
    np.testing.assert_array_equal(merged.score, whole.score)
    np.testing.assert_array_equal(merged.mass, whole.mass)


def test_the_number_of_distinct_scores_is_estimated() -> None:
    rng = np.random.default_rng(0)
    scores = rng.random(200_000)
    parts = [steps_of(part, np.zeros(len(part), int), 1).sketch() for part in (scores[:150_000], scores[50_000:])]
    merged = merge_sketches(parts)
    assert merged.n_distinct == pytest.approx(200_000, rel=0.15)
    counts = np.bincount(np.searchsorted(merged.borders(8), scores))
    assert len(counts) == 8
    assert counts.max() < 1.5 * 25_000
    few = merge_sketches([steps_of(scores[:500], np.zeros(500, int), 1).sketch()] * 2)
    assert few.n_distinct == 500
