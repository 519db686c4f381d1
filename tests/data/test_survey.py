"""Surveys of batches, merged, are the survey of the whole table: its schema, its bins with their digits, its codes."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from rankforest import _core
from rankforest.data import survey as survey_module
from rankforest.data.binning import bin_table, find_bins
from rankforest.data.coding import code_batch, with_digits
from rankforest.data.label_batches import label_batch, merge_labels, weight_batch
from rankforest.data.labels import read_labels
from rankforest.data.ordered_labels import read_ordered_labels
from rankforest.data.read_weights import read_weights
from rankforest.data.survey import merge_surveys, rows_for_cuts, rows_within, survey_batch
from rankforest.data.table import read_table

RNG = np.random.default_rng(0)
N = 3000


def frame() -> pd.DataFrame:
    late = np.where(np.arange(N) < N - 3, "a", "z")  # a category that comes late
    return pd.DataFrame(
        {
            "normal": RNG.normal(size=N),
            "ties": RNG.integers(0, 7, N),
            "holes": np.where(RNG.random(N) < 0.3, np.nan, RNG.exponential(size=N)),
            "single": RNG.normal(size=N).astype(np.float32),
            "flag": RNG.random(N) < 0.2,
            "text": pd.Series(late, dtype=object).where(RNG.random(N) > 0.1, None),
            "kind": pd.Categorical(RNG.choice(list("xyz"), N), categories=list("zyxw"), ordered=True),
            "grade": RNG.integers(1, 4, N),
        }
    )


def batches(n_rows: int, sizes: list[int]) -> list[tuple[int, int]]:
    """(first row, rows) of batches of these sizes, again and again."""
    found, first, i = [], 0, 0
    while first < n_rows:
        size = min(sizes[i % len(sizes)], n_rows - first)
        found.append((first, size))
        first, i = first + size, i + 1
    return found


def coded(X: Any, sizes: list[int], kept: np.ndarray | None, n_rows: int = N, **options: Any) -> tuple[Any, Any, Any]:
    """Schema, bins and codes of a table in batches, by way of pickles, as on a cluster."""
    rows = rows_for_cuts(n_rows, kept)
    parts = batches(n_rows, sizes)

    def piece(first: int, n: int) -> Any:
        return X[first : first + n] if isinstance(X, np.ndarray | pd.DataFrame) else X.slice(first, n)

    surveys = [
        survey_batch(piece(first, n), rows_within(rows, first, n), first_row=first, **options) for first, n in parts
    ]
    merged = merge_surveys(pickle.loads(pickle.dumps(surveys)))
    schema = merged.schema()
    bins = merged.bins(schema, max_bins=32)
    found = [
        code_batch(
            piece(first, n), schema, bins, first_row=first,
            n_counted=n_rows if kept is None else int(kept.sum()),
            kept=None if kept is None else kept[first : first + n],
        )
        for first, n in parts
    ]  # fmt: skip
    found = pickle.loads(pickle.dumps(found))
    return schema, with_digits(bins, [batch.neighbours for batch in found]), np.vstack([batch.codes for batch in found])


@pytest.mark.parametrize("sizes", [[N], [1000, 0, 1, 700], [97]])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("most", [10**9, 500])
def test_batches_are_coded_as_the_whole_table(
    sizes: list[int], weighted: bool, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether all rows are drawn, or some."""
    for module in ("survey", "coding", "binning"):
        monkeypatch.setattr(f"rankforest.data.{module}.SAMPLE_ROWS", most)
    X, kept = frame(), (np.random.default_rng(1).random(N) < 0.7) if weighted else None
    for data in (X, pa.Table.from_pandas(X, preserve_index=False)):
        table = read_table(data, categorical=["grade"])
        whole = table if kept is None else table.take(kept)
        bins = find_bins(whole, max_bins=32)
        schema, found, codes = coded(data, sizes, kept, categorical=["grade"])
        assert schema == table.schema
        for name in ("cuts", "means", "digits"):
            for one, other in zip(getattr(bins, name), getattr(found, name)):
                np.testing.assert_array_equal(one, other, strict=True)
        np.testing.assert_array_equal(codes, bin_table(whole, bins).codes, strict=True)


