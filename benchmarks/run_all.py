"""Runs all benchmarks, each in a separate process, and prints one line about the machine first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from _timing import parser, print_header

SCRIPTS = (
    "accuracy",
    "pruning",
    "cutting",
    "readable",
    "oblique",
    "complexity",
    "real_data",
    "two_sample",
    "local",
    "top",
    "best_instances",
    "groups",
    "conformal",
    "bands",
    "auc_coverage",
    "inference",
    "grow",
    "binning",
    "score",
    "explain",
    "memory",
    "cli_memory",
    "stream",
    "scaling",
    "large_fit",
    "equal_auc",
    "cluster",
    "consensus",
    "forest",
    "aggregation",
    "forest_speed",
    "ordinal",
    "boost",
    "scorecard",
    "constraints",
    "export",
    "file_size",
)


def main() -> None:
    options = parser(__doc__)
    options.add_argument(
        "--data",
        type=Path,
        help="folder with real sets, for accuracy, real_data, forest, aggregation, ordinal, boost, scorecard, "
        "constraints, best_instances",
    )
    options.add_argument("--no-sklearn-large", action="store_true", help="for grow.py: no scikit-learn at n = 1M")
    options.add_argument("--only", nargs="+", choices=SCRIPTS, default=SCRIPTS, help="run only these")
    args = options.parse_args()
    if not args.no_header:
        print_header()
    data = ["--data", str(args.data)] if args.data else []
    extra = {
        "accuracy": data,
        "real_data": data,
        "forest": [*data, "--repeats", "1"] if data or args.quick else ["--part", "artificial"],
        "readable": [*data, "--repeats", "1"],
        "aggregation": data,
        "ordinal": [*data, "--repeats", "1"],
        "scorecard": [*data, "--repeats", "1"],
        "constraints": data,
        "boost": data,
        "equal_auc": data,
        "best_instances": data,
        "large_fit": [] if args.quick else ["--rows", "1000000"],
        "cluster": [] if args.quick else ["--rows", "1000000"],
        "grow": ["--no-sklearn-large"] if args.no_sklearn_large else [],
    }
    failed = []
    for name in args.only:
        print(f"## {name}\n", flush=True)
        command = [sys.executable, str(Path(__file__).with_name(f"{name}.py")), "--no-header", *extra.get(name, [])]
        if args.quick:
            command.append("--quick")
        if subprocess.run(command).returncode:
            failed.append(name)
    if failed:
        raise SystemExit(f"These benchmarks did not finish: {', '.join(failed)}.")


if __name__ == "__main__":
    main()
