"""Held-out AUC of repeated customers and of drifting rows, without and with groups and times, beside fresh rows.

Claims: 400 customers with 5 almost equal rows each. The held-out AUC of every model is too good if rows are held out
one by one, and is within two standard errors of the AUC of 4000 fresh customers if groups are given. So is that of
LightGBM in scikit-learn's StratifiedKFold and StratifiedGroupKFold. Of rows whose law changes from week to week the
same holds for folds forward in time and rows of later weeks, in a smaller example.

Over-optimism is the mean over the draws of the held-out AUC minus that of fresh rows; the number after it is the
standard error of that mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from _experiments import FIRST_SEED
from _timing import parser, peer, print_header, print_table
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from rankforest import RankBoost, RankConsensus, RankingForest, RankScore, TreeRank
from rankforest.data.customers import DatedRows, RepeatedRows, customers, drift
from rankforest.metrics import roc_auc

# A fit without and with groups or times, and a draw of training and of fresh rows: held-out AUC and AUC of fresh rows.
Judge = Callable[[Any, Any, bool], tuple[float, float]]
N_FOLDS = 5


def held_out_auc(model: Any) -> float:
    return float(model.figures()["held_out_auc"] if isinstance(model, TreeRank) else model.held_out_scores().auc)


def ours(make: Callable[[], Any]) -> Judge:
    """Judge a model by its own held-out AUC."""

    def judge(train: Any, fresh: Any, keeps: bool) -> tuple[float, float]:
        if isinstance(train, RepeatedRows):
            given = {"groups": train.groups} if keeps else {}
        else:
            given = {"time": train.time} if keeps else {}
        model = make().fit(train.X, train.y, **given)
        return held_out_auc(model), roc_auc(fresh.y, model.score_samples(fresh.X))

    return judge


def lightgbm_in_folds(train: RepeatedRows | DatedRows, fresh: Any, keeps: bool) -> tuple[float, float]:
    """Judge LightGBM by the scores of scikit-learn's folds."""
    lgb: Any = peer("lightgbm")

    def model() -> Any:
        return lgb.LGBMClassifier(
            n_estimators=60, learning_rate=0.05, num_leaves=8, n_jobs=1, verbose=-1, random_state=0
        )

    if isinstance(train, RepeatedRows):
        kind = StratifiedGroupKFold if keeps else StratifiedKFold
        groups = train.groups if keeps else None
        folds = list(kind(N_FOLDS, shuffle=True, random_state=0).split(train.X, train.y, groups))
    elif keeps:
        blocks = np.array_split(np.argsort(train.time, kind="stable"), N_FOLDS + 1)
        folds = [(np.concatenate(blocks[:k]), blocks[k]) for k in range(1, N_FOLDS + 1)]
    else:
        folds = list(StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(train.X, train.y))
    scores = np.full(len(train.y), np.nan)
    for seen, out in folds:
        scores[out] = model().fit(train.X[seen], train.y[seen]).predict_proba(train.X[out])[:, 1]
    whole = model().fit(train.X, train.y)
    if keeps and isinstance(train, DatedRows):  # each fold has a level of its own
        found = float(np.mean([roc_auc(train.y[out], scores[out]) for _, out in folds]))
    else:
        found = roc_auc(train.y, scores)
    return found, roc_auc(fresh.y, whole.predict_proba(fresh.X)[:, 1])


MODELS: dict[str, Judge] = {
    "TreeRank": ours(lambda: TreeRank(random_state=0)),
    "RankScore": ours(lambda: RankScore(random_state=0)),
    "RankingForest": ours(lambda: RankingForest(150, random_state=0)),
    "RankBoost": ours(lambda: RankBoost(random_state=0)),
    "RankConsensus": ours(lambda: RankConsensus(random_state=0)),
    "LightGBM in folds": lightgbm_in_folds,
}


def repeated(seed: int) -> tuple[RepeatedRows, RepeatedRows]:
    return customers(400, 5, random_state=seed), customers(4000, 1, random_state=seed + 100_000)


def dated(seed: int) -> tuple[DatedRows, DatedRows]:
    """Rows of 210 days, and of the 1400 days after them."""
    return drift(210, 10, random_state=seed), drift(1400, 2, first_day=210, random_state=seed + 100_000)


def report(names: list[str], draw: Callable[[int], tuple[Any, Any]], draws: int, keeps: str) -> None:
    rows = []
    for name in names:
        found = np.array(
            [[MODELS[name](*draw(FIRST_SEED + d), with_them) for with_them in (False, True)] for d in range(draws)]
        )
        cells = [name]
        for k in range(2):
            held_out, fresh = found[:, k, 0], found[:, k, 1]
            excess = held_out - fresh
            error = excess.std(ddof=1) / np.sqrt(draws) if draws > 1 else float("nan")
            cells += [f"{held_out.mean():.3f}", f"{fresh.mean():.3f}", f"{excess.mean():+.3f} ({error:.3f})"]
        rows.append(cells)
    header = ["model", "held-out AUC", "fresh", "over-optimism"]
    print_table([*header, f"with {keeps}: held-out AUC", "fresh", "over-optimism"], rows)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--draws", type=int, default=10, help="samples of each kind")
    options.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS))
    args = options.parse_args()
    if not args.no_header:
        print_header()
    draws, names = (1, ["TreeRank", "LightGBM in folds"]) if args.quick else (args.draws, args.models)
    if peer("lightgbm") is None:
        names = [name for name in names if "LightGBM" not in name]
    print(f"Repeated customers: 400 with 5 rows each, {draws} draws\n")
    report(names, repeated, draws, "groups")
    print(f"\nDrift: 210 days with 10 rows each, the 1400 days after them, {draws} draws\n")
    report(names, dated, draws, "time")


if __name__ == "__main__":
    main()
