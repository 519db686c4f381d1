"""The same data gives the same table from every container; invalid data raises a one-sentence error."""

import datetime
import pickle
import re
import subprocess
import sys
import tracemalloc
import warnings
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal
from scipy import sparse

from rankforest.data.table import Feature, Schema, read_table

NAN = np.nan
NUMBERS = np.array([[1.0, NAN, 0.0], [2.5, 3.0, -1.0], [0.0, 4.0, 0.0], [7.0, 0.0, NAN]])


def columns_of(table):
    return np.column_stack([table.column(j) for j in range(table.n_features)])


def numeric_containers(values):
    names = [f"c{j}" for j in range(values.shape[1])]
    frame = pd.DataFrame(values, columns=names)
    nullable = frame.astype("Float64")
    polars = pl.DataFrame({name: pl.Series(values[:, j]).fill_nan(None) for j, name in enumerate(names)})
    with_nan = np.isnan(values).any()
    return {
        "C": np.ascontiguousarray(values),
        "F": np.asfortranarray(values),
        "strided": np.repeat(values, 2, axis=1)[:, ::2],
        "big endian": values.astype(">f8"),
        "long double": values.astype(np.longdouble),
        "float32": values.astype(np.float32).astype(np.float64).astype(np.float32),
        "object": np.where(np.isnan(values), None, values.astype(object)) if with_nan else values.astype(object),
        "masked": np.ma.masked_array(np.nan_to_num(values, nan=99.0), mask=np.isnan(values)),
        "list": values.tolist(),
        "pandas": frame,
        "pandas nullable": nullable,
        "pandas object": frame.astype(object),
        "pandas arrow": nullable.astype("double[pyarrow]"),
        "pandas sparse": frame.astype(pd.SparseDtype("float64", 0.0)),
        "polars": polars,
        "polars chunked": pl.concat([polars[:1], polars[1:]], rechunk=False),
        "arrow": polars.to_arrow(),
        "narwhals": nw.from_native(polars),
        "csr": sparse.csr_array(values),
        "csc": sparse.csc_matrix(values),
        "coo": sparse.coo_array(values),
        "lil": sparse.lil_matrix(values),
        "dok": sparse.dok_array(values),
        "bsr": sparse.bsr_matrix(values),
        "dia": sparse.dia_array(values),
    }


@pytest.mark.parametrize("name", numeric_containers(NUMBERS))
def test_numbers_are_the_same_from_every_container(name):
    table = read_table(numeric_containers(NUMBERS)[name])
    assert (table.n_rows, table.n_features) == NUMBERS.shape
    assert_array_equal(columns_of(table), NUMBERS)
    assert all(table.column(j).dtype == np.float64 for j in range(3))
    blocks = list(table.blocks(3))
    assert [len(block) for block in blocks] == [3, 1]
    assert all(block.flags.c_contiguous and block.dtype == np.float64 for block in blocks)
    assert_array_equal(np.vstack(blocks), NUMBERS)
    assert not table.schema.is_categorical.any()
    rows = np.array([3, 0, 0])
    assert_array_equal(columns_of(table.take(rows)), NUMBERS[rows])
    mask = np.array([True, False, False, True])
    assert_array_equal(columns_of(table.take(mask)), NUMBERS[mask])
    assert table.take(np.zeros(4, dtype=bool)).n_rows == 0
    again = pickle.loads(pickle.dumps(table))
    assert again.schema == table.schema
    assert_array_equal(columns_of(again), NUMBERS)


@settings(max_examples=20, deadline=None)
@given(
    hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=5),
        elements=st.one_of(st.sampled_from([0.0, NAN]), st.floats(-1e6, 1e6, width=32)),
    )
)
def test_any_numbers_survive_any_container(values):
    values[0] = np.nan_to_num(values[0])  # no column without values
    schema = read_table(values).schema
    for name, X in numeric_containers(values).items():
        table = read_table(X)
        assert_array_equal(columns_of(table), values, err_msg=name)
        assert_array_equal(np.vstack(list(table.blocks(2))), values, err_msg=name)
        assert [feature.kind for feature in table.schema.features] == [f.kind for f in schema.features]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "float16", "float32"])
