"""The ways to aggregate a forest, side by side: which of two definitions ranks better, and how honest its AUC is.

Two pairs differ by a detail. "plugin" is the paper's Remark 20 and gives a row the whole of its own cell,
"negative_rank" half of it. "kemeny_ties" is the paper's median ranking, over all rankings; "kemeny" is the best without
ties. For every aggregation the test AUC and the out-of-bag AUC, `oob_auc_`, are printed. The out-of-bag AUC of a
consensus should have no larger error than that of mean ranks, also if the labels are noise.

The forests are small and the same for all: the Kemeny rankings take long. Real sets (`--data`, or `../shared/data`
beside the project): 2-fold cross-validation on at most `--most-rows` rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from _sets import SETS, present
from _stand_ins import BESIDE, data_folder
from _timing import parser, print_header, print_table
from accuracy import FIRST_SEED
from sklearn.model_selection import StratifiedKFold

from rankforest import RankingForest
from rankforest.data import simulate
from rankforest.forest.aggregation import AGGREGATIONS
from rankforest.metrics import roc_auc

# rows to learn from and to test on
SIZES, QUICK_SIZES = (500, 3000), (60, 100)
REAL = (
    "sonar",
    "ionosphere",
    "wdbc",
    "australian_credit",
    "german_credit",
    "phoneme",
    "churn",
    "spambase",
    "mammography",
)
DRAWS = {"RF10": simulate.rf10, "RF20": simulate.rf20, "RF10 sparse": simulate.rf10_sparse}

Split = tuple[Any, np.ndarray, Any, np.ndarray]


def artificial(name: str, n_seeds: int, sizes: tuple[int, int]) -> Iterator[Split]:
    """Training and test samples; "noise" has labels that nothing explains."""
    for seed in range(FIRST_SEED, FIRST_SEED + n_seeds):
        rng = np.random.default_rng(seed)
        train, test = (DRAWS.get(name, simulate.rf10)(n, rng) for n in sizes)
        if name == "noise":
            train.y[:], test.y[:] = (rng.permutation(sample.y) for sample in (train, test))
        yield train.X, train.y, test.X, test.y


def real(folder: Path, name: str, most_rows: int) -> Iterator[Split]:
    X, y = SETS[name].table(folder)
    if len(y) > most_rows:
        drawn = np.random.default_rng(0).permutation(len(y))[:most_rows]
        X, y = X.iloc[drawn], y[drawn]
    for train, test in StratifiedKFold(2, shuffle=True, random_state=0).split(X, y):
        yield X.iloc[train], y[train], X.iloc[test], y[test]


def figures(split: Split, n_trees: int, seed: int, threads: int) -> np.ndarray:
    """Test AUC and out-of-bag AUC (columns) of every aggregation of one forest (rows)."""
    X, y, X_test, y_test = split
    forest = RankingForest(n_trees, n_jobs=threads, random_state=seed).fit(X, y)
    found = []
    for how in AGGREGATIONS:
        forest.set_aggregation(how)
        score = forest.score_samples(X_test)
        found.append((roc_auc(y_test, score, pos_label=forest.pos_label_), forest.oob_auc_))
    return np.array(found)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, help="folder with the real sets")
    options.add_argument("--most-rows", type=int, default=1000, help="rows of a real set that are used")
    options.add_argument("--threads", type=int, default=2, help="threads of the forest")
    args = options.parse_args()
    if not args.no_header:
        print_header()
    n_trees, n_seeds, sizes = (5, 1, QUICK_SIZES) if args.quick else (30, 5, SIZES)
    splits = {name: artificial(name, n_seeds, sizes) for name in (*DRAWS, "noise")}
    names = ["german_credit"] if args.quick else list(REAL)
    with data_folder(args.data, quick=args.quick, beside=BESIDE) as folder:
        if folder is not None:
            splits |= {name: real(folder, name, args.most_rows) for name in present(folder, names)}
        report(splits, n_trees, args.threads)


def report(splits: dict[str, Iterator[Split]], n_trees: int, threads: int) -> None:
    tested, out_of_bag = [], []
    for name, drawn in splits.items():
        mean = np.mean([figures(split, n_trees, seed, threads) for seed, split in enumerate(drawn)], axis=0)
        tested.append([name, *(f"{auc:.4f}" for auc in mean[:, 0])])
        out_of_bag.append([name, *(f"{oob - auc:+.4f}" for auc, oob in mean)])
    print(f"Test AUC: {n_trees} trees\n")
    print_table(["", *AGGREGATIONS], tested)
    print("Out-of-bag AUC minus test AUC of the same forests\n")
    print_table(["", *AGGREGATIONS], out_of_bag)


if __name__ == "__main__":
    main()
