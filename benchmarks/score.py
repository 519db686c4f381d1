"""Scoring with one thread: whole models beside those of other libraries, and trees beside trees.

Models: one row, 1000 rows and 100 000 rows of a table of numbers and of one with categories, through Python. Claims:
`RankBoost` within 5 times CatBoost's time, `RankConsensus` within 8, a single row (of an array) in at most 200
microseconds; the forest takes no longer for categories than for numbers; 500 trees of 16 strata on 20 numbers take at
most 3 microseconds a row.

Trees: rows per second of one tree and of 100 trees, 100k x 20. Claim: at least 3 times scikit-learn, at least 5 times
LightGBM, with equally many leaves.

Two shapes of our trees: one LeafRank tree of depth 8 (like with like), and a nested ranking tree (master depth 4, inner
depth 5), where a row takes up to 20 decisions while the peers' trees with as many leaves take about half. The peers
grow as many leaves as our trees have finest cells on average, and the claim is about those: one value per finest cell.
The score by strata, which `TreeRank` uses, is another, smaller job: cuts inside one stratum are left out. `TreeRank` is
the estimator, which checks its input as the peers do; the other rows of ours call the core.

`--part` runs only whole models on numbers or on categories, trees of 16 strata, or trees beside trees.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from _data import N_FEATURES, weak_gaussians
from _score_models import ON_CODES, Scored, categorical_table, models, numeric_table
from _timing import interleaved, parser, peer, print_header, print_table, ratio
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from rankforest import LeafRank, TreeRank, _core
from rankforest.data.binning import bin_table, find_bins
from rankforest.data.sample import Sample
from rankforest.data.table import read_table
from rankforest.growing.treerank import Growth, grow_trees
from rankforest.tree.ranking_tree import RankingTree
from rankforest.tree.walk import make_tree_sum

Model = tuple[str, float, Callable[[], Any], float | None]
OURS = "rankforest, finest cells"
TABLES = {"numbers": numeric_table, "categories": categorical_table}
PARTS = (*TABLES, "strata", "trees")
# name, master depth, LeafRank, bound on the depth of the peers' trees
SETTINGS = [
    ("one LeafRank tree of depth 8", 1, LeafRank(max_depth=8, min_mass_leaf=0.0, max_features="sqrt"), 8),
    ("nested, master depth 4, inner depth 5", 4, LeafRank(max_depth=5, max_features="sqrt"), None),
]


def by_cells(trees: list[RankingTree], X: np.ndarray) -> Callable[[], np.ndarray]:
    """Sum over trees of a value for each finest cell (its rate of positives), by the core."""
    forest = _core.Forest([tree.terminal_dag for tree in trees])
    values = [tree.terminal_mass[:, 1] / tree.terminal_mass.sum(axis=1) for tree in trees]
    total = make_tree_sum(forest, values)
    return lambda: total.sum(X, 0, len(trees), 1)


def by_strata(trees: list[RankingTree], X: np.ndarray) -> Callable[[], np.ndarray]:
    """Sum over trees of the scores of the strata, by the core."""
    forest = _core.Forest([tree.strata_dag for tree in trees])
    values = [tree.leaf_score for tree in trees]
    total = make_tree_sum(forest, values)
    return lambda: total.sum(X, 0, len(trees), 1)


def mean_strata(trees: list[RankingTree]) -> float:
    return float(np.mean([tree.n_leaves for tree in trees]))


def mean_leaves(trees: list[RankingTree]) -> float:
    return float(np.mean([len(tree.terminal_cell) for tree in trees]))


class Boosted:
    """LightGBM's trees with as many leaves as ours."""

    def __init__(
        self, lightgbm: Any, rows: tuple[np.ndarray, np.ndarray], leaves: int, depth: int | None, n_trees: int
    ) -> None:
        self.booster = lightgbm.train(
            {
                "objective": "binary",
                "num_leaves": leaves,
                "max_depth": depth or -1,
                "min_data_in_leaf": 1,
                "min_sum_hessian_in_leaf": 0.0,
                "feature_fraction_bynode": 4 / N_FEATURES,
                "num_threads": 1,
                "verbose": -1,
            },
            lightgbm.Dataset(*rows, params={"feature_pre_filter": False, "verbose": -1}),
            num_boost_round=n_trees,
        )
        self.leaves = [grown["num_leaves"] for grown in self.booster.dump_model()["tree_info"]]

    def scorer(self, X: np.ndarray, rounds: int) -> Callable[[], Any]:
        return lambda: self.booster.predict(X, num_iteration=rounds, raw_score=True, num_threads=1)


