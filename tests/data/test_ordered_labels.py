"""Labels of any ordered kind are read; anything else is refused in one sentence."""

import pickle
import re
import warnings
from decimal import Decimal
from fractions import Fraction

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.exceptions import DataConversionWarning

from rankforest.data.ordered_labels import MAX_LEVELS, read_ordered_labels

NAN = np.nan


def containers(values):
    return {
        "list": values,
        "tuple": tuple(values),
        "array": np.array(values),
        "object": np.array(values, dtype=object),
        "strided": np.repeat(np.array(values), 2)[::2],
        "pandas": pd.Series(values, index=range(10, 10 + len(values))),
        "pandas nullable": pd.Series(values).convert_dtypes(),
        "pandas category": pd.Series(values, dtype="category"),
        "pandas index": pd.Index(values),
        "polars": pl.Series(values),
        "narwhals": nw.from_native(pl.Series(values), series_only=True),
        "arrow": pa.chunked_array([values]),
        "arrow array": pa.array(values),
        "arrow dictionary": pa.chunked_array([pa.array(values).dictionary_encode()]),
    }


@pytest.mark.parametrize("name", containers([0, 1]))
@pytest.mark.parametrize("values", [[3, -1, 7, 3], [0.0, 2.5, 0.25, 2.5], [True, False, False, True]])
def test_numbers_in_every_container(name, values):
    labels = read_ordered_labels(containers(values)[name], n_rows=4)
    assert_array_equal(labels.levels, np.unique(values))
    assert labels.levels.dtype.kind == np.array(values).dtype.kind
    assert_array_equal(labels.values, np.unique(values).astype(float))
    assert labels.values.dtype == np.float64
    assert labels.codes.dtype == np.uint8
    assert_array_equal(labels.levels[labels.codes], values)
    assert labels.n_levels == len(set(values))
    assert_array_equal(pickle.loads(pickle.dumps(labels)).codes, labels.codes)


@pytest.mark.parametrize("name", containers(["a", "b"]))
def test_strings_in_every_container_with_their_order(name):
    values = ["low", "high", "mid", "low"]
    labels = read_ordered_labels(containers(values)[name], n_rows=4, order=["low", "mid", "high"])
    assert labels.levels.tolist() == ["low", "mid", "high"]
    assert_array_equal(labels.values, [0, 1, 2])
    assert_array_equal(labels.codes, [0, 2, 1, 0])
    with pytest.raises(ValueError, match="y holds text"):
        read_ordered_labels(containers(values)[name], n_rows=4)


def test_ordered_categoricals_bring_their_order():
    values, order = ["low", "high", "mid", "low"], ["low", "mid", "unused", "high"]
    ordered = pd.CategoricalDtype(order, ordered=True)
    dictionary = pa.DictionaryArray.from_arrays(pa.array([0, 3, 1, 0]), pa.array(order), ordered=True)
    for y in (
        pd.Series(values, dtype=ordered),
        pd.Categorical(values, dtype=ordered),
        pd.CategoricalIndex(values, dtype=ordered),
        pl.Series(values, dtype=pl.Enum(order)),
        nw.from_native(pl.Series(values, dtype=pl.Enum(order)), series_only=True),
        pa.chunked_array([dictionary]),
    ):
        labels = read_ordered_labels(y, n_rows=4)
        assert labels.levels.tolist() == ["low", "mid", "high"]  # what does not occur is left out
        assert_array_equal(labels.codes, [0, 2, 1, 0])
        assert_array_equal(labels.values, [0, 1, 2])
        # an explicit order wins
        assert read_ordered_labels(y, n_rows=4, order=["high", "mid", "low"]).codes.tolist() == [2, 0, 1, 2]


def test_categories_of_numbers_and_of_intervals():
    y = pd.Series([10, 1, 5], dtype=pd.CategoricalDtype([10, 5, 1], ordered=True))
    labels = read_ordered_labels(y, n_rows=3)
    assert labels.levels.tolist() == [10, 5, 1]
    assert_array_equal(labels.values, [0, 1, 2])
    cut = pd.qcut(np.arange(20.0), 4)  # a bare categorical of intervals
    labels = read_ordered_labels(cut, n_rows=20)
    assert_array_equal(labels.codes, np.repeat(np.arange(4), 5))
    assert labels.levels.tolist() == list(cut.categories)
    unordered = pd.Series([10, 1, 5], dtype="category")
    assert_array_equal(read_ordered_labels(unordered, n_rows=3).values, [1, 5, 10])


