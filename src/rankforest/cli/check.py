"""``rankforest check``: what is in the columns of a file, and what to add to ``fit``."""

from __future__ import annotations

from typing import Annotated

import typer

from ._options import (
    AsJson,
    Data,
    Dates,
    Decimal,
    Delimiter,
    Encoding,
    Format,
    Missing,
    column_missing,
    date_order,
    layout,
    names_in,
)

__all__ = ["check"]


def check(
    data: Data,
    target: Annotated[str, typer.Option("--target", "-t", metavar="COL", help="Column of the labels.")],
    ignore: Annotated[list[str] | None, typer.Option(metavar="COL,...", help="Columns to leave out.")] = None,
    ordinal: Annotated[
        bool, typer.Option("--ordinal", help="The labels are ordered, and may be more than two.")
    ] = False,
    as_json: AsJson = False,
    format: Format = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = "utf-8",
    missing: Missing = None,
    dates: Dates = None,
) -> None:
    """Look at DATA before a model is fitted: how its columns are read, what is wrong, and the options for fit.

    Example: rankforest check loans.csv --target default
    """
    import shlex
    from dataclasses import replace

    from ..data.load import open_data
    from ..data.reading.findings import Finding, options_of, sentences
    from ..words import count, rows
    from ._say import print_json, say
    from ._training import Choice, read_training

    file = open_data(data, layout(format, delimiter, decimal, encoding, missing))
    choice = Choice(
        target=names_in([target], file.names, "--target", file.path)[0],
        positive=None,
        ordinal=ordinal,
        categorical=[],
        ignored=names_in(ignore, file.names, "--ignore", file.path),
        weight=None,
        dates=date_order(dates),
        missing=column_missing(missing, file.names),
        drop_unlabelled=True,
    )
    training = read_training(file, choice)
    findings = [
        Finding("unlabelled", value=one.value, option=("--drop-unlabelled",)) if one.kind == "left out" else one
        for one in training.all_findings()
    ]
    # that a code is a number after all is a matter of taste, not a remedy
    needed = options_of(replace(one, option=()) if one.kind == "code" else one for one in findings)
    command = shlex.join(["rankforest", "fit", data, "--target", target, *needed])
    if as_json:
        found = {"data": file.path, "rows": training.n_rows, "features": training.n_features, "labels": training.counts}
        print_json({**found, "findings": [one.to_dict() for one in findings], "options": needed, "command": command})
        return
    labels = ", ".join(f"{count(n)} {label}" for label, n in training.counts.items())
    say(f"{file.path}: {rows(training.n_rows)} with a label, {count(training.n_features)} features ({labels}).")
    for sentence in sentences(findings):
        say(f"  {sentence[0].upper()}{sentence[1:]}")
    say(f"Fit with: {command}")
