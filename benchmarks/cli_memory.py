"""Memory and time of `rankforest score` on a CSV file of 2 GB, in processes of their own.

Claim: less than 1 GB of memory at most, whatever the model and the format of the output.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
from _timing import parser, print_header

N_NUMERIC = 20
CITIES = np.array(["Lyon", "Paris", "Nice", "Lille", "Brest"])


def batch(n: int, first: int, rng: np.random.Generator) -> pa.RecordBatch:
    """Rows with an identifier, numbers, a category, and a label that depends on some of them."""
    X = rng.normal(size=(n, N_NUMERIC)).round(6)
    label = np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 1, "yes", "no")
    columns = {"id": np.arange(first, first + n), **{f"x{j}": X[:, j] for j in range(N_NUMERIC)}}
    return pa.record_batch({**columns, "city": CITIES[rng.integers(len(CITIES), size=n)], "label": label})


def write_csv(path: str, n_bytes: float, n: int) -> int:
    """Write a file of at least the given size, n rows at a time; returns its number of rows."""
    rng, rows = np.random.default_rng(0), 0
    blocks = [batch(n, 0, rng) for _ in range(8)]  # again and again: drawing is slower than writing
    with open(path, "wb") as file, arrow_csv.CSVWriter(file, blocks[0].schema) as writer:
        while file.tell() < n_bytes:
            writer.write_batch(blocks[rows // n % len(blocks)])
            rows += n
    return rows


def run(*arguments: str) -> tuple[float, float]:
    """Seconds, and the most memory in MB, of one command."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "rankforest", *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"rankforest {' '.join(arguments)} failed")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def main() -> None:
    options = parser(__doc__)
    options.add_argument(
        "--folder", help="where the files go for the time being; the system's temporary one by default"
    )
    chosen = options.parse_args()
    if not chosen.no_header:
        print_header()
    wanted, block = (2e6, 2_000) if chosen.quick else (2e9, 50_000)
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        train, data, model = (os.path.join(folder, name) for name in ("train.csv", "data.csv", "model.rankforest"))
        write_csv(train, 1e5, block)
        rows = write_csv(data, wanted, block)
        size = os.path.getsize(data) / 1e9
        print(f"CSV of {size:.2f} GB, {rows} rows, {N_NUMERIC + 3} columns; target: less than 1000 MB\n")
        print("| model | output | seconds | MB at most |\n|---|---|---:|---:|", flush=True)
        models = {"tree": ["--set", "max_depth=5"], "forest": ["--set", "n_estimators=20"]}
        outputs = ["scored.parquet", "scored.csv"]
        if chosen.quick:
            models, outputs = {"tree": models["tree"]}, outputs[:1]
        for kind, extra in models.items():
            run("fit", train, "-t", "label", "--ignore", "id", "--model", kind, *extra, "-o", model)
            for name in outputs:
                out = os.path.join(folder, name)
                seconds, memory = run("score", model, data, "-o", out)
                print(f"| {kind} | {name} | {seconds:.0f} | {memory:.0f} |", flush=True)
                os.unlink(out)


if __name__ == "__main__":
    main()