def test_other_real_dtypes(dtype):
    X = np.array([[1, 2], [3, 4]], dtype=dtype)
    table = read_table(X)
    assert_array_equal(columns_of(table), X.astype(float))
    assert table.column(0).dtype == np.float64
    assert table.matrix() is None


MIXED_SCHEMA = Schema(
    (
        Feature("n", "numeric"),
        Feature("text", "categorical", ("a", "b")),
        Feature("flag", "categorical", (False, True)),
        Feature("level", "categorical", ("a", "b")),
    ),
    named=True,
)
MIXED = np.array([[1.0, 1.0, 1.0, 1.0], [NAN, 0.0, NAN, 0.0], [3.0, NAN, 0.0, NAN]])


def mixed_frames():
    n, text, flag = [1, None, 3], ["b", "a", None], [True, None, False]
    return {
        "pandas": pd.DataFrame(
            {
                "n": [1.0, NAN, 3.0],
                "text": text,
                "flag": np.array(flag, dtype=object),
                "level": pd.Categorical(text, categories=["z", "b", "a"]),
            }
        ),
        "pandas nullable": pd.DataFrame(
            {
                "n": pd.array(n, dtype="Int64"),
                "text": pd.array(text, dtype="string"),
                "flag": pd.array(flag, dtype="boolean"),
                "level": pd.Series(text, dtype=object),
            }
        ),
        "pandas arrow": pd.DataFrame(
            {
                "n": pd.array(n, dtype="int64[pyarrow]"),
                "text": pd.array(text, dtype="string[pyarrow]"),
                "flag": pd.array(flag, dtype="bool[pyarrow]"),
                "level": pd.Series(pa.array(text).dictionary_encode(), dtype=pd.ArrowDtype(pa.dictionary("i4", "str"))),
            }
        ),
        "polars": pl.DataFrame({"n": n, "text": text, "flag": flag, "level": pl.Series(text, dtype=pl.Categorical)}),
        "polars enum": pl.DataFrame(
            {"n": n, "text": text, "flag": flag, "level": pl.Series(text, dtype=pl.Enum(["a", "x", "b"]))}
        ),
        "arrow": pa.table({"n": n, "text": text, "flag": flag, "level": pa.array(text).dictionary_encode()}),
        "decimal": pl.DataFrame({"n": [Decimal(1), None, Decimal(3)], "text": text, "flag": flag, "level": text}),
    }


@pytest.mark.parametrize("fitted", mixed_frames())
def test_fit_on_one_kind_of_frame_and_score_another(fitted):
    table = read_table(mixed_frames()[fitted])
    assert table.schema == MIXED_SCHEMA
    assert_array_equal(columns_of(table), MIXED)
    assert table.matrix() is None
    for name, frame in mixed_frames().items():
        scored = read_table(frame, schema=table.schema)
        assert scored.schema is table.schema
        assert_array_equal(columns_of(scored), MIXED, err_msg=name)
        assert_array_equal(np.vstack(list(scored.blocks(2))), MIXED, err_msg=name)
        assert_array_equal(columns_of(scored.take(np.array([2, 1]))), MIXED[[2, 1]], err_msg=name)
        assert_array_equal(columns_of(pickle.loads(pickle.dumps(scored))), MIXED, err_msg=name)


@pytest.mark.parametrize("name", mixed_frames())
@pytest.mark.parametrize("row", range(3))
def test_a_single_row_of_a_frame_is_read_as_among_others(name, row):
    """A row to score is read by its values, without the types of the columns."""
    frame = mixed_frames()[name]
    alone = frame.iloc[row : row + 1] if isinstance(frame, pd.DataFrame) else frame[row : row + 1]
    scored = read_table(alone, schema=MIXED_SCHEMA)
    assert_array_equal(columns_of(scored), MIXED[row : row + 1])
    assert_array_equal(np.vstack(list(scored.blocks())), MIXED[row : row + 1])
    assert_array_equal(columns_of(scored.take(np.array([0, 0]))), MIXED[[row, row]])
    with pytest.raises(ValueError, match=r"text.*numbers"):
        read_table(pd.DataFrame({"n": [1.0], "text": [2.0], "flag": [True], "level": ["a"]}), schema=MIXED_SCHEMA)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_values_of_a_single_row_that_cannot_be_scored(frame):
    """The sentences are those of many rows."""
    fine = {"n": [1.0], "text": ["a"], "flag": [True], "level": ["new"]}
    assert_array_equal(columns_of(read_table(frame(fine), schema=MIXED_SCHEMA)), [[1.0, 0.0, 1.0, NAN]])
    for n, words in (
        (np.inf, r"Column 'n' contains inf in row 0"),
        ("2", r"Column 'n' was numeric when this model was fitted but now holds text \('2' in row 0\)"),
        (datetime.date(2020, 1, 1), r"Column 'n' holds a date in row 0"),
    ):
        with pytest.raises(ValueError, match=words):
            read_table(frame(fine | {"n": [n]}), schema=MIXED_SCHEMA)
    if frame is pd.DataFrame:
        with pytest.raises(ValueError, match=r"Column 'n' holds 1000+... in row 0, which is too large"):
            read_table(frame(fine | {"n": pd.Series([10**400], dtype=object)}), schema=MIXED_SCHEMA)


