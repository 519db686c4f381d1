"""Speed and memory of a forest of 100 trees, two threads.

Claims: at n = 100k, q = 20 (RF20) a fit is at least 10 times as fast as that of scikit-learn's RandomForestClassifier
at its default depth, and scoring 100k raw rows at least 5 times as fast; a fit at n = 2000 takes less than half a
second; scoring takes time in proportion to the rows, and memory that does not grow with them.

A default forest of 500 trees shall take at most half of the CPU seconds of RandomForestClassifier(500), which is given
codes for categories: on a simulated table with six columns of twelve categories, and with --data FOLDER on 10 000 rows
of adult and bank_marketing and on spambase.

Two fits stand beside each other: the default, which also scores all rows out of bag and calibrates the probabilities,
and `Sampling(oob=False)`, which is what RandomForestClassifier does by default. Both choose how fine the trees are.
scikit-learn scores float32; it is given float64, as we are.

Rows are scored from a float32 file that is read block by block, so that the table itself is never in memory: 1 and
10 million rows, each in a process of its own, with the high-water mark of resident memory beyond what there was before.
"""

from __future__ import annotations

import json
import math
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from _sets import SETS, drawn_rows, present
from _timing import in_child, interleaved, parser, print_header, print_table, ratio
from memory import reset_high_water, resident
from scipy.stats import rankdata
from sklearn.ensemble import RandomForestClassifier

from rankforest import RankingForest, Sampling
from rankforest.data import simulate

THREADS = 2
N_TREES = 100
N_FEATURES = 20
FIT_TARGET, SCORE_TARGET, SMALL_TARGET, CPU_TARGET = 10.0, 5.0, 0.5, 0.5
MANY_TREES = 500
REAL_SETS = ("adult", "bank_marketing", "spambase")
N_CATEGORICAL, N_CATEGORIES = 6, 12
BLOCK_ROWS = 100_000


def ours(oob: bool = True) -> RankingForest:
    return RankingForest(N_TREES, sampling=Sampling(oob=oob), n_jobs=THREADS, random_state=0)


def theirs() -> RandomForestClassifier:
    return RandomForestClassifier(N_TREES, n_jobs=THREADS, random_state=0)


def fit_and_score(n: int, repeats: int) -> None:
    train, test = simulate.rf20(n, 0), simulate.rf20(n, 1)
    models = {
        "RankingForest": ours(),
        "RankingForest, oob=False": ours(oob=False),
        "RandomForestClassifier": theirs(),
    }
    seconds = interleaved({name: partial(model.fit, train.X, train.y) for name, model in models.items()}, repeats)
    peer = seconds["RandomForestClassifier"]
    print(f"Fit of {N_TREES} trees, n = {n:,}, q = {N_FEATURES}, least of {repeats}\n")
    rows = [
        [name, f"{took:.2f}", ratio(peer / took, None if took == peer else FIT_TARGET)]
        for name, took in seconds.items()
    ]
    print_table(["", "seconds", "RandomForestClassifier / this"], rows)

    scorings = {
        "RankingForest.score_samples": lambda: models["RankingForest"].score_samples(test.X),
        "RandomForestClassifier.predict_proba": lambda: models["RandomForestClassifier"].predict_proba(test.X),
    }
    seconds = interleaved(scorings, 2 * repeats)
    peer = seconds["RandomForestClassifier.predict_proba"]
    print(f"Scoring of {n:,} rows, {N_TREES} trees, least of {2 * repeats}\n")
    rows = [
        [name, f"{took:.3f}", ratio(peer / took, None if took == peer else SCORE_TARGET)]
        for name, took in seconds.items()
    ]
    print_table(["", "seconds", "RandomForestClassifier / this"], rows)


def small_fit(n: int, repeats: int) -> None:
    train = simulate.rf20(n, 0)
    fits = {
        "RankingForest": lambda: ours().fit(train.X, train.y),
        "RankingForest, oob=False": lambda: ours(oob=False).fit(train.X, train.y),
        "RandomForestClassifier": lambda: theirs().fit(train.X, train.y),
    }
    print(f"Fit of {N_TREES} trees, n = {n}, q = {N_FEATURES}, least of {repeats}\n")
    seconds = interleaved(fits, repeats)
    rows = [
        [name, f"{took:.3f}", f"< {SMALL_TARGET:g}" if name.startswith("Ranking") else ""]
        for name, took in seconds.items()
    ]
    print_table(["", "seconds", "target"], rows)


