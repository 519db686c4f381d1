"""Binning 1M x 20 float64, cut points and codes, at most 255 bins, one thread.

Claim: at least as fast as constructing a LightGBM Dataset with as many bins.

Ours includes the check for infinite values and for empty columns. The same numbers come as a NumPy array (rows
contiguous) and as a pandas frame (columns contiguous).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from _data import N_FEATURES, weak_gaussians
from _timing import interleaved, parser, peer, print_header, print_table, ratio

from rankforest.data.binning import BinnedTable, bin_table, find_bins
from rankforest.data.table import read_table

LIGHTGBM = {"max_bin": 255, "feature_pre_filter": False, "num_threads": 1, "verbose": -1}


def ours(X: Any) -> BinnedTable:
    table = read_table(X)
    return bin_table(table, find_bins(table, max_bins=255))


def main() -> None:
    args = parser(__doc__).parse_args()
    lightgbm = peer("lightgbm")
    if not args.no_header:
        print_header()
    n, repeats = (20_000, 2) if args.quick else (1_000_000, 7)
    X, y = weak_gaussians(n)
    frame = pd.DataFrame({f"x{j}": X[:, j] for j in range(N_FEATURES)})

    def theirs(data: Any) -> Any:
        return lightgbm.Dataset(data, y, params=LIGHTGBM).construct()

    table = read_table(X)
    bins = find_bins(table)
    tasks: dict[str, Callable[[], Any]] = {
        "ours, array": lambda: ours(X),
        "ours, frame": lambda: ours(frame),
        "check": lambda: read_table(X),
        "cut points": lambda: find_bins(table),
        "codes": lambda: bin_table(table, bins),
    }
    if lightgbm is not None:
        tasks |= {"LightGBM, array": lambda: theirs(X), "LightGBM, frame": lambda: theirs(frame)}
        dataset = theirs(X)
        their_bins = np.mean([dataset.feature_num_bin(j) for j in range(N_FEATURES)])
    seconds = interleaved(tasks, repeats)
    our_bins = bins.n_bins.mean()

    print(f"Binning {n:,} x {N_FEATURES} float64, one thread\n")
    rows = []
    for kind, label in (("array", "NumPy array"), ("frame", "pandas frame")):
        base = seconds[f"ours, {kind}"]
        rows.append([f"rankforest, {label}", f"{1e3 * base:.0f}", f"{our_bins:.0f}", ratio(1.0)])
        if lightgbm is not None:
            time = seconds[f"LightGBM, {kind}"]
            rows.append([f"LightGBM Dataset, {label}", f"{1e3 * time:.0f}", f"{their_bins:.0f}", ratio(time / base, 1)])
    print_table(["", "ms", "bins per feature", "time / ours"], rows)
    parts = ("check", "cut points", "codes")
    print("Ours, array, in parts: " + ", ".join(f"{part} {1e3 * seconds[part]:.0f} ms" for part in parts) + "\n")


if __name__ == "__main__":
    main()
