"""Who is on the scoreboard: our rankers and today's best, each with one setting for all sets and one thread."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from _ranksvm import RankSVM
from sklearn.pipeline import make_pipeline
from top import PairwiseXGBoost, as_text

import rankforest
from forest import CatBoost, columns, installed, lightgbm, peers

__all__ = ["OURS", "TOP_SHARE", "Entry", "XGBoost", "entries", "ours"]

OURS = ("TreeRank", "RankingForest", "RankingForest(top)", "RankBoost", "RankConsensus")
TOP_SHARE = 0.1


@dataclass(frozen=True)
class Entry:
    """A model of the scoreboard: how it is made, its setting in words, and the package that it needs."""

    make: Callable[[], Any]
    setting: str
    package: str | None = None


class XGBoost:
    """XGBoost's classifier with its defaults."""

    def __init__(self) -> None:
        from xgboost import XGBClassifier

        self.model = XGBClassifier(enable_categorical=True, n_jobs=1, random_state=0)

    def fit(self, X: Any, y: np.ndarray) -> XGBoost:
        self.model.fit(as_text(X), y)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        return self.model.predict_proba(as_text(X))


def ours(name: str, **options: Any) -> Any:
    """One of our models; what it does not know is left out."""
    model = getattr(rankforest, name)
    known = inspect.signature(model).parameters
    always = {"n_jobs": 1, "random_state": 0}
    return model(**{key: value for key, value in (always | options).items() if key in known})


def _lightgbm_slow() -> Any:
    return lightgbm().LGBMClassifier(
        n_estimators=300, learning_rate=0.03, num_leaves=7, subsample=0.7, subsample_freq=1, n_jobs=1, random_state=0,
        verbose=-1,
    )  # fmt: skip


@cache
def entries(n_trees: int = 500) -> dict[str, Entry]:
    """All models that are installed, ours first."""
    usual = peers(n_trees, 1)
    # by default only the first 32 rows of a query are paired: with one query for all rows that is next to nothing
    pairs = {"lambdarank_pair_method": "mean"}
    found = {
        "TreeRank": Entry(lambda: ours("TreeRank"), "defaults"),
        "RankingForest": Entry(lambda: ours("RankingForest", n_estimators=n_trees), f"{n_trees} trees"),
        "RankingForest(top)": Entry(
            lambda: ours("RankingForest", n_estimators=n_trees, top=TOP_SHARE), f"{n_trees} trees, top={TOP_SHARE}"
        ),
        "RankBoost": Entry(lambda: ours("RankBoost"), "defaults"),
        "RankConsensus": Entry(lambda: ours("RankConsensus"), "defaults"),
        "RandomForest": Entry(usual["RandomForest"], f"scikit-learn, {n_trees} trees"),
        "ExtraTrees": Entry(usual["ExtraTrees"], f"scikit-learn, {n_trees} trees"),
        "HistGB": Entry(usual["HistGB"], "scikit-learn's HistGradientBoostingClassifier, defaults"),
        "logistic": Entry(usual["logistic"], "scikit-learn's LogisticRegression, one-hot categories"),
        "LightGBM": Entry(lambda: usual["LightGBM"](), "defaults"),
        "LightGBM slow": Entry(_lightgbm_slow, "300 rounds, rate .03, 7 leaves, 70% of the rows a round"),
        "XGBoost": Entry(XGBoost, "binary:logistic, defaults"),
        "XGBoost pairwise": Entry(
            lambda: PairwiseXGBoost(1, **pairs), "rank:pairwise, all rows one query, pairs drawn at random"
        ),
        "CatBoost": Entry(lambda: CatBoost(1, 2 * n_trees), f"defaults ({2 * n_trees} rounds)"),
        "RankSVM": Entry(lambda: make_pipeline(columns(), RankSVM()), "linear, squared hinge over all pairs, C = 0.1"),
    }
    return {name: found[name] for name in installed({name: entry.make for name, entry in found.items()})}
