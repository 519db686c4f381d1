"""Fits on a Dask cluster of this machine, 1 and 2 workers of one core each, beside LightGBM and XGBoost on the same.

Claims: the model is that of a local fit; the bytes of a node do not depend on the number of rows if histograms are
summed. Measured: what a second worker saves, and what a cluster of one worker costs beside a local fit with one thread.

The table has 20 Gaussian features, or `--features` of them, made by the workers and kept there. Local and cluster
fits get the same rows. All boosters have `--rounds` trees of 31 leaves, one booster and no early stopping; the forest
has `--trees` trees of one kind.

`--results FILE` adds every fit to a file of JSON lines. `--cost FILE` fits the cost model of docs/dask.md to such a
file, checks it on the largest size, which it does not use, and reads it at `--rows`, by default a billion,
`--features`, `--trees`, `--rounds`, `--threads` and `--bandwidth`.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
from _cluster_cost import print_cost
from _cluster_reading import Asked, print_reading
from _timing import parser, peer, print_header, print_table
from distributed import Client, LocalCluster, wait

import rankforest
import rankforest.dask
from rankforest import LeafRank

ROWS, QUICK_ROWS = (1_000_000, 10_000_000), (500,)
TRAFFIC_ROWS, QUICK_TRAFFIC_ROWS = (50_000, 200_000, 800_000), (500, 1_000)
WAYS = ("trees", "bags", "histograms")
PEERS = ("LightGBM", "XGBoost")


def block(number: int, n: int, q: int) -> np.ndarray:
    """Rows of one partition: Gaussian features, and in the last column labels that depend a little on each of them."""
    rng = np.random.default_rng(number)
    rows = rng.standard_normal((n, q + 1), dtype=np.float32)
    rows[:, -1] = rows[:, :-1].sum(axis=1) / np.sqrt(q) + 2 * rows[:, -1] > 0
    return rows


def sizes(n: int) -> list[int]:
    """Rows of the partitions: a hundred thousand, but at least eight partitions."""
    size = min(100_000, -(-n // 8))
    return [min(size, n - start) for start in range(0, n, size)]


def on_cluster(n: int, q: int) -> tuple[da.Array, da.Array]:
    """The table in the memory of the workers."""
    make = dask.delayed(block)
    blocks = [
        da.from_delayed(make(number, size, q), (size, q + 1), dtype=np.float32) for number, size in enumerate(sizes(n))
    ]
    rows = da.concatenate(blocks)
    X, y = dask.persist(rows[:, :-1], rows[:, -1].astype(np.uint8))
    wait([X, y])
    return X, y


def in_memory(n: int, q: int) -> tuple[np.ndarray, np.ndarray]:
    rows = np.concatenate([block(number, size, q) for number, size in enumerate(sizes(n))])
    return rows[:, :-1], rows[:, -1].astype(np.uint8)


def ours(trees: int, rounds: int) -> dict[str, Callable[[Any], Any]]:
    """Our estimators, given the module that has them."""
    boosting = {"max_leaf_nodes": 31, "cuts": "best", "max_features": None, "learning_rate": 0.1, "n_folds": None}
    return {
        "TreeRank": lambda of: of.TreeRank(size=None, random_state=0),
        "RankingForest": lambda of: of.RankingForest(trees, splitter=LeafRank(max_depth=6), random_state=0),
        "RankBoost": lambda of: of.RankBoost(rounds, loss="log_loss", random_state=0, **boosting),
    }


def theirs(name: str, rounds: int, client: Client) -> Any:
    shape = {"n_estimators": rounds, "learning_rate": 0.1}
    if name == "LightGBM":
        return peer("lightgbm").DaskLGBMClassifier(num_leaves=31, verbose=-1, n_jobs=1, client=client, **shape)
    model = peer("xgboost.dask").DaskXGBClassifier(
        tree_method="hist", grow_policy="lossguide", max_leaves=31, max_depth=0, n_jobs=1, **shape
    )
    model.client = client
    return model


@contextmanager
def cluster_of(n_workers: int, quick: bool) -> Iterator[Client]:
    """Workers are processes, but threads where only a look is wanted."""
    with (
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=not quick, dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        yield client


def sent_by_workers(client: Client) -> int:
    """Bytes that workers sent to each other and to the client, as Dask counts them."""
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def timed(fit: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    fitted = fit()
    return time.perf_counter() - start, fitted


class Runs:
    """The fits, each of them kept in a file if there is one."""

    def __init__(self, path: Path | None, n_features: int) -> None:
        self._path = path
        self._n_features = n_features

    def cluster_fit(self, client: Client, name: str, make: Callable[[Any], Any], n: int, way: str | None) -> Any:
        """Figures of one of our fits."""
        X, y = on_cluster(n, self._n_features)
        before = sent_by_workers(client)
        seconds, model = timed(lambda: make(rankforest.dask).set_params(client=client).fit(X, y, way=way))
        run = {
            "model": name, "n": n, "q": self._n_features, "workers": len(client.nthreads()), "parts": len(sizes(n)),
            "way": way or "by size", "seconds": seconds, "trees": n_trees(model.to_local()),
            "bytes": model.traffic_.bytes_sent, "tasks": model.traffic_.n_tasks, "rounds": model.traffic_.n_rounds,
            "by workers": sent_by_workers(client) - before,
        }  # fmt: skip
        if self._path is not None:
            with self._path.open("a") as file:
                file.write(json.dumps(run) + "\n")
        return run


def n_trees(model: Any) -> int:
    if hasattr(model, "trees_"):
        return len(model.trees_)
    return int(model.n_iter_) if hasattr(model, "n_iter_") else 1


def speed(args: Any, runs: Runs, rows: tuple[int, ...], models: list[str]) -> None:
    """Seconds of a fit: local with one thread, on one worker, on two."""
    made = ours(args.trees, args.rounds)
    for n in rows:
        seconds: dict[str, list[float]] = {name: [] for name in models}
        for name in models:
            if name in made:
                X, y = in_memory(n, args.features)
                seconds[name].append(timed(lambda name=name, X=X, y=y: made[name](rankforest).fit(X, y))[0])
                del X, y
            else:
                seconds[name].append(np.nan)
        for n_workers in args.workers:
            with cluster_of(n_workers, args.quick) as client:
                for name in models:
                    if name in made:
                        seconds[name].append(runs.cluster_fit(client, name, made[name], n, args.way)["seconds"])
                    else:
                        X, y = on_cluster(n, args.features)
                        fit = theirs(name, args.rounds, client).fit
                        seconds[name].append(timed(lambda fit=fit, X=X, y=y: fit(X, y))[0])
        print(f"Seconds of a fit to {n:,} x {args.features} float32\n", flush=True)
        head = ["", "local, one thread", *(f"{k} worker{'s' * (k > 1)}" for k in args.workers)]
        print_table(
            [*head, "first cluster / local", "first / last cluster"],
            [
                [name, *("" if np.isnan(s) else f"{s:.1f}" for s in each)]
                + ["" if np.isnan(each[0]) else f"{each[1] / each[0]:.2f}", f"{each[1] / each[-1]:.2f}"]
                for name, each in seconds.items()
            ],
        )


def traffic(args: Any, runs: Runs, rows: tuple[int, ...], models: list[str]) -> None:
    """Bytes of a tree by the number of rows, for each way."""
    made = {name: make for name, make in ours(args.trees, args.rounds).items() if name in models}
    for n_workers in args.workers:  # the figures of the last cluster are printed, all of them are for the cost model
        with cluster_of(n_workers, args.quick) as client:
            fits = {
                (name, way): [runs.cluster_fit(client, name, made[name], n, way) for n in rows]
                for name in made
                for way in args.ways
            }
    found = []
    for (name, way), each in fits.items():
        kilobytes = [f"{run['bytes'] / run['trees'] / 1e3:,.0f}" for run in each]
        last = each[-1]
        left = f"{last['by workers'] / last['trees'] / 1e3:,.0f}"
        found.append([f"{name}, {way}", *kilobytes, left, f"{last['rounds']:,}", f"{last['tasks']:,}"])
    print("Kilobytes of arguments and results of tasks, per tree; and what left the workers, without copies of codes\n")
    print_table(["", *(f"{n:,} rows" for n in rows), "left the workers", "rounds", "tasks"], found)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rows", type=int, nargs="*", help="rows of the tables of the first part")
    options.add_argument("--traffic-rows", type=int, nargs="*", help="rows of the tables of the second part")
    options.add_argument("--features", type=int, default=20, help="columns of the tables")
    options.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="sizes of the cluster; by default 1 2")
    options.add_argument("--models", nargs="+", help="only these, of ours and LightGBM and XGBoost")
    options.add_argument("--trees", type=int, default=20, help="trees of the forest")
    options.add_argument("--rounds", type=int, default=50, help="rounds of all boosters")
    options.add_argument("--way", choices=WAYS, help="how our models grow in the first part; by default by size")
    options.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS, help="ways of the second part")
    options.add_argument("--results", type=Path, help="file of JSON lines to which our fits are added")
    options.add_argument("--cost", type=Path, help="fit the cost model to such a file, and do nothing else")
    options.add_argument("--threads", type=int, default=64, help="of the cluster that the cost model is read at")
    options.add_argument("--bandwidth", type=float, default=1.0, help="of each of its workers, GB/s")
    args = options.parse_args()
    if args.quick:
        args.trees, args.rounds, args.workers = 2, 1, args.workers[:1]
    if not args.no_header:
        print_header()
    if args.cost is not None:
        costs, rows = print_cost(args.cost), (args.rows or [10**9])[0]
        trees = {"TreeRank": 1, "RankingForest": args.trees, "RankBoost": args.rounds}
        print_reading(Asked(rows, args.features, args.threads, trees, 1e9 * args.bandwidth), costs)
        return
    rows = tuple(args.rows if args.rows is not None else QUICK_ROWS if args.quick else ROWS)
    models = args.models or [*ours(1, 1), *(name for name in PEERS if not args.quick)]
    models = [name for name in models if name not in PEERS or peer(name.lower()) is not None]
    runs = Runs(args.results, args.features)
    speed(args, runs, rows, models)
    more = args.traffic_rows if args.traffic_rows is not None else QUICK_TRAFFIC_ROWS if args.quick else TRAFFIC_ROWS
    if more:
        traffic(args, runs, tuple(more), models)


if __name__ == "__main__":
    main()
