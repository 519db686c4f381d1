"""The points of a row add up to its total; reasons are in their order; two rows differ by what they differ in."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cards import coded_rows, naive_points, small_card
from hand_card import hand_model
from rankforest.scorecard.explain import explain_points, why_points


def test_points_add_up_exactly() -> None:
    card = small_card(pairs=True)
    for row in coded_rows(100):
        told = explain_points(card, row)
        assert [reason.points for reason in told.reasons] == naive_points(card, row)
        assert told.total == told.offset + math.fsum(reason.points for reason in told.reasons)
        assert all(reason.lost >= 0 for reason in told.reasons)
        assert told.total == card.range[1] - math.fsum(reason.lost for reason in told.reasons)


def test_the_average_is_that_of_the_training_rows() -> None:
    model, X, _ = hand_model(150)
    blocks = np.vstack(list(model._read(X).blocks()))
    told = model.points_of(X.iloc[0])
    for reason, mean in zip(told.reasons, model.card_.points_of(blocks).mean(axis=0)):
        assert reason.average == pytest.approx(mean)
    assert told.probability == pytest.approx(model.predict_proba(X[:1])[0, 1])


def test_reason_codes() -> None:
    card = small_card()
    told = explain_points(card, np.array([18.0, 3.0, 0.0, 1500.0]))  # age 0 of 31, job 22 of 22, debt 4 of 40
    assert [reason.feature for reason in told.worst()] == ["debt", "age"]
    assert [reason.lost for reason in told.worst()] == [36.0, 31.0]
    assert [reason.feature for reason in told.worst(1, against="average")] in (["debt"], ["age"])
    assert [reason.feature for reason in told.best()] == ["job"]
    assert all(reason.gained < 0 for reason in told.worst(against="average"))
    with pytest.raises(ValueError, match="against is 'mean'; give 'best' or 'average'"):
        told.worst(against="mean")


def test_text_and_dict() -> None:
    told = explain_points(small_card(), np.array([np.nan, 3.0, 0.0, 1500.0]), 0.25)
    text = str(told)
    assert text.startswith("total 41 (the card goes from 10 to 103; every row has 10 points), probability 25.0%\n")
    assert "debt     1500     above 1000 to 2500       4    40    36" in text
    assert "age      missing  missing                  5    31    26" in text
    assert told.to_dict()["reasons"][1]["value"] == "other"
    assert told._repr_html_().count("<tr>") == 4


def test_why_one_row_is_above_another() -> None:
    card, rows = small_card(pairs=True), coded_rows(60, 3)
    for one, other in zip(rows[:30], rows[30:]):
        told = why_points(card, one, other)
        found = told.to_dict()
        assert math.fsum(each["difference"] for each in found["differences"]) == told.difference
        assert told.order == np.sign(card.total(one[None])[0] - card.total(other[None])[0])
        assert 0.0 not in [each["difference"] for each in found["differences"]]
    same = why_points(card, rows[0], rows[0])
    assert str(same) == f"Both rows have the total {same.row.total:g}: the card does not order them."
    first = np.array([99.0, 1.0, 0.0, 0.0])
    told = why_points(card, np.array([18.0, 1.0, 0.0, 0.0]), first)
    assert str(told).startswith("The second row is above")
    assert "age" in str(told)
    assert "debt" not in str(told)
