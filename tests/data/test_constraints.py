"""Constraints as users write them, checked against the columns."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.base import clone

from rankforest import Constraints, RankBoost
from rankforest.data.constraints import CodedConstraints, resolve_constraints
from rankforest.data.schema import Feature, Schema

SCHEMA = Schema(
    (Feature("age", "numeric"), Feature("income", "numeric"), Feature("grade", "categorical", ("A", "B", "C"))),
    named=True,
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, None),
        ([0, 0, 0], None),
        ({}, None),
        ([1, -1.0, 0], CodedConstraints((1, -1, 0))),
        ({"income": -1}, CodedConstraints((0, -1, 0))),
        ({"grade": ["C", "A", "B"]}, CodedConstraints((0, 0, (3, 1, 2)))),
        ({"grade": ("D", "C", "A", "B")}, CodedConstraints((0, 0, (3, 1, 2)))),  # D is not in the training table
        (Constraints(interaction_cst="pairwise"), CodedConstraints(None, "pairwise")),
        (Constraints(interaction_cst=[["age", 1]]), CodedConstraints(None, ((0, 1), (2,)))),
        (Constraints(interaction_cst=[[0, 1], [1, 2]]), CodedConstraints(None, ((0, 1), (1, 2)))),
        (Constraints(interaction_cst=[["age", "income", "grade"]]), None),
        (Constraints([1, 0, 0], interaction_cst="no_interactions"), CodedConstraints((1, 0, 0), "no_interactions")),
    ],
)
def test_what_is_given_and_what_it_means(given: Any, expected: CodedConstraints | None) -> None:
    assert resolve_constraints(given, SCHEMA) == expected
    if expected is not None:
        expected.check(SCHEMA)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([1, 0], "monotonic_cst has 2 values, but X has 3 columns"),
        ("up", "monotonic_cst is 'up'; give one of -1, 0, 1 per column"),
        ([True, 0, 0], "Column 'age' has True in monotonic_cst"),
        ({"wage": 1}, "monotonic_cst names the column 'wage', which X does not have"),
        ({"grade": 1}, "Column 'grade' has 1 in monotonic_cst, but it is categorical"),
        ({"grade": ["A", "B"]}, "The order of column 'grade' in monotonic_cst is without 'C'; name every category"),
        ({"grade": ["A", "B", "C", "A"]}, "The order of column 'grade' names a category twice."),
        ({"age": [1, 2]}, "Column 'age' has an order of categories in monotonic_cst, but it is numeric"),
        (Constraints(interaction_cst="few"), "interaction_cst is 'few'; give 'no_interactions', 'pairwise', a list"),
        (Constraints(interaction_cst=["age"]), "interaction_cst is .*; give 'no_interactions', 'pairwise', a list"),
        (Constraints(interaction_cst=[["wage"]]), "interaction_cst names the column 'wage', which X does not have"),
        (Constraints(interaction_cst=[[3]]), "interaction_cst has the column 3, but X has 3 columns"),
    ],
)
def test_wrong_constraints_are_named_in_one_sentence(given: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        resolve_constraints(given, SCHEMA)


@pytest.mark.parametrize(
    "wrong",
    [
        CodedConstraints((1, 0)),
        CodedConstraints((1, 0, 1)),
        CodedConstraints((2, 0, 0)),
        CodedConstraints((0, 0, (1, 2))),
        CodedConstraints((0, (1, 2, 3), 0)),
        CodedConstraints(None, "few"),
        CodedConstraints(None, ((0, 3),)),
        CodedConstraints(None, (0,)),  # type: ignore[arg-type]
    ],
)
def test_constraints_of_a_damaged_file_are_refused(wrong: CodedConstraints) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        wrong.check(SCHEMA)


def test_which_features_may_meet() -> None:
    groups = CodedConstraints(None, ((0, 1), (1, 2)))
    assert [groups.may_meet(some) for some in ((0,), (0, 1), (1, 2), (0, 2), (0, 1, 2))] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert CodedConstraints(None, "pairwise").may_meet((0, 2))
    assert not CodedConstraints(None, "pairwise").may_meet((0, 1, 2))
    assert not CodedConstraints(None, "no_interactions").may_meet((0, 1))


def test_constraints_are_parameters_like_others() -> None:
    model = RankBoost(monotonic_cst=Constraints({"age": 1}, interaction_cst="pairwise"))
    copy = clone(model)
    assert copy.monotonic_cst == model.monotonic_cst
    assert copy.monotonic_cst is not model.monotonic_cst
    assert model.get_params()["monotonic_cst__interaction_cst"] == "pairwise"
    assert "Constraints(interaction_cst='pairwise'" in repr(model)
    short = RankBoost(monotonic_cst={"age": 1}).set_params(monotonic_cst__interaction_cst="no_interactions")
    assert short.monotonic_cst == Constraints({"age": 1}, interaction_cst="no_interactions")
