"""Arrays in a file take few bytes, and come back bit for bit."""

import json
import zlib

import numpy as np
import pytest

from mutants import file_of, fitted, models, small_too, stored_in
from rankforest import OrdinalRankingForest, RankBoost, RankingForest, load_model
from rankforest.data import simulate
from rankforest.storage import ModelFileError, layout
from rankforest.storage.codec import decoded, encoded, size_of
from rankforest.storage.container import read_container, write_container
from rankforest.storage.layout import compact, expand
from rankforest.storage.lean import fat, lean
from rankforest.storage.lean_sums import sum_up
from rankforest.storage.packing import pack
from rankforest.storage.shelf import Shelf

RNG = np.random.default_rng(0)
ARRAYS = {
    "empty": np.zeros(0),
    "empty rows": np.zeros((0, 2)),
    "one": np.array([7], dtype=np.int32),
    "the same": np.full(100, -1, dtype=np.int32),
    "whole": RNG.integers(-3, 1000, 500).astype(np.float64),
    "large whole": np.array([0.0, 2.0**53 - 1, -(2.0**53) + 1]),
    "too large whole": np.array([0.0, 2.0**53 + 2, 1e300]),
    "both zeros": np.array([0.0, -0.0, 1.0]),
    "repeated": RNG.choice(RNG.normal(size=9), 400),
    "different": RNG.normal(size=400),
    "no numbers": np.array([np.nan, np.inf, -np.inf, 0.5, np.array([1], np.uint64).view(np.float64)[0]]),
    "two columns": RNG.integers(0, 300, (200, 2)).astype(np.float64),
    "columns of bytes": RNG.integers(0, 2, (50, 7)).astype(np.uint8),
    "increasing": np.cumsum(RNG.integers(0, 90, 300)),
    "increasing from below": np.array([-5, -5, 2**40], dtype=np.int64),
    "extremes": np.array([-(2**63), 2**63 - 1, 0], dtype=np.int64),
    "extremes in order": np.array([-(2**63), 0, 2**63 - 1], dtype=np.int64),
    "words": np.array([0, 2**64 - 1, 2**63], dtype=np.uint64),
    "int32": np.array([-(2**31), 2**31 - 1], dtype=np.int32),
    "uint32": RNG.integers(0, 2**32, 100).astype(np.uint32),
}


def _same(some, others):
    assert some.dtype == others.dtype
    assert some.shape == others.shape
    assert some.tobytes() == others.tobytes()


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_comes_back_bit_for_bit(name):
    array = ARRAYS[name]
    about, data = encoded(array)
    about = json.loads(json.dumps(about))
    assert size_of(about) >= array.nbytes
    _same(decoded(about, data), array)


@pytest.mark.parametrize(
    ("name", "bytes_of_entry"), [("the same", 0), ("whole", 2), ("repeated", 1.2), ("increasing", 1), ("different", 8)]
)
def test_entries_are_narrow(name, bytes_of_entry):
    array = ARRAYS[name]
    assert len(encoded(array)[1]) <= bytes_of_entry * len(array)


PASSES = {
    "forest": {"gains", "missing", "cells", "masses", "children", "cuts"},
    "ordinal forest": {"preorder", "cuts"},
    "boosting": {"cuts"},
}


@pytest.mark.parametrize("name", models())
def test_every_array_of_every_model_comes_back(name):
    shelf = Shelf()
    pack(fitted(models()[name]), shelf)
    with small_too():
        how, stored = compact(shelf.arrays)
    assert PASSES.get(name, set()) - {step for _, step in how["lean"]} <= {"gains"}  # weights are not whole numbers
    found = expand(json.loads(json.dumps(how)), stored)
    assert found.keys() == shelf.arrays.keys()
    for key, array in shelf.arrays.items():
        _same(found[key], array)


def _plain(model):
    """The size of a file with all arrays as they are, and of the file that is written."""
    shelf = Shelf()
    header = pack(model, shelf)
    return len(write_container(json.dumps(header), shelf.arrays))


def test_a_file_of_a_forest_is_less_than_a_tenth(tmp_path):
    sample = simulate.rf20(1500, random_state=0)
    model = RankingForest(120, random_state=0).fit(sample.X, sample.y)
    data = file_of(model, tmp_path)
    made = {step for _, step in json.loads(read_container(data)[0])["layout"]["lean"]}
    assert made == PASSES["forest"]
    assert len(data) < 0.1 * _plain(model)


def test_other_models_are_smaller_too(tmp_path):
    sample = simulate.rf20(600, random_state=0)
    for model, share in ((OrdinalRankingForest(20, random_state=0), 0.4), (RankBoost(60, random_state=0), 0.8)):
        model.fit(sample.X, sample.y)
        assert len(file_of(model, tmp_path)) < share * _plain(model)


# ---- the twins of the ways back


