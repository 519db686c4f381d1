"""Values keep type and content through JSON."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from rankforest import Dyadic, LeafRank, RankingForest
from rankforest.storage import ModelFileError
from rankforest.storage.values import decode, encode

_NUMPY = arrays_of.from_dtype(np.dtype("int8")) | arrays_of.from_dtype(np.dtype("float32")) | st.builds(np.bool_)
_PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text() | _NUMPY
_ARRAYS = st.sampled_from(["bool", "int16", "uint64", "float64", "U5"]).flatmap(
    lambda name: arrays_of.arrays(np.dtype(name), arrays_of.array_shapes(max_dims=2, max_side=3, min_side=0))
)
_VALUES = st.recursive(
    _PLAIN | _ARRAYS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text() | st.integers(0, 9), inner, max_size=3)
    ),
    max_leaves=10,
)


def _equal(one, other):
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return (
            one.dtype == other.dtype and one.shape == other.shape and np.array_equal(one.astype(str), other.astype(str))
        )
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(_equal(one[key], other[key]) for key in one)
    return one == other or (one != one and other != other)


@settings(deadline=None)  # the first one imports all estimators
@given(_VALUES)
def test_values_come_back_with_their_types(value):
    text = json.dumps(encode(value, "value"), allow_nan=False)
    assert _equal(decode(json.loads(text)), value)


def test_objects_of_the_library_come_back():
    rules = [LeafRank(max_depth=2, max_features="sqrt"), Dyadic(3), RankingForest(7, splitter=LeafRank())]
    assert str(decode(json.loads(json.dumps(encode(rules, "rules"))))) == str(rules)


@pytest.mark.parametrize("value", [object(), {1, 2}, 2**70, lambda: None, np.datetime64("2020-01-01"), b"bytes"])
def test_other_values_are_refused_by_name(value):
    with pytest.raises(ModelFileError, match=r"weights is .* which a model file cannot store"):
        encode(value, "weights")


@pytest.mark.parametrize(
    "value",
    [
        {"a": 1},
        {"type": "float", "value": "1"},
        {"type": "int8", "value": 128},
        {"type": "int8", "value": 1.0},
        {"type": "float32", "value": 0.1},
        {"type": "str_", "value": 1},
        {"type": "str96", "value": "abc"},
        {"type": "object", "value": 1},
        {"type": "tuple", "value": 1},
        {"type": "dict", "value": [[1]]},
        {"type": "dict", "value": [[[], 1]]},
        {"type": "LeafRank", "value": {"speed": 1}},
        {"type": "Candidates", "value": {"rules": [1]}},
        {"type": "Draw", "value": {}},
        {"type": "array", "value": ["abc"], "dtype": "str64", "shape": [1]},
        {"type": "array", "value": [[1]], "dtype": "int64", "shape": [1]},
        {"type": "array", "value": [1], "dtype": "M8[s]", "shape": [1]},
        2**64,
    ],
)
def test_json_that_encode_never_makes_is_refused(value):
    with pytest.raises(ModelFileError):
        decode(value)


def test_nesting_has_an_end():
    value = []
    for _ in range(100):
        value = [value]
    with pytest.raises(ModelFileError, match="nested"):
        decode(value)
