"""Trees from rows in several shards equal those of the whole table, array by array.

A shard knows its own rows only: it hands out words of its histograms, which are added, and is told the moves of rows.
"""

from typing import Any

import numpy as np
import pytest

from one_of_each import CASES, Arrays, Case, InShards, Shards, words
from rankforest import _core


def assert_same(ours: list[Arrays], theirs: list[Arrays]) -> None:
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs):
        assert one.keys() == other.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def shards_of(case: Case, n_shards: int) -> Shards:
    """The rows in a random order, in parts of different sizes; boosted rows keep their order."""
    order = np.arange(case.n_rows, dtype=np.int64)
    if case.kind != "boosted":
        order = np.argsort(words(case.n_rows, 500 + n_shards)).astype(np.int64)
    bounds = np.cumsum(1 + np.arange(n_shards) ** 2)
    return np.split(order, bounds[:-1] * case.n_rows // bounds[-1])


@pytest.mark.parametrize("n_shards", [2, 3, 7])
@pytest.mark.parametrize("name", CASES)
def test_shards_grow_the_same_trees(name: str, n_shards: int) -> None:
    case = CASES[name]
    assert_same(case.grow(shards=shards_of(case, n_shards)), case.grow())


@pytest.mark.parametrize("near", [0.2, 8.0])
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.kind != "boosted"])
def test_small_nodes_are_brought_near(name: str, near: float) -> None:
    case = CASES[name]
    assert_same(case.grow(shards=shards_of(case, 3), near=near), case.grow())


@pytest.mark.parametrize("name", ["leafrank weights", "ordinal deep", "boosted drawn"])
def test_the_order_of_shards_is_free(name: str) -> None:
    """Also where one of them is empty."""
    case, empty = CASES[name], np.empty(0, dtype=np.int64)
    shards = [*(shards_of(case, 5) or []), empty]
    if case.kind == "boosted":
        assert_same(case.grow(shards=[empty, *shards]), case.grow())
    else:
        assert_same(case.grow(shards=shards[::-1]), case.grow(shards=shards))


@pytest.mark.parametrize("name", ["leafrank", "ordinal"])
def test_an_answer_of_the_wrong_length_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def grow(self: InShards, trees: _core.FarTrees, **how: Any) -> None:
        trees.begin(0)
        assert trees.next(0) is not None
        trees.give(0, np.zeros(1, dtype=np.uint64), [])

    monkeypatch.setattr(InShards, "grow", grow)
    with pytest.raises(ValueError, match="wrong number of words"):
        CASES[name].grow(shards=shards_of(CASES[name], 2))


def test_a_fit_that_stops_half_way_ends_its_threads() -> None:
    """An error of the one who answers is raised, and nothing hangs."""

    def grow(self: InShards, trees: _core.FarTrees, **how: Any) -> None:
        trees.begin(0)
        assert trees.next(0) is not None
        raise RuntimeError("no answer")

    case = CASES["leafrank"]
    table = case.table(slice(0), type("Silent", (), {"grow": grow, "near": 0.0})())
    with pytest.raises(RuntimeError, match="no answer"):
        _core.grow(table, case.labels, None, 1.0, _core.MasterParams(), 0, True, 1, 0, 1)
