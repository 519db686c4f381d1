"""Which of two labels is positive: the greater number, the word that says yes, and only then the alphabet."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rankforest import RankingForest, TreeRank
from rankforest.data.labels import read_labels
from rankforest.data.yes_no import _KNOWN, _plain, yes_of
from rankforest.metrics import roc_auc

X = np.arange(40.0)[:, None]
TOP = X[:, 0] >= 20


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        ("ja", "nein"), ("Ja", "Nein"), (" JA ", "nein "), ("oui", "non"), ("sí", "no"), ("si", "no"), ("Sì", "No"),
        ("sim", "não"), ("sim", "nao"), ("tak", "nie"), ("ano", "ne"), ("igen", "nem"), ("ja", "nee"), ("ja", "nej"),
        ("kyllä", "ei"), ("да", "нет"), ("Ναι", "Όχι"), ("da", "nu"), ("evet", "hayır"), ("positive", "negative"),
        ("POS", "NEG"), ("1", "0"), ("+", "-"), ("t", "f"), ("True", "False"), ("j", "n"), ("yes", "no"),
    ],
)  # fmt: skip
def test_yes_is_positive(yes: str, no: str) -> None:
    """In labels, models and metrics alike, whatever the alphabet says and whichever comes first."""
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
