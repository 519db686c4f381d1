"""What the AUC of CatBoost's defaults costs with RankBoost: its rounds are raised until it ranks at least as well.

On large tables with fine structure RankBoost's own default goes on to a higher AUC, at a price of its own. Claim: at
CatBoost's AUC it takes at most a quarter of CatBoost's processor seconds, and at most 5 times its time to score.

The sets are those of the large scoreboard, split in the same way; with `--data`, real ones too.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _large_sets import LARGE, QUICK_LARGE, LargeSet
from _scoreboard_fit import thirds
from _timing import parser, peer, print_header, print_table

from forest import CatBoost, scores_of
from rankforest import RankBoost
from rankforest.metrics import roc_auc

ROUNDS, QUICK_ROUNDS = (10, 15, 25, 40, 60, 100, 150, 250, 400), (1, 2)


def measured(model: Any, X: pd.DataFrame, y: np.ndarray, new_X: pd.DataFrame, new_y: np.ndarray) -> list[float]:
    """AUC on the new rows, processor seconds of the fit and of scoring them."""
    start = time.process_time()
    model.fit(X, y)
    fitted = time.process_time()
    scores = scores_of(model, new_X)
    return [float(roc_auc(new_y, scores)), fitted - start, time.process_time() - fitted]


def compared(one: LargeSet, folder: Path | None, rounds: tuple[int, ...], threads: int) -> Iterator[list[str]]:
    """Lines of one set: CatBoost, then RankBoost with more and more rounds until its AUC is at least as high."""
    X, y = one.table(folder)  # type: ignore[arg-type]  # a drawn set needs no folder
    train, test = thirds(y, 0, 0)
    rows = X.iloc[train], y[train], X.iloc[test], y[test]
    auc, fit, score = measured(CatBoost(threads), *rows)
    yield [one.name, "CatBoost", f"{auc:.4f}", f"{fit:.1f}", "", f"{score:.3f}", ""]
    for n_rounds in rounds:
        our_auc, our_fit, our_score = measured(RankBoost(n_rounds, n_jobs=threads, random_state=0), *rows)
        price = f"{our_fit:.1f}", f"{our_fit / fit:.2f}", f"{our_score:.3f}", f"{our_score / score:.1f}"
        yield [one.name, f"RankBoost({n_rounds})", f"{our_auc:.4f}", *price]
        if our_auc >= auc:
            return


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, help="folder with the real sets; without it, only those that are drawn")
    options.add_argument("--sets", nargs="+", choices=list(LARGE), default=["covtype_100k", "covtype", "rf20_1m"])
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    if not chosen.no_header:
        print_header()
    known = QUICK_LARGE if chosen.quick else {name: LARGE[name] for name in chosen.sets}
    sets = [one for one in known.values() if chosen.data is not None or not one.files]
    left_out = [one.name for one in known.values() if one not in sets]
    if left_out:
        print(f"Without --data these are left out: {', '.join(left_out)}.\n")
    header = ["set", "model", "AUC", "CPU s of the fit", "share (target .25)", "CPU s to score", "times (target 5)"]
    lines: list[list[str]] = []
    if peer("catboost") is not None:
        for one in sets:
            lines += compared(one, chosen.data, QUICK_ROUNDS if chosen.quick else ROUNDS, chosen.threads)
    print_table(header, lines or [[""] * len(header)])


if __name__ == "__main__":
    main()
