"""What the scoreboard's figures say: average ranks over sets, which differences of ranks count, costs, instability.

Everything is computed from the table of fits and comes back as plain data (Demsar, "Statistical comparisons of
classifiers over multiple data sets", 2006).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, studentized_range

from rankforest.consensus import mean_pairwise_distance

__all__ = [
    "Prices",
    "Ranking",
    "behind",
    "common",
    "costs",
    "critical_difference",
    "instability",
    "order_file",
    "prices",
    "ranking",
    "wins",
]

LEVEL = 0.05
MOST_COMMON_ROWS = 1000
_FIT = ["set", "repeat", "fold"]


@dataclass(frozen=True)
class Ranking:
    """One metric: means of sets by models, average ranks from the best on, and the least difference that counts."""

    metric: str
    means: pd.DataFrame
    ranks: pd.Series
    critical_difference: float
    p_value: float  # Friedman's test that all models are alike

    def groups(self) -> list[tuple[str, ...]]:
        """Longest runs of models, in the order of ranks, no two of which differ significantly."""
        names, ranks = list(self.ranks.index), self.ranks.to_numpy()
        found: list[tuple[int, int]] = []
        for first, rank in enumerate(ranks):
            last = int(np.searchsorted(ranks, rank + self.critical_difference, side="left")) - 1
            if last > first and (not found or last > found[-1][1]):
                found.append((first, last))
        return [tuple(names[first : last + 1]) for first, last in found]


def critical_difference(n_models: int, n_sets: int, level: float = LEVEL) -> float:
    """Nemenyi: average ranks that differ by at least this much differ significantly.

    Examples
    --------
    >>> round(critical_difference(5, 30), 3)  # q = 2.728 in Demsar's table 5
    1.114
    """
    q = studentized_range.ppf(1 - level, n_models, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_models * (n_models + 1) / (6 * n_sets)))


def common(frame: pd.DataFrame, models: Sequence[str]) -> pd.DataFrame:
    """The fits of folds that all the models have been through."""
    frame = frame[frame["model"].isin(models)]
    return frame[frame.groupby(_FIT)["model"].transform("nunique") == len(models)]


def ranking(frame: pd.DataFrame, metric: str) -> Ranking:
    """Ranks the models on every set by their means over the folds, equal means sharing their ranks."""
    means = frame.pivot_table(index="set", columns="model", values=metric, sort=False, dropna=False)
    if means.shape[0] < 2 or means.shape[1] < 3:
        raise ValueError(
            f"{means.shape[1]} models on {means.shape[0]} sets; ranks are tested from 3 models and 2 sets on."
        )
    ranks = means.round(6).rank(axis=1, ascending=False, na_option="bottom")
    order = ranks.mean().sort_values(kind="stable")
    return Ranking(
        metric,
        means[order.index],
        order,
        critical_difference(means.shape[1], means.shape[0]),
        # where all models are level on all sets, the test has nothing to divide by
        float(friedmanchisquare(*ranks.to_numpy().T).pvalue) if ranks.to_numpy().std() > 0 else 1.0,
    )


def wins(found: Ranking, ours: Iterable[str]) -> pd.DataFrame:
    """For each of ours (rows) and each of the others (columns): sets won, and sets lost."""
    ours = [name for name in found.ranks.index if name in set(ours)]
    others = [name for name in found.ranks.index if name not in ours]
    means = found.means.round(6)
    won = [[f"{(means[a] > means[b]).sum()} : {(means[a] < means[b]).sum()}" for b in others] for a in ours]
    return pd.DataFrame(won, index=ours, columns=others)


def behind(found: Ranking) -> pd.DataFrame:
    """How far each model (columns) is behind the best of each set (rows); NaN for a fit that was ended."""
    means = found.means.round(6)
    return means.rsub(means.max(axis=1), axis=0)


def costs(frame: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Times as multiples of a reference model (geometric mean over the sets), and mean MiB at the peak.

    NaN for a model that was not timed on every set.
    """
    found = {}
    for name in ("fit seconds", "score seconds"):
        seconds = frame.pivot_table(index="set", columns="model", values=name, dropna=False).clip(lower=1e-4)
        found[name] = np.exp(np.log(seconds.div(seconds[reference], axis=0)).mean())
        if name == "fit seconds":
            timed = seconds.notna().all()
    found["peak MiB"] = frame.pivot_table(index="set", columns="model", values="peak MiB").clip(lower=0).mean()
    return pd.DataFrame(found).where(timed, axis=0)


# ---- what a rank costs

SIZES = (0, 2_000, 10_000, 50_000)  # rows to learn from


@dataclass(frozen=True)
class Prices:
    """Models on the sets of one size: average rank by AUC and seconds of a fit (the geometric mean over the sets)."""

    least_rows: int  # to learn from
    most_rows: int
    n_sets: int
    ranks: pd.Series
    seconds: pd.Series


def prices(frames: Iterable[pd.DataFrame]) -> list[Prices]:
    """From small to large, for each size that has at least two sets; `learned` has the rows to learn from.

    The ranks are among all models; those that were not timed on every set have no price and are left out.
    """
    found = []
    for frame in frames:
        size = np.searchsorted(SIZES, frame["learned"])
        for _, part in frame.groupby(size):
            if part["set"].nunique() < 2:
                continue
            ranks = ranking(part, "AUC").ranks
            seconds = part.pivot_table(index="set", columns="model", values="fit seconds", dropna=False).clip(
                lower=1e-4
            )
            price = np.exp(np.log(seconds).mean(skipna=False)).dropna()
            ranks, learned = ranks[ranks.index.isin(price.index)], part["learned"]
            found.append(Prices(int(learned.min()), int(learned.max()), part["set"].nunique(), ranks, price))
    return sorted(found, key=lambda one: one.least_rows)


# ---- how much the order changes


def order_file(results: Path, key: Iterable[str]) -> Path:
    """Where the order of the rows that a fit did not see is kept."""
    return results.with_name(f"{results.stem}-scores") / ("-".join(key).replace(" ", "_") + ".npz")


def instability(frame: pd.DataFrame, results: Path) -> dict[str, dict[str, float]]:
    """Mean Kendall distance, by set and model, of fits of different repeats on the rows that both have held out."""
    found: dict[str, dict[str, float]] = {}
    for (name, model), fits in frame.groupby(["set", "model"], sort=False):
        orders = {}
        for repeat, fold in zip(fits["repeat"], fits["fold"]):
            with np.load(order_file(results, (name, repeat, fold, model))) as file:
                orders[repeat, fold] = file["rows"], file["ranks"]
        if (distance := _mean_distance(orders)) is not None:
            found.setdefault(name, {})[model] = distance
    return found


def _mean_distance(orders: dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]) -> float | None:
    """None with a single repeat."""
    rng = np.random.default_rng(0)
    by_repeat: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    for (repeat, _), order in orders.items():
        by_repeat.setdefault(repeat, []).append(order)
    distances = []
    for one, other in combinations(by_repeat.values(), 2):
        for (rows, ranks), (other_rows, other_ranks) in product(one, other):
            _, at, other_at = np.intersect1d(rows, other_rows, return_indices=True)
            if len(at) > MOST_COMMON_ROWS:
                kept = rng.choice(len(at), MOST_COMMON_ROWS, replace=False)
                at, other_at = at[kept], other_at[kept]
            distances.append(mean_pairwise_distance(np.array([ranks[at], other_ranks[other_at]], dtype=np.float64)))
    return float(np.mean(distances)) if distances else None
