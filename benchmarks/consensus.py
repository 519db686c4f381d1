"""Rank aggregation: median rankings compared with corankco's BioConsert, Kendall distances with SciPy.

Claims: at n = 1000 items and B = 20 rankings, a cost no higher than BioConsert's in at most a tenth of its time; the
Kendall distance faster than `scipy.stats.kendalltau`; the mean distance over all pairs of 500 rankings of 2000 items in
a fraction of what comparing them two by two takes.

The profiles are noisy copies of one order (noise: standard deviation of the displacement, as a share of n), strict or
cut into 50 levels, and pure noise. Both costs are computed by `ranking_cost`. BioConsert is compiled before it is
timed, starts from every ranking of the profile as it does by default, and runs once, because it takes long; both use
one thread.
"""

from __future__ import annotations

import math
import time
from importlib.metadata import version
from typing import Any

import numpy as np
import scipy
from _timing import interleaved, parser, print_header, print_table, ratio
from scipy.stats import kendalltau

from rankforest.consensus import distance_matrix, kendall_tau, mean_pairwise_distance, median_ranking, ranking_cost

N_RANKINGS = 20
# name, noise (None: nothing but noise), levels (None: strict)
PROFILES = [
    ("noise .05", 0.05, None),
    ("noise .3", 0.3, None),
    ("noise .3, 50 levels", 0.3, 50),
    ("pure noise", None, None),
    ("pure noise, 50 levels", None, 50),
]


def profile(n: int, noise: float | None, levels: int | None, seed: int = 0) -> np.ndarray:
    """Ranks from 0, one ranking per row."""
    rng = np.random.default_rng(seed)
    if noise is None:
        values = rng.random((N_RANKINGS, n))
    else:
        values = np.arange(n) / n + noise * rng.standard_normal((N_RANKINGS, n))
    places = values.argsort(axis=1).argsort(axis=1)
    return places if levels is None else places * levels // n


class Peer:
    """corankco's BioConsert under the same costs: 1 for a discordant pair, 1/2 for a pair tied in exactly one."""

    def __init__(self) -> None:
        import corankco

        self.package = corankco
        self.scheme = corankco.ScoringScheme([[0.0, 1.0, 0.5, 0.0, 1.0, 0.0], [0.5, 0.5, 0.0, 0.5, 0.5, 0.0]])
        self.run(self.dataset(profile(20, 0.1, 5)))  # compile

    def dataset(self, ranks: np.ndarray) -> Any:
        rows = [[set(np.flatnonzero(row == level).tolist()) for level in np.unique(row)] for row in ranks]
        return self.package.Dataset.from_raw_list(rows)

    def run(self, dataset: Any) -> Any:
        return self.package.BioConsert().compute_consensus_rankings(dataset, self.scheme, True).consensus_rankings[0]

    @staticmethod
    def ranks(ranking: Any, n: int) -> np.ndarray:
        ranks = np.empty(n)
        for place, bucket in enumerate(ranking.buckets):
            ranks[[int(element.value) for element in bucket]] = place
        return ranks


def medians(n: int) -> None:
    """Cost and time of the local search, alone and against BioConsert."""
    try:
        peer: Peer | None = Peer()
        beside = f"corankco {version('corankco')}"
    except ImportError:
        peer, beside = None, 'corankco is not installed: pip install "rankforest[bench]"'
    print(f"Median ranking, n = {n:,}, B = {N_RANKINGS}, one thread; {beside}\n")
    rows = []
    for name, noise, levels in PROFILES:
        ranks = profile(n, noise, levels)
        ours = median_ranking(ranks, "heuristic", n_jobs=1)
        repeated = {"ours": lambda ranks=ranks: median_ranking(ranks, "heuristic", n_jobs=1)}
        seconds = interleaved(repeated, 3)["ours"]
        row = [name, f"{ours.cost:.0f}", f"{ours.gap:.2%}", f"{median_ranking(ranks, 'borda').cost:.0f}"]
        if peer is None:
            rows.append([*row, f"{seconds:.2f}"])
            continue
        dataset = peer.dataset(ranks)
        start = time.perf_counter()
        found = peer.run(dataset)
        theirs = time.perf_counter() - start
        cost = ranking_cost(ranks, peer.ranks(found, n))
        change = f"{ours.cost / cost - 1:+.4%}"
        rows.append([*row, f"{seconds:.2f}", f"{cost:.0f}", f"{theirs:.1f}", change, ratio(theirs / seconds, 10)])
    header = ["profile", "our cost", "gap to bound", "Borda's cost", "our s"]
    if peer is not None:
        header += ["BioConsert's cost", "its s", "our cost / its", "its time / ours"]
    print_table(header, rows)


def distances(sizes: tuple[int, ...], repeats: int) -> None:
    """One Kendall distance, strict and tied."""
    print(f"Kendall's tau of two rankings; SciPy {scipy.__version__} computes tau-b with a normal p-value\n")
    rows = []
    for n in sizes:
        for name, levels in (("strict", None), ("100 levels", 100)):
            rng = np.random.default_rng(n)
            a, b = rng.random((2, n)) if levels is None else rng.integers(0, levels, (2, n)).astype(float)
            tasks = {
                "ours": lambda a=a, b=b: kendall_tau(a, b),
                "SciPy": lambda a=a, b=b: kendalltau(a, b, method="asymptotic"),
            }
            best = interleaved(tasks, repeats)
            milliseconds = [f"{1e3 * best[task]:.2f}" for task in tasks]
            rows.append([f"n = {n:,}, {name}", *milliseconds, ratio(best["SciPy"] / best["ours"])])
    print_table(["", "our ms", "SciPy's ms", "time / ours"], rows)


def agreement(n_rankings: int, n: int, repeats: int) -> None:
    """Mean distance over all pairs of rankings: by counting preferences, by comparing all pairs, by SciPy."""
    n_pairs = math.comb(n_rankings, 2)
    print(f"Mean Kendall distance over the {n_pairs:,} pairs of {n_rankings} rankings of {n:,} items, one thread\n")
    ranks = np.random.default_rng(0).integers(0, n // 4, (n_rankings, n)).astype(float)
    few = 20
    best = interleaved(
        {
            "mean_pairwise_distance": lambda: mean_pairwise_distance(ranks, n_jobs=1),
            "distance_matrix of 5 times fewer rankings": lambda: distance_matrix(ranks[: n_rankings // 5], n_jobs=1),
            "scipy.stats.kendalltau": lambda: [kendalltau(ranks[0], ranks[k], method="asymptotic") for k in range(few)],
        },
        repeats,
    )
    ours = best["mean_pairwise_distance"]
    matrix = best["distance_matrix of 5 times fewer rankings"] * n_pairs / math.comb(n_rankings // 5, 2)
    scipys = best["scipy.stats.kendalltau"] * n_pairs / few
    rows = [
        ["mean_pairwise_distance", f"{ours:.2f}", ratio(1.0)],
        ["distance_matrix (from a fifth of the rankings)", f"{matrix:.2f}", ratio(matrix / ours)],
        [f"SciPy (from {few} pairs)", f"{scipys:.2f}", ratio(scipys / ours)],
    ]
    print_table(["", "s", "time / ours"], rows)


def main() -> None:
    args = parser(__doc__).parse_args()
    if not args.no_header:
        print_header()
    if args.quick:
        distances((1_000, 10_000), repeats=3)
        agreement(50, 300, repeats=2)
        medians(100)
    else:
        distances((1_000, 100_000, 1_000_000), repeats=5)
        agreement(500, 2_000, repeats=3)
        medians(1_000)


if __name__ == "__main__":
    main()
