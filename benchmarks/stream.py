"""A Parquet file of 10 GB of doubles, fitted without holding it in memory; every model in a process of its own.

Goal: at most 1.3 bytes per cell and 500 MB (2125 MB), which TreeRank meets (1993 MB), and RankingForest with 10
trees (2058 MB), see docs/streams.md.

LightGBM reads the file by a Sequence, XGBoost by an iterator into an ExtMemQuantileDMatrix. The forest and the peers
grow `--trees` trees, 100 by default; the forest has one kind of trees, LeafRank(), in place of the comparison of kinds
that is its default.

The memory is the most that the process had resident, which includes pages of files that it has mapped.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from _timing import in_child, parser, peer, print_header

N_FEATURES = 40
GROUP_ROWS = 2**17
NAMES = [f"x{j}" for j in range(N_FEATURES)]
OURS = ("TreeRank", "RankingForest")
PEERS = {"LightGBM": "lightgbm", "XGBoost": "xgboost"}


def rows(n: int, rng: np.random.Generator) -> pa.Table:
    """Gaussian features, and labels that depend a little on each of them."""
    X = rng.standard_normal((N_FEATURES, n))
    score = X.sum(axis=0) / np.sqrt(N_FEATURES) + X[0] * X[1] + 2 * rng.standard_normal(n)
    return pa.table([*X, (score > 0).astype(np.int8)], names=[*NAMES, "y"])


def write(path: str, n_rows: int) -> None:
    """The file, one group of rows at a time."""
    rng = np.random.default_rng(0)
    with pq.ParquetWriter(path, rows(1, rng).schema, compression="none", use_dictionary=False) as writer:
        for start in range(0, n_rows, GROUP_ROWS):
            writer.write_table(rows(min(GROUP_ROWS, n_rows - start), rng))


# ---- one model, in a process of its own


def fit_ours(name: str, path: str, threads: int, n_trees: int, memory: str) -> Any:
    import rankforest
    from rankforest import Stream

    forest = {"n_estimators": n_trees, "splitter": rankforest.LeafRank()}
    trees: dict[str, Any] = {"size": None} if name == "TreeRank" else forest
    model = getattr(rankforest, name)(**trees, n_jobs=threads, random_state=0)
    model.fit(Stream(path, memory=memory), "y")
    return lambda X: model.score_samples([pa.table(list(X.T), names=NAMES)])


def fit_lightgbm(path: str, threads: int, n_trees: int) -> Any:
    import lightgbm

    class Rows(lightgbm.Sequence):
        """Rows of the file, by number or by slice; the last group that was read is kept."""

        batch_size = 4096

        def __init__(self) -> None:
            self.file = pq.ParquetFile(path)
            sizes = [self.file.metadata.row_group(i).num_rows for i in range(self.file.num_row_groups)]
            self.first = np.cumsum([0, *sizes])
            self.group = -1

        def __len__(self) -> int:
            return int(self.first[-1])

        def _of(self, group: int) -> np.ndarray:
            if group != self.group:
                self.kept = np.column_stack([c.to_numpy() for c in self.file.read_row_group(group, NAMES).columns])
                self.group = group
            return self.kept

        def __getitem__(self, at: Any) -> np.ndarray:
            if not isinstance(at, slice):
                group = int(np.searchsorted(self.first, at, side="right")) - 1
                return self._of(group)[at - self.first[group]]
            found, start = [], at.start
            while start < at.stop:
                group = int(np.searchsorted(self.first, start, side="right")) - 1
                stop = min(at.stop, self.first[group + 1])
                found.append(self._of(group)[start - self.first[group] : stop - self.first[group]])
                start = stop
            return np.vstack(found)

    labels = pq.read_table(path, columns=["y"])["y"].to_numpy()
    options = {"objective": "binary", "num_threads": threads, "verbose": -1}
    data = lightgbm.Dataset(Rows(), labels, params=options)
    model = lightgbm.train(options, data, num_boost_round=n_trees)
    return lambda X: model.predict(X, raw_score=True)


def fit_xgboost(path: str, threads: int, n_trees: int) -> Any:
    import xgboost

    class Rows(xgboost.DataIter):
        """Groups of rows of the file."""

        def __init__(self, folder: str) -> None:
            self.file, self.at = pq.ParquetFile(path), 0
            super().__init__(cache_prefix=os.path.join(folder, "cache"), on_host=False)

        def next(self, input_data: Any) -> bool:
            if self.at == self.file.num_row_groups:
                return False
            group = self.file.read_row_group(self.at)
            X = np.column_stack([group[name].to_numpy() for name in NAMES])
            input_data(data=X, label=group["y"].to_numpy())
            self.at += 1
            return True

        def reset(self) -> None:
            self.at = 0

    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
        data = xgboost.ExtMemQuantileDMatrix(Rows(folder), nthread=threads)
        options = {"objective": "binary:logistic", "nthread": threads, "tree_method": "hist"}
        model = xgboost.train(options, data, num_boost_round=n_trees)
        del data
    return lambda X: model.predict(xgboost.DMatrix(X), output_margin=True)


def resident() -> int:
    """Most bytes that this process had resident."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def measure(name: str, path: str, chosen: argparse.Namespace) -> None:
    from rankforest.metrics import roc_auc

    before, start = resident(), time.perf_counter()
    if name in OURS:
        score = fit_ours(name, path, chosen.threads, chosen.trees, chosen.memory)
    else:
        score = {"LightGBM": fit_lightgbm, "XGBoost": fit_xgboost}[name](path, chosen.threads, chosen.trees)
    seconds, most = time.perf_counter() - start, resident()
    fresh = rows(2_000 if chosen.quick else 100_000, np.random.default_rng(1))
    X = np.column_stack([fresh[column].to_numpy() for column in NAMES])
    auc = roc_auc(fresh["y"].to_numpy(), score(X))
    print(json.dumps({"seconds": seconds, "before": before, "most": most, "auc": auc}))


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--gigabytes", type=float, default=10.0, help="size of the doubles")
    options.add_argument("--folder", help="where the file goes for the time being; the temporary one by default")
    options.add_argument("--models", nargs="+", choices=[*OURS, *PEERS], default=[*OURS, *PEERS])
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--trees", type=int, default=100, help="trees of the forest, rounds of the peers")
    options.add_argument("--memory", default="1TB", help="of Stream: more codes than this go to a file")
    options.add_argument("--measure", nargs=2, metavar=("MODEL", "FILE"), help="fit one model, and print its figures")
    chosen = options.parse_args()
    if chosen.measure:
        measure(*chosen.measure, chosen)
        return
    if not chosen.no_header:
        print_header()
    n_bytes = 2e6 if chosen.quick else chosen.gigabytes * 1e9
    n_rows = round(n_bytes / 8 / N_FEATURES)
    models = [name for name in chosen.models if name in OURS or peer(PEERS[name]) is not None]
    if chosen.quick:
        models = models[:1]
    limit = 1.3 * n_rows * N_FEATURES + 500e6
    print(f"{n_rows:,} rows of {N_FEATURES} doubles, {chosen.threads} threads; target: at most {limit / 1e6:.0f} MB\n")
    # each line is printed when it is known, because a fit of 10 GB takes long
    print("| | seconds | MB at most | bytes per cell | AUC |\n|---|---:|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        path = os.path.join(folder, "rows.parquet")
        write(path, n_rows)
        given = ["--threads", str(chosen.threads), "--memory", chosen.memory]
        given += ["--trees", str(5 if chosen.quick else chosen.trees), *(["--quick"] if chosen.quick else [])]
        for name in models:
            found = in_child(__file__, "--measure", name, path, *given)
            per_cell = (found["most"] - found["before"]) / (n_rows * N_FEATURES)
            figures = f"{found['seconds']:.0f} | {found['most'] / 1e6:.0f} | {per_cell:.2f} | {found['auc']:.4f}"
            print(f"| {name} | {figures} |", flush=True)
    print()


if __name__ == "__main__":
    main()
