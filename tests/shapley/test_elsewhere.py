"""Explanations of models from a file, and of models of a cluster."""

import warnings

import numpy as np
import pytest

from mutants import fitted, fresh_rows, models
from rankforest import RankBoost, load_model, save_model
from rankforest.data import simulate


@pytest.mark.parametrize("name", models())
def test_files_explain_as_the_model_does(name, tmp_path):
    """Also those saved for scoring only."""
    model, X = fitted(models()[name]), fresh_rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, pair = model.explain(X[:4], X[4:8]), model.why(X[:1], X[1:2])
        for for_scoring in (False, True):
            save_model(model, tmp_path / "m.rankforest", for_scoring=for_scoring)
            loaded = load_model(tmp_path / "m.rankforest")
            told = loaded.explain(X[:4], X[4:8])
            np.testing.assert_array_equal(told.values, expected.values)
            np.testing.assert_array_equal(told.scores, expected.scores)
            np.testing.assert_array_equal(loaded.why(X[:1], X[1:2]).values, pair.values)


def test_on_a_cluster_rows_must_be_in_memory():
    da = pytest.importorskip("dask.array")
    on_cluster = pytest.importorskip("rankforest.dask")
    sample = simulate.rf20(120, random_state=0)
    local = RankBoost(5, n_folds=None, random_state=0).fit(sample.X, sample.y)
    model = on_cluster.RankBoost()
    model.__dict__.update(vars(local))
    told = model.explain(sample.X[:3], sample.X[3:9])
    np.testing.assert_array_equal(told.values, local.explain(sample.X[:3], sample.X[3:9]).values)
    one, other = sample.X[:2]
    np.testing.assert_array_equal(model.why(one, other).values, local.why(one, other).values)
    with pytest.raises(TypeError, match="rows in memory"):
        model.explain(da.from_array(sample.X))
