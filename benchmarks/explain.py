"""Exact explanations: 500 trees, 1000 rows, 100 background rows, 20 features, beside shap.TreeExplainer.

shap explains a LightGBM of 500 trees of as many leaves by its interventional values, which are the same mathematics,
against the same background rows. Claim: ours take at most its time, in one thread (shap has one). Both are timed by the
processor; two threads of ours by the clock.

Three shapes of ours: boosted trees, trees of ordered labels, and ranking trees. A ranking tree is a graph: inner leaves
share their children, so that one of a hundred nodes has as many paths as a tree of many thousand leaves. It has two
peers: one with as many leaves as it has nodes, that is, of the same size, and one with as many leaves as it has strata,
which distinguishes as many scores. Values of pairs of features (interactions) are timed beside the plain ones.
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


def leaves_of(model: Any) -> dict[str, int]:
    """Leaves of the peers: mean number of cuts of a tree and one, and of a ranking tree also that of its strata."""
    if isinstance(model, RankingForest):
        nodes, strata = ([f(tree) for tree in model.trees_] for f in (lambda t: len(t.feature), lambda t: t.n_leaves))
        return {"nodes": round(float(np.mean(nodes))) + 1, "strata": round(float(np.mean(strata)))}
    if hasattr(model, "trees_"):
        return {"leaves": round(float(np.mean([len(tree.feature) for tree in model.trees_]))) + 1}
    trees = model.team_.members[0].trees
    return {"leaves": round(len(trees.feature) / trees.n_trees) + 1}


def shap_task(n_leaves: int, sizes: Sizes, sample: Any, rows: np.ndarray, others: np.ndarray) -> Callable[[], Any]:
    """What shap does for the rows and a LightGBM of as many trees and leaves."""
    lightgbm, shap = peer("lightgbm"), peer("shap")
    assert lightgbm is not None
    assert shap is not None
    settings = {"num_leaves": n_leaves, "min_child_samples": 3, "verbose": -1, "n_jobs": 1, "random_state": 0}
    model = lightgbm.LGBMClassifier(n_estimators=sizes.n_trees, learning_rate=0.02, **settings)
    model.fit(sample.X, sample.y)
    explainer = shap.TreeExplainer(model, data=others, feature_perturbation="interventional")
    return lambda: explainer.shap_values(rows, check_additivity=False)


def compare(name: str, model: Any, sizes: Sizes, sample: Any, fresh: np.ndarray, repeats: int) -> list[list[str]]:
    """The lines of one model, one for each peer."""
    model.fit(sample.X, sample.y)
    # trees walk with all rows together, ranking trees of many paths with pairs of rows one by one
    n_timed = 4 * sizes.n_few if isinstance(model, RankingForest) else sizes.n_rows
    rows, few, others = fresh[:n_timed], fresh[: sizes.n_few], fresh[-sizes.n_background :]
    leaves = leaves_of(model)
    told = model.explain(rows, others)
    error = float(np.abs(told.values.sum(axis=1) + told.base_values - told.scores).max())
    tasks: dict[str, Callable[[], Any]] = {
        "ours": lambda: model.explain(rows, others),
        "pairs": lambda: model.explain(few, others, interactions=True),
    }
    with_shap = peer("lightgbm") is not None and peer("shap") is not None
    if with_shap:
        tasks |= {kind: shap_task(n, sizes, sample, few, others) for kind, n in leaves.items()}
    seconds = interleaved(tasks, repeats, time.process_time)
    model.set_params(n_jobs=2)
    two = interleaved({"ours": tasks["ours"]}, repeats)["ours"]
    ours, two = seconds["ours"] * sizes.n_rows / n_timed, two * sizes.n_rows / n_timed
    share = sizes.n_rows / sizes.n_few
    pairs = f"{seconds['pairs'] * share:.1f}"
    lines = []
    for kind, n in leaves.items():
        of_shap = [f"{seconds[kind] * share:.1f}", ratio(seconds[kind] * share / ours, 1)] if with_shap else ["", ""]
        lines.append([name, f"{n} ({kind})", f"{ours:.2f}", f"{two:.2f}", *of_shap, pairs, f"{error:.0e}"])
    return lines


def unscaled(n_leaves: int, sizes: Sizes, sample: Any, fresh: np.ndarray) -> str:
    """Time of shap for all rows at once, beside the time of a few rows scaled up."""
    if peer("lightgbm") is None or peer("shap") is None:
        return "shap is not installed."
    rows, others = fresh[: sizes.n_rows], fresh[-sizes.n_background :]
    tasks = {str(len(part)): shap_task(n_leaves, sizes, sample, part, others) for part in (rows, rows[: sizes.n_few])}
    whole, part = interleaved(tasks, 1, time.process_time).values()
    scaled = part * sizes.n_rows / sizes.n_few
    said = f"{whole:.1f} s for {sizes.n_rows} rows, and {scaled:.1f} s by {sizes.n_few} rows scaled up."
    return f"shap with {n_leaves} leaves: {said}"


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--models", nargs="+", choices=list(shapes(Sizes())), help="only these")
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
    models = {name: model for name, model in shapes(sizes).items() if args.models is None or name in args.models}
    lines = [
        line
        for name, model in models.items()
        for line in compare(name, model, sizes, sample, fresh, 1 if args.quick else 2)
    ]
    head = ["model", "leaves of the peer", "1 thread", "2 threads, clock", "shap", "shap / ours", "pairs of features"]
    print_table([*head, "error"], lines)
    print(f"\n{unscaled(16, sizes, sample, fresh)}")


if __name__ == "__main__":
    main()
