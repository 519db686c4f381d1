"""Constraints hold for every model, on the whole feature space: directions, orders of categories, interactions.

A tree of boosting passes bounds down: all values on the lower side of a constrained cut stay below all values on the
upper side. Sums and means of trees, standardised or not, keep the order; so does a mean of boosting and a forest.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rankforest import (
    BestInstances,
    Constraints,
    FalseAlarmConstrained,
    LeafRank,
    OrdinalRankingForest,
    OrdinalRankingTree,
    Pruning,
    RankBoost,
    RankConsensus,
    RankingForest,
    RankScore,
    ThresholdRankBoost,
    TreeRank,
)
from rankforest.forest.aggregation import AGGREGATIONS

GRADES = ["C", "A", "D", "B"]  # from the worst to the best; not in alphabetical order
RULES: dict[str, Any] = {"up": 1, "down": -1, "grade": GRADES}
CLOSE = 1e-12  # scores are rounded

FOREST: dict[str, Any] = {"n_estimators": 12, "random_state": 0}
MODELS: dict[str, Any] = {
    "tree": TreeRank(max_depth=4, random_state=0),
    "pruned tree": TreeRank(LeafRank(pruning=Pruning("cv", n_folds=2)), max_depth=3, random_state=0),
    "readable tree": TreeRank(),
    **{f"forest {how}": RankingForest(aggregation=how, splitter=LeafRank(max_depth=3), **FOREST)
       for how in AGGREGATIONS},
    "forest of random cuts": RankingForest(
        aggregation="proba", splitter=LeafRank(cuts="random", max_features=2, max_depth=5, min_mass_leaf=0.0), **FOREST
    ),
    "forest of pruned trees": RankingForest(5, aggregation="proba", splitter=LeafRank(), pruning="structural"),
    "default forest": RankingForest(9, random_state=1),
    "boost": RankBoost(15, n_folds=2, random_state=0),
    "boost of one kind": RankBoost(12, max_leaf_nodes=12, loss="logistic", learning_rate=0.4, n_folds=None),
    "boost of random cuts": RankBoost(12, max_leaf_nodes=12, cuts="random", learning_rate=0.4, n_folds=2),
    "threshold boost": ThresholdRankBoost(20),
    "consensus": RankConsensus(RankingForest(9), RankBoost(9, n_folds=2), weights=(0.5, 0.5), random_state=0),
    "scorecard": RankScore(n_estimators=40, pairs=3, random_state=0),
    "shapes": RankScore(None, points=None, n_estimators=40, pairs=3, random_state=0),
    "best instances": BestInstances(RankBoost(9, n_folds=2), random_state=0),
    "false alarms": FalseAlarmConstrained(RankBoost(9, n_folds=2), alpha=0.4, random_state=0),
    "ordinal tree": OrdinalRankingTree(random_state=0),
    "ordinal tree of few leaves": OrdinalRankingTree("ranking", max_leaf_nodes=9, pruning=None),
    "ordinal forest": OrdinalRankingForest(12, random_state=0),
    "ordinal medians": OrdinalRankingForest(12, aggregation="median", cuts="best", min_samples_leaf=2, random_state=0),
}  # fmt: skip


def table(seed: int, n: int, *, missing: float = 0.15) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Rows whose labels often contradict the constraints, a strength of 0 .. 3, and weights."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "up": np.round(rng.normal(size=n), 1 + seed % 3),
            "free": rng.normal(size=n),
            "down": rng.normal(size=n),
            "grade": rng.choice(sorted(GRADES), n),
            "city": rng.choice(["x", "y", "z"], n),
        }
    )
    place = X["grade"].map(GRADES.index).to_numpy()
    signal = np.sin(2 * X["up"]) - np.cos(3 * X["down"]) * X["free"] + (place == 1) * 1.5 + 0.4 * place
    strength = np.digitize(signal + 0.7 * rng.normal(size=n), [-0.6, 0.3, 1.2])
    strength[:4] = range(4)
    for name in X:
        X.loc[rng.random(n) < missing, name] = np.nan if name in ("up", "free", "down") else None
    X.loc[:3, "grade"] = GRADES
    return X, strength, rng.exponential(size=n) + 0.1


def constrained(model: Any, rules: Any) -> Any:
    nested = "estimator__" if hasattr(model, "estimator") else ""
    return model.set_params(**{f"{nested}monotonic_cst": rules})


def fitted(name: str, rules: Any, seed: int, n: int = 160, *, weighted: bool = True) -> tuple[Any, pd.DataFrame]:
    X, strength, weights = table(seed, n)
    model = constrained(MODELS[name].__class__(**MODELS[name].get_params(deep=False)), rules)
    y = strength if name.startswith("ordinal") else (strength >= 2).astype(int)
    return model.fit(X, y, weights if weighted and seed % 2 else None), X


def falls(model: Any, X: pd.DataFrame, column: str, values: list[Any]) -> float:
    """The largest fall of the score of any row while a column takes better and better values."""
    moved = pd.concat([X.assign(**{column: value}) for value in values], ignore_index=True)
    score = model.score_samples(moved).reshape(len(values), len(X))
    return float(-np.diff(score, axis=0).min())


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", [0, 1])
def test_scores_never_move_against_a_direction(name: str, seed: int) -> None:
    model, X = fitted(name, dict(RULES), seed)
    rng = np.random.default_rng(seed)
    fresh = table(seed + 10, 40, missing=0.3)[0]
    rows = pd.concat([fresh, X.iloc[:20]], ignore_index=True)
    values = np.unique(np.concatenate([X["up"].dropna(), rng.normal(size=20), [-1e9, 1e9]]))[::3].tolist()
    assert falls(model, rows, "up", values) <= CLOSE
    values = np.unique(np.concatenate([X["down"].dropna(), [-1e9, 1e9]]))[::3].tolist()
    assert falls(model, rows, "down", values[::-1]) <= CLOSE
    assert falls(model, rows, "grade", GRADES) <= CLOSE


@pytest.mark.parametrize("name", ["boost", "forest proba", "scorecard", "ordinal forest", "consensus"])
def test_the_sample_would_break_the_directions(name: str) -> None:
    """Without constraints the test above fails: it cannot pass by accident."""
    model, X = fitted(name, None, 0)
    values = np.unique(X["up"].dropna())[::3].tolist()
    assert falls(model, X, "up", values) > 0.01


@pytest.mark.parametrize("name", ["boost", "forest proba", "scorecard", "consensus", "ordinal forest", "tree"])
def test_features_with_a_direction_are_used(name: str) -> None:
    """A constant score keeps all constraints; this one follows the features where they point the right way."""
    X, _, _ = table(0, 300, missing=0.1)
    place = X["grade"].map({grade: k for k, grade in enumerate(GRADES)}).fillna(1.5)
    rng = np.random.default_rng(0)
    strength = X["up"].fillna(0) - X["down"].fillna(0) + place - 1.5 + 0.5 * rng.normal(size=300)
    y = np.digitize(strength, [-1, 0, 1]) if name.startswith("ordinal") else (strength > 0).astype(int)
    model = constrained(MODELS[name].__class__(**MODELS[name].get_params(deep=False)), dict(RULES)).fit(X, y)
    row = X.iloc[[5]].assign(free=0.0, up=0.0, down=0.0, grade="A")
    for column, values in (("up", [-1.5, 1.5]), ("down", [1.5, -1.5]), ("grade", ["C", "B"])):
        low, high = (float(model.score_samples(row.assign(**{column: value}))[0]) for value in values)
        assert high > low + 0.02


# ---- interactions

GROUPS = [["up", "free"], ["down", "grade"]]  # city is alone
APART = [("up", "down"), ("free", "grade"), ("up", "city"), ("down", "city")]


def rest(model: Any, X: pd.DataFrame, one: str, other: str, additive: Any) -> float:
    """The largest second difference of an additive score in two features."""
    changed = {name: X[name].sample(frac=1.0, random_state=7).to_numpy() for name in (one, other)}
    f = additive(model)
    both = f(X.assign(**changed)) + f(X)
    return float(np.abs(both - sum(f(X.assign(**{name: changed[name]})) for name in (one, other))).max())


ADDITIVE = {
    "boost": lambda model: model.margin,
    "boost of one kind": lambda model: model.margin,
    "boost of random cuts": lambda model: model.margin,
    "threshold boost": lambda model: model.margin,
    "shapes": lambda model: model.score_samples,
    "scorecard": lambda model: model.score_samples,
    "tree": lambda model: model.score_samples,
    "pruned tree": lambda model: model.score_samples,
    "forest proba": lambda model: model.score_samples,
    "forest mean_rank": lambda model: model.score_samples,
    "forest plugin": lambda model: model.score_samples,
    "forest of random cuts": lambda model: model.score_samples,
    "ordinal tree of few leaves": lambda model: model.score_samples,
    "ordinal forest": lambda model: model.score_samples,
}


@pytest.mark.parametrize("name", ADDITIVE)
@pytest.mark.parametrize("directions", [None, RULES])
def test_features_of_different_groups_do_not_interact(name: str, directions: Any) -> None:
    model, X = fitted(name, Constraints(directions, interaction_cst=GROUPS), 2)
    for one, other in APART:
        assert rest(model, X, one, other, ADDITIVE[name]) < 1e-9
    if directions is not None:
        assert falls(model, X, "up", np.unique(X["up"].dropna())[::5].tolist()) <= CLOSE


@pytest.mark.parametrize("name", ["boost", "forest proba", "tree", "ordinal forest", "scorecard"])
def test_without_interactions_a_score_is_a_sum_of_functions(name: str) -> None:
    model, X = fitted(name, Constraints(interaction_cst="no_interactions"), 3)
    for one, other in combinations(X.columns, 2):
        assert rest(model, X, one, other, ADDITIVE[name]) < 1e-9


@pytest.mark.parametrize("name", ["boost", "forest proba", "ordinal forest"])
def test_pairs_interact_and_triples_do_not(name: str) -> None:
    model, X = fitted(name, Constraints(interaction_cst="pairwise"), 4, 300)
    f = ADDITIVE[name](model)
    assert max(rest(model, X, *pair, ADDITIVE[name]) for pair in combinations(X.columns, 2)) > 1e-3
    for three in combinations(X.columns, 3):
        changed = {column: X[column].sample(frac=1.0, random_state=7).to_numpy() for column in three}
        third = 0.0
        for size in range(4):
            for some in combinations(three, size):
                third = third + (-1) ** size * f(X.assign(**{column: changed[column] for column in some}))
        assert np.abs(third).max() < 1e-9


def paths_of_boosting(model: RankBoost) -> set[frozenset[int]]:
    found: set[frozenset[int]] = set()
    for member in model.team_.members:
        trees = member.trees
        for t in range(trees.n_trees):
            start = int(trees.node_bounds[t])
            open_nodes = [(0, frozenset[int]())] if trees.node_bounds[t + 1] > start else []
            while open_nodes:
                node, path = open_nodes.pop()
                path |= {int(trees.feature[start + node])}
                for child in (int(trees.left[start + node]), int(trees.right[start + node])):
                    if child < 0:
                        found.add(path)
                    else:
                        open_nodes.append((child, path))
    return found


def test_no_path_mixes_groups() -> None:
    """Features that share a group with all features of the path may be cut, and no others; groups may overlap."""
    groups = [["up", "free", "city"], ["down", "city"], ["grade"]]
    model, X = fitted("boost", Constraints(interaction_cst=groups), 5, 300)
    allowed = [{X.columns.get_loc(column) for column in group} for group in groups]
    paths = paths_of_boosting(model)
    assert all(any(path <= group for group in allowed) for path in paths)
    assert {len(path) for path in paths} >= {1, 2, 3}  # whole groups are used
    forest, _ = fitted("forest proba", Constraints(interaction_cst=groups), 5, 300)
    for tree in forest.trees_:
        used = [{*map(int, tree.feature[tree.owner == cell])} for cell in range(len(tree.cell_parent))]
        for cell in np.flatnonzero(tree.cell_left >= 0).tolist():
            assert used[cell] <= set().union(*allowed[:2]) or used[cell] <= allowed[2]


@pytest.mark.parametrize("name", ["scorecard", "forest proba"])
def test_a_refreshed_model_keeps_the_directions(name: str) -> None:
    model, X = fitted(name, dict(RULES), 0, 400)
    new, strength, _ = table(7, 400)
    later = model.refresh(new, (strength >= 2).astype(int))
    for column, values in (("up", np.unique(X["up"].dropna())[::3].tolist()), ("grade", GRADES)):
        assert falls(later, new, column, values) <= CLOSE
