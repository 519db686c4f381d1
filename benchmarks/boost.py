"""Boosting: the cost of a round, and the accuracy of `RankBoost()` compared with its peers.

Speed: processor time of an extra round in one thread, of trees of 16 leaves on 20 numeric features. The claim is that
LightGBM's round takes at least 1.5 times as long, at n = 2000 and n = 100 000. Beside it a whole fit with the
defaults, which is five kinds of trees times five folds.

Accuracy: on real sets, folds and peers as in `forest.py`: 2-fold cross-validation, the same folds for all. The
defaults were chosen on splits with seeds 100 and 200 of the same sets, at most 6000 rows of each, so the splits here,
with seeds 0, 1, ..., are not independent of them. `--rows` takes at most so many rows of a set, `--results FILE` keeps
what is done and goes on where it stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from _data import weak_gaussians
from _results import Results
from _stand_ins import data_folder
from _timing import interleaved, parser, peer, per_extra, print_header, print_table, ratio
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from forest import METRICS, QUICK_SETS, SIZES, CatBoost, installed, lightgbm_slow, print_real, ranking_forest, run_real
from rankforest import RankBoost

LEAVES, RATE = 16, 0.05


def one_booster(loss: str, X: Any, y: Any, n_rounds: int) -> Any:
    model = RankBoost(
        n_rounds, loss=loss, max_leaf_nodes=LEAVES, max_features=None, cuts="best", min_samples_leaf=20, l2=1.0,
        subsample=1.0, learning_rate=RATE, n_folds=None, n_jobs=1,
    )  # fmt: skip
    return model.fit(X, y)


def lightgbm(X: Any, y: Any, n_rounds: int) -> Any:
    model = peer("lightgbm").LGBMClassifier(
        n_estimators=n_rounds, num_leaves=LEAVES, learning_rate=RATE, n_jobs=1, verbose=-1
    )
    return model.fit(X, y)


def hist_gradient_boosting(X: Any, y: Any, n_rounds: int) -> Any:
    model = HistGradientBoostingClassifier(
        max_iter=n_rounds, max_leaf_nodes=LEAVES, learning_rate=RATE, early_stopping=False
    )
    with threadpool_limits(1):
        return model.fit(X, y)


def speed(sizes: tuple[int, ...], repeats: int) -> None:
    print("Milliseconds of processor time per extra round, one thread; time / ours with log_loss\n")
    rows = []
    for n in sizes:
        X, y = weak_gaussians(n)
        tasks: dict[str, Callable[[int], Any]] = {
            loss: partial(one_booster, loss, X, y) for loss in ("log_loss", "logistic", "exponential")
        }
        ours = list(tasks)
        tasks |= installed({"LightGBM": partial(lightgbm, X, y), "HistGB": partial(hist_gradient_boosting, X, y)})
        few, many = (20, 120) if n == 2000 else (5, 25)
        found = per_extra(tasks, few, many, repeats, clock=time.process_time)
        row = [f"{n:,}", *(f"{1e3 * found[name]:.2f}" for name in ours)]
        for name in list(tasks)[len(ours) :]:
            target = 1.5 if name == "LightGBM" else None
            row += [f"{1e3 * found[name]:.2f}", ratio(found[name] / found["log_loss"], target)]
        rows.append(row)
    beside = [title for name in list(tasks)[len(ours) :] for title in (name, "/ ours")]
    print_table(["n", *ours, *beside], rows)


def whole_fits(n: int) -> None:
    print(f"Seconds of processor time of a whole fit, defaults, n = {n}, one thread\n")
    X, y = weak_gaussians(n)
    frame = pd.DataFrame(X)
    tasks: dict[str, Callable[[], Any]] = {
        "RankBoost": lambda: RankBoost(random_state=0).fit(X, y),
        "LightGBM slow": lambda: lightgbm_slow(1).fit(X, y),
        "CatBoost": lambda: CatBoost(1).fit(frame, y),
    }
    found = interleaved(installed(tasks), 1, time.process_time)
    print_table(list(found), [[f"{seconds:.1f}" for seconds in found.values()]])


def models(threads: int, n_trees: int, **rounds: Any) -> dict[str, Callable[[], Any]]:
    """Ours first, then the peers to beat."""
    return installed(
        {
            "RankBoost": lambda: RankBoost(n_jobs=threads, random_state=0, **rounds),
            "RankingForest": lambda: ranking_forest(n_trees, threads),
            "LightGBM slow": lambda: lightgbm_slow(threads),
            "CatBoost": lambda: CatBoost(threads),
        }
    )


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--part", choices=["speed", "real"], help="only one of the two")
    options.add_argument("--data", type=Path, help="folder with the real sets; without it they are left out")
    options.add_argument("--sets", nargs="+", choices=list(SIZES), default=list(SIZES), help="only these real sets")
    options.add_argument("--repeats", type=int, default=1, help="times 2-fold cross-validation; 0 prints the results")
    options.add_argument("--rows", type=int, help="most rows of a set, drawn by the number of the repeat")
    options.add_argument("--results", type=Path, help="CSV file of the folds that are done; goes on where it stopped")
    options.add_argument("--threads", type=int, default=2, help="threads of each model")
    args = options.parse_args()
    if not args.no_header:
        print_header()
    if args.part != "real":
        speed((1000,) if args.quick else (2000, 100_000), repeats=1 if args.quick else 5)
        whole_fits(200 if args.quick else 2000)
    if args.part == "speed":
        return
    names = [name for name in args.sets if not args.quick or name in QUICK_SETS]
    found = models(args.threads, 20, n_estimators=20, n_folds=None) if args.quick else models(args.threads, 500)
    results = Results(args.results, METRICS)
    with data_folder(args.data, quick=args.quick) as folder:
        if folder is not None:
            run_real(folder, names, args.repeats, found, args.threads, results, most_rows=args.rows)
            print_real(results, "RankBoost")


if __name__ == "__main__":
    main()
