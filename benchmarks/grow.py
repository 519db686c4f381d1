"""Growing one inner tree, one thread, 20 features, depth 8, n = 2k, 100k, 1M.

Claim: at least 2 times as fast as LightGBM per extra tree, at least 50 times as fast as scikit-learn's
DecisionTreeClassifier.

Ours is a master tree of depth 1 on a table that is already binned; LightGBM is one more boosting round on a Dataset
that is already constructed, row-wise or column-wise, whichever is faster. Both are (time of many trees - time of few) /
(many - few). A boosting round also computes gradients and updates the scores of all rows; our tree also copies the
codes of all rows and sorts its leaves. scikit-learn's tree is exact and has no binning to leave out.
"""

from __future__ import annotations

from collections.abc import Callable
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


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--no-sklearn-large", action="store_true", help="leave out scikit-learn at n = 1M (a minute)")
    args = options.parse_args()
    if not args.no_header:
        print_header()
    print(f"One inner tree of depth {DEPTH}, {N_FEATURES} features, one thread, binning left out\n")
    rows = []
    for n, plan in (QUICK_PLAN if args.quick else PLAN).items():
        rows += compare(n, plan, with_sklearn=n < 1_000_000 or not args.no_sklearn_large)
    print_table(["", "rows", "ms per tree", "leaves", "time / ours", "the same per leaf"], rows)


if __name__ == "__main__":
    main()
