"""Speed and memory of a forest of 100 trees, two threads.

Claims: at n = 100k, q = 20 (RF20) a fit is at least 10 times as fast as that of scikit-learn's RandomForestClassifier
at its default depth, and scoring 100k raw rows at least 5 times as fast; a fit at n = 2000 takes less than half a
second; scoring takes time in proportion to the rows, and memory that does not grow with them.

With categories, six of the columns as text of twelve values, the target of a fit is half of the CPU seconds of
RandomForestClassifier, which is given their codes.

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
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from _timing import in_child, interleaved, parser, print_header, print_table, ratio
from memory import reset_high_water, resident
from scipy.stats import rankdata
from sklearn.ensemble import RandomForestClassifier

from rankforest import RankingForest, Sampling
from rankforest.data import simulate

THREADS = 2
N_TREES = 100
N_FEATURES = 20
FIT_TARGET, SCORE_TARGET, SMALL_TARGET, CATEGORIES_TARGET = 10.0, 5.0, 0.5, 2.0
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


def with_categories(n: int, repeats: int) -> None:
    train = simulate.rf20(n, 0)
    codes = train.X.copy()
    for j in range(N_CATEGORICAL):
        codes[:, j] = rankdata(train.X[:, j]) * N_CATEGORIES // (n + 1)
    table = pd.DataFrame(codes).astype(dict.fromkeys(range(N_CATEGORICAL), str))
    fits = {
        "RankingForest": lambda: ours().fit(table, train.y),
        "RandomForestClassifier": lambda: theirs().fit(codes, train.y),
    }
    seconds = dict.fromkeys(fits, math.inf)
    for _ in range(repeats):
        for name, fit in fits.items():
            start = time.process_time()
            fit()
            seconds[name] = min(seconds[name], time.process_time() - start)
    peer = seconds["RandomForestClassifier"]
    print(
        f"Fit of {N_TREES} trees, n = {n:,}, {N_CATEGORICAL} of {N_FEATURES} columns categories, least of {repeats}\n"
    )
    rows = [
        [name, f"{took:.2f}", ratio(peer / took, None if took == peer else CATEGORIES_TARGET)]
        for name, took in seconds.items()
    ]
    print_table(["", "CPU seconds", "RandomForestClassifier / this"], rows)


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
    options.add_argument("--score", type=Path, help="score this file in this process, print JSON")
    options.add_argument("--rows", type=int, help="rows to score")
    options.add_argument("--train", type=int, help="rows to learn from before")
    args = options.parse_args()
    if args.score:
        score_blocks(args.score, args.rows, args.train)
        return
    if not args.no_header:
        print_header()
    fit_and_score(300 if args.quick else 100_000, repeats=1 if args.quick else 2)
    small_fit(*((200, 1) if args.quick else (2000, 15)))
    with_categories(*((200, 1) if args.quick else (10_000, 3)))
    many_rows(*(([2_000, 6_000], 200) if args.quick else ([1_000_000, 10_000_000], 10_000)))


if __name__ == "__main__":
    main()
