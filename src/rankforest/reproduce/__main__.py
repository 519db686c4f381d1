"""``python -m rankforest.reproduce ordinal --data FOLDER --quick`` prints the paper's tables, made anew."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one paper's experiments and print a table in Markdown."""
    parser = argparse.ArgumentParser(prog="python -m rankforest.reproduce", description="The papers' experiments.")
    papers = parser.add_subparsers(dest="paper", required=True)
    ordinal = papers.add_parser("ordinal", help="ordinal ranking tree (2008): mean rank errors")
    ordinal.add_argument("--data", metavar="FOLDER", help="where cystic_fibrosis_judgments and ml100k_ratings are")
    ordinal.add_argument("--quick", action="store_true", help="a tenth of the trials")
    ordinal.add_argument("--jobs", type=int, default=-1, help="trials at once; by default one per processor")
    ordinal.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)

    from .ordinal_tables import ordinal_tables, to_terminal

    try:
        results = ordinal_tables(
            chosen.data, quick=chosen.quick, n_jobs=chosen.jobs, seed=chosen.seed, report=to_terminal
        )
    except (FileNotFoundError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    to_terminal("")
    print(results.markdown())
    print(f"\n{results.seconds:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
