"""Fitted models and their scoring functions for `score.py`: our defaults and the models of other libraries."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _data import weak_gaussians
from _timing import peer
from sklearn.ensemble import RandomForestClassifier

from rankforest import RankBoost, RankConsensus, RankingForest

__all__ = ["CATEGORIES", "ON_CODES", "Scored", "categorical_table", "models", "numeric_table"]

CATEGORIES = (2, 3, 5, 8, 12, 20, 40, 100)  # of the categorical columns
N_NUMBERS = 12
ON_CODES = "RankingForest, codes of the categories as numbers"


@dataclass(frozen=True)
class Scored:
    """A fitted model: its name, its number of trees, and a function from a table to its scores by one thread."""

    name: str
    n_trees: int
    score: Callable[[Any], Any]


def numeric_table(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Twenty numbers and labels 0 / 1."""
    return weak_gaussians(n, seed)


def categorical_table(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Twelve numbers, some of them missing, and eight columns of categories that have effects of their own."""
    rng = np.random.default_rng(seed)
    numbers = rng.standard_normal((n, N_NUMBERS))
    codes = np.column_stack([rng.integers(0, k, n) for k in CATEGORIES])
    effects = [np.random.default_rng(j).standard_normal(k) for j, k in enumerate(CATEGORIES)]
    total = numbers.sum(axis=1) / 4 + sum(effect[codes[:, j]] for j, effect in enumerate(effects)) / 4
    y = (total + 2 * rng.standard_normal(n) > 0).astype(np.uint8)
    numbers[rng.random(numbers.shape) < 0.02] = np.nan
    frame = pd.DataFrame({f"n{j}": numbers[:, j] for j in range(N_NUMBERS)})
    for j, k in enumerate(CATEGORIES):
        names = [f"c{c}" for c in range(k)]
        frame[f"c{j}"] = pd.Categorical.from_codes(codes[:, j], categories=names)
    return frame, y


def models(X: Any, y: np.ndarray, quick: bool) -> Iterator[Scored]:
    """All models, fitted on this table."""
    yield from _ours(X, y, quick)
    yield from _catboost(X, y, 10 if quick else 1000)
    for n_trees in (2, 5) if quick else (100, 1000):
        yield from _lightgbm(X, y, n_trees, compiled=n_trees < 1000)
    forest = RandomForestClassifier(5 if quick else 500, n_jobs=1, random_state=0).fit(_as_numbers(X), y)
    yield Scored("scikit-learn's forest", len(forest.estimators_), lambda X: forest.predict_proba(_as_numbers(X)))


def _ours(X: Any, y: np.ndarray, quick: bool) -> Iterator[Scored]:
    members = (RankingForest(20), RankBoost(10, n_folds=2)) if quick else (RankingForest(500), RankBoost())
    forest, booster = (member.set_params(random_state=0, n_jobs=1).fit(X, y) for member in members)
    yield Scored("RankingForest", len(forest.trees_), forest.score_samples)
    if isinstance(X, pd.DataFrame):
        on_codes = RankingForest(len(forest.trees_), random_state=0, n_jobs=1).fit(_as_numbers(X), y)
        yield Scored(ON_CODES, len(forest.trees_), lambda X: on_codes.score_samples(_as_numbers(X)))
    n_boosted = sum(member.trees.n_trees for member in booster.team_.members)
    yield Scored("RankBoost", n_boosted, booster.score_samples)
    consensus = RankConsensus(*members, random_state=0, n_jobs=1) if quick else RankConsensus(random_state=0, n_jobs=1)
    consensus.fit(X, y)
    yield Scored("RankConsensus", _trees_of(consensus), consensus.score_samples)


def _trees_of(consensus: RankConsensus) -> int:
    """The trees of the members that are kept."""
    boosted, grown = consensus.booster_, consensus.forest_
    n_boosted = 0 if boosted is None else sum(member.trees.n_trees for member in boosted.team_.members)
    return n_boosted + (0 if grown is None else len(grown.trees_))


def _catboost(X: Any, y: np.ndarray, n_trees: int) -> Iterator[Scored]:
    catboost = peer("catboost")
    if catboost is None:
        return
    columns = [j for j in range(X.shape[1]) if isinstance(X, pd.DataFrame) and X.dtypes.iloc[j] == "category"]
    model = catboost.CatBoostClassifier(
        n_trees, cat_features=columns, thread_count=1, random_seed=0, verbose=False, allow_writing_files=False
    ).fit(X, y)
    yield Scored(
        "CatBoost", n_trees, lambda X: model.predict(X, prediction_type="RawFormulaVal", thread_count=1)
    )  # fmt: skip


def _lightgbm(X: Any, y: np.ndarray, n_trees: int, *, compiled: bool) -> Iterator[Scored]:
    lightgbm = peer("lightgbm")
    if lightgbm is None:
        return
    booster = lightgbm.train(
        {"objective": "binary", "num_threads": 1, "verbose": -1}, lightgbm.Dataset(X, y), num_boost_round=n_trees
    )
    yield Scored("LightGBM", n_trees, lambda X: booster.predict(X, raw_score=True, num_threads=1))
    if compiled:
        yield from _compiled(booster, n_trees)


def _compiled(booster: Any, n_trees: int) -> Iterator[Scored]:
    """LightGBM's trees as C, compiled by treelite and its code generator."""
    treelite, tl2cgen = peer("treelite"), peer("tl2cgen")
    if treelite is None or tl2cgen is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.txt"
        booster.save_model(path)
        library = path.with_suffix(".so")
        try:
            tl2cgen.export_lib(treelite.frontend.load_lightgbm_model(path), "gcc", library)
        except Exception as error:  # any failure of the compiler
            print(f"LightGBM's trees could not be compiled and are left out: {str(error).splitlines()[0]}\n")
            return
        predictor = tl2cgen.Predictor(library, nthread=1)
    yield Scored(
        "LightGBM, compiled by treelite",
        n_trees,
        lambda X: predictor.predict(tl2cgen.DMatrix(_as_numbers(X)), pred_margin=True),
    )


def _as_numbers(X: Any) -> np.ndarray:
    if not isinstance(X, pd.DataFrame):
        return X
    return np.column_stack([X[name].cat.codes if X[name].dtype == "category" else X[name] for name in X])
