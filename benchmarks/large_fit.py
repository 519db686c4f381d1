"""One fit to very many rows: RF20 with 1M and 10M rows, for our models with their defaults, beside LightGBM's.

Seconds, processor seconds, memory at the peak beyond the table, seconds of scoring, and AUC on 200 000 fresh rows,
where the best possible is .7746. The table is float32 and is drawn block by block: 80 MB per million rows. Every fit
has a process of its own, with `--threads` threads. `--rows` and `--models` choose some of them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from _data import N_FEATURES, rf20_rows
from _timing import in_child, parser, peer, print_header, print_table
from memory import reset_high_water, resident
from threadpoolctl import threadpool_limits

from forest import scores_of
from rankforest import RankBoost, RankConsensus, RankingForest, TreeRank
from rankforest.metrics import roc_auc

ROWS, QUICK_ROWS = (1_000_000, 10_000_000), (300,)
N_TEST = 200_000
N_WARM = 100


def lightgbm(**options: Any) -> Any:
    package = peer("lightgbm")
    assert package is not None, "it is measured where it is installed"
    return package.LGBMClassifier(verbose=-1, **options)


MODELS: dict[str, Callable[..., Any]] = {
    "TreeRank": TreeRank,
    "RankingForest": RankingForest,
    "RankBoost": RankBoost,
    "RankConsensus": RankConsensus,
    "LightGBM": lightgbm,
}
QUICK_MODELS = ("TreeRank", "RankBoost", "LightGBM")


def measure(name: str, n: int, threads: int) -> dict[str, float]:
    """The figures of one fit, in this process."""
    options = {"random_state": 0} | ({} if name == "TreeRank" else {"n_jobs": threads})
    make = partial(MODELS[name], **options)
    X, y = rf20_rows(n, seed=0)
    new_X, new_y = rf20_rows(min(n, N_TEST), seed=1)
    scores_of(make().fit(X[:N_WARM], y[:N_WARM]), X[:N_WARM])  # imports and buffers are no part of what a fit takes
    reset_high_water()
    before = resident("VmRSS")
    with threadpool_limits(threads):
        start, cpu = time.perf_counter(), time.process_time()
        fitted = make().fit(X, y)
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        taken = resident("VmHWM") - before
        start = time.process_time()
        scores = scores_of(fitted, new_X)
        scored = time.process_time() - start
    return {"seconds": seconds, "cpu": cpu, "bytes": taken, "score": scored, "AUC": roc_auc(new_y, scores)}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--measure", choices=list(MODELS), help="measure one model in this process, print JSON")
    options.add_argument("--rows", type=int, nargs="+", help="rows of the tables")
    options.add_argument("--models", nargs="+", choices=list(MODELS), help="only these models")
    options.add_argument("--threads", type=int, default=2, help="threads of a fit; by default 2")
    args = options.parse_args()
    sizes = args.rows or (QUICK_ROWS if args.quick else ROWS)
    if args.measure:
        print(json.dumps(measure(args.measure, sizes[0], args.threads)))
        return
    if not args.no_header:
        print_header()
    for n in sizes:
        print(f"One fit to {n:,} x {N_FEATURES} float32, {args.threads} threads\n", flush=True)
        rows = []
        for name in args.models or (QUICK_MODELS if args.quick else MODELS):
            if name == "LightGBM" and peer("lightgbm") is None:
                continue
            f = in_child(__file__, "--measure", name, "--rows", str(n), "--threads", str(args.threads))
            rows.append(
                [name, f"{f['seconds']:.1f}", f"{f['cpu']:.1f}", f"{f['bytes'] / 2**20:,.0f}"]
                + [f"{f['bytes'] / (n * N_FEATURES):.1f}", f"{f['score']:.2f}", f"{f['AUC']:.4f}"]
            )
        scored = f"CPU s to score {min(n, N_TEST):,} rows"
        print_table(["", "seconds", "CPU s", "peak MiB", "bytes per cell", scored, "AUC"], rows)


if __name__ == "__main__":
    main()
