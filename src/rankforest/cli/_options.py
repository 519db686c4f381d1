"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from ._errors import WrongUsage
from ._suggest import did_you_mean

__all__ = [
    "DATABASE",
    "READING",
    "AsJson",
    "Confidence",
    "Data",
    "Database",
    "Dates",
    "Decimal",
    "Delimiter",
    "DropUnlabelled",
    "Encoding",
    "Format",
    "Group",
    "Jobs",
    "Missing",
    "Model",
    "NewCategories",
    "OrData",
    "Replicates",
    "Sheet",
    "Skip",
    "Sql",
    "Table",
    "Weight",
    "check_group",
    "column_missing",
    "date_order",
    "is_of_column",
    "layout",
    "names_in",
]

READING = "How the data file is read"
DATABASE = "Rows of a database"

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="CSV, Excel, Parquet or Arrow file, a folder or pattern of them; - is standard input."
    ),
]
OrData = Annotated[str | None, typer.Argument(metavar="[DATA]", help="The same, unless the rows come from --database.")]
Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="Read the rows from a database: the path of a DuckDB file, or postgresql://user:password@host/database.",
        rich_help_panel=DATABASE,
    ),
]
Sql = Annotated[str | None, typer.Option("--sql", metavar="QUERY", help="Query of the rows.", rich_help_panel=DATABASE)]
Table = Annotated[
    str | None,
    typer.Option(
        "--table", metavar="NAME", help="Table or view of the rows, instead of --sql.", rich_help_panel=DATABASE
    ),
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="Model file, written by rankforest fit.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Weight = Annotated[str | None, typer.Option(metavar="COL", help="Column of weights; none by default.")]
Group = Annotated[
    str | None,
    typer.Option(metavar="COL", help="Column of groups, such as customers; intervals then draw whole groups."),
]
Confidence = Annotated[float, typer.Option(help="Of the intervals.")]
Replicates = Annotated[int, typer.Option(help="Draws of the bootstrap.")]
Jobs = Annotated[int, typer.Option("--jobs", help="Threads; -1 is one per processor.")]

Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="csv|parquet|arrow|xlsx",
        help="Format of DATA; detected by default.",
        rich_help_panel=READING,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(help="Delimiter of a CSV file; detected from its header by default.", rich_help_panel=READING),
]
Decimal = Annotated[
    str | None,
    typer.Option(help="Decimal point of a CSV file; recognised in each column by default.", rich_help_panel=READING),
]
Encoding = Annotated[str, typer.Option(help="Encoding of a CSV file, for instance latin-1.", rich_help_panel=READING)]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        help="One more word for a missing value, in all columns or, as COL=WORD, in one; can be given several times. "
        "Empty fields, ?, NA, N/A, "
        "#N/A, NaN, nan, null and NULL always count as missing, and so do the words given when the model was "
        "fitted.",
        rich_help_panel=READING,
    ),
]


Skip = Annotated[
    int,
    typer.Option(
        metavar="N", min=0, help="Lines above the header of a CSV or Excel file to leave out.", rich_help_panel=READING
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Sheet of an Excel file; the first one with values by default.", rich_help_panel=READING
    ),
]
Dates = Annotated[
    str | None,
    typer.Option(
        metavar="dmy|mdy",
        help="Whether the day or the month comes first in dates such as 1/2/2024; recognised by default.",
        rich_help_panel=READING,
    ),
]


DropUnlabelled = Annotated[bool, typer.Option("--drop-unlabelled", help="Leave out the rows without a label.")]
NewCategories = Annotated[
    bool,
    typer.Option(
        "--new-categories", help="Allow a column of which no category occurred in training; it counts as missing."
    ),
]


def date_order(given: str | None) -> str | None:
    """The order of the parts of dates, checked."""
    if given not in (None, "dmy", "mdy"):
        raise WrongUsage(f"--dates is {given!r}; give dmy if the day comes first, or mdy if the month does.")
    return given


def column_missing(missing: Sequence[str] | None, columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Words for a missing value that were given for one column, as COL=WORD.

    Examples
    --------
    >>> column_missing(["-", "age=-999", "age=-1"], ["age"])
    {'age': ('-999', '-1')}
    """
    found: dict[str, tuple[str, ...]] = {}
    for entry in missing or ():
        name, sign, word = entry.rpartition("=")
        if sign and name in columns:
            found[name] = (*found.get(name, ()), word)
    return found


def is_of_column(entry: str, by_column: Mapping[str, Sequence[str]]) -> bool:
    """Whether an entry of ``--missing`` is COL=WORD."""
    name, _, word = entry.rpartition("=")
    return word in by_column.get(name, ())


def check_group(group: str | None, model: Any, file: Any) -> None:
    """Raise an error if the column of groups is not there, or the model is of ordered labels."""
    if group is None:
        return
    names_in([group], file.names, "--group", file.path)
    if model.ordered:
        raise WrongUsage("--group is for models of two labels; leave it out.")


def layout(
    format: str | None,
    delimiter: str | None,
    decimal: str | None,
    encoding: str,
    missing: Sequence[str] | None,
    learned: Sequence[str] | None = None,
    *,
    skip: int = 0,
    sheet: str | None = None,
) -> Any:
    """The layout of the file, by the options of the command and the words for missing values of `fit`."""
    from ..data.data_file import MISSING, Layout

    for name, value in (("delimiter", delimiter), ("decimal", decimal)):
        value = "\t" if value == "\\t" else value
        if value is not None and len(value) != 1:
            raise WrongUsage(f"--{name} is {value!r}; give one character.")
    tokens = (*(MISSING if learned is None else learned), *(missing or ()))
    return Layout(
        format=format,
        delimiter="\t" if delimiter == "\\t" else delimiter,
        decimal=decimal,
        encoding=encoding,
        missing=tuple(dict.fromkeys(("", *tokens))),
        skip=skip,
        sheet=sheet,
    )


def names_in(given: Sequence[str] | None, columns: Sequence[str], option: str, path: str) -> list[str]:
    """Columns given one by one or separated by commas; each must exist.

    Examples
    --------
    >>> names_in(["a,b", "c, d"], ["a", "b", "c, d"], "--ignore", "x.csv")
    ['a', 'b', 'c, d']
    """
    known = set(columns)
    found: list[str] = []
    for entry in given or ():
        found += [entry] if entry in known else [name.strip() for name in entry.split(",")]
    for name in found:
        if name not in known:
            raise WrongUsage(
                f"{option} names the column {name!r}, which {path} does not have; {did_you_mean(name, columns)}"
            )
    return list(dict.fromkeys(found))
