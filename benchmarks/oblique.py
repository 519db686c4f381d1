"""What cuts on sums of two features bring to a tree that is read: `TreeRank(oblique=True)` beside `TreeRank()`.

Claim, on nine sets of at most 3000 rows each, one 2-fold cross-validation: sums raise the mean test AUC of readable
trees by .014, with as many strata, and that of trees of the best size as much. Seconds are of the processor, for a fit.

The folder of the sets is given by `--data`, or is `../shared/data` beside the project.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from _sets import SETS, present
from _stand_ins import BESIDE, data_folder
from _timing import parser, print_header, print_table
from readable import table_of
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from rankforest import TreeRank
from rankforest.metrics import roc_auc

NAMES = (
    "phoneme",
    "german_credit",
    "taiwan_default",
    "wdbc",
    "mammography",
    "california",
    "spambase",
    "abalone",
    "churn",
)
QUICK_NAMES = ("wdbc", "german_credit")
SIZES = ("readable", "best")


def measured(X: pd.DataFrame, y: np.ndarray, size: str, oblique: bool, n_folds: int) -> tuple[float, float, float]:
    """Means over the folds: test AUC, strata, processor seconds of a fit."""
    figures = []
    for train, test in StratifiedKFold(n_folds, shuffle=True, random_state=0).split(y, y):
        model = TreeRank(size=size, oblique=oblique, random_state=0)
        start = time.process_time()
        model.fit(X.iloc[train], y[train])
        seconds = time.process_time() - start
        auc = roc_auc(y[test], model.score_samples(X.iloc[test]))
        figures.append((float(auc), float(model.tree_.n_leaves), seconds))
    auc, strata, seconds = np.mean(figures, axis=0)
    return float(auc), float(strata), float(seconds)


def compared(folder: Path, names: list[str], size: str, most_rows: int) -> list[list[str]]:
    """Lines of one size: every set without and with sums, and their means."""
    found: list[list[float]] = []
    for name in names:
        X, y = table_of(folder, SETS[name], most_rows)
        found.append([*measured(X, y, size, False, 2), *measured(X, y, size, True, 2)])
    found.append(list(np.mean(found, axis=0)))
    return [
        [
            name,
            f"{auc:.4f} ({strata:.1f})",
            f"{sums:.4f} ({n_sums:.1f})",
            f"{sums - auc:+.4f}",
            f"{took:.2f}",
            f"{more:.2f}",
        ]
        for name, (auc, strata, took, sums, n_sums, more) in zip([*names, "mean"], found)
    ]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, help="folder with the real sets")
    options.add_argument("--sets", nargs="+", choices=list(SETS), default=list(NAMES), help="only these sets")
    options.add_argument("--rows", type=int, default=3000, help="most rows of a set")
    args = options.parse_args()
    if not args.no_header:
        print_header()
    names = [name for name in args.sets if not args.quick or name in QUICK_NAMES]
    with data_folder(args.data, quick=args.quick, beside=BESIDE) as folder:
        if folder is None:
            return
        kept = present(folder, names)
        for size in SIZES:
            with threadpool_limits(1), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows = compared(folder, kept, size, 300 if args.quick else args.rows)
            print(f'size="{size}": test AUC (strata)\n')
            print_table(["", "one feature", "with sums", "gain", "seconds", "with sums"], rows)


if __name__ == "__main__":
    main()
