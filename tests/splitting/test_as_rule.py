"""Accepted values of the parameter `splitter`."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rankforest import Dyadic, LeafRank, TreeRank
from rankforest.splitting.as_rule import as_rule
from rankforest.splitting.candidates import Candidates
from rankforest.splitting.weighted_erm import WeightedERM


def test_rules_stay_themselves() -> None:
    for rule in (LeafRank(max_depth=2), Dyadic(3), WeightedERM(LogisticRegression())):
        assert as_rule(rule) is rule
        assert as_rule([rule]) is rule
    assert isinstance(as_rule(None), LeafRank)


@pytest.mark.parametrize("classifier", [LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression())])
def test_classifiers_become_rules(classifier: Any) -> None:
    rule = as_rule(classifier)
    assert isinstance(rule, WeightedERM)
    assert rule.classifier is classifier
    assert rule.routes_held_out
    assert not rule.axis_parallel


@pytest.mark.parametrize("kind", [list, tuple])
def test_lists_become_candidates(kind: Any) -> None:
    leafrank, dyadic = LeafRank(), Dyadic()
    rule = as_rule(kind([leafrank, dyadic, LogisticRegression(), None]))
    assert isinstance(rule, Candidates)
    assert rule.rules[:2] == (leafrank, dyadic)
    assert isinstance(rule.rules[2], WeightedERM)
    assert isinstance(rule.rules[3], LeafRank)
    assert not rule.axis_parallel
    assert as_rule([leafrank, None]).axis_parallel


@pytest.mark.parametrize(
    "splitter",
    [
        "LeafRank",
        3,
        [],
        (),
        [LeafRank(), [Dyadic()]],
        LogisticRegression,
        LeafRank,
        LinearRegression(),
        [LeafRank(), 1],
    ],
)
def test_anything_else_gets_a_sentence(splitter: Any) -> None:
    with pytest.raises(TypeError, match=r"^splitter is .*; give a LeafRank, a Dyadic, a scikit-learn classifier, or a"):
        TreeRank(splitter).fit([[0.0], [1.0]], [0, 1])
