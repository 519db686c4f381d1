"""``rankforest fit``: learn a model from a file."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ._config import config_text, read_config
from ._errors import WrongUsage, usage
from ._options import (
    READING,
    AsJson,
    Database,
    Dates,
    Decimal,
    Delimiter,
    Encoding,
    Format,
    Jobs,
    Missing,
    Sheet,
    Skip,
    Sql,
    Table,
    column_missing,
    date_order,
    is_of_column,
    layout,
    names_in,
)

__all__ = ["fit"]

RULES = "What the model must respect"
JUDGE = "How good it is"
CONFIG = "Options in a file"


def fit(
    context: typer.Context,
    target: Annotated[str, typer.Option("--target", "-t", metavar="COL", help="Column of the labels.")],
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATA]",
            help="CSV, Excel, Parquet or Arrow file, a folder of them, or a pattern; - is standard input.",
        ),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where the model goes.")
    ] = "model.rankforest",
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            metavar="tree|scorecard|forest|boost|consensus|threshold-boost|ordinal|ordinal-tree",
            help="To read: tree (strata with rules) or scorecard (points that add up). For the best order: forest, "
            "boost, or the consensus of both. Also threshold-boost (RankBoost of the paper), and for ordered labels "
            "ordinal and ordinal-tree.",
        ),
    ] = "tree",
    positive: Annotated[
        str | None,
        typer.Option(metavar="VALUE", help="Label that belongs at the top; by default the greater number, or yes."),
    ] = None,
    top: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Best share of the list that matters, for instance 0.1.")
    ] = None,
    categorical: Annotated[
        list[str] | None,
        typer.Option(metavar="COL,...", help="Columns that are categories, exactly as they are written."),
    ] = None,
    numeric: Annotated[
        list[str] | None,
        typer.Option(metavar="COL,...", help="Columns that are numbers, also if they have leading zeros."),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(metavar="COL,...", help="Columns to leave out.")] = None,
    drop_unlabelled: Annotated[
        bool, typer.Option("--drop-unlabelled", help="Leave out the rows without a label.")
    ] = False,
    weight: Annotated[str | None, typer.Option(metavar="COL", help="Column of weights of the rows.")] = None,
    increasing: Annotated[
        list[str] | None,
        typer.Option(metavar="COL,...", help="Columns in which the score never falls.", rich_help_panel=RULES),
    ] = None,
    decreasing: Annotated[
        list[str] | None,
        typer.Option(metavar="COL,...", help="Columns in which the score never rises.", rich_help_panel=RULES),
    ] = None,
    worst_to_best: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL=A,B,...",
            help="Categories of a column from the worst to the best: the score never falls along them. Can be given "
            "several times.",
            rich_help_panel=RULES,
        ),
    ] = None,
    interactions: Annotated[
        list[str] | None,
        typer.Option(
            metavar="none|pairs|COL,...",
            help="Which columns may be combined: none, pairs of any two, or those of a group; can be given several "
            "times, a group each.",
            rich_help_panel=RULES,
        ),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="Column of groups, such as customers, whose rows are held out together; it is not a feature.",
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="Column of numbers or dates: rows are judged by what was learned from earlier ones; no feature.",
        ),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Ordered labels that are text, from the lowest to the highest."),
    ] = None,
    test: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", help="Hold out a share of the rows, such as 0.3, and judge by them.", rich_help_panel=JUDGE
        ),
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(metavar="N", help="Judge by cross-validation with N folds, such as 5.", rich_help_panel=JUDGE),
    ] = None,
    test_file: Annotated[
        str | None,
        typer.Option("--test-file", metavar="FILE", help="Judge by the rows of another file.", rich_help_panel=JUDGE),
    ] = None,
    tune: Annotated[
        bool,
        typer.Option(
            "--tune",
            help="Compare a few settings of the model by held-out AUC, and take the best; of trees, the simplest one "
            "within a standard error of it.",
            rich_help_panel=JUDGE,
        ),
    ] = False,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Any other parameter of the model; can be given several times."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of random numbers: the same seed gives the same model.")] = 0,
    jobs: Jobs = -1,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Read DATA in batches and keep a byte per value: in memory, or in a nameless file if it takes more "
            "than this, for instance 2GB. The model is the same.",
        ),
    ] = None,
    for_scoring: Annotated[
        bool,
        typer.Option(
            "--for-scoring",
            help="Leave out of the file what no score needs: it is smaller, and has no rules, importances and report.",
        ),
    ] = False,
    config: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            callback=read_config,
            is_eager=True,
            help="Options from a TOML file; those of the command line come first.",
            rich_help_panel=CONFIG,
        ),
    ] = None,
    print_config: Annotated[
        bool,
        typer.Option(
            "--print-config", help="Print the options of this command as TOML, and fit nothing.", rich_help_panel=CONFIG
        ),
    ] = False,
    database: Database = None,
    sql: Sql = None,
    table: Table = None,
    as_json: AsJson = False,
    format: Format = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = "utf-8",
    missing: Missing = None,
    skip: Skip = 0,
    sheet: Sheet = None,
    dates: Dates = None,
    only_missing: Annotated[
        bool,
        typer.Option(
            "--only-missing",
            help="Only empty fields and the words of --missing are missing values: NA may then be a value.",
            rich_help_panel=READING,
        ),
    ] = False,
) -> None:
    """Learn a model from DATA and write it to a file.

    Numbers are split at thresholds, text and true/false are categories, and missing values need no imputation. The
    model stores the columns, types and categories, and checks them when it is used.

    --test, --cv or --test-file print honest figures: AUC, Gini, KS and the relative local AUC of rows that the judged
    model has not seen, in equal shares of every label, whole groups (--group) or the latest rows (--time). With --test
    and --cv the model in the file is then fitted to all rows.

    Example: rankforest fit loans.csv --target default --positive yes --ignore id --test 0.3 -o loans.rankforest

    Example: rankforest fit --database bank.duckdb --table loans --target default -o loans.rankforest
    """
    from ..data.load import open_data
    from ..data.reading.findings import sentences
    from ..data.sources import FileSource, data_paths, is_many
    from ..fitting.progress import part_of_progress, progress
    from ..storage import save_model
    from ._constraints import constraints_of
    from ._database import data_of
    from ._errors import note
    from ._inputs import check_not_read
    from ._judge import Judging, Learner, forest_adds, forest_is_cheap, judge, plain_trials, split, tell_costs
    from ._judged import judge_file, judge_held_out, test_rows
    from ._kinds import TO_READ, build, kinds, nearest_kind, set_known, settings
    from ._positive import check_positive_is_known
    from ._say import bar, say, share_of
    from ._stream_training import read_stream
    from ._target import target_in
    from ._tell_fit import Outcome, forest_command
    from ._training import Choice, read_training, refuse_strange

    if print_config:
        say(config_text(context))
        return
    check_not_read(context, output)
    given = settings(set_)
    if model not in kinds():
        raise WrongUsage(f"--model is {model!r}; {_meant(nearest_kind(model))}choose one of {', '.join(kinds())}.")
    reading = layout(
        format, delimiter, decimal, encoding, missing, () if only_missing else None, skip=skip, sheet=sheet
    )
    in_batches = memory is not None or (data is not None and is_many(data))
    judging = Judging(test, cv, test_file, tune)
    judging.check(in_batches)

    def open_file(path: str) -> Any:
        return FileSource(data_paths(path), reading) if in_batches else open_data(path, reading)

    file: Any = data_of(context, data, database, sql, table, open_file)
    if in_batches and data is None:
        file = FileSource([file])
    columns = file.raw_names if in_batches else file.names
    choice = Choice(
        target=target_in(target, columns, file),
        positive=positive,
        ordinal=kinds()[model].ordered,
        categorical=names_in(categorical, columns, "--categorical", file.path),
        ignored=names_in(ignore, columns, "--ignore", file.path),
        weight=None if weight is None else names_in([weight], columns, "--weight", file.path)[0],
        numeric=names_in(numeric, columns, "--numeric", file.path),
        dates=date_order(dates),
        missing=column_missing(missing, columns),
        drop_unlabelled=drop_unlabelled,
        group=None if group is None else names_in([group], columns, "--group", file.path)[0],
        time=None if time is None else names_in([time], columns, "--time", file.path)[0],
    )
    tests: Any = None
    if test_file is not None:
        tests = test_rows(test_file, reading, choice, columns)
    with usage(["memory"]):
        training: Any = read_stream(file, choice, memory) if in_batches else read_training(file, choice)
    refuse_strange(training.findings, file.path)
    if choice.ordinal and order is None and "order" not in given and training.labels.dtype.kind == "U":
        labels = ",".join(sorted(set(training.labels.tolist())))
        raise WrongUsage(
            f"The labels of {choice.target!r} are text, whose order is not known; add --order with all of them from "
            f"the lowest to the highest, such as --order {labels!r}."
        )
    if not choice.ordinal and training.pos_label is None and given.get("pos_label") is None:
        check_positive_is_known(training.labels, choice.target, context.obj)
    parameters = {
        **_named(
            top=top,
            order=None if order is None else [one.strip() for one in order.split(",")],
            monotonic_cst=constraints_of(
                increasing, decreasing, worst_to_best, interactions, columns=file.names, path=file.path
            ),
        ),
        **given,
    }
    if training.pos_label is not None:
        parameters.setdefault("pos_label", training.pos_label)
    of_command = {"random_state": seed, "n_jobs": jobs, "categorical_features": training.categorical(choice)}

    def make(tuned: dict[str, Any]) -> Any:
        return build(model, {**parameters, **tuned}, of_command)

    named = [*parameters, "time", "groups"]
    with usage(named):
        make({})
        learner = Learner.of(make, model, list(given), judging, seed)
    folds = split(judging, training, seed, choice.ordinal)
    for sentence in sentences(training.all_findings()):
        note(sentence)
    n_judged = 0 if folds is None else folds.n_folds
    tell_costs(learner, training.n_rows, n_judged)
    held_out = []
    with (
        usage(named),
        bar("Fitting", quiet=as_json) as tell,
        progress(share_of(tell)),
    ):
        if folds is not None:
            with part_of_progress(0.0, n_judged / (n_judged + 1)):
                held_out = judge(learner, training, folds)
        with part_of_progress(n_judged / (n_judged + 1), 1.0):
            estimator = training.fit(learner)
    set_known(estimator, n_jobs=None)  # the model file must not depend on the machine
    notes = {
        "target": choice.target,
        "weight": choice.weight,
        "ignored": [*choice.ignored, *training.dropped],
        "missing": [word for word in reading.missing if not is_of_column(word, choice.missing)],
        **_named(group=choice.group, time=choice.time, rows=None if for_scoring else training.row_prints()),
    }
    save_model(estimator, output, for_scoring=for_scoring, notes=notes)
    outcome = Outcome(estimator, training, choice, output, trials=plain_trials(learner.trials))
    if tests is not None:
        judge_file(outcome, tests, notes, top, quiet=as_json)
    elif folds is not None:
        judge_held_out(outcome, held_out, judging, top)
        if model in TO_READ and forest_is_cheap(training, choice, folds):
            forest = build("forest", _named(pos_label=estimator.pos_label_), of_command)
            with bar("Fitting a forest to compare with", quiet=as_json) as tell, progress(share_of(tell)):
                outcome.forest = forest_adds(held_out, forest, training, folds)
    if not choice.ordinal:
        outcome.hint = forest_command(context.obj, model)
    outcome.tell(as_json)


def _meant(name: str | None) -> str:
    return "" if name is None else f"did you mean {name}? Or "


def _named(**given: Any) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}