def test_schema_is_plain_and_picklable():
    schema = read_table(mixed_frames()["pandas"]).schema
    assert pickle.loads(pickle.dumps(schema)) == schema
    assert [type(c) for f in schema.features for c in f.categories or ()] == [str, str, bool, bool, str, str]
    assert schema.names == ("n", "text", "flag", "level")
    assert schema.n_features == 4
    assert_array_equal(schema.is_categorical, [False, True, True, True])
    assert [f.name for f in read_table(NUMBERS).schema.features] == ["x0", "x1", "x2"]
    numbers = read_table(np.array([[3], [1]], dtype=np.int8), categorical=[0]).schema.features[0].categories
    assert numbers == (1, 3)
    assert [type(c) for c in numbers] == [int, int]


@pytest.mark.parametrize(
    "X",
    [
        np.array([["b", 1.5], ["a", None], [None, 2]], dtype=object),
        [["b", 1.5], ["a", None], [None, 2]],
        [["b", 1.5], ["a", NAN], [pd.NA, 2]],
    ],
)
def test_objects_are_read_column_by_column(X):
    table = read_table(X)
    assert table.schema.features == (Feature("x0", "categorical", ("a", "b")), Feature("x1", "numeric"))
    assert_array_equal(columns_of(table), [[1, 1.5], [0, NAN], [NAN, 2]])


def test_arrays_of_strings_are_categorical():
    for X in (np.array([["b", "x"], ["a", "y"]]), np.array([["b", "x"], ["a", "y"]], dtype=np.dtypes.StringDType())):
        table = read_table(X)
        assert table.schema.features[0].categories == ("a", "b")
        assert_array_equal(columns_of(table), [[1, 0], [0, 1]])


def test_booleans():
    X = np.array([[True, True], [False, True]])
    table = read_table(X)
    assert [f.categories for f in table.schema.features] == [(False, True), (True,)]
    assert_array_equal(columns_of(table), [[1, 0], [0, 0]])
    assert_array_equal(np.vstack(list(table.blocks())), [[1, 0], [0, 0]])
    # Numbers 0 and 1 are the same values; False was not seen in the second column, 0.5 in neither.
    for X in ([[1, 0], [0, 1]], np.array([[1.0, 0.5], [0.0, 1.0]]), sparse.csr_array([[1, 0], [0, 1]])):
        assert_array_equal(columns_of(read_table(X, schema=table.schema)), [[1, NAN], [0, 0]])
    numeric = read_table([[0.0], [3.0]]).schema
    for X in (np.array([[True]]), pl.DataFrame({"a": [True]}).to_numpy()):
        assert_array_equal(columns_of(read_table(X, schema=numeric)), [[1.0]])
    for flags in (pd.array([True, None], dtype="boolean"), pl.Series([True, None]), pa.array([True, None])):
        frame = pa.table({"a": flags}) if isinstance(flags, pa.Array) else {"a": flags}
        frame = pd.DataFrame(frame) if isinstance(flags, pd.arrays.BooleanArray) else frame
        frame = pl.DataFrame(frame) if isinstance(flags, pl.Series) else frame
        named = Schema((Feature("a", "numeric"),), named=True)
        assert_array_equal(read_table(frame, schema=named).column(0), [1.0, NAN])


