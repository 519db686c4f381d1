"""Rows of any table are picked, Arrow's views included, and mean the same to a model."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from rankforest import TreeRank
from rankforest.data.rows import take_rows
from rankforest.data.table import read_table
from rankforest.metrics import instability

CITIES = ["Lyon", None, "Oslo", "Rome", None, "Oslo"]
ROWS = np.array([5, 0, 0, 4])
WANTED = ["Oslo", "Lyon", "Lyon", None]


def dictionary(kind: pa.DataType, *, ordered: bool = False) -> pa.ChunkedArray:
    """In two chunks whose dictionaries differ in order."""
    chunks = []
    for cities, names in ((CITIES[:3], ["Oslo", "Lyon", "Rome"]), (CITIES[3:], ["Rome", "Oslo", "Lyon"])):
        codes = pa.array([None if city is None else names.index(city) for city in cities], pa.int8())
        chunks.append(pa.DictionaryArray.from_arrays(codes, pa.array(names, kind), ordered=ordered))
    return pa.chunked_array(chunks)


ARROW = {
    "string": pa.array(CITIES),
    "large_string": pa.array(CITIES, pa.large_string()),
    "string_view": pa.array(CITIES, pa.string_view()),
    "dictionary": dictionary(pa.string()),
    "dictionary of large_string": dictionary(pa.large_string()),
    "dictionary of string_view": dictionary(pa.string_view()),
    "ordered dictionary of string_view": pa.DictionaryArray.from_arrays(
        pa.array([0, None, 1, 2, None, 1], pa.int8()),
        pa.array(["Lyon", "Oslo", "Rome"], pa.string_view()),
        ordered=True,
    ),
}


@pytest.mark.parametrize("name", ARROW)
def test_arrow(name: str) -> None:
    table = pa.table({"city": ARROW[name], "x": np.arange(6.0)})
    found = take_rows(table, ROWS)
    assert found.to_pydict() == {"city": WANTED, "x": [5.0, 0.0, 0.0, 4.0]}
    # the part is read by the model as the whole is
    whole, part = read_table(table), read_table(found, schema=read_table(table).schema)
    assert whole.schema.features[0].categories == ("Lyon", "Oslo", "Rome")
    np.testing.assert_array_equal(part.column(0), whole.column(0)[ROWS])
    assert take_rows(table["city"], ROWS).to_pylist() == WANTED


def test_binary_views() -> None:
    values = [None if city is None else city.encode() for city in CITIES]
    found = take_rows(pa.table({"city": pa.array(values, pa.binary_view())}), ROWS)
    assert found["city"].to_pylist() == [b"Oslo", b"Lyon", b"Lyon", None]


@pytest.mark.parametrize("name", ARROW)
def test_a_model_reads_and_a_fold_of_it_too(name: str) -> None:
    table = pa.concat_tables([pa.table({"city": ARROW[name], "x": np.arange(6.0)})] * 10).unify_dictionaries()
    y = np.tile([0, 0, 1, 1, 0, 1], 10)
    scores = TreeRank().fit(table, y).score_samples(table)
    plain = pa.table({"city": pa.array(CITIES * 10), "x": table["x"]})
    np.testing.assert_array_equal(TreeRank().fit(plain, y).score_samples(plain), scores)
    assert instability(TreeRank(), table, y, random_state=0) == instability(TreeRank(), plain, y, random_state=0)


@pytest.mark.parametrize(
    "table",
    [
        np.arange(12.0).reshape(6, 2),
        pd.DataFrame({0: CITIES, "x": range(6)}, index=list("abcdef")),
        pl.DataFrame({"city": CITIES, "x": range(6)}),
        pl.Series(CITIES),
        pd.Series(range(6), index=list("abcdef")),
        sparse.csc_array(np.eye(6)),
        sparse.coo_matrix(np.eye(6)),
        [[city, i] for i, city in enumerate(CITIES)],
    ],
)
def test_other_tables(table) -> None:
    found = take_rows(table, ROWS)
    expected = [take_rows(table, [row]) for row in ROWS]

    def listed(part):
        part = part.toarray() if sparse.issparse(part) else part
        part = part.to_numpy() if hasattr(part, "to_numpy") else part
        return list(map(str, part))

    assert listed(found) == [row for part in expected for row in listed(part)]
    if not sparse.issparse(table) and not isinstance(table, list):
        assert type(found) is type(table)


def test_they_are_the_rows_that_were_asked_for() -> None:
    table = np.arange(12.0).reshape(6, 2)
    np.testing.assert_array_equal(take_rows(table, ROWS), table[ROWS])
    assert take_rows(pl.DataFrame({"x": range(6)}), ROWS)["x"].to_list() == [5, 0, 0, 4]
    assert take_rows(pd.DataFrame({"x": range(6)}, index=list("abcdef")), ROWS)["x"].tolist() == [5, 0, 0, 4]
    np.testing.assert_array_equal(take_rows(sparse.coo_matrix(np.eye(6)), ROWS).toarray(), np.eye(6)[ROWS])
