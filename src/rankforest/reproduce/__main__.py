"""``python -m rankforest.reproduce table3`` reproduces a table of the papers; ``list`` shows all tables."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from .options import Report, RunOptions

EPILOG = "Stop a run with Ctrl-C and start it again: finished replications are not repeated."


def main(arguments: Sequence[str] | None = None, *, prog: str = "python -m rankforest.reproduce") -> int:
    """Run one experiment, write its table and figure, and print the table in Markdown."""
    parser = argparse.ArgumentParser(prog=prog, description="Reproduce the experiments of the papers.", epilog=EPILOG)
    parser.add_argument("table", metavar="TABLE", help="which one; 'list' shows all of them")
    parser.add_argument("--quick", action="store_true", help="small sizes and few replications: only a preview")
    parser.add_argument("--replications", type=int, metavar="N", help="by default as many as the paper has")
    parser.add_argument("--out", metavar="FOLDER", default="reproduced", help="where results go; default: reproduced")
    parser.add_argument("--data", metavar="FOLDER", help="where the real sets are")
    parser.add_argument(
        "--n-jobs", "--jobs", type=int, default=-1, help="replications at once; by default one per processor"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--bootstrap-size", type=int, metavar="N", help="rows n* that a tree of a forest draws; by default all n"
    )
    parser.add_argument("--law", metavar="LAW", help="of RF 10 sparse: shift (default) or scale")
    chosen = parser.parse_args(arguments)
    try:
        return _run(chosen)
    except (FileNotFoundError, ImportError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, ValueError) else 1
    except KeyboardInterrupt:
        print("\nStopped; run the same command to continue.", file=sys.stderr)
        return 130


def _run(chosen: argparse.Namespace) -> int:
    from .experiments import EXPERIMENTS

    if chosen.table == "list":
        width = max(map(len, EXPERIMENTS))
        for name, experiment in EXPERIMENTS.items():
            print(f"{name:{width}}  {experiment.title}")
        return 0
    if chosen.table not in EXPERIMENTS:
        raise ValueError(f"There is no table {chosen.table!r}; choose one of {', '.join(EXPERIMENTS)}.")
    experiment = EXPERIMENTS[chosen.table]
    for setting in ("bootstrap_size", "law"):
        if getattr(chosen, setting) is not None and setting not in experiment.settings:
            users = [name for name, other in EXPERIMENTS.items() if setting in other.settings]
            option = "--" + setting.replace("_", "-")
            raise ValueError(f"{chosen.table} does not use {option}; leave it out, or choose {', '.join(users)}.")
    options = _options(chosen)
    start = time.monotonic()
    report = experiment.run(options)
    name = file_name(chosen.table, options)
    written = write_table(report, options.out, name)
    print(report.sheet.markdown())
    written += write_figure(report, options.out, name)
    print(f"\n{time.monotonic() - start:.0f} s; written: {', '.join(map(str, written))}", file=sys.stderr)
    return 0


def _options(chosen: argparse.Namespace) -> RunOptions:
    from .ledger import writable_folder

    if chosen.replications is not None and chosen.replications < 1:
        raise ValueError(f"--replications is {chosen.replications}; give at least 1.")
    if chosen.seed < 0:
        raise ValueError(f"--seed is {chosen.seed}; give a whole number of at least 0.")
    if chosen.n_jobs == 0:
        raise ValueError("--n-jobs is 0; give how many replications run at once, or -1 for one per processor.")
    if chosen.data is not None and not Path(chosen.data).is_dir():
        raise FileNotFoundError(f"There is no folder {chosen.data!r}; give the one that holds the sets with --data.")
    if chosen.bootstrap_size is not None and chosen.bootstrap_size < 2:
        raise ValueError(f"--bootstrap-size is {chosen.bootstrap_size}; give at least 2 rows.")
    if chosen.law not in (None, "shift", "scale"):
        raise ValueError(f"--law is {chosen.law!r}; choose shift or scale.")
    return RunOptions(
        out=writable_folder(chosen.out),
        data=None if chosen.data is None else Path(chosen.data),
        quick=chosen.quick,
        replications=chosen.replications,
        n_jobs=chosen.n_jobs,
        seed=chosen.seed,
        bootstrap_size=chosen.bootstrap_size,
        law=chosen.law,
    )


def file_name(table: str, options: RunOptions) -> str:
    """File name of a table: its name and the options that differ from the defaults.

    Examples
    --------
    >>> file_name("table3", RunOptions(Path(), bootstrap_size=50, law="scale"))
    'table3-scale-bootstrap50'
    """
    law = "-scale" if options.law == "scale" else ""
    drawn = "" if options.bootstrap_size is None else f"-bootstrap{options.bootstrap_size}"
    return f"{table}{law}{drawn}{'-quick' if options.quick else ''}"


def write_table(report: Report, folder: Path, name: str) -> list[Path]:
    """Write the table as Markdown and CSV."""
    texts = {folder / f"{name}.md": report.sheet.markdown() + "\n", folder / f"{name}.csv": report.sheet.csv()}
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return list(texts)


def write_figure(report: Report, folder: Path, name: str) -> list[Path]:
    """Write the figure as PNG, if there is one."""
    if report.draw is None:
        return []
    from ..plots._figure import pyplot

    plt = pyplot()
    plt.switch_backend("agg")
    figure = report.draw()
    path = folder / f"{name}.png"
    figure.savefig(path, dpi=130)
    plt.close(figure)
    return [path]


if __name__ == "__main__":
    sys.exit(main())
