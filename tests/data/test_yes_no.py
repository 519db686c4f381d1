"""Which of two labels is positive: the greater number, else the word that means yes, else alphabetical order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from rankforest import BestInstances, RankingForest, TreeRank
from rankforest.data.labels import read_labels
from rankforest.data.yes_no import _KNOWN, _plain, yes_of
from rankforest.interpret import permutation_importance
from rankforest.metrics import get_scorer, local_auc, roc_auc

X = np.arange(40.0)[:, None]
TOP = X[:, 0] >= 20


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        ("ja", "nein"), ("Ja", "Nein"), (" JA ", "nein "), ("oui", "non"), ("sí", "no"), ("si", "no"), ("Sì", "No"),
        ("sim", "não"), ("sim", "nao"), ("tak", "nie"), ("ano", "ne"), ("igen", "nem"), ("ja", "nee"), ("ja", "nej"),
        ("kyllä", "ei"), ("да", "нет"), ("Ναι", "Όχι"), ("da", "nu"), ("evet", "hayır"), ("positive", "negative"),
        ("POS", "NEG"), ("1", "0"), ("+", "-"), ("t", "f"), ("True", "False"), ("j", "n"), ("yes", "no"), ("Y", "no"),
    ],
)  # fmt: skip
def test_yes_is_positive(yes: str, no: str) -> None:
    """Labels, models and metrics agree, whatever the alphabetical order and the order of the rows."""
    y = np.where(TOP, yes, no)
    for labels in (y, y[::-1].copy(), y.astype(object), pd.Series(y, dtype="category")):
        found = read_labels(labels, n_rows=40)
        assert found.classes.tolist() == [no, yes]
        assert found.classes[found.codes].tolist() == np.asarray(labels).tolist()
    assert roc_auc(y, X[:, 0]) == 1.0
    model = TreeRank(max_depth=1).fit(X, y)
    assert model.pos_label_ == yes
    assert model.classes_.tolist() == sorted([yes, no])
    assert read_labels(y, n_rows=40, pos_label=no).classes.tolist() == [yes, no]  # who says another is believed


@pytest.mark.parametrize(
    ("low", "high"),
    [("bad", "good"), ("malignant", "normal"), ("no", "nope"), ("ja", "no"), (0, 1), (-1, 1), (False, True), (1.5, 2)],
)
def test_the_greater_of_other_labels_is_positive(low: object, high: object) -> None:
    assert yes_of(low, high) is None
    assert read_labels([low, high, high], n_rows=3).classes.tolist() == [low, high]
    assert roc_auc([low, high], [1, 2]) == 1.0


def test_the_list_is_as_words_are_compared() -> None:
    """An accent or a capital in the list would never be found; a pair in both orders would say nothing."""
    assert all(_plain(word) == word for pair in _KNOWN for word in pair)
    assert not any(pair[::-1] in _KNOWN for pair in _KNOWN)


def test_a_forest_ranks_yes_first() -> None:
    forest = RankingForest(5, random_state=0).fit(X, np.where(TOP, "ja", "nein"))
    assert forest.rank(X)[-1] < forest.rank(X)[0]


def test_models_of_scikit_learn_are_asked_about_the_same_label() -> None:
    """Their scores speak for "nein", the last in the alphabet; scorers and BestInstances look for "ja"."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 2))
    y = np.where(x[:, 0] + rng.normal(size=200) > 1.0, "ja", "nein")
    line = LogisticRegression().fit(x, y)
    expected = local_auc(y == "ja", -line.decision_function(x), 0.2)
    assert get_scorer("local_auc@0.2")(line, x, y) == expected
    auc = roc_auc(y, -line.decision_function(x))
    assert permutation_importance(line, x, y, random_state=0).baseline == pytest.approx(auc, abs=1e-12)
    found = BestInstances(LogisticRegression(), top=0.2, cv=3, random_state=0).fit(x, y)
    assert found.pos_label_ == "ja"
    assert (y[found.flag(x)] == "ja").mean() > (y == "ja").mean() + 0.2


@pytest.mark.parametrize("positive", ["bad", "good"])
def test_importance_in_a_pipeline_is_that_of_its_label(positive: str) -> None:
    y = np.where(TOP, positive, {"bad": "good", "good": "bad"}[positive])
    model = make_pipeline(TreeRank(max_depth=1, pos_label=positive)).fit(X, y)
    assert permutation_importance(model, X, y, random_state=0).baseline == 1.0
