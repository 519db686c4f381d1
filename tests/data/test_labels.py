"""Any two values are labels; anything else is refused in one sentence."""

import pickle
import re
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
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from rankforest.data.labels import check_two_classes, read_labels
from rankforest.data.read_weights import read_weights

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
@pytest.mark.parametrize("values", [[1, -1, 1], [0.0, 2.5, 0.0], ["no", "yes", "no"], [True, False, False], [7, 7, 3]])
def test_every_container_gives_the_same_labels(name, values):
    labels = read_labels(containers(values)[name], n_rows=3)
    classes = np.unique(values)
    assert_array_equal(labels.classes, classes)
    assert labels.codes.dtype == np.uint8
    assert_array_equal(labels.codes, [value == classes[1] for value in values])
    assert_array_equal(labels.classes[labels.codes], values)
    assert labels.classes.dtype.kind in {"U": "UO"}.get(classes.dtype.kind, classes.dtype.kind)
    again = pickle.loads(pickle.dumps(labels))
    assert_array_equal(again.codes, labels.codes)


def test_dtype_of_the_classes_is_kept():
    for dtype in ("int8", "uint16", "int64", "float32", "bool", "U3"):
        y = np.array([0, 1, 1]).astype(dtype)
        assert read_labels(y, n_rows=3).classes.dtype == y.dtype
    assert read_labels(["a", "b"], n_rows=2).classes.dtype.kind == "U"
    assert read_labels(np.array([0, 1], dtype=object), n_rows=2).classes.dtype.kind == "i"
    assert read_labels(np.array(["a", "b"], dtype=object), n_rows=2).classes.dtype == object
    assert_array_equal(read_labels(np.array(["a", "b"], dtype=np.dtypes.StringDType()), n_rows=2).codes, [0, 1])
    assert_array_equal(read_labels([Decimal(1), Decimal(0)], n_rows=2).codes, [1, 0])


@settings(deadline=None)
@given(
    st.one_of(
        st.tuples(st.integers(-(2**62), 2**62), st.integers(-(2**62), 2**62)),
        st.tuples(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False)),
        # NumPy's fixed-width strings cannot hold a trailing null character.
        st.tuples(*2 * [st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=5)]),
    ).filter(lambda pair: pair[0] != pair[1]),
    st.lists(st.integers(0, 1), max_size=20),
    st.booleans(),
)
def test_labels_make_the_round_trip(pair, extra, second_is_positive):
    values = [pair[i] for i in [0, 1, *extra]]
    for y in (values, np.array(values), np.array(values, dtype=object)):
        labels = read_labels(y, n_rows=len(values))
        assert labels.classes.tolist() == sorted(pair)
        assert labels.classes[labels.codes].tolist() == values
        positive = pair[int(second_is_positive)]
        labels = read_labels(y, n_rows=len(values), pos_label=positive)
        assert labels.classes.tolist()[1] == positive
        assert labels.classes[labels.codes].tolist() == values


def test_pos_label():
    labels = read_labels(["good", "bad", "bad"], n_rows=3, pos_label="bad")
    assert labels.classes.tolist() == ["good", "bad"]
    assert_array_equal(labels.codes, [0, 1, 1])
    assert_array_equal(read_labels([1, 0], n_rows=2, pos_label=1).codes, [1, 0])
    assert_array_equal(read_labels(np.array([True, False]), n_rows=2, pos_label=0).codes, [0, 1])


