"""Totals, points and codes of a card against their definition, and its parts."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards import SCHEMA, coded_rows, naive_code, naive_points, small_card
from rankforest.data.parts import InvalidParts, Parts
from rankforest.scorecard.card import Axis, Scorecard
from rankforest.scorecard.history import Edit


@pytest.mark.parametrize("pairs", [False, True])
def test_points_and_totals_are_those_of_the_definition(pairs: bool) -> None:
    card, block = small_card(pairs=pairs), coded_rows(400)
    expected = np.array([naive_points(card, row) for row in block])
    np.testing.assert_array_equal(card.points_of(block), expected)
    totals = [card.offset + math.fsum(points) for points in expected]
    np.testing.assert_array_equal(card.total(block), totals)
    low, high = card.range
    assert low <= min(totals)
    assert max(totals) <= high


def test_codes_lead_to_the_points() -> None:
    card, block = small_card(pairs=True), coded_rows(200)
    codes = card.codes_of(block)
    found = np.column_stack([term.table[codes[:, t]] for t, term in enumerate(card.terms)])
    np.testing.assert_array_equal(found, card.points_of(block))
    assert len(np.unique(codes[:, -1])) == card.pairs[0].points.size  # every cell of the pair is met


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), unique=True, max_size=6), st.data())
def test_a_value_is_in_the_step_between_its_edges(edges: list[float], data: Any) -> None:
    axis = Axis(feature=0, edges=np.array(sorted(edges)))
    near = [math.nextafter(edge, way) for edge in edges for way in (-math.inf, math.inf)]
    value = data.draw(st.sampled_from([*edges, *near, np.nan]) | st.floats())
    assert axis.codes(np.array([[value]]))[0] == naive_code(axis, value)


def test_the_range_is_reached() -> None:
    card = small_card()
    rows = [[99.0, 3.0, 0.0, -1.0], [18.0, 0.0, 0.0, 9e9]]
    assert card.total(np.array(rows)).tolist() == [card.range[1], card.range[0]] == [103.0, 10.0]


def test_an_empty_block_and_a_card_without_terms() -> None:
    assert small_card().points_of(np.empty((0, 4))).shape == (0, 3)
    assert Scorecard(schema=SCHEMA, steps=(), offset=2.0).total(coded_rows(3)).tolist() == [2.0, 2.0, 2.0]


def same(one: Any, other: Any) -> bool:
    """Whether two parts are equal, arrays bit for bit."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(np.array_equal(one, other)) if isinstance(one, np.ndarray) else bool(one == other)


def test_parts_give_the_card_again() -> None:
    card = small_card(pairs=True)
    parts = Parts(card.to_parts())
    again = Scorecard.from_parts(parts, SCHEMA)
    parts.check_all_taken()
    assert same(again.to_parts(), card.to_parts())
    assert [field.name for field in fields(card)] == [
        "schema",
        "steps",
        "pairs",
        "offset",
        "edits",
    ]  # a new one needs a part
    np.testing.assert_array_equal(again.total(coded_rows(50)), card.total(coded_rows(50)))


@pytest.mark.parametrize(
    ("where", "value", "said"),
    [
        (("steps", 0, "feature"), 4, "'feature' is not a whole number"),
        (("steps", 0, "edges"), np.array([2.0, 1.0]), "do not increase"),
        (("steps", 0, "edges"), np.array([2.0, np.nan]), "NaN"),
        (("steps", 0, "points"), np.array([1.0, 2.0]), "shape"),
        (("steps", 0, "points"), np.array([1.0, 2.0, np.inf]), "infinite"),
        (("steps", 0, "mass"), np.full((4, 2), -1.0), "below 0"),
        (("steps", 0, "feature"), 3, "has steps twice"),
        (("steps", 0, "missing"), np.nan, "NaN"),
        (("steps", 1, "groups"), np.array([0, 2, 2, 2], dtype=np.int32), "not numbered from 0"),
        (("steps", 1, "groups"), np.array([-1, 0, 1, 2], dtype=np.int32), "not numbered from 0"),
        (("pairs", 0, "axes"), [], "not of two features"),
        (("pairs", 0, "points"), np.ones((3, 3)), "shape"),
        (("offset",), 1e200, "too large"),
        (("edits",), ["age: no points"], "other than Edit"),
        (("edits",), [Edit("age: no points", 2.0, 0.5)], "no AUC"),
        (("edits",), [Edit("age: no points", n_rows=-1)], "no AUC"),
        (("edits",), [Edit("age: no points", source="rumours")], "unknown rows"),
        (("edits",), [Edit(None)], "no words"),  # type: ignore[arg-type]
    ],
)
def test_parts_that_no_fit_gives_are_refused(where: tuple[Any, ...], value: Any, said: str) -> None:
    parts = small_card(pairs=True).to_parts()
    inner: Any = parts
    for key in where[:-1]:
        inner = inner[key]
    inner[where[-1]] = value
    with pytest.raises(InvalidParts, match=said):
        Scorecard.from_parts(Parts(parts), SCHEMA)
