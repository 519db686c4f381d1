"""Trees with cuts on sums of two features."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rankforest import Dyadic, LeafRank, TreeRank
from rankforest.metrics import roc_auc
from rankforest.plots import plot_tree
from rankforest.report import write_report
from rankforest.tree.oblique_tree import ObliqueTree
from rankforest.tree.path import coded_row


def credit(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """What counts is what is left: income - 2 x debt."""
    rng = np.random.default_rng(seed)
    income, debt, age = 100.0 * rng.random(n), 50.0 * rng.random(n), rng.integers(20, 70, n).astype(float)
    X = pd.DataFrame({"income": income.round(1), "debt": debt.round(1), "age": age})
    X["city"] = pd.Categorical(np.array(["Lyon", "Paris"])[rng.integers(0, 2, n)])
    X.loc[rng.random(n) < 0.03, "debt"] = np.nan
    return X, (rng.random(n) < 1 / (1 + np.exp(-(income - 2 * debt) / 8))).astype(int)


@pytest.fixture(scope="module")
def rows() -> tuple[pd.DataFrame, np.ndarray]:
    return credit(800, 0)


@pytest.fixture(scope="module")
def readable(rows: Any) -> TreeRank:
    return TreeRank(oblique=True).fit(*rows)


@pytest.fixture(scope="module")
def pruned(rows: Any) -> TreeRank:
    return TreeRank(LeafRank(max_depth=2), oblique=True, pruning="cv", random_state=0).fit(*rows)


def test_the_sum_is_found_and_ranks_better(rows: Any, readable: TreeRank) -> None:
    assert "income - 2 x debt" in readable.tree_.wide.schema.names
    X, y = credit(2000, 1)
    plain = TreeRank().fit(*rows)
    assert plain.tree_.n_leaves <= 12
    assert readable.tree_.n_leaves <= 12
    assert roc_auc(y, readable.score_samples(X)) > roc_auc(y, plain.score_samples(X)) + 0.01
    rates = readable.tree_.leaf_rate
    assert (np.diff(rates) <= 0).all()


def test_rows_end_where_the_words_say(rows: Any, readable: TreeRank, pruned: TreeRank) -> None:
    X, _ = credit(60, 2)
    for model in (readable, pruned):
        strata = model.apply(X)
        for i in range(len(X)):
            told = model.path_of(X.iloc[i])
            assert told.stratum == strata[i]
            for step in told.steps:
                for condition in step.conditions:
                    value = told.values[condition.feature.name]
                    code = np.nan if value is None else value
                    if condition.feature.categories is not None and value is not None:
                        code = condition.feature.categories.index(value)
                    assert condition.holds(float(code))
        pair = model.words_of_pair(*(coded_row(X.iloc[i], model.schema_) for i in (0, 1)))
        assert pair.order == np.sign(strata[1] - strata[0])


def test_values_of_a_sum_are_told(readable: TreeRank) -> None:
    told = readable.path_of({"income": 90.0, "debt": 10.0, "age": 30.0, "city": "Lyon"})
    assert told.values["income - 2 x debt"] == 70.0
    assert "income - 2 x debt" in str(told)
    assert "(it is 70)" in str(told)


def test_no_sum_no_change() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (rng.random(400) < np.where(X[:, 0] > 0, 0.8, 0.2)).astype(int)
    one, other = TreeRank().fit(X, y), TreeRank(oblique=True).fit(X, y)
    assert type(other.tree_) is type(one.tree_)
    assert other.export_text() == one.export_text()
    np.testing.assert_array_equal(other.score_samples(X), one.score_samples(X))


def test_what_a_tree_offers(rows: Any, readable: TreeRank, pruned: TreeRank, tmp_path: Any) -> None:
    X, y = rows
    for model in (readable, pruned):
        assert isinstance(model.tree_, ObliqueTree)
        importance = model.feature_importances_
        assert importance.sum() == pytest.approx(1.0)
        assert importance[[0, 1]].min() > 0.1
        assert "income - 2 x debt" in model.strata().rules()
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).score_samples(X), model.score_samples(X))
        smaller = model.subtree([int(model.tree_.cell_left[0])])
        assert smaller.tree_.n_leaves < model.tree_.n_leaves
        assert (smaller.apply(X) <= model.apply(X)).all()
        assert plot_tree(model) is not None
        write_report(model, X, y, tmp_path / "tree.html")
        assert "income - 2 x debt" in (tmp_path / "tree.html").read_text(encoding="utf-8")
    assert pruned.pruning_.prune().n_leaves == pruned.tree_.n_leaves
    fresh = pickle.loads(pickle.dumps(pruned)).prune_with(*credit(500, 3))
    assert fresh.tree_.n_leaves <= pruned.grown_tree_.n_leaves
    reasons = readable.explain(X[:5])
    assert reasons.exact
    np.testing.assert_allclose(reasons.values.sum(axis=1) + reasons.base_values, readable.score_samples(X[:5]))


def test_a_weight_of_two_is_two_rows() -> None:
    X, y = credit(300, 4)
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 3, 300)
    model = TreeRank(LeafRank(max_depth=1), oblique=True, max_depth=2, random_state=0).fit(X, y, 0.5 * weights)
    assert isinstance(model.tree_, ObliqueTree)
    assert model.tree_.cell_mass[0].sum() == pytest.approx(0.5 * weights.sum())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"oblique": "yes"}, "oblique is 'yes'; choose True or False."),
        ({"oblique": True, "splitter": Dyadic(1)}, "oblique cuts need a LeafRank"),
        ({"oblique": True, "monotonic_cst": {"income": 1}}, "monotonic_cst is for cuts of single features"),
        ({"oblique": True, "pruning": "structural"}, "whose penalty is not known for oblique cuts"),
    ],
)
def test_refusals(rows: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("'", ".")):
        TreeRank(**options).fit(*rows)


def test_batches_are_refused(rows: Any) -> None:
    X, y = rows
    batches = [X.assign(target=y)[["income", "debt", "age", "target"]]]
    with pytest.raises(TypeError, match="oblique cuts need the values of the features"):
        TreeRank(oblique=True).fit(lambda: iter(batches), "target")
