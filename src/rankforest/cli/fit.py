"""``rankforest fit``: learn a model from a file."""

from __future__ import annotations

from typing import Annotated, Any

import typer

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
            help="tree: strata with rules; scorecard: points that add up; forest, boost, and the consensus of both: "
            "better scores; threshold-boost: RankBoost of the paper; ordinal, ordinal-tree: ordered labels.",
        ),
    ] = "forest",
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
    database: Database = None,
    sql: Sql = None,
    table: Table = None,
    as_json: AsJson = False,
    format: Format = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = "utf-8",
    missing: Missing = None,
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

    Example: rankforest fit loans.csv --target default --positive yes --ignore id -o loans.rankforest

    Example: rankforest fit --database bank.duckdb --table loans --target default -o loans.rankforest
    """
    from ..data.atomic import check_output
    from ..data.load import open_data
    from ..data.reading.findings import sentences
    from ..data.sources import FileSource, data_paths, is_many
    from ..fitting.progress import progress
    from ..storage import save_model
    from ._constraints import constraints_of
    from ._database import data_of
    from ._errors import note
    from ._kinds import build, kinds, set_known, settings
    from ._positive import check_positive_is_known
    from ._say import bar
    from ._stream_training import read_stream
    from ._training import Choice, read_training

    check_output(output, [] if data is None else data_paths(data))
    given = settings(set_)
    if model not in kinds():
        raise ValueError(f"--model is {model!r}; choose one of {', '.join(kinds())}.")
    reading = layout(format, delimiter, decimal, encoding, missing, () if only_missing else None)
    in_batches = memory is not None or (data is not None and is_many(data))

    def open_file(path: str) -> Any:
        return FileSource(data_paths(path), reading) if in_batches else open_data(path, reading)

    file: Any = data_of(context, data, database, sql, table, open_file)
    if in_batches and data is None:
        file = FileSource([file])
    columns = file.raw_names if in_batches else file.names
    choice = Choice(
        target=names_in([target], columns, "--target", file.path)[0],
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
    training: Any = read_stream(file, choice, memory) if in_batches else read_training(file, choice)
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
    estimator = build(model, parameters, of_command)
    for sentence in sentences(training.all_findings()):
        note(sentence)
    with bar("Fitting", quiet=as_json) as tell, progress(lambda done, total: tell(done / max(1, total))):
        training.fit(estimator)
    set_known(estimator, n_jobs=None)  # the model file must not depend on the machine
    notes = {
        "target": choice.target,
        "weight": choice.weight,
        "ignored": [*choice.ignored, *training.dropped],
        "missing": [word for word in reading.missing if not is_of_column(word, choice.missing)],
        **_named(group=choice.group, time=choice.time),
    }
    save_model(estimator, output, for_scoring=for_scoring, notes=notes)
    _tell(estimator, training, choice, output, as_json)


def _named(**given: Any) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _tell(estimator: Any, training: Any, choice: Any, output: str, as_json: bool) -> None:
    import os

    from ..words import count, figure_name, number, rows
    from ._describe import fitted_figures
    from ._say import print_json, say

    found: dict[str, Any] = {
        "model": output,
        "bytes": os.path.getsize(output),
        "kind": type(estimator).__name__,
        "rows": training.n_rows,
        "features": training.n_features,
        "labels": training.counts,
        **fitted_figures(estimator),
        **({"constraints": estimator.constraints()} if estimator.constraints() else {}),
    }
    if as_json:
        print_json(found)
        return
    labels = ", ".join(f"{count(n)} {label}" for label, n in training.counts.items())
    say(f"{found['kind']} fitted on {rows(found['rows'])} and {count(found['features'])} features ({labels}).")
    for name, value in fitted_figures(estimator).items():
        say(f"  {figure_name(name)}: {number(value, 4) if isinstance(value, float) else value}")
    for sentence in estimator.constraints():
        say(f"  {sentence}")
    if choice.holds_out_by is not None:
        say(f"  column {choice.holds_out_by!r} is not a feature")
    say(f"Model: {output} ({count(found['bytes'])} bytes)")
