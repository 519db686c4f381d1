"""Our values are those of shap's interventional TreeExplainer, on trees that both can read."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from dags import dag_of
from rankforest import _core
from rankforest.tree.walk import make_tree_sum


def dag_of_sklearn(tree, q):
    """The core's graph of a scikit-learn tree, and the values of its leaves."""
    inner = np.flatnonzero(tree.children_left >= 0)
    leaves = np.flatnonzero(tree.children_left < 0)
    number = np.empty(tree.node_count, dtype=np.int32)
    number[inner], number[leaves] = np.arange(len(inner)), ~np.arange(len(leaves))
    arrays = {
        "feature": tree.feature[inner].astype(np.int32), "threshold": tree.threshold[inner],
        "left": number[tree.children_left[inner]], "right": number[tree.children_right[inner]],
        "missing_left": np.zeros(len(inner), dtype=np.uint8), "set_offset": np.full(len(inner), -1, dtype=np.int32),
        "sets": np.empty(0, dtype=np.uint64),
    }  # fmt: skip
    return dag_of(arrays, np.arange(len(leaves)), [0] * q), tree.value[leaves, 0, 0].copy()


@pytest.mark.parametrize("depth", [3, None])
def test_a_forest_of_scikit_learn(depth):
    shap = pytest.importorskip("shap")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 6)).astype(np.float32).astype(np.float64)
    y = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + rng.normal(size=160)
    forest = RandomForestRegressor(5, max_depth=depth, random_state=0).fit(X, y)
    dags, values = zip(*(dag_of_sklearn(each.tree_, 6) for each in forest.estimators_))
    total = make_tree_sum(_core.Forest(list(dags)), values)
    rows, others = X[:10], X[100:]
    np.testing.assert_allclose(total.sum(rows, 0, 5, 1) / 5, forest.predict(rows))
    found = total.shapley(rows, others, np.full(60, 1 / 60), None, False, 1) / 5
    explainer = shap.TreeExplainer(forest, data=others, feature_perturbation="interventional")
    np.testing.assert_allclose(found, explainer.shap_values(rows), atol=1e-7)  # shap has weights of 32 bits
    one_by_one = total.shapley(rows, others, np.ones(60), np.full((10, 60), 1 / 60), False, 1) / 5
    np.testing.assert_allclose(one_by_one, found, atol=1e-12)
