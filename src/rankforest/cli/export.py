"""``rankforest export``: a model in another language."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ._errors import WrongUsage
from ._options import Model

__all__ = ["export"]

# what the kinds and the parts of columns become
_MADE = {
    "date": "days since 1970-01-01",
    "month": "the month (1 to 12)",
    "weekday": "the weekday (Monday is 1)",
    "hour": "the hour",
    "time": "hours",
    "number": "numbers without marks",
}

FORMATS = ("sql", "onnx", "json", "text", "python", "excel")
_BINARY = {"onnx": "An ONNX graph", "excel": "An Excel file"}


def export(
    context: typer.Context,
    model: Model,
    to: Annotated[str, typer.Option("--to", metavar="sql|onnx|json|text|python|excel", help="What the model becomes.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="File to write; standard output by default.")
    ] = "-",
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="SQL: the table with the rows; data by default.")
    ] = None,
    keep: Annotated[
        str | None, typer.Option(metavar="COL,...", help="SQL: columns to put before the scores, such as a key.")
    ] = None,
    dialect: Annotated[
        str | None, typer.Option(metavar="ansi|sqlite|duckdb|postgresql", help="SQL: dialect; ansi by default.")
    ] = None,
    prepared: Annotated[
        bool,
        typer.Option("--prepared", help="SQL: the table has dates and amounts as the numbers that the model reads."),
    ] = False,
) -> None:
    """Write a model as a SQL query, an ONNX graph, JSON, text to read, or Python that does not need rankforest.

    A scorecard can also be an Excel file, in which formulas give the total of the values that are typed.

    Example: rankforest export loans.rankforest --to sql --table loans --keep id -o loans.sql
    """
    from ._inputs import check_not_read

    if to not in FORMATS:
        raise WrongUsage(f"--to is {to!r}; choose one of {', '.join(FORMATS)}.")
    options: dict[str, Any] = {"table": table, "keep": keep and keep.split(","), "dialect": dialect}
    options = {name: value for name, value in options.items() if value is not None}
    if (options or prepared) and to != "sql":
        raise WrongUsage(f"--{next(iter(options), 'prepared')} is only for --to sql; leave it out.")
    check_not_read(context, output)
    if output == "-" and to in _BINARY:
        raise WrongUsage(f"{_BINARY[to]} is not text; give the file to write with -o.")
    from .. import export as exports
    from ._model import load
    from ._say import say

    loaded = load(model)
    if to != "text":  # which is for people
        _tell_reading(loaded.schema.reading, refused=to == "sql" and not prepared)
    if output == "-":
        say(getattr(exports, f"to_{to}")(loaded.model, **options).rstrip("\n"))
    else:
        exports.export_model(loaded.model, output, to=to, **options)
        say(f"Written: {output}")


def _tell_reading(reading: Any, *, refused: bool) -> None:
    """Say which columns are not those of the file: other programs get the features, and have to make them.

    SQL reads a table as it is, and gives no score for a date or an amount: so it is refused unless they are prepared.
    """
    from ._errors import note

    made: dict[str, list[str]] = {}
    for how in () if reading is None else reading.columns:
        if not how.is_plain and how.kind in _MADE:
            for name, kind in zip(how.features, (how.kind, *how.parts)):
                made.setdefault(_MADE[kind], []).append(repr(name))
    if made:
        *some, last = [f"{', '.join(names)} as {what}" for what, names in made.items()]
        said = f"{', '.join(some)} and {last}" if some else last
        if refused:
            dates = any(how.kind == "date" for how in reading.columns)
            days = " (DuckDB and PostgreSQL: CAST(d AS DATE) - DATE '1970-01-01'; SQLite: julianday(d) - 2440587.5)"
            raise WrongUsage(
                f"The model reads {said}, and SQL reads columns as they are, so that every score would be NULL; make a "
                f"view with these numbers{days * dates}, and add --prepared."
            )
        note(f"the export takes features, not the columns of a file: give it {said}.")