def test_categories_of_pandas_in_another_order():
    """Scoring finds categories by their names, wherever the frame at hand lists them; the others are missing."""
    schema = read_table(pd.DataFrame({"c": pd.Categorical(["a", "b", "c"])})).schema
    later = pd.Categorical(["c", None, "new", "a", "b"], categories=["new", "c", "unused", "b", "a"])
    table = read_table(pd.DataFrame({"c": later}), schema=schema)
    assert_array_equal(table.column(0), [2.0, NAN, NAN, 0.0, 1.0])
    assert_array_equal(table.take(np.array([4, 0])).column(0), [1.0, 2.0])


def test_unseen_categories_are_missing():
    schema = read_table(pd.DataFrame({"c": ["x", "y", "x"], "k": pd.Categorical([10, 30, 10])})).schema
    assert [f.categories for f in schema.features] == [("x", "y"), (10, 30)]
    scored = read_table(pl.DataFrame({"c": ["z", "y", "w"], "k": [30, 20, 10]}), schema=schema)
    assert_array_equal(columns_of(scored), [[NAN, 1], [1, NAN], [NAN, 0]])


def test_ordered_categories_keep_their_order_and_only_the_observed_ones():
    grades = ["low", "high", "low"]
    order = ["low", "middle", "high"]
    frames = [
        pd.DataFrame({"g": pd.Categorical(grades, categories=order, ordered=True)}),
        pl.DataFrame({"g": pl.Series(grades, dtype=pl.Enum(order))}),
        pa.table({"g": pa.DictionaryArray.from_arrays([0, 2, 0], order, ordered=True)}),
    ]
    for frame in frames:
        table = read_table(frame)
        assert table.schema.features[0].categories == ("low", "high")
        assert_array_equal(table.column(0), [0, 1, 0])
    table = read_table(pd.DataFrame({"g": pd.Categorical([2, 1], categories=[3, 2, 1], ordered=True)}))
    assert table.schema.features[0].categories == (2, 1)
    assert_array_equal(table.column(0), [0, 1])
    unordered = pd.DataFrame({"g": pd.Categorical(grades, categories=order)})
    assert read_table(unordered).schema.features[0].categories == ("high", "low")


def test_arrow_dictionaries_in_several_chunks():
    chunks = pa.chunked_array(
        [pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", None, "b"]).dictionary_encode()]
    )
    table = read_table(pa.table({"c": chunks}))
    assert_array_equal(table.column(0), [0, 1, 2, NAN, 1])
    numbers = read_table(pa.table({"c": pa.array([30, None, 10]).dictionary_encode()}))
    assert numbers.schema.features[0].categories == (10, 30)
    assert_array_equal(numbers.column(0), [1, NAN, 0])


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.text(max_size=3)), min_size=1, max_size=20).filter(any),
    st.lists(st.one_of(st.none(), st.text(max_size=2)), min_size=1, max_size=5),
)
def test_categories_make_the_round_trip(seen, later):
    tables = [
        read_table(np.array([seen], dtype=object).T),
        read_table(pd.DataFrame({"a": pd.Series(seen, dtype="category")})),
        read_table(pl.DataFrame({"a": pl.Series(seen, dtype=pl.String)})),
        read_table(pa.table({"a": pa.array(seen, type=pa.string())})),
    ]
    for table in tables:
        categories = table.schema.features[0].categories
        assert categories == tuple(sorted({text for text in seen if text is not None}))
        assert [None if np.isnan(code) else categories[int(code)] for code in table.column(0)] == seen
    scored = read_table(pl.DataFrame({"a": pl.Series(later, dtype=pl.String)}), schema=tables[1].schema).column(0)
    expected = [categories.index(text) if text in categories else NAN for text in later]
    assert_array_equal(scored, expected)


def test_many_categories_need_two_bytes():
    values = np.array([f"{i:05d}" for i in range(300)], dtype=object)[:, None]
    table = read_table(values)
    assert_array_equal(table.column(0), np.arange(300))
    assert_array_equal(read_table(values[::-1], schema=table.schema).column(0), np.arange(300)[::-1])


