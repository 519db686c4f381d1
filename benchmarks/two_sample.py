"""Level and power of `two_sample_test`: how often it rejects equal and different samples.

Claims: on equal samples its false-alarm rate at level .05 lies in [.03, .07] over 1000 small runs, also if every row is
there four times, and its power grows with the difference. Peers on the same samples, all rows, no split: Hotelling's T2
(best for shifted normal samples, blind to anything else) and Kolmogorov-Smirnov feature by feature (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from _timing import parser, print_header, print_table
from scipy.stats import f, ks_2samp

from rankforest.two_sample import two_sample_test

Samples = tuple[np.ndarray, np.ndarray]


def ours(X: np.ndarray, Y: np.ndarray, seed: int) -> float:
    return two_sample_test(X, Y, random_state=seed).p_value


def hotelling(X: np.ndarray, Y: np.ndarray, seed: int) -> float:
    """p-value of Hotelling's two-sample T2."""
    (n, q), m, d = X.shape, len(Y), Y.mean(axis=0) - X.mean(axis=0)
    pooled = ((n - 1) * np.cov(X.T) + (m - 1) * np.cov(Y.T)) / (n + m - 2)
    t2 = n * m / (n + m) * d @ np.linalg.solve(pooled, d)
    return float(f.sf(t2 * (n + m - q - 1) / (q * (n + m - 2)), q, n + m - q - 1))


def kolmogorov_smirnov(X: np.ndarray, Y: np.ndarray, seed: int) -> float:
    """Least p-value of the features, times their number."""
    q = X.shape[1]
    return min(1.0, q * min(float(ks_2samp(X[:, j], Y[:, j], method="asymp").pvalue) for j in range(q)))


TESTS: dict[str, Callable[[np.ndarray, np.ndarray, int], float]] = {
    "two_sample_test": ours,
    "Hotelling's T2": hotelling,
    "Kolmogorov-Smirnov": kolmogorov_smirnov,
}


def shifted(rng: np.random.Generator, n: int, by: float) -> Samples:
    """Two of four normal features shifted."""
    X, Y = rng.normal(size=(2, n, 4))
    return X, Y + by * np.array([1.0, 1.0, 0.0, 0.0])


def copied(rng: np.random.Generator, n: int, by: float) -> Samples:
    """Equal samples of n rows, of which each is there four times."""
    X, Y = rng.normal(size=(2, n // 4, 4))
    return np.repeat(X, 4, axis=0), np.repeat(Y, 4, axis=0)


def spread(rng: np.random.Generator, n: int, by: float) -> Samples:
    """Two of four normal features wider by a factor 1 + by; the means are the same."""
    X, Y = rng.normal(size=(2, n, 4))
    return X, Y * (1.0 + by * np.array([1.0, 1.0, 0.0, 0.0]))


def correlated(rng: np.random.Generator, n: int, by: float) -> Samples:
    """Two of four normal features with a correlation; every single feature has the same law."""
    X, Y = rng.normal(size=(2, n, 4))
    Y[:, 1] = by * Y[:, 0] + np.sqrt(1.0 - by**2) * Y[:, 1]
    return X, Y


def rejected(draw: Callable[..., Samples], n: int, by: float, runs: int) -> list[float]:
    """Share of the runs in which each test rejects at level .05."""
    count = np.zeros(len(TESTS))
    for seed in range(runs):
        X, Y = draw(np.random.default_rng(seed), n, by)
        count += [test(X, Y, seed) < 0.05 for test in TESTS.values()]
    return (count / runs).tolist()


def main() -> None:
    args = parser(__doc__).parse_args()
    if not args.no_header:
        print_header()
    runs = 5 if args.quick else 1000
    print(f"Equal samples, 4 normal features: false-alarm rate at level .05, {runs} runs (target .03 to .07)\n")
    sizes = (20, 50) if args.quick else (20, 50, 100)
    rows = [[f"{n} + {n} rows", *(f"{share:.3f}" for share in rejected(shifted, n, 0.0, runs))] for n in sizes]
    rows.append(["80 + 80 rows, each four times", *(f"{share:.3f}" for share in rejected(copied, 80, 0.0, runs))])
    print_table(["", *TESTS], rows)
    runs = 3 if args.quick else 200
    print(f"Different samples, 100 + 100 rows: power at level .05, {runs} runs\n")
    rows = []
    for draw, name, steps in (
        (shifted, "means shifted by", (0.25, 0.5, 0.75, 1.0)),
        (spread, "wider by a factor 1 +", (0.5, 1.0, 2.0)),
        (correlated, "correlation", (0.7, 0.9, 0.99)),
    ):
        for by in steps:
            rows.append([f"{name} {by:g}", *(f"{share:.2f}" for share in rejected(draw, 100, by, runs))])
    print_table(["", *TESTS], rows)


if __name__ == "__main__":
    main()
