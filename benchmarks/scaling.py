"""How the time of a fit grows with the number of rows: n = 10k to 1M, q = 20, one thread.

Claim: `TreeRank(size=None).fit` costs n^1.1 or less; the exponent is fitted by least squares on logarithms. The
steepest slope between two neighbouring sizes is printed too: at large n the tree has reached its maximal depth and has
no more nodes to scan, so one slope over all sizes is too favourable.

Binning included for all. Beside it, at their defaults, 10 rounds of LightGBM and of scikit-learn's
HistGradientBoostingClassifier: their times are not comparable with ours (other models), their exponents are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from _data import N_FEATURES, weak_gaussians
from _timing import interleaved, parser, peer, print_header, print_table
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from rankforest import TreeRank

TARGET = 1.1
ROUNDS = 10
# rows: repetitions
PLAN = {10_000: 9, 31_623: 7, 100_000: 5, 316_228: 4, 1_000_000: 3}
QUICK_PLAN = {1_000: 2, 3_162: 2, 10_000: 2}


def fits(X: np.ndarray, y: np.ndarray) -> dict[str, Callable[[], Any]]:
    lightgbm = peer("lightgbm")
    options = {"objective": "binary", "num_threads": 1, "verbose": -1}
    boosted = {
        f"LightGBM, {ROUNDS} rounds": lambda: lightgbm.train(options, lightgbm.Dataset(X, y, params=options), ROUNDS)
    }
    return {
        "rankforest TreeRank(size=None)": lambda: TreeRank(size=None, random_state=0).fit(X, y),
        **(boosted if lightgbm is not None else {}),
        f"HistGradientBoosting, {ROUNDS} rounds": lambda: HistGradientBoostingClassifier(
            max_iter=ROUNDS, early_stopping=False
        ).fit(X, y),
    }


def main() -> None:
    args = parser(__doc__).parse_args()
    if not args.no_header:
        print_header()
    plan = QUICK_PLAN if args.quick else PLAN
    X, y = weak_gaussians(max(plan))
    seconds: dict[str, list[float]] = {}
    with threadpool_limits(limits=1):
        for n, repeats in plan.items():
            for name, time in interleaved(fits(X[:n], y[:n]), repeats).items():
                seconds.setdefault(name, []).append(time)

    print(f"Time of a fit in ms, q = {N_FEATURES}, one thread; cost grows as n^exponent\n")
    rows = []
    for name, times in seconds.items():
        exponent = np.polyfit(np.log(list(plan)), np.log(times), 1)[0]
        target = f" (target <= {TARGET:g})" if name.startswith("rankforest") else ""
        steepest = (np.diff(np.log(times)) / np.diff(np.log(list(plan)))).max()
        rows.append([name, *(f"{1e3 * time:.1f}" for time in times), f"{exponent:.2f}{target}", f"{steepest:.2f}"])
    print_table(["", *(f"n = {n:,}" for n in plan), "exponent", "steepest step"], rows)


if __name__ == "__main__":
    main()
