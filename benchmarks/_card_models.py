"""Models of points and their peers, each with one setting for all sets and one thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from top import as_text

from forest import columns, installed

__all__ = ["OURS", "models"]

# ours: rounded, with at most 6 steps everywhere, unrounded, and with pairs
OURS: dict[str, dict[str, Any]] = {
    "RankScore": {},
    "RankScore 6 steps": {"max_steps": 6},
    "unrounded": {"max_steps": None, "points": None},
    "RankScore pairs": {"pairs": 20},
    "unrounded pairs": {"pairs": 20, "max_steps": None, "points": None},
}


class EBM:
    """interpret's explainable boosting machine; `options` differ from its defaults."""

    def __init__(self, **options: Any) -> None:
        from interpret.glassbox import ExplainableBoostingClassifier

        self.model = ExplainableBoostingClassifier(n_jobs=1, random_state=0, **options)

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> EBM:
        self.model.fit(as_text(X), y)
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return self.model.predict_proba(as_text(X))


class OptimalBinning:
    """optbinning's scorecard: optimal bins of each feature, then logistic regression on their weight of evidence."""

    def __init__(self) -> None:
        import optbinning  # noqa: F401  # a peer that is not installed is left out

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> OptimalBinning:
        from optbinning import BinningProcess, Scorecard

        X = as_text(X)
        text = list(X.select_dtypes("category"))
        bins = BinningProcess(list(X), categorical_variables=text, n_jobs=1)
        self.model = Scorecard(binning_process=bins, estimator=LogisticRegression(max_iter=1000))
        self.model.fit(self._plain(X), y)
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return self.model.predict_proba(self._plain(as_text(X)))

    @staticmethod
    def _plain(X: pd.DataFrame) -> pd.DataFrame:
        return X.astype(dict.fromkeys(X.select_dtypes("category"), object))


class WeightOfEvidence:
    """Logistic regression on the weight of evidence of tenths of each number, and of each category."""

    tenths = np.linspace(0, 1, 11)[1:-1]

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> WeightOfEvidence:
        self.cuts = {name: np.unique(X[name].quantile(self.tenths)) for name in X.select_dtypes("number")}
        overall = np.log(y.sum() / (len(y) - y.sum()))
        self.evidence = {}
        for name in X:
            counts = pd.crosstab(self._bins(X, name), y)
            rate = np.log((counts[1] + 0.5) / (counts[0] + 0.5))
            self.evidence[name] = rate - overall
        self.model = LogisticRegression(max_iter=1000).fit(self._transform(X), y)
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return self.model.predict_proba(self._transform(X))

    def _bins(self, X: pd.DataFrame, name: str) -> pd.Series:
        if name not in self.cuts:
            return X[name].astype(str)
        missing = X[name].isna().to_numpy()
        return pd.Series(np.where(missing, -1, np.searchsorted(self.cuts[name], X[name])), index=X.index)

    def _transform(self, X: pd.DataFrame) -> np.ndarray:
        return np.column_stack([self._bins(X, name).map(self.evidence[name]).fillna(0.0) for name in X])


def models(quick: bool) -> dict[str, Callable[[], Any]]:
    """All models that are installed, ours first."""
    import rankforest

    small = {"outer_bags": 1, "max_rounds": 20} if quick else {}
    ours = {
        name: lambda options=options: rankforest.RankScore(**options, n_jobs=1, random_state=0)
        for name, options in OURS.items()
    }
    peers = {
        "EBM": lambda: EBM(interactions=0, **small),
        "EBM pairs": lambda: EBM(**small),
        "optbinning": OptimalBinning,
        "WoE logistic": WeightOfEvidence,
        "logistic": lambda: make_pipeline(columns(), LogisticRegression(max_iter=1000)),
    }
    return ours | installed(peers)
