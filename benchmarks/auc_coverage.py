"""Do 95% intervals of the AUC hold the true AUC in 95% of the samples, also with five positives?

Claim: `auc_interval` holds it in at least 93% of the samples of a binormal score, from 5 positives on, for AUCs from .6
to .95, and never in less than 90% under five other laws. The peers, on the same samples: DeLong's interval on the logit
scale, and DeLong's interval of the AUC itself.

The laws, each with the wanted AUC: binormal scores of equal spread; positives, or negatives, of twice the spread of the
others; exponential scores; five ratings (a binormal score in five classes); and outliers, a share 1 - AUC of the
positives below all negatives, the law with the largest variance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from _timing import parser, print_header, print_table
from scipy.stats import norm

from rankforest.metrics.placements import Placements
from rankforest.metrics.score_interval import interval_of_auc

Array = np.ndarray
Rng = np.random.Generator
METHODS = ("score", "logit", "normal")
AUCS = (0.6, 0.7, 0.8, 0.9, 0.95)
CUTS = np.array([0.0, 0.7, 1.4, 2.2])


def binormal(positive_spread: float, negative_spread: float) -> Callable[[Rng, float, int, int], tuple[Array, Array]]:
    def draw(rng: Rng, auc: float, m: int, n: int) -> tuple[Array, Array]:
        shift = norm.ppf(auc) * np.hypot(positive_spread, negative_spread)
        return shift + positive_spread * rng.normal(size=m), negative_spread * rng.normal(size=n)

    return draw


def exponential(rng: Rng, auc: float, m: int, n: int) -> tuple[Array, Array]:
    return rng.exponential(auc / (1.0 - auc), m), rng.exponential(1.0, n)


def ratings(rng: Rng, auc: float, m: int, n: int) -> tuple[Array, Array]:
    positive, negative = binormal(1.0, 1.0)(rng, auc, m, n)
    return np.digitize(positive, CUTS).astype(float), np.digitize(negative, CUTS).astype(float)


def outliers(rng: Rng, auc: float, m: int, n: int) -> tuple[Array, Array]:
    return np.where(rng.random(m) < auc, 2.0, -1.0) + 0.1 * rng.random(m), rng.random(n)


LAWS = {
    "binormal": binormal(1.0, 1.0),
    "spread positives": binormal(2.0, 1.0),
    "spread negatives": binormal(1.0, 2.0),
    "exponential": exponential,
    "five ratings": ratings,
    "outliers": outliers,
}


def true_auc(law: str, auc: float) -> float:
    """The true AUC of a distribution: the wanted one, except for ratings, which have ties."""
    if law != "five ratings":
        return auc
    ends = np.concatenate([[-np.inf], CUTS, [np.inf]])
    positive, negative = (np.diff(norm.cdf(ends - by)) for by in (norm.ppf(auc) * np.sqrt(2.0), 0.0))
    return float(positive @ (np.cumsum(negative) - 0.5 * negative))


def placed(positive: Array, negative: Array) -> Placements:
    """The placements of one sample, by two searches: the whole of `auc_interval` without its checks."""

    def share_below(values: Array, among: Array) -> Array:
        ordered = np.sort(among)
        sides: Iterable[Any] = ("left", "right")
        return sum(np.searchsorted(ordered, values, side) for side in sides) / (2.0 * len(among))

    return Placements(share_below(positive, negative)[None], 1.0 - share_below(negative, positive)[None], None, None)


def coverage(law: str, auc: float, m: int, n: int, runs: int, methods: Iterable[str] = METHODS) -> dict[str, Array]:
    """Share of the intervals of each method that hold the true AUC, and their mean length."""
    rng = np.random.default_rng([m, n, round(1000 * auc), list(LAWS).index(law)])
    truth, found = true_auc(law, auc), {method: np.zeros(2) for method in methods}
    for _ in range(runs):
        sample = placed(*LAWS[law](rng, auc, m, n))
        for method, total in found.items():
            interval = interval_of_auc(sample, 0.05, method)
            total += (truth in interval, interval.high - interval.low)
    return {method: total / runs for method, total in found.items()}


def main() -> None:
    args = parser(__doc__).parse_args()
    if not args.no_header:
        print_header()
    runs = 10 if args.quick else 1000
    sizes = [(m, n) for m in (5, 10, 20, 50, 100, 200) for n in (m, 10 * m)]
    if args.quick:
        sizes = [(5, 5), (10, 100), (50, 50)]
    for law in LAWS:
        print(f"{law}: coverage of 95% intervals, and their mean length, {runs} samples\n")
        rows = []
        for m, n in sizes:
            for auc in AUCS:
                found = coverage(law, auc, m, n, runs)
                cells = [f"{held:.3f} ({length:.3f})" for held, length in found.values()]
                rows.append([f"{m} + {n}", f"{true_auc(law, auc):.3f}", *cells])
        print_table(["positives + negatives", "AUC", *METHODS], rows)


if __name__ == "__main__":
    main()
