"""``rankforest check``: what is in the columns of a file, and what to add to ``fit``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ._options import (
    AsJson,
    Database,
    Dates,
    Decimal,
    Delimiter,
    DropUnlabelled,
    Encoding,
    Format,
    Missing,
    OrData,
    Sheet,
    Skip,
    Sql,
    Table,
    column_missing,
    date_order,
    layout,
    names_in,
)

__all__ = ["check"]


def check(
    context: typer.Context,
    target: Annotated[str, typer.Option("--target", "-t", metavar="COL", help="Column of the labels.")],
    data: OrData = None,
    ignore: Annotated[list[str] | None, typer.Option(metavar="COL,...", help="Columns to leave out.")] = None,
    categorical: Annotated[
        list[str] | None,
        typer.Option(metavar="COL,...", help="Columns that are categories, exactly as they are written."),
    ] = None,
    numeric: Annotated[
        list[str] | None,
        typer.Option(metavar="COL,...", help="Columns that are numbers, also if they have leading zeros."),
    ] = None,
    positive: Annotated[str | None, typer.Option(metavar="VALUE", help="Label that belongs at the top.")] = None,
    drop_unlabelled: DropUnlabelled = False,
    ordinal: Annotated[
        bool, typer.Option("--ordinal", help="The labels are ordered, and may be more than two.")
    ] = False,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write an HTML page to print or to mail.")
    ] = None,
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
) -> None:
    """Look at DATA before a model is fitted: how its columns are read, what is wrong, and the options for fit.

    Of a folder or a pattern of files the rows are read in batches, and what shows only in whole rows is looked for in
    100 000 of them, from all parts of the table.

    Example: rankforest check loans.csv --target default -o loans.html
    """
    import shlex
    from dataclasses import replace

    from ..data.atomic import atomic_write
    from ..data.data_file import DataFileError
    from ..data.database import without_password
    from ..data.reading.findings import Finding, options_of, sentences
    from ..data.sources import FileSource, data_paths, is_many
    from ..words import count, features, rows
    from ._check_faults import open_or_repair, tell_faults
    from ._check_page import check_page
    from ._config import given_again
    from ._database import data_of
    from ._inputs import check_not_read
    from ._positive import unclear_labels
    from ._printable import printable
    from ._say import bar, print_json, say
    from ._stream_training import read_stream
    from ._target import target_in
    from ._training import Choice, read_training

    check_not_read(context, output)
    how = layout(format, delimiter, decimal, encoding, missing, skip=skip, sheet=sheet)
    many = data is not None and is_many(data)
    faults: list[str] = []
    file: Any = data_of(
        context,
        data,
        database,
        sql,
        table,
        lambda path: FileSource(data_paths(path), how) if many else open_or_repair(path, how, faults),
    )
    columns = file.raw_names if many else file.names
    choice = Choice(
        target=target_in(target, columns, file),
        positive=positive,
        ordinal=ordinal,
        categorical=names_in(categorical, columns, "--categorical", file.path),
        ignored=names_in(ignore, columns, "--ignore", file.path),
        weight=None,
        numeric=names_in(numeric, columns, "--numeric", file.path),
        dates=date_order(dates),
        missing=column_missing(missing, columns),
        drop_unlabelled=True,
    )
    try:
        if faults:
            raise DataFileError(faults[0])
        with bar("Looking at the columns", quiet=as_json):
            training: Any = read_stream(file, choice, None) if many else read_training(file, choice)
            found = training.all_findings()
    except DataFileError:
        tell_faults(file, choice, faults, as_json)
        raise
    findings = [
        Finding("unlabelled", value=one.value, option=("--drop-unlabelled",))
        if one.kind == "left out" and not drop_unlabelled
        else one
        for one in found
    ]
    unclear = None if ordinal or positive is not None else unclear_labels(training.labels)
    if unclear:
        findings.append(Finding("positive", value=" or ".join(shlex.join(["--positive", one]) for one in unclear)))
    # that a code or a date is a number after all is a matter of taste, not a remedy
    needed = options_of(replace(one, option=()) if one.kind in ("code", "compact") else one for one in findings)
    asked = [("--database", database and without_password(database)), ("--sql", sql), ("--table", table)]
    source = (
        [data] if data is not None else [part for name, value in asked if value is not None for part in (name, value)]
    )
    command = shlex.join(["rankforest", "fit", *source, "--target", target, *given_again(context), *needed])
    commands = [shlex.join([*shlex.split(command), "--positive", one]) for one in unclear or ()] or [command]
    summary = f"{rows(training.n_rows)} with a label, {features(training.n_features)}"
    if output is not None:
        labels_of = [(printable(str(label)), count(n)) for label, n in training.counts.items()]
        atomic_write(
            output, check_page(f"What is in {file.path}", f"{summary}.", target, labels_of, findings, commands)
        )
    if as_json:
        found = {"data": file.path, "rows": training.n_rows, "features": training.n_features, "labels": training.counts}
        print_json({**found, "findings": [one.to_dict() for one in findings], "options": needed, "command": command})
        return
    labels = ", ".join(f"{count(n)} {label}" for label, n in training.counts.items())
    say(f"{file.path}: {summary} ({labels}).")
    for sentence in sentences(findings):
        say(f"  {sentence[0].upper()}{sentence[1:]}")
    if output is not None:
        say(f"Page: {output}")
    for k, one in enumerate(commands):
        say(f"{'Fit with' if k == 0 else 'or with'}: {one}")
