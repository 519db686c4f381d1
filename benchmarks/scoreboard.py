"""The scoreboard: our rankers beside today's best on all binary sets of a folder.

5 times 2-fold cross-validation, the same halves for all; every set is cut to at most `--most-rows` rows. Figures: AUC,
local AUC and hit ratio at 1%, 5% and 10% of the list, how much the order changes between fits, processor seconds of fit
and scoring in one thread, memory of the fit at its peak. Each model has one setting for all sets. Categories go as such
to those who take them, as codes to scikit-learn's forests, as one-hot columns to the linear models.

Sets are the binary ones of `--data` (`../shared/data` beside the project), ordered labels, numbers and relevances cut
in two, and every other file NAME.csv.gz, .csv or .parquet of the folder whose last column is `target` with two labels.

A whole run takes many hours. `--results FILE` keeps what is done: a run goes on where it stopped, and a run with
further models, sets or repeats adds only those. All sets have repeat 0 before any has repeat 1, so that an interrupted
run is balanced. `--jobs` fits are run side by side, each in one thread. Memory is measured once for each set and model,
in the first fits, which have each a process of their own: libraries keep what they have freed. The order of the rows
held out is kept in a folder beside the file. `--repeats 0` reports what is there.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import chain
from pathlib import Path

import numpy as np
from _results import Results
from _scoreboard_fit import COSTS, METRICS, Done, Task, run
from _scoreboard_models import entries
from _sets import SETS, RealSet, found_in, present
from _timing import parser, print_header, require_lightgbm

SMALL = ("sonar", "ionosphere", "wdbc", "car")


def scores_folder(results: Path) -> Path:
    return results.with_name(f"{results.stem}-scores")


def scores_file(results: Path, key: tuple[str, str, str, str]) -> Path:
    return scores_folder(results) / ("-".join(key).replace(" ", "_") + ".npz")


def keep(done: Done, results: Results) -> None:
    """The order first, then the row: what is in the table has its order."""
    if results.path is not None:
        path = scores_file(results.path, done.task.key)
        path.parent.mkdir(exist_ok=True)
        beside = path.with_suffix(".part")
        with beside.open("wb") as file:
            np.savez_compressed(file, rows=done.rows, ranks=done.ranks)
        os.replace(beside, path)
    results.add(*done.task.key, *done.figures)


def run_all(tasks: list[Task], jobs: int, results: Results) -> list[str]:
    """Runs the tasks in processes beside this one, keeps what is found, and returns the failures."""
    failures = []
    done_in_order = chain(
        _side_by_side([task for task in tasks if task.alone], jobs, tasks_per_process=1),
        _side_by_side([task for task in tasks if not task.alone], jobs, tasks_per_process=None),
    )
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


def main() -> None:
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    options = parser(__doc__)
    options.add_argument("--data", type=Path, default=beside, help="folder with the sets")
    options.add_argument("--results", type=Path, help="CSV file of what is done; goes on where it stopped")
    options.add_argument("--sets", nargs="+", help="only these sets")
    options.add_argument("--models", nargs="+", help="only these models")
    options.add_argument("--repeats", type=int, help="times 2-fold cross-validation; 0 reports what --results holds")
    options.add_argument("--most-rows", type=int, default=10_000, help="rows of a set")
    options.add_argument("--jobs", type=int, default=1, help="fits side by side")
    args = options.parse_args()
    if args.quick and args.results:
        options.error("--quick has fewer trees, so its figures do not belong into a file of --results.")
    require_lightgbm()
    n_trees = 100 if args.quick else 500
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
        if not args.data.is_dir():
            options.error(f"There is no folder {args.data}; name the folder of the sets by --data.")
        wanted = args.sets or (SMALL if args.quick else None)
        others = found_in(args.data) if wanted is None or not set(wanted) <= set(SETS) else {}
        sets = SETS | others
        for name in wanted or ():
            if name not in sets:
                options.error(f"There is no set {name!r}; choose among {', '.join(sets)}.")
        chosen = [sets[name] for name in present(args.data, list(wanted or sets))]
        tasks = tasks_of(chosen, args.models or known, repeats, args.data, args.most_rows, n_trees)
        failures = run_all([task for task in tasks if task.key not in results.done], args.jobs, results)
    if failures:
        raise SystemExit("These fits failed:\n" + "\n".join(failures))


if __name__ == "__main__":
    main()
