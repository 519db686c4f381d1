"""Who is on the large scoreboard: our rankers with their defaults, and what other libraries offer for many rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from _scoreboard_models import Entry, XGBoost, ours
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from forest import CatBoost, codes, lightgbm

__all__ = ["large_entries"]

MANY_ROWS = 50_000
LIGHTGBM = {"n_jobs": 1, "random_state": 0, "verbose": -1}
MOST_GB = 4.0  # of perpetual
MOST_CATEGORIES = 255  # of HistGradientBoostingClassifier


class _Fitted:
    """A model that is made at the fit, when its rows and columns are known."""

    model: Any

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return self.model.predict_proba(X)


class Forest(_Fitted):
    """A forest of scikit-learn, of a fifth of the trees beyond 50 000 rows."""

    def __init__(self, kind: Callable[..., Any], n_trees: int) -> None:
        self.kind, self.n_trees = kind, n_trees

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Forest:
        n_trees = self.n_trees if len(X) <= MANY_ROWS else self.n_trees // 5
        self.model = make_pipeline(codes(), self.kind(n_trees, n_jobs=1, random_state=0)).fit(X, y)
        return self


class HistGB(_Fitted):
    """HistGradientBoostingClassifier, which takes at most 255 categories: columns with more are given as codes."""

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> HistGB:
        self.coded = [name for name in X.select_dtypes("category") if X[name].cat.categories.size > MOST_CATEGORIES]
        self.model = HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0)
        self.model.fit(self._codes(X), y)
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return self.model.predict_proba(self._codes(X))

    def _codes(self, X: pd.DataFrame) -> pd.DataFrame:
        return X.assign(**{name: X[name].cat.codes for name in self.coded})


class SlowLightGBM(_Fitted):
    """LightGBM at rate .03 with early stopping on a tenth of its training rows."""

    def __init__(self, n_rounds: int) -> None:
        self.n_rounds = n_rounds

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> SlowLightGBM:
        X, X_held, y, y_held = train_test_split(X, y, test_size=0.1, stratify=y, random_state=0)
        self.model = lightgbm().LGBMClassifier(n_estimators=self.n_rounds, learning_rate=0.03, **LIGHTGBM)
        self.model.fit(
            X, y, eval_set=[(X_held, y_held)], callbacks=[lightgbm().early_stopping(50, verbose=False)]
        )  # fmt: skip
        return self


class Perpetual(_Fitted):
    """perpetual's booster with its own budget; without a limit it took 7 GB for 10 000 rows of 46 columns."""

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Perpetual:
        from perpetual import PerpetualBooster

        self.model = PerpetualBooster(num_threads=1, memory_limit=MOST_GB).fit(X, y)
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return self.model.predict_proba(X, parallel=False)


class ChimeraBoost(_Fitted):
    """ChimeraBoost's classifier; categories are given by name."""

    def __init__(self, n_rounds: int) -> None:
        self.n_rounds = n_rounds

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> ChimeraBoost:
        from chimeraboost import ChimeraBoostClassifier

        self.model = ChimeraBoostClassifier(n_estimators=self.n_rounds, thread_count=1, random_state=0)
        self.model.fit(X, y, cat_features=list(X.select_dtypes("category")))
        return self


class EBM(_Fitted):
    """The explainable boosting machine of interpret: one function for each feature, and for some pairs."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> EBM:
        from interpret.glassbox import ExplainableBoostingClassifier

        self.model = ExplainableBoostingClassifier(n_jobs=1, random_state=0, **self.options).fit(X, y)
        return self


@cache
def large_entries(n_trees: int = 500) -> dict[str, Entry]:
    """All models, ours first; `n_trees` other than 500 is for `--quick`."""
    small = {} if n_trees == 500 else {"outer_bags": 1, "max_rounds": n_trees}
    trees = f"{n_trees} trees, {n_trees // 5} beyond {MANY_ROWS:,} rows"
    slow = f"{2 * n_trees} rounds, rate .03, early stopping on 10% of the rows"
    return {
        "TreeRank": Entry(lambda: ours("TreeRank"), "defaults"),
        "RankingForest": Entry(lambda: ours("RankingForest", n_estimators=n_trees), f"{n_trees} trees"),
        "RankBoost": Entry(lambda: ours("RankBoost"), "defaults"),
        "RankConsensus": Entry(lambda: ours("RankConsensus"), "defaults"),
        "LightGBM": Entry(lambda: lightgbm().LGBMClassifier(**LIGHTGBM), "defaults", "lightgbm"),
        "HistGB": Entry(HistGB, "scikit-learn's HistGradientBoostingClassifier, defaults"),
        "XGBoost": Entry(XGBoost, "binary:logistic, defaults", "xgboost"),
        "LightGBM slow": Entry(lambda: SlowLightGBM(2 * n_trees), slow, "lightgbm"),
        "CatBoost": Entry(lambda: CatBoost(1, 2 * n_trees), f"defaults ({2 * n_trees} rounds)", "catboost"),
        "ExtraTrees": Entry(lambda: Forest(ExtraTreesClassifier, n_trees), f"scikit-learn, {trees}"),
        "RandomForest": Entry(lambda: Forest(RandomForestClassifier, n_trees), f"scikit-learn, {trees}"),
        "perpetual": Entry(Perpetual, f"defaults (budget .5), at most {MOST_GB:g} GB", "perpetual"),
        "ChimeraBoost": Entry(
            lambda: ChimeraBoost(4 * n_trees), f"defaults (at most {4 * n_trees} rounds)", "chimeraboost"
        ),
        "EBM": Entry(lambda: EBM(**small), "interpret's ExplainableBoostingClassifier, defaults", "interpret.glassbox"),
    }
