"""The scoreboard: our rankers compared with other libraries on all binary sets of a folder.

5 times 2-fold cross-validation, the same halves for all; every set is cut to at most `--most-rows` rows. Figures: AUC,
local AUC and hit ratio at 1%, 5% and 10% of the list, how much the order changes between fits, processor seconds of fit
and scoring in one thread, memory of the fit at its peak. Each model has one setting for all sets. Categories go as such
to those who take them, as codes to scikit-learn's forests, as one-hot columns to the linear models.

Sets are the binary ones of `--data` (`../shared/data` beside the project), ordered labels, numbers and relevances cut
in two, and every other file NAME.csv.gz, .csv or .parquet of the folder whose last column is `target` with two labels.

A whole run takes many hours. `--results FILE` keeps finished fits: an interrupted run continues, and a run with
more models, sets or repeats adds only those. All sets have repeat 0 before any has repeat 1, so that an interrupted
run is balanced. `--jobs` fits are run side by side, each in one thread. Memory is measured once for each set and model,
in the first fits, which run in separate processes because libraries keep memory that they free. The ranking of the
held-out rows is kept in a folder beside the file. `--repeats 0` only reports finished fits.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import date
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _results import Results
from _scoreboard_about import about
from _scoreboard_fit import COSTS, METRICS, Done, Task, run
from _scoreboard_models import OURS, entries
from _scoreboard_page import page, publish, write_page
from _scoreboard_stats import common, instability, order_file, ranking
from _sets import SETS, RealSet, found_in, present
from _stand_ins import BESIDE, data_folder
from _timing import parser, print_header

PROJECT = Path(__file__).resolve().parents[1]
RESULTS = PROJECT / "benchmarks" / "results"
PAGE = PROJECT / "docs" / "scoreboard.md"
PICTURE = PROJECT / "docs" / "images" / "scoreboard.png"
SMALL = ("wdbc", "car")


def keep(done: Done, results: Results) -> None:
    """The order first, then the row: what is in the table has its order."""
    if results.path is not None:
        path = order_file(results.path, done.task.key)
        path.parent.mkdir(exist_ok=True)
        beside = path.with_suffix(".part")
        with beside.open("wb") as file:
            np.savez_compressed(file, rows=done.rows, ranks=done.ranks)
        os.replace(beside, path)
    results.add(*done.task.key, *done.figures)


def run_all(tasks: list[Task], jobs: int, results: Results) -> list[str]:
    """Run the tasks in worker processes (without jobs, in this one); store the results, report failures."""
    failures = []
    done_in_order: Iterable[Done] = chain(
        _side_by_side([task for task in tasks if task.alone], jobs, tasks_per_process=1),
        _side_by_side([task for task in tasks if not task.alone], jobs, tasks_per_process=None),
    )
    if jobs == 0:
        done_in_order = map(run, tasks)
    for number, done in enumerate(done_in_order, start=1):
        name, repeat, fold, model = done.task.key
        told = f"{name}, repeat {repeat}, fold {fold}, {model}"
        if done.failure is None:
            keep(done, results)
            figures = dict(zip((*METRICS, *COSTS), done.figures))
            seconds = f"{figures['fit seconds']} + {figures['score seconds']} s"
            outcome = f"AUC {figures['AUC']}, {seconds}, {figures['peak MiB']} MiB"
        else:
            failures.append(f"{told}: {done.failure}")
            outcome = f"failed, {done.failure}"
        print(f"{number}/{len(tasks)} {told}: {outcome}", flush=True)
    return failures


def _side_by_side(tasks: list[Task], jobs: int, tasks_per_process: int | None) -> Iterator[Done]:
    if not tasks:
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, max_tasks_per_child=tasks_per_process) as pool:
        running = [pool.submit(run, task) for task in tasks]
        try:
            for future in as_completed(running):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def tasks_of(
    chosen: list[RealSet], models: list[str], repeats: int, folder: Path, most_rows: int, n_trees: int
) -> Iterator[Task]:
    """Repeat 0 of all sets before repeat 1 of any; the models of a half side by side."""
    for repeat in range(repeats):
        for real in chosen:
            for fold in range(2):
                for model in models:
                    yield Task(real, repeat, fold, model, folder, most_rows, n_trees)


def same_rows(results: Results, most_rows: int) -> None:
    """Figures of other rows of a set do not belong into the same file."""
    at = results.columns.index("rows")
    if any(int(row[at]) > most_rows for row in results.rows):
        raise SystemExit(f"--results has fits to more than --most-rows {most_rows} rows; name another file.")


def report(results: Results, models: list[str]) -> None:
    """The page without its picture, to the terminal, of the folds that all the models have been through."""
    frame = common(results.frame(), models)
    left_out = sorted({row[0] for row in results.rows} - set(frame["set"]))
    if left_out:
        print(f"Not reported, for no fold has been through all of {', '.join(models)}: {', '.join(left_out)}.\n")
    if frame["set"].nunique() < 2 or len(models) < 3:
        print("Ranks are reported from 3 models and 2 sets on.\n")
        return
    rankings = {metric: ranking(frame, metric) for metric in METRICS}
    print(page(frame, rankings, described(frame, results.path), "DATED FILE"))


def described(frame: pd.DataFrame, path: Path | None) -> dict[str, Any]:
    """Versions and machine, and the figures that are computed from the stored orders."""
    settings = {name: entry.setting for name, entry in entries().items()}
    return about() | {
        "date": str(date.today()),
        "ours": list(OURS),
        "metrics": list(METRICS),
        "settings": {name: settings.get(name, "") for name in dict.fromkeys(frame["model"])},
        "instability": {} if path is None else instability(frame, path),
    }


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, help="folder with the sets")
    options.add_argument("--results", type=Path, help="CSV file of what is done; goes on where it stopped")
    options.add_argument("--sets", nargs="+", help="only these sets")
    options.add_argument("--models", nargs="+", help="only these models")
    options.add_argument("--repeats", type=int, help="times 2-fold cross-validation; 0 reports what --results holds")
    options.add_argument("--most-rows", type=int, help="rows of a set; by default 10 000")
    options.add_argument("--jobs", type=int, default=1, help="fits side by side")
    options.add_argument("--publish", action="store_true", help="write the dated file of --results, and the page of it")
    options.add_argument("--page", type=Path, help="only write the page of this dated file")
    args = options.parse_args()
    if args.page:
        write_page(args.page, PAGE, PICTURE)
        return
    if args.publish and not args.results:
        options.error("--publish writes what --results holds; name that file too.")
    if args.quick and args.results:
        options.error("--quick has fewer trees, so its figures do not belong into a file of --results.")
    n_trees = 10 if args.quick else 500
    most_rows = args.most_rows or (80 if args.quick else 10_000)
    known = list(entries(n_trees))
    for model in args.models or ():
        if model not in known:
            options.error(f"There is no model {model!r}; choose among {', '.join(known)}.")
    repeats = args.repeats if args.repeats is not None else 1 if args.quick else 5
    if not args.no_header:
        print_header()
    results = Results(args.results, METRICS, COSTS)
    failures: list[str] = []
    if repeats:
        same_rows(results, most_rows)
        with data_folder(args.data, quick=args.quick, beside=BESIDE) as folder:
            if folder is None:
                raise SystemExit("The scoreboard is made of real sets; name their folder by --data.")
            wanted = args.sets or (SMALL if args.quick else None)
            others = found_in(folder) if wanted is None or not set(wanted) <= set(SETS) else {}
            sets = SETS | others
            for name in wanted or ():
                if name not in sets:
                    options.error(f"There is no set {name!r}; choose among {', '.join(sets)}.")
            chosen = [sets[name] for name in present(folder, list(wanted or sets))]
            tasks = tasks_of(chosen, args.models or known, repeats, folder, most_rows, n_trees)
            jobs = 0 if args.quick else args.jobs
            failures = run_all([task for task in tasks if task.key not in results.done], jobs, results)
    models = [name for name in args.models or known if name in {row[3] for row in results.rows}]
    report(results, models)
    if args.publish:
        dated = RESULTS / f"scoreboard-{date.today()}.csv"
        rows = [row for row in results.rows if row[3] in models]
        publish(results.columns, rows, described(common(results.frame(), models), results.path), dated)
        write_page(dated, PAGE, PICTURE)
        print(f"Wrote {dated.name}, {PAGE.name} and {PICTURE.name}.")
    if failures:
        raise SystemExit("These fits failed:\n" + "\n".join(failures))


if __name__ == "__main__":
    main()
