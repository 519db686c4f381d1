"""What all models say before they are fitted, and of what they cannot do or are given by mistake."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from rankforest import BestInstances, RankBoost, RankConsensus, RankingForest, TreeRank
from rankforest.data import simulate
from rankforest.estimators.registry import model_classes

SAMPLE = simulate.rf10_sparse(200, random_state=0)
ROWS = SAMPLE.X[:3]
ASKED: dict[str, Callable[[Any], Any]] = {
    "explain": lambda model: model.explain(ROWS),
    "why": lambda model: model.why(ROWS[0], ROWS[1]),
    "constraints": lambda model: model.constraints(),
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("name", sorted(model_classes()))
def test_an_unfitted_model_says_so(name: str, asked: str) -> None:
    with pytest.raises(NotFittedError, match=rf"^This {name} instance is not fitted yet"):
        ASKED[asked](model_classes()[name]())


@pytest.mark.parametrize("model", [RankBoost(), RankConsensus(), TreeRank()], ids=lambda model: type(model).__name__)
def test_a_model_that_cannot_be_refreshed_says_so(model: Any) -> None:
    assert not model.can_refresh
    with pytest.raises(TypeError, match=rf"^A {type(model).__name__} cannot be refreshed; fit it again on all rows\."):
        model.refresh(SAMPLE.X, SAMPLE.y)


def test_a_model_of_another_library_inside_has_no_reasons() -> None:
    flags = BestInstances(LogisticRegression(), top=0.2, cv=2).fit(SAMPLE.X, SAMPLE.y)
    with pytest.raises(TypeError, match=r"^estimator is a LogisticRegression, which is no model of rankforest"):
        flags.explain(ROWS)


def test_rows_in_other_forms() -> None:
    """A word is no background; a list of mappings is a table; no rows have no importance."""
    model = RankingForest(5, random_state=0).fit(SAMPLE.X, SAMPLE.y)
    with pytest.raises(ValueError, match=r"^background is 'first'; give a table of rows to compare with"):
        model.explain(ROWS, "first")
    mappings = [{f"x{j}": value for j, value in enumerate(row)} for row in ROWS]
    told = model.explain(mappings, SAMPLE.X)
    np.testing.assert_array_equal(told.values, model.explain(ROWS, SAMPLE.X).values)
    with pytest.raises(ValueError, match=r"^There are no rows, so features have no mean size"):
        told[:0].importance()