def test_an_order_of_numbers_is_in_steps_of_one():
    labels = read_ordered_labels([10, 1, 100, 10], n_rows=4, order=[100.0, 10.0, 1.0, 7.0])
    assert labels.levels.tolist() == [100, 10, 1]
    assert labels.levels.dtype.kind == "i"
    assert_array_equal(labels.codes, [1, 2, 0, 1])
    assert_array_equal(labels.values, [0, 1, 2])


def test_exact_numbers():
    y = [Decimal("1.5"), Decimal("0.1"), Decimal("1.5")]
    labels = read_ordered_labels(y, n_rows=3)
    assert labels.levels.tolist() == [Decimal("0.1"), Decimal("1.5")]
    assert labels.values.tolist() == [0.1, 1.5]
    assert_array_equal(labels.codes, [1, 0, 1])
    assert read_ordered_labels([Fraction(1, 2), Fraction(1, 4)], n_rows=2).values.tolist() == [0.25, 0.5]


def test_dtype_of_the_levels_is_kept():
    for dtype in ("int8", "uint16", "int64", "float32", "bool"):
        y = np.array([0, 1, 1]).astype(dtype)
        assert read_ordered_labels(y, n_rows=3).levels.dtype == y.dtype
    y = np.array(["b", "aaa"])
    assert read_ordered_labels(y, n_rows=2, order=["b", "aaa", "a longer one"]).levels.dtype == y.dtype
    assert read_ordered_labels(y.astype(object), n_rows=2, order=["b", "aaa"]).levels.dtype == object
    strings = np.array(["b", "aaa"], dtype=np.dtypes.StringDType())
    assert read_ordered_labels(strings, n_rows=2, order=["b", "aaa"]).codes.tolist() == [0, 1]


@settings(deadline=None)
@given(
    st.lists(st.one_of(st.integers(-(2**53), 2**53), st.floats(-1e9, 1e9)), min_size=2, max_size=9, unique=True),
    st.lists(st.integers(0, 8), max_size=20),
)
def test_labels_make_the_round_trip(distinct, extra):
    values = [*distinct, *(distinct[i % len(distinct)] for i in extra)]
    for y in (values, np.array(values), np.array(values, dtype=object)):
        labels = read_ordered_labels(y, n_rows=len(values))
        assert labels.levels.tolist() == sorted(distinct)
        assert labels.levels[labels.codes].tolist() == values
        assert (np.diff(labels.values) > 0).all()
        labels = read_ordered_labels(y, n_rows=len(values), order=distinct)
        assert labels.levels.tolist() == distinct
        assert labels.levels[labels.codes].tolist() == values