def compare(
    setting: tuple[str, int, LeafRank, int | None], n_train: int, X: np.ndarray, n_trees: int, repeats: int
) -> None:
    """Tables of one setting."""
    lightgbm = peer("lightgbm")
    name, master_depth, splitter, peer_depth = setting
    X_train, y_train = weak_gaussians(n_train, seed=1)

    table = read_table(X_train)
    binned = bin_table(table, find_bins(table))
    growth = Growth(splitter, max_depth=master_depth)
    trees = grow_trees(Sample(table, binned, y_train, None), growth, seed=0, n_trees=n_trees)
    estimator = TreeRank(splitter, max_depth=master_depth, random_state=0).fit(X_train, y_train)

    leaves = round(mean_leaves(trees))
    shape = {"max_leaf_nodes": leaves, "max_depth": peer_depth, "max_features": "sqrt", "random_state": 0}
    tree = DecisionTreeClassifier(**shape).fit(X_train, y_train)
    forest = RandomForestClassifier(n_trees, n_jobs=1, **shape).fit(X_train, y_train)
    # name, leaves, scorer, target
    one: list[Model] = [
        (OURS, mean_leaves(trees[:1]), by_cells(trees[:1], X), None),
        ("rankforest, strata", mean_strata(trees[:1]), by_strata(trees[:1], X), None),
        ("rankforest, TreeRank", mean_strata([estimator.tree_]), lambda: estimator.score_samples(X), None),
        ("scikit-learn tree", tree.get_n_leaves(), lambda: tree.predict_proba(X), 3.0),
    ]
    forest_leaves = float(np.mean([member.get_n_leaves() for member in forest.estimators_]))
    many: list[Model] = [
        (OURS, mean_leaves(trees), by_cells(trees, X), None),
        ("rankforest, strata", mean_strata(trees), by_strata(trees, X), None),
        ("scikit-learn forest", forest_leaves, lambda: forest.predict_proba(X), 3.0),
    ]
    if lightgbm is not None:
        boosted = Boosted(lightgbm, (X_train, y_train), leaves, peer_depth, n_trees)
        one.append(("LightGBM", boosted.leaves[0], boosted.scorer(X, 1), 5.0))
        many.append(("LightGBM", float(np.mean(boosted.leaves)), boosted.scorer(X, n_trees), 5.0))
    for count, compared, turns in ((1, one, 3 * repeats), (n_trees, many, repeats)):
        seconds = interleaved({model: scorer for model, _, scorer, _ in compared}, turns)
        print(f"{name}: {count} tree{'s' if count > 1 else ''}, {len(X):,} rows\n")
        rows = [
            [
                model,
                f"{n_leaves:.0f}",
                f"{1e3 * seconds[model]:.1f}",
                f"{len(X) / seconds[model] / 1e6:.2f}",
                ratio(seconds[model] / seconds[OURS], target),
                ratio(seconds[model] / seconds["rankforest, strata"]),
            ]
            for model, n_leaves, _, target in compared
        ]
        print_table(["", "leaves", "ms", "million rows / s", "time / cells", "time / strata"], rows)


def microseconds(scored: Scored, X: Any, repeats: int, calls: int = 1) -> float:
    """Least CPU time of a call per row."""
    best = interleaved({"": lambda: [scored.score(X) for _ in range(calls)]}, repeats, time.process_time)
    return 1e6 * best[""] / (calls * len(X))