@pytest.mark.parametrize("categorical", [["b"], [1], [False, True, False], np.array([1]), np.array(["b"]), "b"])
def test_categorical_names_positions_or_mask(categorical):
    X = pd.DataFrame({"a": [1.0, 2.0], "b": [7, 5], "c": ["u", "v"]})
    table = read_table(X, categorical=categorical)
    assert [f.kind for f in table.schema.features] == ["numeric", "categorical", "categorical"]
    assert table.schema.features[1].categories == (5, 7)
    assert_array_equal(columns_of(table), [[1, 1, 0], [2, 0, 1]])


def test_categorical_columns_of_arrays():
    X = np.array([[1.0, 5.0], [2.5, NAN], [1.0, 7.0]])
    for container in (X, np.asfortranarray(X), sparse.csr_array(X), X.tolist()):
        table = read_table(container, categorical=[0])
        assert table.matrix() is None
        assert table.schema.features[0].categories == (1, 2.5)
        assert_array_equal(columns_of(table), [[0, 5], [1, NAN], [0, 7]])
        assert_array_equal(np.vstack(list(table.blocks(2))), [[0, 5], [1, NAN], [0, 7]])
    assert_array_equal(X, [[1.0, 5.0], [2.5, NAN], [1.0, 7.0]])  # the codes are not written into the user's array
    zero = read_table(sparse.csc_array([[0, 1], [4, 0]]), categorical=["x0"])
    assert zero.schema.features[0].categories == (0, 4)


def test_columns_without_values_are_fine_in_scoring():
    schema = read_table(mixed_frames()["polars"]).schema
    nothing = pl.DataFrame({name: [None, None] for name in schema.names})
    for frame in (
        nothing,
        nothing.cast(pl.String),
        pd.DataFrame(np.full((2, 4), NAN), columns=list(schema.names)),
        pd.DataFrame(np.full((2, 4), None), columns=list(schema.names)),
        pa.table({name: pa.nulls(2) for name in schema.names}),
    ):
        assert np.isnan(columns_of(read_table(frame, schema=schema))).all()
        assert np.isnan(np.vstack(list(read_table(frame, schema=schema).blocks()))).all()


# --- memory ---


def test_arrays_are_not_copied():
    for X in (np.random.default_rng(0).random((10, 3)), np.asfortranarray(np.ones((10, 3)))):
        table = read_table(X)
        assert np.shares_memory(table.column(1), X)
        assert np.shares_memory(table.matrix(), X)
        assert table.column(1).strides == X[:, 1].strides
    X = np.ones((10, 3))
    assert all(np.shares_memory(block, X) for block in read_table(X).blocks(4))
    readonly = X.copy()
    readonly.setflags(write=False)
    assert np.shares_memory(read_table(readonly).column(0), readonly)


def test_frames_are_not_copied():
    values = np.asfortranarray(np.random.default_rng(0).random((10, 2)))
    frame = pd.DataFrame(values, columns=["a", "b"], copy=False)
    assert np.shares_memory(read_table(frame).column(1), values)
    rows = np.random.default_rng(0).random((10, 2))
    table = read_table(pd.DataFrame(rows, columns=["a", "b"], copy=False))
    assert table.schema.names == ("a", "b")
    assert np.shares_memory(table.matrix(), rows)
    assert all(np.shares_memory(block, rows) for block in table.blocks(4))
    apart = pd.DataFrame({"a": np.arange(3.0), "b": np.ones(3)})
    apart["c"] = 2.0
    assert_array_equal(np.vstack(list(read_table(apart).blocks())), [[0, 1, 2], [1, 1, 2], [2, 1, 2]])
    polars = pl.DataFrame({"a": values[:, 0]})
    assert np.shares_memory(read_table(polars).column(0), polars["a"].to_numpy())
    arrow = polars.to_arrow()
    assert np.shares_memory(read_table(arrow).column(0), arrow["a"].chunk(0).to_numpy())


def test_reading_a_large_array_allocates_almost_nothing():
    X = np.ones((500_000, 20))
    X[::7, 3] = NAN
    tracemalloc.start()
    table = read_table(X)
    for block in table.blocks():
        assert block.base is not None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes / 10