def mixed_table(n: int) -> tuple[pd.DataFrame, np.ndarray]:
    """RF20 with some of its columns cut into categories."""
    train = simulate.rf20(n, 0)
    table = pd.DataFrame(train.X)
    for j in range(N_CATEGORICAL):
        table[j] = pd.Series(rankdata(train.X[:, j]) * N_CATEGORIES // (n + 1)).astype(int).astype(str)
    return table.astype(dict.fromkeys(range(N_CATEGORICAL), "category")), train.y


def real_table(folder: Path, name: str, n: int) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = SETS[name].table(folder)
    rows = drawn_rows(len(y), n)
    return X.iloc[rows], y[rows]


def price_of_a_forest(tables: Mapping[str, tuple[pd.DataFrame, np.ndarray]], n_trees: int, repeats: int) -> None:
    """CPU seconds beside RandomForestClassifier, both in one thread, one after the other in each repeat."""
    rows = []
    for name, (X, y) in tables.items():
        categories = list(X.select_dtypes(exclude="number"))
        values = np.column_stack([X[c].cat.codes if c in categories else X[c] for c in X]).astype(float)
        fits = {
            "ours": partial(RankingForest(n_trees, n_jobs=1, random_state=0).fit, X, y),
            "theirs": partial(RandomForestClassifier(n_trees, n_jobs=1, random_state=0).fit, values, y),
        }
        seconds = dict.fromkeys(fits, math.inf)
        for _ in range(repeats):
            for who, fit in fits.items():
                start = time.process_time()
                fit()
                seconds[who] = min(seconds[who], time.process_time() - start)
        share = seconds["ours"] / seconds["theirs"]
        met = "yes" if share <= CPU_TARGET else "no"
        size = f"{len(y):,} x {X.shape[1]}, {len(categories)} categorical"
        rows.append([name, size, f"{seconds['ours']:.2f}", f"{seconds['theirs']:.2f}", f"{share:.2f}", met])
    print(
        f"CPU seconds of a default forest of {n_trees} trees, least of {repeats}; target: {CPU_TARGET:g} of the peer\n"
    )
    print_table(["", "table", "RankingForest", "RandomForestClassifier", "ratio", "met"], rows)


def write_rows(path: Path, n: int) -> None:
    """Rows of RF20 as float32, block by block."""
    rng = np.random.default_rng(0)
    with path.open("wb") as file:
        for start in range(0, n, BLOCK_ROWS):
            file.write(simulate.rf20(min(BLOCK_ROWS, n - start), rng).X.astype(np.float32).tobytes())


def score_blocks(path: Path, n: int, n_train: int) -> None:
    """Seconds and additional bytes of scoring the first n rows of the file, in this process, as JSON."""
    train = simulate.rf20(n_train, 0)
    forest = ours().fit(train.X, train.y)
    forest.score_samples(train.X[:1000])
    reset_high_water()
    before = resident("VmRSS")
    total, checksum, start = 0, 0.0, time.perf_counter()
    with path.open("rb") as file:
        while total < n:
            count = min(BLOCK_ROWS, n - total)
            block = np.fromfile(file, np.float32, count * N_FEATURES).reshape(count, N_FEATURES)
            checksum += float(forest.score_samples(block).sum())
            total += count
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "bytes": resident("VmHWM") - before, "mean": checksum / n}))


def many_rows(sizes: list[int], n_train: int) -> None:
    print(f"Scoring of many rows in blocks of {BLOCK_ROWS:,}, {N_TREES} trees grown on {n_train:,} rows\n")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.float32"
        write_rows(path, max(sizes))
        for n in sizes:
            found[n] = in_child(__file__, "--score", str(path), "--rows", str(n), "--train", str(n_train))
    rows = [
        [f"{n:,}", f"{f['seconds']:.1f}", f"{1e6 * f['seconds'] / n:.2f}", f"{f['bytes'] / 2**20:.0f}"]
        + [f"{4 * N_FEATURES * n / 2**20:,.0f}"]
        for n, f in found.items()
    ]
    print_table(["rows", "seconds", "seconds per million", "peak MiB beyond the model", "MiB of the table"], rows)
    few, many = sizes[0], sizes[-1]
    exponent = math.log(found[many]["seconds"] / found[few]["seconds"]) / math.log(many / few)
    growth = (found[many]["bytes"] - found[few]["bytes"]) / 2**20
    print(f"Time grows as n^{exponent:.2f} (target: 1); the peak by {growth:+.0f} MiB (target: none).\n")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, help="folder of the real sets")
    options.add_argument("--only-price", action="store_true", help="only the CPU seconds beside RandomForestClassifier")
    options.add_argument("--score", type=Path, help="score this file in this process, print JSON")
    options.add_argument("--rows", type=int, help="rows to score")
    options.add_argument("--train", type=int, help="rows to learn from before")
    args = options.parse_args()
    if args.score:
        score_blocks(args.score, args.rows, args.train)
        return
    if not args.no_header:
        print_header()
    tables = {"simulated, mixed": mixed_table(200 if args.quick else 10_000)}
    if args.data is not None:
        n_rows = 300 if args.quick else 10_000
        tables |= {name: real_table(args.data, name, n_rows) for name in present(args.data, REAL_SETS)}
    price_of_a_forest(tables, *((20, 1) if args.quick else (MANY_TREES, 3)))
    if args.only_price:
        return
    fit_and_score(300 if args.quick else 100_000, repeats=1 if args.quick else 2)
    small_fit(*((200, 1) if args.quick else (2000, 15)))
    many_rows(*(([2_000, 6_000], 200) if args.quick else ([1_000_000, 10_000_000], 10_000)))


if __name__ == "__main__":
    main()