def at_most(value: float, target: float | None = None) -> str:
    text = f"{value:.1f}" if value < 20 else f"{value:.0f}"
    return text if target is None else f"{text} (target <= {target:g})"


def compare_models(quick: bool, kinds: Sequence[str]) -> None:
    """Whole models, on numbers and on categories."""
    n_train, sizes, repeats = (300, (1, 20, 500), 1) if quick else (5_000, (1, 1_000, 100_000), 3)
    of_forest: dict[tuple[str, str], float] = {}
    for kind in kinds:
        make = TABLES[kind]
        X, _ = make(sizes[-1], seed=2)
        found = list(models(*make(n_train, seed=1), quick))
        times = {
            scored: [
                microseconds(scored, X[:n], 3 * repeats if n < sizes[-1] else repeats, 20 if n == 1 else 1)
                for n in sizes
            ]
            for scored in found
        }
        catboost = next((own[-1] for scored, own in times.items() if scored.name == "CatBoost"), math.nan)
        print(f"Models on 20 columns of {kind}: microseconds of CPU per row\n")
        targets = {"RankBoost": 5.0, "RankConsensus": 8.0}
        rows = [
            [
                scored.name,
                scored.n_trees,
                *(at_most(each) for each in own),
                at_most(own[-1] / catboost, targets.get(scored.name)),
            ]
            for scored, own in times.items()
        ]
        header = ["", "trees", *(f"{n:,} row{'s' * (n > 1)}" for n in sizes), "time / CatBoost"]
        print_table(header, rows)
        of_forest |= {(kind, scored.name): own[-1] for scored, own in times.items()}
    ours = of_forest.get(("categories", "RankingForest"))
    for other, name in (
        (("categories", ON_CODES), "the same rows, codes as numbers"),
        (("numbers", "RankingForest"), "the table of numbers"),
    ):
        if ours is not None and other in of_forest:
            print(f"RankingForest with categories / {name}: {ours / of_forest[other]:.2f}\n")


def compare_strata(quick: bool) -> None:
    """Trees of 16 strata, by their strata."""
    n_trees, n_rows = (20, 600) if quick else (500, 20_000)
    X, y = weak_gaussians(n_rows, seed=1)
    table = read_table(X)
    sample = Sample(table, bin_table(table, find_bins(table)), y, None)
    rows = []
    for depth in (3, 5):
        growth = Growth(LeafRank(max_depth=depth, max_features="sqrt"), max_depth=4)
        trees = grow_trees(sample, growth, seed=0, n_trees=n_trees)
        run = by_strata(trees, X)
        took = 1e6 * interleaved({"": run}, 3, time.process_time)[""] / n_rows
        decisions = np.mean([len(tree.feature) for tree in trees])
        rows.append([f"inner depth {depth}", f"{decisions:.0f}", f"{mean_strata(trees):.0f}", at_most(took, 3.0)])
    print(f"{n_trees} ranking trees of master depth 4\n")
    print_table(["", "decisions of a tree", "strata", "microseconds / row"], rows)


def compare_trees(quick: bool) -> None:
    """Trees beside trees with as many leaves."""
    n_train, n_rows, n_trees, repeats = (2_000, 5_000, 5, 2) if quick else (20_000, 100_000, 100, 5)
    X, _ = weak_gaussians(n_rows, seed=2)
    print(f"Scoring {n_rows:,} x {N_FEATURES} float64, one thread\n")
    for setting in SETTINGS:
        compare(setting, n_train, X, n_trees, repeats)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--part", nargs="+", choices=PARTS, default=PARTS, help="only these parts")
    args = options.parse_args()
    if not args.no_header:
        print_header()
    if kinds := [kind for kind in TABLES if kind in args.part]:
        compare_models(args.quick, kinds)
    if "strata" in args.part:
        compare_strata(args.quick)
    if "trees" in args.part:
        compare_trees(args.quick)


if __name__ == "__main__":
    main()