def test_digits_need_the_neighbours_among_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the survey alone knows, the drawn rows, would give fewer digits."""
    for module in ("survey", "coding", "binning"):
        monkeypatch.setattr(f"rankforest.data.{module}.SAMPLE_ROWS", 50)
    X = np.random.default_rng(3).normal(size=(N, 1))
    rows = rows_for_cuts(N)
    survey = survey_batch(X, rows)
    alone = survey.bins(survey.schema(), max_bins=8)
    _, complete, _ = coded(X, [100], None)
    whole = find_bins(read_table(X), max_bins=32)
    assert (np.array(whole.digits) == np.array(complete.digits)).all()
    assert (np.array(find_bins(read_table(X), max_bins=8).digits) > np.array(alone.digits)).any()


def test_rows_of_the_cuts_are_those_of_the_core() -> None:
    column = np.random.default_rng(0).normal(size=10_000)
    rows = _core.sample_rows(len(column), 300, 0)
    assert len(rows) == 300
    assert (np.diff(rows) > 0).all()
    assert (rows // (10_000 / 300) == np.arange(300)).mean() > 0.95  # one of each stretch
    chosen = _core.find_bins([column[rows]], 16, 10**9, 0, 1)[0]
    drawn = _core.find_bins([column], 16, 300, 0, 1)[0]
    np.testing.assert_array_equal(chosen[0], drawn[0])
    np.testing.assert_array_equal(chosen[1], drawn[1])


def test_neighbours_by_sorting() -> None:
    column = np.append(np.random.default_rng(0).normal(size=500), [np.nan, 0.0])
    cuts = np.array([-1.0, 0.0, 0.5, 9.0])
    ((low, high),) = _core.neighbours([column], [cuts], 2)
    edges = [-np.inf, *cuts, np.inf]
    for c in range(len(cuts)):
        below = column[(column > edges[c]) & (column <= edges[c + 1])]
        above = column[(column > edges[c + 1]) & (column <= edges[c + 2])]
        assert low[c] == (below.max() if len(below) else -np.inf)
        assert high[c] == (above.min() if len(above) else np.inf)


def test_a_number_and_a_text_in_different_batches() -> None:
    parts = [
        survey_batch(pd.DataFrame({"a": [1.0]}), np.array([0])),
        survey_batch(pd.DataFrame({"a": ["x"]}), np.array([0]), first_row=1),
    ]
    said = r"Column 'a' holds numbers \(1.0\) in the batch that starts at row 0, and text \('x'\) in .* row 1; convert"
    with pytest.raises(ValueError, match=said):
        merge_surveys(parts)


def test_a_batch_without_values_has_no_type() -> None:
    parts = [
        survey_batch(pd.DataFrame({"a": [None]}), np.array([0])),
        survey_batch(pd.DataFrame({"a": ["x"]}), np.array([0]), first_row=1),
    ]
    assert merge_surveys(parts).schema().features[0].categories == ("x",)
    with pytest.raises(ValueError, match=r"Column 'a' has no values, all 2 rows"):
        merge_surveys([parts[0], parts[0]]).schema()


def test_other_columns() -> None:
    one, other = (survey_batch(pd.DataFrame({name: [1.0], "b": [2.0]}), np.array([0])) for name in "ac")
    with pytest.raises(ValueError, match=r"'a' is in some of them only"):
        merge_surveys([one, other])
    turned = survey_batch(pd.DataFrame({"b": [2.0], "a": [1.0]}), np.array([0]))
    with pytest.raises(ValueError, match="different orders"):
        merge_surveys([one, turned])
    with pytest.raises(ValueError, match="some have 2, others 1"):
        merge_surveys([one, survey_batch(np.ones((1, 1)), np.array([0]))])


def test_rows_in_errors_count_over_all_batches() -> None:
    bad = np.array([[1.0], [np.inf]])
    with pytest.raises(ValueError, match=r"contains inf in row 101"):
        survey_batch(bad, np.array([0]), first_row=100)
    with pytest.raises(ValueError, match=r"label of row 101 is missing"):
        label_batch(np.array([0.0, np.nan]), first_row=100)
    with pytest.raises(ValueError, match=r"text \('x' in row 101\)"):
        weight_batch(np.array([None, "x"], dtype=object), first_row=100)


def test_too_many_categories_are_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankforest.data.categories.MAX_CATEGORIES", 3)
    parts = [survey_batch(pd.DataFrame({"id": [f"{i}", f"{i + 1}"]}), np.array([0, 1])) for i in (0, 2)]
    with pytest.raises(ValueError, match="Column 'id' has 4 categories, more than the 3 allowed"):
        merge_surveys(parts)


# ---- labels

LABELS = [
    np.array([0, 1, 1, 0, 0, 1, 0]),
    np.array([2.5, 2.5, -1.0, 2.5, -1.0, 2.5, 2.5]),
    np.array([True, True, True, False, True, False, True]),
    np.array(["no", "no", "no", "yes", "yes", "no", "no"]),
    np.array(["no", "no", "no", "yes", "yes", "no", "no"], dtype=object),
    pd.Series(["b", "a", "b", "b", "a", "b", "b"], dtype="category"),
]


@pytest.mark.parametrize("y", LABELS, ids=str)
@pytest.mark.parametrize("sizes", [[7], [1], [2, 0, 3]])
def test_labels_of_batches(y: Any, sizes: list[int]) -> None:
    read = lambda values, order: read_labels(values, n_rows=len(values))  # noqa: E731
    whole = read_labels(y, n_rows=7)
    parts = [label_batch(y[first : first + n], first_row=first) for first, n in batches(7, sizes)]
    found = merge_labels(pickle.loads(pickle.dumps(parts)), read)
    np.testing.assert_array_equal(found.codes, whole.codes, strict=True)
    np.testing.assert_array_equal(found.classes, whole.classes, strict=True)


def test_ordered_labels_of_batches() -> None:
    y = pd.Series(pd.Categorical(["low", "high", "mid", "mid", "low"], ["low", "mid", "high", "top"], ordered=True))
    read = lambda values, order: read_ordered_labels(values, n_rows=len(values), order=order)  # noqa: E731
    whole = read_ordered_labels(y, n_rows=5)
    found = merge_labels([label_batch(y[first : first + 1], first_row=first) for first in range(5)], read)
    np.testing.assert_array_equal(found.codes, whole.codes, strict=True)
    np.testing.assert_array_equal(found.levels, whole.levels, strict=True)


def test_wrong_labels_name_their_rows() -> None:
    parts = [label_batch(["low", "mid"]), label_batch(["mid", "odd"], first_row=2)]
    read = lambda values, order: read_ordered_labels(values, n_rows=len(values), order=["low", "mid"])  # noqa: E731
    with pytest.raises(ValueError, match=r"the label 'odd' in row 3"):
        merge_labels(parts, read)
    both = lambda values, order: read_labels(values, n_rows=len(values))  # noqa: E731
    with pytest.raises(ValueError, match=r"one class only, the label 1 in all 5 rows"):
        merge_labels([label_batch([1, 1, 1]), label_batch([1, 1], first_row=3)], both)
    with pytest.raises(ValueError, match=r"y mixes True \(bool\) in row 0 and 2 \(int\) in row 1"):
        merge_labels([label_batch([True]), label_batch([2], first_row=1)], both)
    with pytest.raises(ValueError, match="y is continuous, with 300 distinct values"):
        merge_labels([label_batch(np.linspace(0, 1, 300)), label_batch([1.0], first_row=300)], both)


def test_weights_of_batches() -> None:
    weights = pd.Series([1, 2, 0, 5])
    found = np.concatenate([weight_batch(weights[:1]), weight_batch(weights[1:], first_row=1)])
    np.testing.assert_array_equal(found, read_weights(weights, n_rows=4), strict=True)
    assert survey_module.rows_for_cuts(4, found > 0).tolist() == [0, 1, 3]
