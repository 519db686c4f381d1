"""Models to be exported, rows to score them with, and interpreters of the exports."""

from __future__ import annotations

import math
import statistics
from bisect import bisect_right
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from rankforest import (
    OAPBPM,
    OrdinalRankingForest,
    OrdinalRankingTree,
    PRank,
    RankBoost,
    RankConsensus,
    RankingForest,
    RankScore,
    TreeRank,
)
from rankforest.estimators._forest_margin import LogOdds
from rankforest.export.model import program_of
from rankforest.forest.ordinal import median_of_trees, shares_block

CITIES = ("Côte d'Azur", 'the "old" town', "", "Łódź", "a;b--c", "x", "y", "z")
GRADES = (1, 2.5, 7)
LARGEST = float(np.finfo(np.float64).max)
NAMES = ("size", 'height "cm"', "city's name", "grade", "is new", "load %")


def training(n: int = 600, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """A table with numbers, texts, categories that are numbers, and booleans; two and four ordered labels."""
    rng = np.random.default_rng(seed)
    city, grade, new = rng.integers(0, 8, n), rng.integers(0, 3, n), rng.random(n) < 0.4
    size, height, load = rng.normal(size=n), rng.integers(0, 10, n).astype(float), rng.exponential(size=n)
    signal = size + 0.3 * city + (grade == 1) + new - 0.2 * load + rng.normal(size=n)
    columns = (size, height, np.array(CITIES, dtype=object)[city], np.array(GRADES)[grade], new.astype(object), load)
    table = pd.DataFrame(dict(zip(NAMES, columns)))
    for name in NAMES:
        table.loc[rng.random(n) < 0.08, name] = None
    levels = np.digitize(signal, np.quantile(signal, [0.3, 0.6, 0.9]))
    return table, (levels >= 2).astype(int), levels


def oblique_rows(X: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """The same table, with labels that a sum of two numbers tells apart."""
    numbers = X[["size", "load %"]].fillna(0.0).to_numpy(dtype=float)
    return X, (2 * numbers[:, 0] - numbers[:, 1] > -1).astype(int)


def models() -> dict[str, Any]:
    """Fitted models of every kind, small."""
    X, y, levels = training()
    how: dict[str, Any] = {"categorical_features": ["grade"], "random_state": 0}
    found = {
        "tree": TreeRank(**how).fit(X, y),
        "oblique tree": TreeRank(oblique=True, pruning="cv-1se", **how).fit(*oblique_rows(X)),
        "forest": RankingForest(8, **how).fit(X, y),
        "forest, mean rank": RankingForest(4, aggregation="mean_rank", **how).fit(X, y),
        "forest, plug-in": RankingForest(4, aggregation="plugin", **how).fit(X, y),
        "forest, ranks among negatives": RankingForest(4, aggregation="negative_rank", **how).fit(X, y),
        "boosting": RankBoost(8, n_folds=(2, 1), **how).fit(X, y),
        "scorecard": RankScore(n_estimators=60, n_folds=3, **how).fit(X, y),
        "consensus": RankConsensus(RankingForest(3), RankBoost(4, n_folds=(2, 1)), weights=(1, 1), **how).fit(X, y),
        "ordinal tree": OrdinalRankingTree(pruning=None, **how).fit(X, levels),
        "ordinal forest": OrdinalRankingForest(5, **how).fit(X, levels),
        "PRank": PRank(**how).fit(X, levels),
        "OAPBPM": OAPBPM(5, **how).fit(X, levels),
    }
    log_odds = clone(found["consensus"]).fit(X, y)
    log_odds._forest_margin = LogOdds()  # as in files of earlier versions
    found["consensus of log-odds"] = log_odds
    found["forest, median"] = RankingForest(5, aggregation="median_rank", **how).fit(X, y)
    found["ordinal forest, median"] = OrdinalRankingForest(4, aggregation="median", **how).fit(X, levels)
    return found


def coded_rows(model: Any, n: int = 10_000, seed: int = 1) -> np.ndarray:
    """Random rows as the trees take them: missing values, values on thresholds and just beyond, the largest ones."""
    rng = np.random.default_rng(seed)
    program = program_of(model)
    X = np.empty((n, len(program.features)))
    for j, feature in enumerate(program.features):
        if feature.categories is not None:
            X[:, j] = rng.integers(0, len(feature.categories), n)
        else:
            X[:, j] = rng.normal(scale=3.0, size=n)
            cuts = [t for g in program.graphs for k, t in zip(g.feature, g.threshold) if k == j and math.isfinite(t)]
            if not cuts and any(j == part for each in program.sums for part, _ in each.terms):
                cuts = [0.0, 0.5]
            if cuts:
                near = rng.choice(cuts, n)
                near = np.choose(rng.integers(0, 3, n), [near, np.nextafter(near, np.inf), np.nextafter(near, -np.inf)])
                X[:, j] = np.where(rng.random(n) < 0.4, near, X[:, j])
                X[rng.random(n) < 0.02, j] = LARGEST
                X[rng.random(n) < 0.02, j] = -LARGEST
                X[rng.random(n) < 0.02, j] = -0.0
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


def table_of(model: Any, X: np.ndarray, seed: int = 2) -> pd.DataFrame:
    """The rows as a user has them; what is missing among categories is None, or a category never seen."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for j, feature in enumerate(program_of(model).features):
        if feature.categories is None:
            columns[feature.name] = X[:, j]
            continue
        unseen = None if isinstance(feature.categories[0], bool) else "new" if j == 2 else 99.0
        known = [*feature.categories, None, unseen]
        at = np.where(np.isnan(X[:, j]), len(feature.categories) + rng.integers(0, 2, len(X)), np.nan_to_num(X[:, j]))
        values = np.empty(len(known), dtype=object)
        values[:] = known
        columns[feature.name] = values[at.astype(int)]
    return pd.DataFrame(columns)


def outputs_of(model: Any, X: np.ndarray) -> dict[str, np.ndarray]:
    """What the library itself says of coded rows."""
    if isinstance(model, TreeRank):
        strata = model.tree_.apply(X)
        tables = {"score": model.tree_.leaf_score, "probability": model.tree_.leaf_probability}
        return {"stratum": strata, **{name: table[strata] for name, table in tables.items()}}
    if isinstance(model, RankingForest):
        score = model.score_coded(X)
        return {"score": score, "probability": model._calibration(model.aggregation_)(score)}
    if isinstance(model, RankBoost | RankConsensus | RankScore):
        score = model.score_coded(X)
        return {"score": score, "probability": model._calibration(score)}
    if isinstance(model, OrdinalRankingTree):
        leaf = model.tree_.apply(X)
        return {"score": model.tree_.leaf_mean[leaf], "level": model.tree_.leaf_median[leaf]}
    if isinstance(model, OrdinalRankingForest):
        if model.aggregation == "median":
            return {"score": median_of_trees(model.trees_, X, 1)[0]}
        return {"score": shares_block(model.trees_, X, 1) @ model.levels_}
    score = model._scores(model.standardization_.encode(X))
    return {"score": score, "level": np.searchsorted(model.thresholds_, score, side="right")}


def read_json(document: dict[str, Any], row: dict[str, Any], output: str = "score") -> float:
    """A row scored by what docs/export.md says of the JSON format, and by nothing else."""
    values: list[Any] = []
    for feature in document["features"]:
        value = row[feature["name"]]
        if value is None or value != value:
            values.append(None)
        elif feature["categories"] is None:
            values.append(value)
        else:
            values.append(feature["categories"].index(value) if value in feature["categories"] else None)

    for parts in document.get("sums", []):
        of_parts = [values[part["feature"]] for part in parts]
        known = all(value is not None and abs(value) <= 1e100 for value in of_parts)
        values.append(sum(part["weight"] * value for part, value in zip(parts, of_parts)) if known else None)

    def leaf(graph: dict[str, Any]) -> int:
        node = 0 if graph["feature"] else -1
        while node >= 0:
            value, threshold, codes = values[graph["feature"][node]], graph["threshold"][node], graph["codes"][node]
            if value is None:
                left = graph["missing_left"][node]
            elif codes is not None:
                left = value in codes
            else:
                left = threshold is None or value <= threshold
            node = graph["left" if left else "right"][node]
        return -node - 1

    def evaluate(part: dict[str, Any]) -> float:
        kind = part["kind"]
        if kind in ("tree_sum", "tree_median"):
            found = [table[leaf(document["graphs"][g])] for g, table in zip(part["graphs"], part["values"])]
            if kind == "tree_median":
                return statistics.median(found)
            return part["offset"] + math.fsum(found) / part["divisor"]
        if kind == "linear":
            total = 0.0
            for each in part["numbers"]:
                x = values[each["feature"]]
                total += each["missing"] if x is None else each["weight"] * (x - each["centre"])
            for each in part["categories"]:
                x = values[each["feature"]]
                total += each["missing"] if x is None else each["values"][x]
            return total
        if kind == "squash":
            margin = evaluate(part["of"])
            return 0.5 + margin / (2 + 2 * abs(margin))
        if kind == "logit":
            p = min(max(evaluate(part["of"]), part["least"]), 1 - part["least"])
            return math.log(p / (1 - p))
        if kind == "piecewise":
            x = evaluate(part["of"])
            j = bisect_right(part["start"], x) - 1
            return part["below"] if j < 0 else part["value"][j] + part["slope"][j] * (x - part["start"][j])
        assert kind == "combination"
        return part["offset"] + sum(w * evaluate(each) for w, each in zip(part["weights"], part["of"]))

    return evaluate(document["outputs"][output])
