"""Growing one inner tree, one thread, 20 features, depth 8, n = 2k, 100k, 1M.

Claim: at least 2 times as fast as LightGBM per extra tree, at least 50 times as fast as scikit-learn's
DecisionTreeClassifier.

Ours is a master tree of depth 1 on a table that is already binned; LightGBM is one more boosting round on a Dataset
that is already constructed, row-wise or column-wise, whichever is faster. Both are (time of many trees - time of few) /
(many - few). A boosting round also computes gradients and updates the scores of all rows; our tree also copies the
codes of all rows and sorts its leaves. scikit-learn's tree is exact and has no binning to leave out.

Threads: one tree at n = 1M with one thread and with all, binning left out. A ranking tree of depth 8 with inner trees
of depth 6, the same with random cuts, a tree of ordered labels of depth 10. Large nodes are shared by blocks of rows.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from _data import N_FEATURES, weak_gaussians
from _timing import interleaved, parser, peer, per_extra, print_header, print_table, ratio
from sklearn.tree import DecisionTreeClassifier

from rankforest import LeafRank, _core
from rankforest.data.binning import bin_table, find_bins
from rankforest.data.table import read_table
from rankforest.growing.treerank import Growth

DEPTH = 8
LIGHTGBM = {
    "objective": "binary",
    "max_depth": DEPTH,
    "num_leaves": 2**DEPTH,
    "min_data_in_leaf": 1,
    "min_sum_hessian_in_leaf": 0.0,
    "max_bin": 255,
    "feature_pre_filter": False,
    "num_threads": 1,
    "verbose": -1,
}
# rows: few and many trees, repetitions
PLAN = {2_000: (1, 41, 15), 100_000: (1, 6, 9), 1_000_000: (1, 4, 7)}
QUICK_PLAN = {2_000: (1, 6, 3), 5_000: (1, 4, 2)}
SKLEARN_IN_TURN = 50_000  # rows above which scikit-learn takes seconds, and is run once, after the others


def compare(n: int, plan: tuple[int, int, int], with_sklearn: bool) -> list[list[str]]:
    """Table rows of one size."""
    lightgbm = peer("lightgbm")
    few, many, repeats = plan
    X, y = weak_gaussians(n)

    table = read_table(X)
    binned = bin_table(table, find_bins(table)).core
    params = Growth(LeafRank(max_depth=DEPTH, min_mass_leaf=0.0), max_depth=1).to_core(N_FEATURES, seed=0)

    def ours(n_trees: int) -> list[dict[str, Any]]:
        return _core.grow(binned, y, None, 1.0, params, 0, True, n_trees, 0, 1)

    def boosted(layout: str) -> Any:
        options = {**LIGHTGBM, layout: True}
        dataset = lightgbm.Dataset(X, y, params=options).construct()
        return lambda rounds: lightgbm.train(options, dataset, num_boost_round=rounds)

    tasks: dict[str, Callable[[int], Any]] = {"ours": ours}
    if lightgbm is not None:
        tasks |= {"row-wise": boosted("force_row_wise"), "column-wise": boosted("force_col_wise")}
    tree = DecisionTreeClassifier(max_depth=DEPTH, random_state=0)
    whole = {"scikit-learn": lambda: tree.fit(X, y)} if with_sklearn else {}
    in_turn = n <= SKLEARN_IN_TURN
    seconds = per_extra(tasks, few, many, repeats, whole if in_turn else None)
    if not in_turn:
        seconds |= interleaved(whole, 1)
    our_leaves = len(ours(1)[0]["feature"]) + 1
    measured: list[tuple[str, float, float, float | None]] = [("rankforest", seconds["ours"], our_leaves, None)]
    if lightgbm is not None:
        layout = min(("row-wise", "column-wise"), key=seconds.__getitem__)
        rounds = tasks[layout](many).dump_model()["tree_info"][few:]
        leaves = float(np.mean([tree["num_leaves"] for tree in rounds]))
        measured.append((f"LightGBM, {layout}", seconds[layout], leaves, 2.0))
    if with_sklearn:
        measured.append(("scikit-learn DecisionTreeClassifier", seconds["scikit-learn"], tree.get_n_leaves(), 50.0))
    return [
        [
            name,
            f"{n:,}",
            f"{1e3 * time:.2f}",
            f"{leaves:.0f}",
            ratio(time / seconds["ours"], target),
            ratio((time / leaves) / (seconds["ours"] / our_leaves)),
        ]
        for name, time, leaves, target in measured
    ]


def threads(n: int, repeats: int) -> list[list[str]]:
    """Seconds of one tree with one thread and with all of the machine's."""
    X, y = weak_gaussians(n)
    table = read_table(X)
    binned = bin_table(table, find_bins(table)).core
    quarters = np.searchsorted(np.quantile(X[:, 0] + 3 * y, [0.25, 0.5, 0.75]), X[:, 0] + 3 * y).astype(np.uint8)
    ordinal = _core.InnerParams()
    ordinal.criterion, ordinal.levels, ordinal.max_depth = 2, [0.0, 1.0, 2.0, 3.0], 10

    def ranking(cuts: str) -> Callable[[int], Any]:
        growth = Growth(LeafRank(max_depth=6, cuts=cuts), max_depth=8)
        params = growth.to_core(N_FEATURES, seed=0)
        return lambda n_threads: _core.grow(binned, y, None, 1.0, params, 0, True, 1, 0, n_threads)

    trees: dict[str, Callable[[int], Any]] = {
        "ranking tree": ranking("best"),
        "ranking tree, random cuts": ranking("random"),
        "ordinal tree": lambda n_threads: _core.grow_ordinal(
            binned, quarters, None, 1.0, ordinal, 0, 0, True, 1, 0, n_threads
        ),
    }
    most = os.cpu_count() or 1
    tasks = {f"{name}|{k}": partial(tree, k) for name, tree in trees.items() for k in (1, most)}
    seconds = interleaved(tasks, repeats)
    rows = []
    for name in trees:
        one, all_threads = seconds[f"{name}|1"], seconds[f"{name}|{most}"]
        rows.append([name, f"{n:,}", f"{one:.2f}", f"{all_threads:.2f}", f"{one / all_threads:.2f}"])
    return rows


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--part", choices=["peers", "threads"], help="only one of the two")
    options.add_argument("--no-sklearn-large", action="store_true", help="leave out scikit-learn at n = 1M (a minute)")
    args = options.parse_args()
    if not args.no_header:
        print_header()
    if args.part != "threads":
        print(f"One inner tree of depth {DEPTH}, {N_FEATURES} features, one thread, binning left out\n")
        rows = []
        for n, plan in (QUICK_PLAN if args.quick else PLAN).items():
            rows += compare(n, plan, with_sklearn=n < 1_000_000 or not args.no_sklearn_large)
        print_table(["", "rows", "ms per tree", "leaves", "time / ours", "the same per leaf"], rows)
    if args.part != "peers":
        print(f"One tree, {N_FEATURES} features, one thread and {os.cpu_count()}, binning left out\n")
        rows = threads(20_000, 1) if args.quick else threads(1_000_000, 9)
        print_table(["", "rows", "s, one thread", "s, all threads", "one / all"], rows)


if __name__ == "__main__":
    main()