def test_column_vector_is_accepted_with_a_warning():
    y = np.array([0, 2, 1])
    ordered = pd.Categorical(["b", "a", "c"], ["b", "c", "a"], ordered=True)
    for column in (y[:, None], pd.DataFrame({"y": y}), pd.DataFrame({"y": ordered})):
        with pytest.warns(DataConversionWarning, match="A column-vector y was passed when a 1d array was expected"):
            assert_array_equal(read_ordered_labels(column, n_rows=3).codes, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_ordered_labels(y, n_rows=3)


def test_as_many_levels_as_allowed():
    assert read_ordered_labels(np.arange(MAX_LEVELS), n_rows=MAX_LEVELS).n_levels == MAX_LEVELS


def refused(match, y, n_rows=3, **kwargs):
    with pytest.raises(ValueError, match=match) as caught:
        read_ordered_labels(y, n_rows=n_rows, **kwargs)
    assert not re.search(r"\w\. [A-Z]", str(caught.value))  # one sentence


def test_no_labels():
    refused("An ordinal model requires y to be passed, but the target y is None", None)


def test_too_few_levels():
    refused("y holds one class only, the label 1 in all 3 rows; an ordinal model needs two or more", [1, 1, 1])
    refused("one class only, the label 'a'", ["a", "a", "a"])
    refused("one class only, the label 'a'", ["a", "a", "a"], order=["a", "b"])


def test_too_many_levels():
    match = r"y has 101 levels \(0, 1, 2, 3, 4, \.\.\.\), more than the 100 allowed; cut y into fewer .*pandas.qcut"
    refused(match, np.arange(101), n_rows=101)
    refused("y has 101 levels", [str(i) for i in range(101)], n_rows=101, order=[str(i) for i in range(101)])
    refused("Unknown label type: y is continuous, with 101 distinct values .*pandas.qcut", np.arange(101) / 2, 101)


def test_text_without_an_order():
    match = r"y holds text \('bad', 'good'\), whose order is not known; give .* as order=\[\.\.\.\], or pass an ordered"
    refused(match, ["good", "bad", "good"])
    refused(match, pd.Series(["good", "bad", "good"], dtype="category"))
    refused(match, pl.Series(["good", "bad", "good"], dtype=pl.Categorical))


@pytest.mark.parametrize(
    "y",
    [
        [1.0, 2.0, NAN],
        np.array([1, 2, None], dtype=object),
        pd.Series([1, 2, None], dtype="Int64"),
        pl.Series([1, 2, None]),
        pa.chunked_array([[1, 2, None]]),
        pd.Categorical(["a", "b", None], ordered=True),
        pd.Series([1.5, 2.5, NAN], dtype="category"),
        pl.Series(["a", "b", None], dtype=pl.Enum(["a", "b"])),
        np.ma.masked_array([1, 2, 3], [0, 0, 1]),
        [Decimal(1), Decimal(2), Decimal("NaN")],
    ],
)
def test_missing_labels(y):
    refused("Input y contains NaN: the label of row 2 is missing; drop the rows without a label", y)


def test_missing_labels_beside_an_order():
    refused("the label of row 1 is missing", ["a", None, "b"], order=["a", "b"])
    refused("the label of row 1 is missing", [1.0, NAN, 2.0], order=[1, 2])


def test_infinite_labels():
    refused("Input y contains infinity: the label of row 1 is -inf; pass finite labels", [1.0, -np.inf, 2.0])
    refused("the label of row 2 is inf", [Fraction(1, 2), Fraction(1, 3), 10**400])


def test_labels_that_floats_cannot_tell_apart():
    refused("The labels 9007199254740992 and 9007199254740993 of y are equal as float64", [2**53, 2**53 + 1, 0])
    refused("The labels of y range from -1e[+]308 to 1e[+]308, too far apart for floats; rescale", [-1e308, 1e308, 0.0])


def test_kinds_of_labels():
    refused("Unknown label type: y has dtype datetime64.*; use numbers, booleans", np.array([1, 2, 3], "M8[D]"))
    refused("Complex data not supported: y has dtype complex128; pass real labels", np.array([1j, 2, 3]))
    refused("y holds an object of type list in row 0; use numbers", np.array([[1], [2, 3], [4]], dtype=object))
    refused(r"y mixes 'a' \(str\) in row 0 and 1 \(int\) in row 1; use labels of one type", ["a", 1, 2])
    refused("y holds labels that cannot be looked up", np.array([[1], [2, 3], [4]], dtype=object), order=[1, 2])


def test_shapes():
    refused("X has 3 rows but y has 2 labels", [1, 2])
    refused("y is empty", [], n_rows=0)
    refused("y should be a 1d array", np.ones((3, 2)))
    refused("y should be a 1d array", pd.DataFrame(np.ones((3, 2))))


def test_orders():
    match = r"y holds the label 'c' in row 2, which is not in order \('a', 'b'\); add it to order"
    refused(match, ["a", "b", "c"], order=["a", "b"])
    refused("order is 'ab', not a list; list two or more labels from the lowest", ["a", "b", "a"], order="ab")
    refused("order is 3, not a list", ["a", "b", "a"], order=3)
    refused(r"order is \['a'\], too short", ["a", "b", "a"], order=["a"])
    refused(r"order is \[\['a'\], \['b'\]\], a list of lists", ["a", "b", "a"], order=[["a"], ["b"]])
    refused("order holds 'a' twice; list every label once", ["a", "b", "a"], order=["a", "b", "a"])