def _trees(rng, n_trees):
    """Random binary trees in preorder by plain recursion: children, with leaves from left to right, and bounds."""
    left, right, bounds, leaf_bounds = [], [], [0], [0]

    def grow(depth, first_leaf):
        """The child that this makes, and the number of leaves so far."""
        if depth == 0 or rng.random() < 0.3:
            return ~first_leaf, first_leaf + 1
        place = len(left)
        left.append(0)
        right.append(0)
        left[place], leaves = grow(depth - 1, first_leaf)
        right[place], leaves = grow(depth - 1, leaves)
        return place - bounds[-1], leaves

    for _ in range(n_trees):
        leaf_bounds.append(leaf_bounds[-1] + grow(5, 0)[1])
        bounds.append(len(left))
    children = {"left": np.array(left, dtype=np.int32), "right": np.array(right, dtype=np.int32)}
    return children | {"node_bounds": np.array(bounds), "leaf_bounds": np.array(leaf_bounds)}


@pytest.mark.parametrize("seed", range(5))
def test_children_in_preorder(seed):
    trees = _trees(np.random.default_rng(seed), 12)
    with small_too():
        made, smaller = lean(trees | {"threshold": np.zeros(len(trees["left"]))})
    assert ["", "preorder"] in made
    assert "left" not in smaller
    _same(fat(made, smaller)["left"], trees["left"])
    _same(fat(made, smaller)["right"], trees["right"])


def test_sums_below_nodes():
    trees = _trees(np.random.default_rng(7), 1)
    child = np.column_stack([trees["left"], trees["right"]]).astype(np.int64)
    given = np.random.default_rng(8).integers(0, 9, (len(child), 2, 2)).astype(np.float64)

    def total(node):
        return sum(total(child[node, side]) if child[node, side] >= 0 else given[node, side] for side in (0, 1))

    sides = given.copy()
    found = sum_up(sides, np.where(child >= 0, child, -1))
    for node in range(len(child)):
        np.testing.assert_array_equal(found[node], total(node))
    np.testing.assert_array_equal(sides.sum(axis=1), found)


# ---- files that are not what they say


def test_an_array_cannot_be_far_larger_than_the_file(tmp_path):
    data = file_of(fitted(models()["forest"]), tmp_path, squeezed=True)
    header, arrays = stored_in(data)
    body = zlib.compress(bytes(200_000_000), 1)[2:-4]  # less than a megabyte
    header["layout"]["packed"]["trees.ways"] = ["U8", [200_000_000], "plain", 0, 1, 0, 200_000_000]
    arrays["trees.ways"] = np.frombuffer(body, dtype=np.uint8)
    (tmp_path / "a").write_bytes(write_container(json.dumps(header), arrays))
    with pytest.raises(ModelFileError, match="far larger than the file"):
        load_model(tmp_path / "a")


def test_an_array_that_only_repeats_is_stored_as_it_is(monkeypatch):
    monkeypatch.setattr(layout, "_FREE", 1000)
    arrays = {"a": np.full(10_000, 3.0)}
    how, stored = compact(arrays)
    assert how["packed"] == {}
    _same(expand(how, stored)["a"], arrays["a"])


@pytest.mark.parametrize(
    "about",
    [
        [], "U8", ["U8", [3], "plain", 0, 1, 0], ["U9", [3], "plain", 0, 1, 0, 3], ["U8", [-3], "plain", 0, 1, 0, 3],
        ["U8", [3, 1, 1], "plain", 0, 1, 0, 3], ["U8", [3], "bits", 0, 1, 0, 3], ["U8", [3], "plain", 0, 3, 0, 9],
        ["U8", [3], "plain", 0, 1, 0, 4], ["U8", [3], "plain", None, 1, 0, 3], ["U8", [3], "plain", 2**70, 1, 0, 3],
        ["F64", [3], "table", 0, 1, 0, 3], ["F64", [3], "whole", 0, 1, 1, 11], ["U8", [True], "plain", 0, 1, 0, 1],
        ["U8", [[]], "plain", 0, 1, 0, 1], [{}, [3], "plain", 0, 1, 0, 3], ["U8", [3], {}, 0, 1, 0, 3],
    ],
)  # fmt: skip
def test_descriptions_that_make_no_sense(about):
    with pytest.raises(ModelFileError):
        size_of(about)


@pytest.mark.parametrize(
    ("about", "data"),
    [
        (["U8", [3], "plain", 0, 1, 0, 3], b"12"),
        (["U8", [3], "plain", 0, 1, 0, 3], zlib.compress(b"1234")[2:-4]),
        (["U8", [3], "plain", 0, 1, 0, 3], zlib.compress(b"123")[2:-4] + b"x"),
        (["U8", [3], "plain", 200, 1, 0, 3], b"\x50\x50\x60"),
        (["F64", [3], "table", 0, 1, 1, 11], bytes(8) + b"\0\0\1"),
        (["F64", [1], "whole", 2**62, 0, 0, 0], b""),
    ],
)
def test_bytes_that_are_not_the_array(about, data):
    size_of(about)
    with pytest.raises(ModelFileError):
        decoded(about, data)
