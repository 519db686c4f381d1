"""The kinds of trees to boost: the pool of small tables and the ladder of large ones."""

from __future__ import annotations

from typing import Any

import pytest

from rankforest import RankBoost
from rankforest.boosting.kinds import AUTO, LADDER, MANY_ROWS, POOL, candidates
from rankforest.data.constraints import CodedConstraints

NAMES = ("loss", "max_leaf_nodes", "max_features", "cuts", "min_samples_leaf", "l2", "subsample")
ALL_AUTO: dict[str, Any] = dict.fromkeys(NAMES, AUTO)


@pytest.mark.parametrize(("n_rows", "table"), [(MANY_ROWS, POOL), (10 * MANY_ROWS, LADDER)])
def test_what_is_given_holds_for_all_kinds(n_rows: int, table: tuple[dict[str, Any], ...]) -> None:
    assert len([kind for kind in candidates(ALL_AUTO, n_rows) if not kind.symmetric]) == len(table)
    found = candidates(ALL_AUTO | {"loss": "logistic", "max_leaf_nodes": None, "learning_rate": 0.2}, n_rows)
    assert all(kind.loss == "logistic" and kind.max_leaf_nodes is None for kind in found)
    assert all(kind.learning_rate == 0.2 for kind in found)
    assert len(set(found)) == len(found)
    given = {name: value for name, value in table[2].items() if name != "tree_features"} | {"subsample": 0.5}
    assert len(candidates(given, n_rows)) == 1


@pytest.mark.parametrize("n_rows", [MANY_ROWS, 10 * MANY_ROWS])
@pytest.mark.parametrize("leaves", [16, 255, None])
def test_a_kind_that_is_given_is_the_only_one(n_rows: int, leaves: int | None) -> None:
    given = ALL_AUTO | {"max_leaf_nodes": leaves, "loss": "log_loss", "max_features": "sqrt", "cuts": "best"}
    (kind,) = candidates(given | {"min_samples_leaf": 5, "l2": 1.0}, n_rows)
    assert kind.learning_rate == (0.2 if leaves == 255 and n_rows > MANY_ROWS else 0.1)


def test_features_of_a_node_that_are_given_replace_features_of_a_tree() -> None:
    assert {kind.tree_features for kind in candidates(ALL_AUTO, 10 * MANY_ROWS)} == {None, 0.5}
    found = candidates(ALL_AUTO | {"max_features": 3}, 10 * MANY_ROWS)
    assert {(kind.max_features, kind.tree_features) for kind in found} == {(3, None)}


def test_the_finest_kinds_need_many_rows() -> None:
    def leaves(n_rows: int) -> list[int]:
        return [kind.max_leaf_nodes or 0 for kind in candidates(ALL_AUTO, n_rows) if not kind.symmetric]

    assert leaves(MANY_ROWS + 1) == [6, 16, 64]
    assert leaves(20_000) == [6, 16, 64, 255]
    assert leaves(10**6) == [6, 16, 64, 255, 1023]
    assert {k.max_leaf_nodes for k in candidates(ALL_AUTO | {"max_leaf_nodes": 1023}, 20_000)} == {1023}


def test_symmetric_trees_are_the_last_kind_of_a_large_table() -> None:
    found = candidates(ALL_AUTO | {"loss": "logistic", "l2": 7.0}, 10 * MANY_ROWS)
    assert [kind.symmetric for kind in found] == [False] * len(LADDER) + [True]
    assert (found[-1].loss, found[-1].l2, found[-1].max_leaf_nodes) == ("logistic", 7.0, 64)
    assert not any(kind.symmetric for kind in candidates(ALL_AUTO, MANY_ROWS))
    assert [candidates(ALL_AUTO, n_rows)[-1].learning_rate for n_rows in (50_000, 50_001)] == [0.1, 0.2]
    assert candidates(ALL_AUTO | {"learning_rate": 0.03}, 50_001)[-1].learning_rate == 0.03


@pytest.mark.parametrize(
    "given", [{"max_leaf_nodes": 16}, {"max_features": 3}, {"cuts": "best"}, {"min_samples_leaf": 5}]
)
def test_who_sets_what_is_true_of_single_nodes_gets_no_symmetric_trees(given: dict[str, Any]) -> None:
    assert not any(kind.symmetric for kind in candidates(ALL_AUTO | given, 10 * MANY_ROWS))


def test_with_constraints_there_are_no_symmetric_trees() -> None:
    booster = RankBoost()
    unconstrained = booster._constrained(10 * MANY_ROWS, None)
    constrained = booster._constrained(10 * MANY_ROWS, CodedConstraints((1, 0)))
    assert [kind.symmetric for kind in unconstrained] == [False] * len(LADDER) + [True]
    assert [kind.symmetric for kind in constrained] == [False] * len(LADDER)
