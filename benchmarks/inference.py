"""What intervals and tests cost.

Claims: the covariance of the AUCs of 10 models on 1 million rows takes less than 3 seconds; a bootstrap draw of a list
of 100 000 rows is cheaper than sorting it again, as scikit-learn's metric on the drawn rows does.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from _timing import interleaved, parser, print_header, print_table, ratio
from sklearn.metrics import roc_auc_score

from rankforest.metrics import bootstrap_interval, delong_covariance, roc_bands


def cpu_seconds(task: Callable[[], object]) -> float:
    """Seconds of the processor, which other programs on the machine do not lengthen by much."""
    start = time.process_time()
    task()
    return time.process_time() - start


def main() -> None:
    args = parser(__doc__).parse_args()
    if not args.no_header:
        print_header()
    rng = np.random.default_rng(0)

    n = 20_000 if args.quick else 1_000_000
    y = rng.integers(0, 2, n)
    scores = np.asfortranarray(rng.normal(size=(n, 10)) + y[:, None])
    tied = np.asfortranarray(np.round(scores, 2))
    tasks: dict[str, Callable[[], object]] = {
        "argsort": lambda: [np.argsort(scores[:, k]) for k in range(10)],
        "no ties": lambda: delong_covariance(y, scores),
        "ties": lambda: delong_covariance(y, tied),
    }
    best = interleaved(tasks, repeats=3)
    cpu = {name: min(cpu_seconds(task) for _ in range(3)) for name, task in tasks.items()}
    print(f"Covariance of the AUCs of 10 models, n = {n} (target: less than 3 s at 1M)\n")
    rows = [[name, f"{best[name]:.2f}", f"{cpu[name]:.2f}", ratio(cpu[name] / cpu["argsort"])] for name in best]
    print_table(["", "seconds", "of the processor", "ratio to numpy's argsort"], rows)

    n, draws = (5_000, 10) if args.quick else (100_000, 50)
    y, score = y[:n], scores[:n, 0].copy()
    classes = [np.flatnonzero(y == label) for label in (0, 1)]

    def written_out() -> None:
        for _ in range(draws):
            drawn = np.concatenate([rng.choice(members, len(members)) for members in classes])
            roc_auc_score(y[drawn], score[drawn])

    tasks = {
        "scikit-learn on drawn rows": written_out,
        "roc_auc": lambda: bootstrap_interval(y, score, "roc_auc", n_replicates=draws),
        "average_precision": lambda: bootstrap_interval(y, score, "average_precision", n_replicates=draws),
        "local_auc": lambda: bootstrap_interval(y, score, "local_auc", 0.1, n_replicates=draws),
    }
    best = interleaved(tasks, repeats=3)
    print(f"Bootstrap, n = {n}\n")
    plain = best["scikit-learn on drawn rows"]
    rows = [[name, f"{1000 * best[name] / draws:.2f}", ratio(plain / best[name])] for name in best]
    print_table(["", "ms per draw", "times as fast"], rows)

    sizes = (500, 1000) if args.quick else (1000, 10_000, 20_000)
    best = interleaved({f"n = {n}": lambda n=n: roc_bands(y[:n], score[:n]) for n in sizes}, repeats=2)
    print("Bands\n")
    print_table(["", "seconds"], [[name, f"{seconds:.2f}"] for name, seconds in best.items()])


if __name__ == "__main__":
    main()
