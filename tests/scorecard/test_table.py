"""The table of a card: words, counts, weight of evidence, information value."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cards import naive_code
from hand_card import hand_model
from rankforest.scorecard.table import card_table, weight_of_evidence
from rankforest.scorecard.words import step_words
from rankforest.tree.path import coded_row


def naive_woe(mass: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    negatives, positives = (sum(pair[k] for pair in mass) for k in (0, 1))
    woes, values = [], []
    for n, p in mass:
        if n + p == 0:
            woes.append(math.nan)
            values.append(0.0)
            continue
        if min(n, p) == 0:
            n, p = n + 0.5, p + 0.5
        woes.append(math.log((p / positives) / (n / negatives)))
        values.append((p / positives - n / negatives) * woes[-1])
    return woes, values


def test_weight_of_evidence_is_that_of_the_definition() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        mass = rng.integers(0, 4, (5, 2)) * rng.choice([1.0, 0.25])
        mass[0] += 1
        woe, value = naive_woe([tuple(pair) for pair in mass.tolist()])
        found = weight_of_evidence(mass)
        np.testing.assert_allclose(found[0], woe, rtol=1e-12)
        np.testing.assert_allclose(found[1], value, rtol=1e-12)
        assert (found[1] >= 0).all()


def test_rows_and_rates_are_those_of_the_training_rows() -> None:
    model, X, y = hand_model(200)
    frame, card = model.table().to_frame(), model.card_
    blocks = np.array([coded_row(X.iloc[i], card.schema) for i in range(len(X))])
    assert frame["rows"].sum() == 200 * len(card.steps)
    for steps in card.steps:
        name = card.schema.names[steps.feature]
        own = frame[frame["feature"] == name]
        words = step_words(card.schema.features[steps.feature], steps)
        assert own["step"].tolist() == words
        codes = np.array([naive_code(steps, value) for value in blocks[:, steps.feature]])
        for k, word in enumerate(words):
            (line,) = own[own["step"] == word].to_dict("records")
            assert line["rows"] == (codes == k).sum()
            if line["rows"]:
                assert line["rate"] == pytest.approx(y[codes == k].mean())
            assert line["points"] == steps.table[k]
        assert own["feature_iv"].iloc[0] == pytest.approx(own["iv"].sum())


def test_the_printed_table() -> None:
    model, _, _ = hand_model(200, pairs=True)
    text, html = str(model.table()), model.table()._repr_html_()
    assert "           above 1000 to 2500           4  " in text
    assert "above 30; clerk" in text
    assert "Every row has 10 points more." in text
    assert '<td style="text-align:left">above 1000 to 2500</td>' in html
    assert html.count("<tr>") == len(text.splitlines()) - 2  # two notes
    # a step of missing values without rows is in the data frame alone
    hidden = [step for step in model.table().step if step == "missing or new"]
    assert len(hidden) == 1
    assert "\njob        missing" not in text


def test_the_text_of_a_card_has_pairs_as_a_matrix() -> None:
    model, _, _ = hand_model(200, pairs=True)
    features, matrix = model.text().split("\n\n")
    assert "above 30; clerk" not in features
    assert "           above 1000 to 2500 " not in matrix
    head, *lines = matrix.splitlines()
    assert head.split() == ["points", "of", "age", "x", "job", "nurse,", "other", "clerk", "pilot"]
    points = model.card_.pairs[0].points
    assert [line.split()[-3:] for line in lines] == [[f"{p:g}" for p in row[:3]] for row in points]  # no job is missing
    assert lines[-1].startswith("missing")


def test_many_categories_are_counted() -> None:
    model, _, _ = hand_model(50)
    short = card_table(model.card_, most=1).step.tolist()
    assert any(step.endswith(" and 1 more") for step in short)
    assert not any(" more" in step for step in model.table().step)


def test_words_of_a_feature_without_edges() -> None:
    from rankforest.data.schema import Feature
    from rankforest.scorecard.card import Axis

    assert step_words(Feature("x", "numeric"), Axis(feature=0, edges=np.empty(0))) == ["any number", "missing"]
