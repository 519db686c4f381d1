"""Metrics of the top of a long list: the cost of 100 shares compared with one sort of the scores.

Claim: on 1 million scores, `local_auc` at 100 shares takes less than 10 times as long as one `numpy.argsort`, with and
without weights. Peer: scikit-learn's `roc_auc_score`, which gives one number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from _timing import interleaved, parser, print_header, print_table
from sklearn.metrics import roc_auc_score

from rankforest.metrics import gains_table, hit_ratio, local_auc, local_risk, partial_auc, w_ranking

TARGET = 10


def main() -> None:
    args = parser(__doc__).parse_args()
    if not args.no_header:
        print_header()
    n, repeats = (30_000, 2) if args.quick else (1_000_000, 7)
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.1).astype(np.int64)
    score = rng.normal(size=n) + y
    tied = np.round(score, 2)
    weight = rng.random(n)
    u = np.arange(1, 101) / 100
    tasks: dict[str, Callable[[], Any]] = {
        "numpy.argsort": lambda: np.argsort(score),
        "local_auc, 100 shares": lambda: local_auc(y, score, u),
        "local_auc, 1 share": lambda: local_auc(y, score, 0.1),
        "local_auc, 100 shares, weights": lambda: local_auc(y, score, u, sample_weight=weight),
        "local_auc, 100 shares, ties": lambda: local_auc(y, tied, u),
        "local_risk, 100 shares": lambda: local_risk(y, score, u),
        "partial_auc, 100 shares": lambda: partial_auc(y, score, u),
        "w_ranking, 100 shares": lambda: w_ranking(y, score, u),
        "w_ranking with rank / (n + 1)": lambda: w_ranking(y, score, u, ranks="n+1"),
        "hit_ratio, 100 shares": lambda: hit_ratio(y, score, u),
        "gains_table, 100 groups": lambda: gains_table(y, score, n_groups=100),
        "scikit-learn roc_auc_score": lambda: roc_auc_score(y, score),
    }
    best = interleaved(tasks, repeats)
    print(f"{n:,} scores: time over that of one numpy.argsort (target for local_auc: < {TARGET})\n")
    one = best["numpy.argsort"]
    rows = [[name, f"{1e3 * seconds:.0f}", f"{seconds / one:.1f}"] for name, seconds in best.items()]
    print_table(["", "ms", "ratio"], rows)


if __name__ == "__main__":
    main()
