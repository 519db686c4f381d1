"""Peak additional memory of a fit at n = 1M, q = 20, in bytes per cell of the table.

Claim: `TreeRank(size=None).fit` takes at most 4 bytes per cell beyond the float64 input, which has 8.

Each library runs in a separate process. First the input is made, and a tiny fit loads imports and buffers. Then the
peak of resident memory is reset to the current use (on Linux; elsewhere it is only read before and after), and the fit
is run. LightGBM: Dataset and one tree; scikit-learn: DecisionTreeClassifier(max_depth=8).
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import platform
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _data import N_FEATURES, weak_gaussians
from _timing import in_child, parser, peer, print_header, print_table

TARGET = 4.0


def fit_ours(X: np.ndarray, y: np.ndarray) -> Any:
    from rankforest import TreeRank

    return TreeRank(size=None).fit(X, y)


def fit_lightgbm(X: np.ndarray, y: np.ndarray) -> Any:
    lightgbm = peer("lightgbm")
    assert lightgbm is not None, "it is measured where it is installed"
    options = {
        "objective": "binary",
        "max_bin": 255,
        "max_depth": 8,
        "num_leaves": 256,
        "num_threads": 1,
        "verbose": -1,
    }
    dataset = lightgbm.Dataset(X, y, params=options)
    return dataset, lightgbm.train(options, dataset, num_boost_round=1)


def fit_sklearn(X: np.ndarray, y: np.ndarray) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=8, random_state=0).fit(X, y)


FITS: dict[str, Callable[[np.ndarray, np.ndarray], Any]] = {
    "rankforest TreeRank(size=None)": fit_ours,
    "LightGBM Dataset + 1 tree": fit_lightgbm,
    "scikit-learn DecisionTreeClassifier": fit_sklearn,
}


def resident(field: str) -> int:
    """Bytes of resident memory: the present ones (VmRSS) or their high-water mark (VmHWM)."""
    if platform.system() != "Linux":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in bytes on macOS
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return 1024 * int(line.split()[1])
    raise SystemExit(f"This Linux does not report {field} in /proc/self/status, so memory cannot be measured.")


def reset_high_water() -> None:
    """Sets the high-water mark back to the present."""
    gc.collect()
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).malloc_trim(0)  # freed memory that is still resident would hide what comes
    with contextlib.suppress(OSError):  # not allowed everywhere; the input was made in place, so little is lost
        Path("/proc/self/clear_refs").write_text("5")


def measure(name: str, n: int) -> int:
    """Additional bytes of one fit, in this process."""
    X, y = weak_gaussians(n)
    FITS[name](X[:2000].copy(), y[:2000].copy())
    reset_high_water()
    before = resident("VmRSS")
    model = FITS[name](X, y)
    after = resident("VmHWM")
    del model
    return after - before


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--measure", choices=list(FITS), help="measure one library in this process, print JSON")
    options.add_argument("--rows", type=int, help="rows of the table")
    args = options.parse_args()
    n = args.rows or (5_000 if args.quick else 1_000_000)
    if args.measure:
        print(json.dumps({"bytes": measure(args.measure, n)}))
        return
    if not args.no_header:
        print_header()
    print(f"Peak additional memory of a fit on {n:,} x {N_FEATURES} float64\n")
    rows = []
    for name, fit in FITS.items():
        if fit is fit_lightgbm and peer("lightgbm") is None:
            continue
        taken = in_child(__file__, "--measure", name, "--rows", str(n))["bytes"]
        target = f"<= {TARGET:g}" if fit is fit_ours else ""
        rows.append([name, f"{taken / 2**20:.1f}", f"{taken / (n * N_FEATURES):.2f}", target])
    print_table(["", "MiB", "bytes per cell", "target"], rows)


if __name__ == "__main__":
    main()
