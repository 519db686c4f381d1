"""Exact explanations: 500 trees, 1000 rows, 100 background rows, 20 features, beside shap.TreeExplainer.

shap explains a LightGBM of 500 trees of as many leaves by its interventional values, which are the same mathematics,
against the same background rows. Claim: ours take at most its time, in one thread (shap has one). Both are timed by the
processor; two threads of ours by the clock.

Three shapes of ours: boosted trees, trees of ordered labels, and ranking trees. A ranking tree is a graph: inner leaves
share their children, so that one of a hundred nodes has as many paths as a tree of many thousand leaves. Its peer has
as many leaves as it has nodes. Values of pairs of features (interactions) are timed beside the plain ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from _timing import interleaved, parser, peer, print_header, print_table, ratio

from rankforest import LeafRank, OrdinalRankingForest, RankBoost, RankingForest
from rankforest.data import simulate


@dataclass(frozen=True)
class Sizes:
    """How much is explained. What grows with the rows alone (pairs of rows one by one) is timed on fewer of them."""

    n_trees: int = 500
    n_rows: int = 1000
    n_few: int = 50
    n_background: int = 100
    n_train: int = 2000


def shapes(sizes: Sizes) -> dict[str, Any]:
    """The models, unfitted."""
    boosted = {"loss": "log_loss", "cuts": "best", "max_features": None, "n_folds": None, "min_samples_leaf": 20}
    inner = LeafRank(max_depth=3, max_features="sqrt")
    return {
        "RankBoost, 16 leaves": RankBoost(sizes.n_trees, max_leaf_nodes=16, l2=1.0, random_state=0, **boosted),
        "RankBoost, 31 leaves": RankBoost(sizes.n_trees, max_leaf_nodes=31, l2=1.0, random_state=0, **boosted),
        "OrdinalRankingForest": OrdinalRankingForest(sizes.n_trees, max_leaf_nodes=64, random_state=0),
        "RankingForest, 16 strata": RankingForest(sizes.n_trees, splitter=inner, max_depth=4, random_state=0),
        "RankingForest, usual trees": RankingForest(sizes.n_trees, random_state=0),
    }


def leaves_of(model: Any) -> int:
    """Mean number of cuts of a tree, and one."""
    if hasattr(model, "trees_"):
        return round(float(np.mean([len(tree.feature) for tree in model.trees_]))) + 1
    trees = model.team_.members[0].trees
    return round(len(trees.feature) / trees.n_trees) + 1


def shap_task(n_leaves: int, sizes: Sizes, sample: Any, rows: np.ndarray, others: np.ndarray) -> Callable[[], Any]:
    """What shap does for a LightGBM of as many trees and leaves."""
    lightgbm, shap = peer("lightgbm"), peer("shap")
    assert lightgbm is not None
    assert shap is not None
    settings = {"num_leaves": n_leaves, "min_child_samples": 3, "verbose": -1, "n_jobs": 1, "random_state": 0}
    model = lightgbm.LGBMClassifier(n_estimators=sizes.n_trees, learning_rate=0.02, **settings)
    model.fit(sample.X, sample.y)
    explainer = shap.TreeExplainer(model, data=others, feature_perturbation="interventional")
    return lambda: explainer.shap_values(rows[: sizes.n_few], check_additivity=False)


def compare(name: str, model: Any, sizes: Sizes, sample: Any, fresh: np.ndarray, repeats: int) -> list[str]:
    """One line of the table."""
    model.fit(sample.X, sample.y)
    # trees walk with all rows together, ranking trees of many paths with pairs of rows one by one
    n_timed = 4 * sizes.n_few if isinstance(model, RankingForest) else sizes.n_rows
    rows, others = fresh[:n_timed], fresh[-sizes.n_background :]
    n_leaves = leaves_of(model)
    told = model.explain(rows, others)
    error = float(np.abs(told.values.sum(axis=1) + told.base_values - told.scores).max())
    tasks: dict[str, Callable[[], Any]] = {
        "ours": lambda: model.explain(rows, others),
        "pairs": lambda: model.explain(rows[: sizes.n_few], others, interactions=True),
    }
    with_shap = peer("lightgbm") is not None and peer("shap") is not None
    if with_shap:
        tasks["shap"] = shap_task(n_leaves, sizes, sample, rows, others)
    seconds = interleaved(tasks, repeats, time.process_time)
    model.set_params(n_jobs=2)
    two = interleaved({"ours": tasks["ours"]}, repeats)["ours"]
    ours, two = seconds["ours"] * sizes.n_rows / n_timed, two * sizes.n_rows / n_timed
    share, of_shap = sizes.n_rows / sizes.n_few, ["", ""]
    if with_shap:
        of_shap = [f"{seconds['shap'] * share:.1f}", ratio(seconds["shap"] * share / ours, 1)]
    pairs = f"{seconds['pairs'] * share:.1f}"
    return [name, f"{n_leaves}", f"{ours:.2f}", f"{two:.2f}", *of_shap, pairs, f"{error:.0e}"]


def main() -> None:
    options = parser(__doc__)
    args = options.parse_args()
    if not args.no_header:
        print_header()
    sizes = Sizes(10, 40, 10, 20, 400) if args.quick else Sizes()
    sample = simulate.rf20(sizes.n_train, random_state=0)
    fresh = simulate.rf20(sizes.n_rows + sizes.n_background, random_state=1).X
    print(
        f"{sizes.n_trees} trees, {sizes.n_rows} rows, {sizes.n_background} background rows, 20 features; seconds. "
        f"shap and pairs: {sizes.n_few} rows, scaled up; ranking forests: {4 * sizes.n_few}.\n"
    )
    lines = [
        compare(name, model, sizes, sample, fresh, 1 if args.quick else 2) for name, model in shapes(sizes).items()
    ]
    head = ["model", "leaves", "1 thread", "2 threads, clock", "shap", "shap / ours", "pairs of features", "error"]
    print_table(head, lines)


if __name__ == "__main__":
    main()
