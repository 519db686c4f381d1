"""Swap effects against a twin that exchanges one value of one row at a time."""

import numpy as np
import pandas as pd
import pytest

from mutants import fitted, mixed_table, models
from rankforest.interpret import swap_effects, swaps


@pytest.mark.parametrize("name", ["tree", "forest", "boosting", "consensus", "ordinal forest", "perceptron"])
@pytest.mark.parametrize("cells", [1, 100, 2**21])
def test_one_value_of_one_row_at_a_time(name, cells, monkeypatch):
    """Every chunk of features gives the same effects, also where values are missing or categories."""
    monkeypatch.setattr(swaps, "_CELLS_AT_ONCE", cells)
    model, X = fitted(models()[name]), mixed_table(30)[0]
    row, others = X[:1], X[1:12]
    found = swap_effects(model, row, others)
    assert found.names == tuple(X.columns)
    assert found.score == model.score_samples(row)[0]
    for column, swapped in zip(X.columns, found.swapped):
        changed = pd.concat([row] * len(others), ignore_index=True)
        changed[column] = others[column].to_numpy() if others[column].dtype != "category" else others[column].array
        assert swapped == pytest.approx(model.score_samples(changed).mean(), abs=1e-12)
    np.testing.assert_array_equal(found.effect, found.score - found.swapped)
    listed = [abs(effect) for effect in found.to_dict().values()]
    assert listed == sorted(listed, reverse=True)


def test_one_sentence():
    model, X = fitted(models()["tree"]), mixed_table(30)[0]
    with pytest.raises(ValueError, match="row has 2 rows; give one"):
        swap_effects(model, X[:2], X)
    with pytest.raises(TypeError, match="list is neither a ranking tree nor a model of rankforest"):
        swap_effects([], X[:1], X)