def test_sparse_is_never_dense_as_a_whole():
    X = sparse.random_array((20_000, 5_000), density=1e-4, format="coo", rng=np.random.default_rng(0))
    tracemalloc.start()
    table = read_table(X)
    total = sum(table.column(j).sum() for j in range(3))
    first = next(iter(table.blocks()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert total == pytest.approx(X.tocsc()[:, [0, 1, 2]].sum())
    assert len(first) < 20_000  # a full block would need 800 MB
    assert peak < 8 * 20_000 * 5_000 / 4


def test_sparse_input_is_left_as_it_is():
    X = sparse.csr_array((np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1]), np.array([0, 3])), shape=(1, 2))
    table = read_table(X)
    assert_array_equal(columns_of(table), [[3.0, 5.0]])  # entries stored twice add up, as everywhere in SciPy
    assert X.nnz == 3


# --- what is refused, and in which words ---


def refused(match, X, error=ValueError, **kwargs):
    with pytest.raises(error, match=match) as caught:
        read_table(X, **kwargs)
    message = str(caught.value)
    assert message.startswith("The feature names should match") or not re.search(r"\w\. [A-Z]", message)  # one sentence
    return message


@pytest.mark.parametrize("name", [n for n in numeric_containers(NUMBERS) if n != "masked"])  # nan_to_num removes inf
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values(name, value):
    bad = NUMBERS.copy()
    bad[2, 1] = value
    column = "'c1'" if any(word in name for word in ("pandas", "polars", "arrow", "narwhals")) else "1"
    match = rf"Column {column} contains {value} in row 2; replace it by a finite number, or by NaN"
    refused(match, numeric_containers(bad)[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        refused(match, numeric_containers(bad)[name], schema=read_table(numeric_containers(NUMBERS)[name]).schema)


def test_infinite_value_in_a_late_block():
    X = np.zeros((300_000, 15))
    X[290_000, 4] = np.inf
    refused("Column 4 contains inf in row 290000", X)
    refused("Column 'a' contains inf in row 290000", pl.DataFrame({"b": X[:, 0], "a": X[:, 4]}))
    refused("Column 4 contains inf in row 290000", X, categorical=[4])


@pytest.mark.parametrize("name", numeric_containers(NUMBERS))
def test_column_without_values_in_fit(name):
    bad = NUMBERS.copy()
    bad[:, 1] = NAN
    refused(r"Column ('c1'|1) has no values, all 4 rows are missing; drop the column", numeric_containers(bad)[name])


def test_text_without_values_in_fit():
    for frame in (pl.DataFrame({"a": [None]}, schema={"a": pl.String}), pd.DataFrame({"a": pd.Categorical([None])})):
        refused("Column 'a' has no values, all 1 rows are missing", frame)


def test_shapes():
    refused(r"Expected 2D array, got 1D array of shape \(3,\) instead: Reshape your data", np.ones(3))
    refused(r"Expected 2D array, got 1D array of shape \(3,\)", pd.Series([1, 2, 3]))
    refused(r"Expected 2D array, got 1D array of shape \(3,\)", pl.Series([1, 2, 3]))
    refused(r"Expected 2D array, got 3D array of shape \(1, 2, 3\) instead: pass a table", np.ones((1, 2, 3)))
    refused(r"Expected 2D array, got 0D array", None)
    refused(
        r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required; pass at least one row", np.ones((0, 3))
    )
    refused(r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required; pass at least one", np.ones((3, 0)))
    refused(r"0 sample\(s\)", pl.DataFrame({"a": []}, schema={"a": pl.Float64}))
    refused(r"0 feature\(s\) \(shape=\(2, 0\)\)", pd.DataFrame(index=[0, 1]))
    refused(r"0 sample\(s\)", sparse.csr_array((0, 2)))
    refused("X cannot be read as a table .*; give every row the same number of values", [[1, 2], [3]])
    refused("X is a lazy frame .*; collect it", pl.LazyFrame({"a": [1]}), error=TypeError)


def test_types_no_model_can_use():
    refused("Complex data not supported: X has dtype complex128", np.ones((2, 2)) * 1j)
    refused("Complex data not supported: column 0 holds 1j in row 1", np.array([[None], [1j]], dtype=object))
    refused("Complex data not supported: column 'a' has dtype complex128", pd.DataFrame({"a": [1j]}))
    refused("Complex data not supported", sparse.csr_array([[1j]]))
    dates = [datetime.datetime(2020, 1, 1)]
    for frame in (pd.DataFrame({"d": dates}), pl.DataFrame({"d": dates}), pa.table({"d": dates})):
        refused("Column 'd' has dtype Datetime.*, which is neither number, text.*; convert it to numbers", frame)
    refused("Column 'd' has dtype Duration", pd.DataFrame({"d": pd.to_timedelta([1])}))
    refused(r"Column 'd' has dtype List\(Int64\)", pl.DataFrame({"d": [[1]]}))
    refused("Column 'd' has dtype Struct", pl.DataFrame({"d": [{"a": 1}]}))
    refused("Column 'd' has dtype Binary", pl.DataFrame({"d": [b"a"]}))
    periods = pd.DataFrame({"d": pd.period_range("2020", periods=1)})
    refused(r"Column 'd' holds a Period in row 0 \(Period.*neither a number", periods)
    refused(r"Column 'd' holds an Interval in row 0", pd.DataFrame({"d": pd.cut([1, 2], 2)}))
    refused("X has dtype datetime64", np.array([["2020-01-01"]], dtype="M8[D]"))
    refused(r"X has dtype \|S1, .* bytes to str", np.array([[b"a"]]))
    match = r"Column 0 holds a dict in row 1 \(\{'foo': 'bar'\}\), which is neither"
    refused(match, np.array([[None], [{"foo": "bar"}]], dtype=object))
    refused("Column 'a' holds a list in row 0", pd.DataFrame({"a": [[1, 2], None]}))
    refused("Column 0 holds 1000.* in row 0, which is too large for a float64", [[10**400], [None]])
    refused("Column 0 holds an integer of .* bits in row 1, which is too large", [[1], [10**5000]])


def test_mixed_types_in_one_column():
    mix = [["x", 1.0], ["y", 2.0], [3.5, 1.0]]
    match = "mixes types: 'x' in row 0 is a str and 3.5 in row 2 is a float; convert the column to one type"
    refused("Column 0 " + match, mix)
    refused("Column 'a' " + match, pd.DataFrame(mix, columns=["a", "b"]))
    refused("Column 'a' " + match, pd.DataFrame({"a": pd.Categorical(["x", None, 3.5], categories=["x", 3.5])}))
    match = "Column 0 mixes types: True in row 0 is a bool and 2 in row 1 is an int"
    refused(match, np.array([[True], [2]], dtype=object))


def test_column_names():
    refused("X has 2 columns named 'a'; rename them", pd.DataFrame(np.ones((1, 3)), columns=["a", "b", "a"]))
    refused("X has 2 columns named 'a'; rename them", pa.table([[1], [2]], names=["a", "a"]))
    refused("X has 2 columns named 0; rename them", pd.DataFrame(np.ones((1, 2)), columns=[0, 0]))
    mixed = pd.DataFrame(np.ones((1, 2)), columns=["a", 1])
    match = "Feature names are only supported if all input features have string names.* int, str; convert"
    refused(match, mixed, TypeError)
    for columns in ([5, 6], pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])):
        schema = read_table(pd.DataFrame(np.ones((1, 2)), columns=columns)).schema
        assert schema == Schema((Feature("x0", "numeric"), Feature("x1", "numeric")), named=False)
    trap = pd.DataFrame({"column_names": [1.0], "columns": [2.0]})
    assert read_table(trap).schema.names == ("column_names", "columns")


def test_names_and_width_in_scoring():
    named = read_table(pd.DataFrame({"a": [1.0], "b": [2.0]})).schema
    unnamed = read_table(np.ones((1, 2))).schema
    match = r"X has 3 features, but Tree is expecting 2 features as input"
    refused(match, np.ones((1, 3)), schema=unnamed, estimator_name="Tree")
    swapped = refused("must be in the same order as they were in fit", pl.DataFrame({"b": [1], "a": [2]}), schema=named)
    assert swapped.startswith("The feature names should match those that were passed during fit.\n")
    message = refused("Feature names unseen", pl.DataFrame({"a": [1], "z": [2]}), schema=named)
    assert message.endswith("unseen at fit time:\n- z\nFeature names seen at fit time, yet now missing:\n- b\n")
    message = refused("unseen", pd.DataFrame(np.ones((1, 9)), columns=list("abcdefghi")), schema=named)
    assert message.endswith("- c\n- d\n- e\n- f\n- g\n- ...\n")
    with pytest.warns(UserWarning, match="X does not have valid feature names, but Tree was fitted with feature names"):
        read_table(np.ones((1, 2)), schema=named, estimator_name="Tree")
    with pytest.warns(UserWarning, match="X has feature names, but Tree was fitted without feature names"):
        read_table(pl.DataFrame({"a": [1], "b": [2]}), schema=unnamed, estimator_name="Tree")


def test_no_warning_when_names_agree():
    frame = pl.DataFrame({"a": [1.0], "b": [2.0]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_table(frame.to_arrow(), schema=read_table(frame).schema)
        read_table(NUMBERS, schema=read_table(NUMBERS).schema)


def test_types_that_changed_since_fit():
    schema = read_table(pd.DataFrame({"age": [1.0, 2.0], "city": ["x", "y"], "code": pd.Categorical([1, 2])})).schema
    frame = pl.DataFrame({"age": [None, "old"], "city": ["x", "x"], "code": [1, 2]})
    match = (
        r"Column 'age' was numeric when Tree was fitted but now holds text \('old' in row 1\); convert it to numbers"
    )
    refused(match, frame, schema=schema, estimator_name="Tree")
    refused(match, frame.to_pandas().astype({"age": "category"}), schema=schema, estimator_name="Tree")
    match = r"Column 'city' held text when Tree was fitted but now holds numbers \(7.0 in row 1\); convert it"
    refused(match, frame.with_columns(age=1.0, city=pl.Series([None, 7])), schema=schema, estimator_name="Tree")
    match = r"Column 'city' held text when Tree was fitted but now holds booleans \(True in row 0\); convert it"
    refused(match, frame.with_columns(age=1.0, city=True), schema=schema, estimator_name="Tree")
    match = r"Column 'code' held numbers when this model was fitted but now holds text \('1' in row 0\)"
    refused(match, frame.with_columns(age=1.0, code=pl.Series(["1", "2"])), schema=schema)
    # Numbers that travel as objects or as a category are still numbers.
    numbers = frame.to_pandas().assign(age=pd.Categorical([5, 6]), code=np.array([2, None], dtype=object))
    assert_array_equal(columns_of(read_table(numbers, schema=schema)), [[5, 0, 1], [6, 0, NAN]])


def test_categorical_argument():
    X = pd.DataFrame({"a": [1.0], "b": [2.0]})
    refused("categorical names the column 'c', which X does not have; its columns are 'a', 'b'", X, categorical=["c"])
    refused("categorical names column 2, but X has 2 columns; use positions from 0 to 1", X, categorical=[2])
    refused("categorical names column -1, but", X, categorical=[-1])
    refused("categorical is a mask of 3 values, but X has 2 columns", X, categorical=[True, False, True])
    refused("categorical holds 1.5 of type float", X, categorical=[1.5])


def test_too_many_categories():
    match = "has 65535 categories, more than the 65534 allowed; drop it"
    refused("Column 0 " + match, np.arange(65535.0)[:, None], categorical=[0])
    refused("Column 'a' " + match, pl.DataFrame({"a": np.arange(65535)}).cast(pl.String))
    ids = np.array([[2**60], [2**60 + 1]])
    refused(
        "Column 0 is categorical and contains 1152921504606846976 or so, .* convert the column to st",
        ids,
        categorical=[0],
    )
    assert read_table(ids.astype(str)).schema.features[0].categories == (str(2**60), str(2**60 + 1))
    just_enough = read_table(np.arange(65534.0)[:, None], categorical=[0])
    assert_array_equal(just_enough.column(0), np.arange(65534))


def test_take_checks_its_rows():
    table = read_table(NUMBERS)
    with pytest.raises(IndexError, match="between 0 and 3"):
        table.take(np.array([4]))
    with pytest.raises(IndexError, match="between 0 and 3"):
        table.take(np.array([-1]))
    with pytest.raises(ValueError, match=r"mask has shape \(2,\), but the table has 4 rows"):
        table.take(np.array([True, False]))


def test_import_is_light():
    code = "import sys, rankforest.data.table, rankforest.data.labels; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "rankforest.data.table" in modules
    assert not {"pandas", "polars", "pyarrow", "sklearn"} & set(modules)