def test_column_vector_is_accepted_with_a_warning():
    y = np.array([0, 1, 1])
    for column in (y[:, None], pd.DataFrame({"y": y}), pl.DataFrame({"y": y})):
        with pytest.warns(DataConversionWarning, match="A column-vector y was passed when a 1d array was expected"):
            assert_array_equal(read_labels(column, n_rows=3).codes, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_labels(y, n_rows=3)


def test_labels_do_not_share_memory_with_y():
    y = np.array([True, False])
    labels = read_labels(y, n_rows=2)
    assert not np.shares_memory(labels.codes, y)


@pytest.mark.parametrize("dtype", ["int64", "float64", "bool"])
def test_large_labels_need_a_few_bytes_per_row(dtype):
    y = (np.arange(1_000_000) % 3 == 0).astype(dtype)
    tracemalloc.start()
    labels = read_labels(y, n_rows=len(y))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert labels.codes.sum() == 333_334
    assert peak < 3 * len(y)


def refused(match, y, n_rows=3, **kwargs):
    with pytest.raises(ValueError, match=match) as caught:
        read_labels(y, n_rows=n_rows, **kwargs)
    assert not re.search(r"\w\. [A-Z]", str(caught.value))  # one sentence


def test_number_of_classes():
    refused("y holds one class only, the label 1 in all 3 rows; a ranking needs positives and negatives", [1, 1, 1])
    refused("one class only, the label 'a'", ["a", "a", "a"])
    refused("one class only, the label True", np.array([True] * 3))
    match = r"Only binary classification is supported, but y has 3 classes \({}\); keep two of them"
    refused(match.format("0, 1, 2"), [0, 1, 2])
    refused(match.format("0.0, 1.0, 2.0"), [0.0, 1.0, 2.0])
    refused(match.format("'a', 'b', 'c'"), ["c", "b", "a"])
    refused(r"y has 7 classes \(0, 1, 2, 3, 4, \.\.\.\)", np.arange(7), n_rows=7)
    match = r"Unknown label type: y is continuous, with 3 distinct values \(0.25, 0.5, 1.0\); pass two labels"
    refused(match, np.array([0.5, 0.25, 1.0]))
    refused(match, np.array([0.5, 0.25, 1.0], dtype=object))
    assert_array_equal(read_labels([0.5, 1.5, 0.5], n_rows=3).classes, [0.5, 1.5])


@pytest.mark.parametrize(
    "y",
    [
        [0.0, 1.0, NAN],
        np.array([0, 1, None], dtype=object),
        np.array(["a", "b", None], dtype=object),
        ["a", "b", NAN],
        pd.Series(["a", "b", None]),
        pd.Series([0, 1, None], dtype="Int64"),
        pd.Series([True, False, None], dtype="boolean"),
        pd.Series(["a", "b", None], dtype="category"),
        pl.Series([0, 1, None]),
        pl.Series(["a", "b", None]),
        pl.Series([True, False, None]),
        pa.chunked_array([pa.array(["a", "b", None]).dictionary_encode()]),
        np.ma.masked_array([0, 1, 1], mask=[False, False, True]),
        np.array(["a", "b", NAN], dtype=np.dtypes.StringDType(na_object=NAN)),
    ],
)
def test_missing_labels(y):
    refused("Input y contains NaN: the label of row 2 is missing; drop the rows without a label", y)


def test_infinite_labels():
    refused("Input y contains infinity: the label of row 1 is inf; pass two finite labels", [0.0, np.inf, 0.0])
    refused("the label of row 0 is -inf", np.array([-np.inf, 1.0, 0.0], dtype=object))


def test_shape_of_labels():
    refused("X has 3 rows but y has 2 labels; pass one label for each row", [0, 1])
    refused("X has 3 rows but y has 4 labels", pl.Series([0, 1, 0, 1]))
    refused(r"y should be a 1d array with one value per row, got an array of shape \(3, 2\)", np.ones((3, 2)))
    refused(r"y should be a 1d array .* shape \(3, 2\)", pd.DataFrame(np.ones((3, 2)), columns=["a", "b"]))
    refused(r"y should be a 1d array .* shape \(\)", 5)
    refused("y should be a 1d array, but its entries have different lengths", [[1], [1, 2], 3])
    refused("y is a sparse csr_array; pass a dense", sparse.csr_array([[1, 0, 1]]))
    refused("requires y to be passed, but the target y is None", None)
    refused("y is empty", [], n_rows=0)


def test_types_of_labels():
    refused("Complex data not supported: y has dtype complex128", np.array([1j, 0, 1]))
    refused("Unknown label type: y has dtype datetime64", np.array(["2020", "2021", "2020"], dtype="M8[Y]"))
    refused(r"Unknown label type: y has dtype \|S1", np.array([b"a", b"b", b"a"]))
    refused("Unknown label type: y holds an object of type dict in row 0; use two", [{"a": 1}, {"b": 1}, {}])
    refused(r"Unknown label type: y mixes 1 \(int\) in row 0 and 'a' \(str\) in row 1; use labels of one", [1, "a", 1])
    refused("type Timestamp in row 0", pd.Series(pd.to_datetime(["2020", "2021", "2020"])))


def test_unknown_pos_label():
    refused("pos_label=2 is not among the labels of y; it must be 0 or 1", [0, 1, 1], pos_label=2)
    refused("pos_label='c' is not among the labels of y; it must be 'a' or 'b'", ["a", "b", "a"], pos_label="c")


# --- weights ---


def test_weights():
    assert read_weights(None, n_rows=3) is None
    for values in ([1, 0, 2.5], ["pandas", 1]):
        assert values  # the containers below all hold the first list
    for container in containers([1.0, 0.0, 2.5]).values():
        weights = read_weights(container, n_rows=3)
        assert weights.dtype == np.float64
        assert_array_equal(weights, [1.0, 0.0, 2.5])
    given_weights = np.array([1.0, 0.0])
    assert np.shares_memory(read_weights(given_weights, n_rows=2), given_weights)
    assert_array_equal(read_weights(np.array([True, False]), n_rows=2), [1.0, 0.0])
    assert_array_equal(read_weights([Decimal("0.5"), 1], n_rows=2), [0.5, 1.0])


@pytest.mark.parametrize(
    ("weights", "match"),
    [
        ([1, -2, -3], r"sample_weight is negative in row 1 \(-2.0\); weights must be 0 or more"),
        ([1, 1, NAN], r"sample_weight is NaN in row 2 \(nan\); give every row a weight"),
        ([1, None, 2], "sample_weight is NaN in row 1"),
        (pl.Series([1, None, 2]), "sample_weight is NaN in row 1"),
        ([1, np.inf, -1], r"sample_weight is infinite in row 1 \(inf\)"),
        ([0, 0, 0], "sample_weight is zero in every row; give some rows of both classes a weight above 0"),
        ([1, 2], "X has 3 rows but sample_weight has 2 weights; pass one weight for each row"),
        (np.ones((3, 2)), r"sample_weight should be a 1d array .* shape \(3, 2\)"),
        (np.ones((3, 1)), r"sample_weight should be a 1d array .* shape \(3, 1\)"),
        (2.0, r"sample_weight should be a 1d array .* shape \(\)"),
        (["a", "b", "c"], "sample_weight holds text \\('a' in row 0\\); pass one number per row"),
        ([1, "b", 2], "sample_weight mixes types: 1 in row 0 is an int and 'b' in row 1 is a str"),
        ([1j, 1, 1], "Complex data not supported: sample_weight is complex"),
        (
            [1e-300, 0, 1e300],
            "sample_weight is 1e-300 in row 0 and 1e[+]300 in row 2, too far apart to be summed exactly",
        ),
    ],
)
def test_weights_that_are_refused(weights, match):
    with pytest.raises(ValueError, match=match):
        read_weights(weights, n_rows=3)


def test_two_classes_with_weights():
    codes = np.array([0, 1, 1], dtype=np.uint8)
    check_two_classes(codes)
    check_two_classes(codes, np.array([1.0, 0.0, 0.5]))
    with pytest.raises(ValueError, match="Only one class, the positive one, has rows with a weight above 0"):
        check_two_classes(codes, np.array([0.0, 1.0, 0.5]))
    with pytest.raises(ValueError, match="Only one class, the negative one"):
        check_two_classes(codes[:1])
    with pytest.raises(ValueError, match="sample_weight is zero in every row"):
        check_two_classes(codes, np.zeros(3))
