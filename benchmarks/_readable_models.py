"""Models that a person can read, with what there is to read: leaves, and conditions per leaf.

A condition is what a printed rule says of one feature: an interval, a set of categories, or either one or missing.
Those of a leaf are the features of its path, those of a union the sum over its alternatives. Columns that a model made
of the categories of one feature count as that feature. A sum of trees has one leaf of each to read for every total.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
import pandas as pd
from _timing import peer
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from rankforest import TreeRank
from rankforest.tree.ranking_tree import RankingTree
from rankforest.tree.rules import stratum_rule

__all__ = ["MOST_LEAVES", "Reading", "models"]

MOST_LEAVES = 12
_LEAST_ROWS = (5, 20, 50)
_ALPHAS = (0.0, 0.001)


@dataclass(frozen=True)
class Reading:
    """What there is to read: leaves (strata, totals, rules) and the conditions of one of them, on average."""

    leaves: int
    conditions: float


class Readable(Protocol):
    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Any: ...

    def scores(self, X: pd.DataFrame) -> np.ndarray: ...

    def reading(self) -> Reading: ...


class Ours:
    """A TreeRank."""

    def __init__(self, model: TreeRank) -> None:
        self.model = model

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Self:
        self.model.fit(X, y)
        return self

    def scores(self, X: pd.DataFrame) -> np.ndarray:
        return self.model.score_samples(X)

    def reading(self) -> Reading:
        tree = self.model.tree_
        assert isinstance(tree, RankingTree)
        rules = [stratum_rule(tree, stratum) for stratum in range(tree.n_leaves)]
        return Reading(tree.n_leaves, float(np.mean([sum(map(len, rule)) for rule in rules])))


class _Encoded:
    """Base of models that know only numbers: categories as one column each, `self.origin` says of which feature."""

    def encode(self, X: pd.DataFrame, *, impute: bool) -> np.ndarray:
        """The columns of the training rows."""
        numbers = SimpleImputer(strategy="median", keep_empty_features=True) if impute else "passthrough"
        self.encoder = make_column_transformer(
            (numbers, make_column_selector(dtype_include="number")),
            (
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                make_column_selector(dtype_include="category"),
            ),
        )
        columns = np.asarray(self.encoder.fit_transform(X), dtype=np.float64)
        numeric = list(X.select_dtypes("number"))
        category = list(X.select_dtypes("category"))
        kinds = self.encoder.transformers_[1][1].categories_ if category else []
        self.origin = np.array(numeric + [name for name, values in zip(category, kinds) for _ in values])
        return columns

    def columns(self, X: pd.DataFrame) -> np.ndarray:
        return np.asarray(self.encoder.transform(X), dtype=np.float64)

    def features_of(self, columns: Sequence[int]) -> int:
        """Number of features that the columns were made of."""
        return len({self.origin[column] for column in columns})


class TunedTree(_Encoded):
    """A scikit-learn tree: leaves, rows of a leaf and ccp_alpha chosen by the AUC of five folds."""

    def __init__(self, most_leaves: int | None) -> None:
        self.leaves = (4, 6, 8, most_leaves) if most_leaves is not None else (8, 16, 32, 64, None)

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Self:
        grid = {"max_leaf_nodes": self.leaves, "min_samples_leaf": _LEAST_ROWS, "ccp_alpha": _ALPHAS}
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        search = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, scoring="roc_auc", cv=folds)
        self.tree = search.fit(self.encode(X, impute=False), y).best_estimator_
        return self

    def scores(self, X: pd.DataFrame) -> np.ndarray:
        return self.tree.predict_proba(self.columns(X))[:, 1]

    def reading(self) -> Reading:
        tree = self.tree.tree_
        counts, open_nodes = [], [(0, ())]
        while open_nodes:
            node, path = open_nodes.pop()
            if tree.children_left[node] < 0:
                counts.append(self.features_of(path))
                continue
            below = (*path, int(tree.feature[node]))
            open_nodes += [(int(tree.children_left[node]), below), (int(tree.children_right[node]), below)]
        return Reading(len(counts), float(np.mean(counts)))


class Figs(_Encoded):
    """FIGS: a sum of trees, with as many rules as there are leaves allowed in all its trees together."""

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Self:
        columns = self.encode(X, impute=True)
        for n_rules in range(MOST_LEAVES - 1, 0, -1):
            self.model = peer("imodels").FIGSClassifier(max_rules=n_rules, random_state=0).fit(columns, y)
            if sum(_n_leaves(tree) for tree in self.model.trees_) <= MOST_LEAVES:
                break
        # what is read for one row: the features of all the leaves that it is in
        paths = [_path_of_rows(tree, columns) for tree in self.model.trees_]
        self.totals = {tuple(frozenset(path[i]) for path in paths) for i in range(len(columns))}
        return self

    def scores(self, X: pd.DataFrame) -> np.ndarray:
        return self.model.predict_proba(self.columns(X))[:, 1]

    def reading(self) -> Reading:
        counts = [self.features_of([c for path in total for c, _ in path]) for total in self.totals]
        return Reading(len(counts), float(np.mean(counts)))


def _n_leaves(node: Any) -> int:
    return 1 if node.left is None else _n_leaves(node.left) + _n_leaves(node.right)


def _path_of_rows(root: Any, columns: np.ndarray) -> list[tuple[tuple[int, Any], ...]]:
    """The cuts on the way of each row, as (column, (threshold, side))."""
    found: list[tuple[tuple[int, Any], ...]] = [()] * len(columns)
    open_nodes: list[tuple[Any, np.ndarray, tuple[Any, ...]]] = [(root, np.arange(len(columns)), ())]
    while open_nodes:
        node, rows, path = open_nodes.pop()
        if node.left is None:
            for row in rows.tolist():
                found[row] = path
            continue
        below = columns[rows, node.feature] <= node.threshold
        for child, side in ((node.left, below), (node.right, ~below)):
            cut = (int(node.feature), (float(node.threshold), child is node.left))
            open_nodes.append((child, rows[side], (*path, cut)))
    return found


class LightGbmTree:
    """One LightGBM tree."""

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Self:
        self.model = peer("lightgbm").LGBMClassifier(
            n_estimators=1, num_leaves=MOST_LEAVES, n_jobs=1, random_state=0, verbose=-1
        )
        self.model.fit(X, y)
        return self

    def scores(self, X: pd.DataFrame) -> np.ndarray:
        return self.model.predict_proba(X, raw_score=True)

    def reading(self) -> Reading:
        counts = []
        open_nodes = [(self.model.booster_.dump_model()["tree_info"][0]["tree_structure"], frozenset())]
        while open_nodes:
            node, path = open_nodes.pop()
            if "split_feature" not in node:
                counts.append(len(path))
                continue
            below = path | {node["split_feature"]}
            open_nodes += [(node["left_child"], below), (node["right_child"], below)]
        return Reading(len(counts), float(np.mean(counts)))


class RuleFit(_Encoded):
    """RuleFit: a linear model of rules and features, which are all read for any row."""

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Self:
        columns = self.encode(X, impute=True)
        self.model = peer("imodels").RuleFitClassifier(random_state=0).fit(columns, y)
        return self

    def scores(self, X: pd.DataFrame) -> np.ndarray:
        return self.model.predict_proba(self.columns(X))[:, 1]

    def reading(self) -> Reading:
        terms = self.model._get_rules()
        terms = terms[terms["coef"] != 0]
        conditions = [
            1 if kind == "linear" else rule.count(" and ") + 1 for rule, kind in zip(terms["rule"], terms["type"])
        ]
        return Reading(len(terms), float(sum(conditions)))


def models(names: Sequence[str] | None = None) -> dict[str, Callable[[], Readable]]:
    """All models by name, each made anew; without those whose package is absent, which a line names."""
    found: dict[str, tuple[str | None, Callable[[], Readable]]] = {
        "TreeRank()": (None, lambda: Ours(TreeRank(random_state=0))),
        'TreeRank(size="best")': (None, lambda: Ours(TreeRank(size="best", random_state=0))),
        f"scikit-learn tree, {MOST_LEAVES} leaves": (None, lambda: TunedTree(MOST_LEAVES)),
        "scikit-learn tree": (None, lambda: TunedTree(None)),
        "FIGS": ("imodels", Figs),
        "LightGBM tree": ("lightgbm", LightGbmTree),
        "RuleFit": ("imodels", RuleFit),
    }
    return {
        name: make
        for name, (package, make) in found.items()
        if (names is None or name in names) and (package is None or peer(package) is not None)
    }
