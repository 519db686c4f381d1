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

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
from _large_models import large_entries
from _large_sets import LARGE, QUICK_LARGE, LargeSet
from _results import Results
from _scoreboard_about import about
from _scoreboard_fit import COSTS, METRICS, Rules, Source, Task, halves, thirds
from _scoreboard_models import OURS, entries
from _scoreboard_page import page, publish, write_page
from _scoreboard_run import run_all
from _scoreboard_stats import common, instability, ranking
from _sets import SETS, RealSet, found_in, present
from _stand_ins import BESIDE, data_folder
from _timing import parser, print_header

PROJECT = Path(__file__).resolve().parents[1]
RESULTS = PROJECT / "benchmarks" / "results"
PAGE = PROJECT / "docs" / "scoreboard.md"
PICTURE = PROJECT / "docs" / "images" / "scoreboard.png"
QUICK_SETS = ("wdbc", "car")
MOST_SECONDS = 900.0


def small_rules(quick: bool, most_rows: int | None) -> Rules:
    n_trees, usual_rows = (10, 80) if quick else (500, 10_000)
    return Rules(entries, halves, n_trees, n_folds=2, most_rows=most_rows or usual_rows, orders=True)


def large_rules(quick: bool, most_seconds: float | None) -> Rules:
    return Rules(large_entries, thirds, 10 if quick else 500, n_folds=1, most_seconds=most_seconds or MOST_SECONDS)


def small_sets(folder: Path, quick: bool, wanted: Sequence[str] | None) -> list[RealSet]:
    """The binary sets of the folder, known or found in it."""
    wanted = wanted or (QUICK_SETS if quick else None)
    others = found_in(folder) if wanted is None or not set(wanted) <= set(SETS) else {}
    sets = SETS | others
    check_names("set", wanted or (), sets)
    return [sets[name] for name in present(folder, wanted or sets)]


def large_sets(folder: Path, quick: bool, wanted: Sequence[str] | None) -> list[LargeSet]:
    sets = QUICK_LARGE if quick else LARGE
    check_names("set", wanted or (), sets)
    files = {name: one.files for name, one in sets.items()}
    return [sets[name] for name in present(folder, wanted or sets, files)]


def check_names(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    for name in given:
        if name not in known:
            raise SystemExit(f"There is no {what} {name!r}; choose among {', '.join(known)}.")


def tasks_of(
    chosen: Sequence[Source], models: Sequence[str], repeats: int, folder: Path, rules: Rules
) -> Iterator[Task]:
    """Repeat 0 of all sets before repeat 1 of any; the models of a part side by side."""
    for repeat in range(repeats):
        for source in chosen:
            if repeat > 0 and isinstance(source, LargeSet) and not source.several:
                continue
            for fold in range(rules.n_folds):
                for model in models:
                    yield Task(source, repeat, fold, model, folder, rules)


def same_rows(results: Results, most_rows: int | None) -> None:
    """Figures of other rows of a set do not belong into the same file."""
    at = results.columns.index("rows")
    if most_rows is not None and any(int(row[at]) > most_rows for row in results.rows):
        raise SystemExit(f"--results has fits to more than --most-rows {most_rows} rows; name another file.")


def report(results: Results, models: list[str], rules: Rules) -> None:
    """The page without its picture, to the terminal, of the folds that all the models have been through."""
    frame = common(results.frame(), models)
    left_out = sorted({row[0] for row in results.rows} - set(frame["set"]))
    if left_out:
        print(f"Not reported, for no fold has been through all of {', '.join(models)}: {', '.join(left_out)}.\n")
    if frame["set"].nunique() < 2 or len(models) < 3:
        print("Ranks are reported from 3 models and 2 sets on.\n")
        return
    rankings = {metric: ranking(frame, metric) for metric in METRICS}
    print(page(frame, rankings, described(frame, results.path, rules), "DATED FILE"))


def described(frame: pd.DataFrame, path: Path | None, rules: Rules) -> dict[str, Any]:
    """Versions and machine, and the figures that are computed from the stored orders."""
    settings = {name: entry.setting for name, entry in rules.entries(500).items()}
    return about() | {
        "date": str(date.today()),
        "ours": list(OURS),
        "metrics": list(METRICS),
        "settings": {name: settings.get(name, "") for name in dict.fromkeys(frame["model"])},
        "instability": instability(frame, path) if path is not None and rules.orders else {},
    }


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, help="folder with the sets")
    options.add_argument("--results", type=Path, help="CSV file of what is done; goes on where it stopped")
    options.add_argument("--sets", nargs="+", help="only these sets")
    options.add_argument("--models", nargs="+", help="only these models")
    options.add_argument("--repeats", type=int, help="times 2-fold cross-validation; 0 reports what --results holds")
    options.add_argument("--most-rows", type=int, help="rows of a set; by default 10 000")
    options.add_argument("--large", action="store_true", help="the scoreboard of large sets")
    options.add_argument("--most-seconds", type=float, help="processor seconds of a fit to a large set; by default 900")
    options.add_argument("--again", nargs="+", help="drop what --results holds of these models, to fit them again")
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
    if args.large:
        rules, sets_of = large_rules(args.quick, args.most_seconds), large_sets
        usual_repeats = 1
    else:
        rules, sets_of = small_rules(args.quick, args.most_rows), small_sets
        usual_repeats = 1 if args.quick else 5
    known = list(rules.entries(rules.n_trees))
    check_names("model", [*(args.models or ()), *(args.again or ())], known)
    repeats = args.repeats if args.repeats is not None else usual_repeats
    if not args.no_header:
        print_header()
    results = Results(args.results, METRICS, COSTS)
    if args.again:
        results.drop(args.again, args.sets)
    failures: list[str] = []
    if repeats:
        same_rows(results, rules.most_rows)
        with data_folder(args.data, quick=args.quick, beside=BESIDE) as folder:
            if folder is None:
                raise SystemExit("The scoreboard is made of real sets; name their folder by --data.")
            chosen = sets_of(folder, args.quick, args.sets)
            tasks = tasks_of(chosen, args.models or known, repeats, folder, rules)
            jobs = 0 if args.quick else args.jobs
            failures = run_all([task for task in tasks if task.key not in results.done], jobs, results)
    models = [name for name in args.models or known if name in {row[3] for row in results.rows}]
    report(results, models, rules)
    if args.publish:
        dated = RESULTS / f"scoreboard-{date.today()}.csv"
        rows = [row for row in results.rows if row[3] in models]
        publish(results.columns, rows, described(common(results.frame(), models), results.path, rules), dated)
        write_page(dated, PAGE, PICTURE)
        print(f"Wrote {dated.name}, {PAGE.name} and {PICTURE.name}.")
    if failures:
        raise SystemExit("These fits failed:\n" + "\n".join(failures))


if __name__ == "__main__":
    main()
