"""The scoreboards: our rankers compared with other libraries, on all binary sets of a folder and on large tables.

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
held-out rows is kept in a folder beside the file. `--repeats 0` only reports finished fits, `--again MODEL` drops those
of a model (on `--sets`) and fits it anew.

`--large` is the second scoreboard: 11 tables of 15 000 to 1 200 000 rows (`_large_sets.py`), and models that are made
for many rows (`_large_models.py`). One split, two thirds to learn from; `--repeats` splits of the tables of at most
50 000 rows. Every fit has a process of its own, which is ended after `--most-seconds` of processor time. With
`--others` it is run on the tables of another folder: `scripts/other_large_sets.py` writes 22 on which no setting was
chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
from _results import Results
from _scoreboard_about import about
from _scoreboard_boards import Board, check_names, large_board, small_board
from _scoreboard_fit import COSTS, METRICS
from _scoreboard_models import OURS
from _scoreboard_page import in_markdown, newest, publish, write_page
from _scoreboard_parts import Published
from _scoreboard_run import run_all
from _scoreboard_stats import common, instability
from _stand_ins import BESIDE, data_folder
from _timing import parser, print_header

PROJECT = Path(__file__).resolve().parents[1]
RESULTS = PROJECT / "benchmarks" / "results"
PAGE = PROJECT / "docs" / "scoreboard.md"
IMAGES = PROJECT / "docs" / "images"


def same_rows(results: Results, most_rows: int | None) -> None:
    """Figures of other rows of a set do not belong into the same file."""
    at = results.columns.index("rows")
    if most_rows is not None and any(int(row[at]) > most_rows for row in results.rows):
        raise SystemExit(f"--results has fits to more than --most-rows {most_rows} rows; name another file.")


def report(board: Board, results: Results, models: list[str], beside: Sequence[str]) -> None:
    """The part of the page without its pictures, to the terminal, of the folds that all models have been through."""
    frame = results.frame()
    shared = common(frame, [name for name in models if name not in beside])
    left_out = sorted(set(frame["set"]) - set(shared["set"]))
    if left_out:
        print(f"Not reported, for no fold has been through all of {', '.join(models)}: {', '.join(left_out)}.\n")
    if shared["set"].nunique() < 2 or len(models) < 3:
        print("Ranks are reported from 3 models and 2 sets on.\n")
        return
    told = described(board, shared, results.path, models) | {"beside": list(beside)}
    print(in_markdown(board.part(Published(frame[frame["model"].isin(models)], told, "DATED FILE"))))


def described(board: Board, frame: pd.DataFrame, path: Path | None, models: Sequence[str]) -> dict[str, Any]:
    """Versions and machine, and the figures that are computed from the stored orders."""
    settings = {name: entry.setting for name, entry in board.rules.entries(board.rules.n_trees).items()}
    return about() | {
        "date": str(date.today()),
        "ours": list(OURS),
        "metrics": list(METRICS),
        "settings": {name: settings.get(name, "") for name in models},
        "instability": instability(frame, path) if path is not None and board.rules.orders else {},
    }


def write_newest() -> None:
    """The page and its pictures, of the newest dated files."""
    small = newest(RESULTS, "scoreboard")
    if small is None:
        raise SystemExit(f"There is no scoreboard-DATE.csv in {RESULTS}; publish one first.")
    write_page(small, newest(RESULTS, "scoreboard-large"), PAGE, IMAGES)
    print(f"Wrote {PAGE.name} and its pictures.")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--large", action="store_true", help="the scoreboard of large tables")
    options.add_argument("--data", type=Path, help="folder with the sets")
    options.add_argument("--others", action="store_true", help="with --large: all tables that --data has, as they are")
    options.add_argument("--results", type=Path, help="CSV file of what is done; goes on where it stopped")
    options.add_argument("--sets", nargs="+", help="only these sets")
    options.add_argument("--models", nargs="+", help="only these models")
    options.add_argument(
        "--again", nargs="+", default=[], help="drop what --results has of these models, fit them anew"
    )
    options.add_argument("--repeats", type=int, help="times 2-fold cross-validation; 0 reports what --results holds")
    options.add_argument("--most-rows", type=int, help="rows of a set; by default 10 000")
    options.add_argument("--most-seconds", type=float, default=900.0, help="of a fit to a large table; by default 900")
    options.add_argument("--jobs", type=int, default=1, help="fits side by side")
    options.add_argument("--beside", nargs="+", default=[], help="models that were run on some sets: without ranks")
    options.add_argument("--note", action="append", default=[], help="a sentence that is published with the figures")
    options.add_argument("--beside-note", action="append", default=[], help="a sentence about those without ranks")
    options.add_argument("--publish", action="store_true", help="write the dated file of --results, and the page of it")
    options.add_argument("--page", action="store_true", help="only write the page, of the newest dated files")
    args = options.parse_args()
    if args.page:
        write_newest()
        return
    if args.publish and not args.results:
        options.error("--publish writes what --results holds; name that file too.")
    if args.quick and args.results:
        options.error("--quick has fewer trees, so its figures do not belong into a file of --results.")
    if not args.no_header:
        print_header()
    if args.large:
        board = large_board(args.quick, args.most_seconds, args.others)
    else:
        board = small_board(args.quick, args.most_rows)
    known = list(board.rules.entries(board.rules.n_trees))
    check_names("model", [*(args.models or ()), *args.again], known)
    results = Results(args.results, METRICS, COSTS)
    if args.again:
        results.drop(args.again, args.sets)
    failures: list[str] = []
    repeats = board.repeats if args.repeats is None else args.repeats
    if repeats:
        same_rows(results, board.rules.most_rows)
        with data_folder(args.data, quick=args.quick, beside=BESIDE) as folder:
            if folder is None:
                raise SystemExit("The scoreboard is made of real sets; name their folder by --data.")
            tasks = board.tasks(
                board.sets(folder, args.sets), args.models or args.again or board.models(), repeats, folder
            )
            jobs = 0 if args.quick else args.jobs
            failures = run_all([task for task in tasks if task.key not in results.done], jobs, results)
    models = [name for name in args.models or known if name in {row[3] for row in results.rows}]
    report(board, results, models, args.beside)
    if args.publish:
        dated = RESULTS / f"{board.stem}-{date.today()}.csv"
        rows = [row for row in results.rows if row[3] in models]
        ranked = [name for name in models if name not in args.beside]
        told = described(board, common(results.frame(), ranked), results.path, models)
        told |= {"beside": args.beside, "notes": args.note, "beside notes": args.beside_note}
        publish(results.columns, rows, told, dated)
        print(f"Wrote {dated.name}.")
        write_newest()
    if failures:
        raise SystemExit("These fits failed:\n" + "\n".join(failures))


if __name__ == "__main__":
    main()
