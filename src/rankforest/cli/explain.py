"""``rankforest explain``: why a row has its score, why it is above another one, and the reasons of all rows."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ._errors import WrongUsage, usage
from ._options import (
    AsJson,
    Data,
    Decimal,
    Delimiter,
    Encoding,
    Format,
    Jobs,
    Missing,
    Model,
    Sheet,
    Skip,
    layout,
    names_in,
)

__all__ = ["explain"]


def explain(
    context: typer.Context,
    model: Model,
    data: Data,
    row: Annotated[
        int | None, typer.Option("--row", metavar="N", help="Row of DATA; 1 is the first one below the header.")
    ] = None,
    against: Annotated[
        int | None, typer.Option("--against", metavar="M", help="Another row of DATA: why is one above the other?")
    ] = None,
    background: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The rows to compare with, if not those of DATA; 100 of them, evenly spaced in the order of their "
            "scores.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Explain all rows: a .parquet, .csv, .csv.gz or .arrow file, or -."
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(metavar="parquet|csv|csv.gz|arrow", help="Format of the output; by default from its extension."),
    ] = None,
    interactions: Annotated[
        bool,
        typer.Option("--interactions", help="Also what pairs of features contribute; with -o a line for each of them."),
    ] = False,
    keep: Annotated[
        list[str] | None, typer.Option(metavar="COL,...", help="Columns of DATA to write beside the reasons.")
    ] = None,
    prefix: Annotated[str, typer.Option(help="Prefix of the columns that have the contribution of a feature.")] = "",
    jobs: Jobs = -1,
    as_json: AsJson = False,
    format: Format = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = "utf-8",
    missing: Missing = None,
    skip: Skip = 0,
    sheet: Sheet = None,
) -> None:
    """Explain the score of a row, why one row is above another, or the scores of all rows.

    Every feature has a contribution, its exact Shapley value, and the contributions add up: from the mean score of
    rows to compare with to the score of the row, or with --against to the difference of the scores of two rows. A tree
    prints its rules as well, and a scorecard the points of every feature.

    With -o all rows are written: row, base, one column per feature, and the score, which is the sum of these.

    With --interactions the strongest pairs of features are printed, and -o writes a long table: row, feature, with,
    contribution. A line without a second feature is what the feature adds alone; the lines of a row add up, too.

    Example: rankforest explain loans.rankforest new.csv --row 17 --against 42
    """
    from ..data.many_files import open_files
    from ..data.sink import output_format
    from ._inputs import check_not_read
    from ._model import load
    from ._reasons import reasons_of_pair, reasons_of_row
    from ._reasons_file import Columns, stream_reasons
    from ._say import bar, print_json, say
    from ._scoring import check_file

    _check(row, against, background, output, as_json)
    with usage():
        kind = None if output is None else output_format(output, to)
    check_not_read(context, output)
    loaded = load(model, jobs=jobs)
    reading = layout(format, delimiter, decimal, encoding, missing, loaded.notes.get("missing"), skip=skip, sheet=sheet)
    file = open_files(data, reading)
    check_file(loaded, file)
    other = None if background is None else open_files(background, reading)
    if other is not None:
        check_file(loaded, other)
    with bar("Explaining", quiet=as_json) as tell:
        found: Any
        if output is not None and kind is not None:
            kept = names_in(keep, file.names, "--keep", file.path)
            written = stream_reasons(
                loaded, file, other, Columns(output, kind, tuple(kept), prefix, interactions), tell
            )
        elif against is None:
            found = reasons_of_row(loaded, file, int(row or 0), other, tell, interactions=interactions)
        else:
            found = reasons_of_pair(loaded, file, (int(row or 0), against), tell, interactions=interactions)
    if output is not None:
        if as_json:
            print_json(written)
        elif output != "-":
            say(f"{written['rows']} rows explained: {output}")
    elif as_json:
        print_json(found.to_dict())
    else:
        found.print()


def _check(row: int | None, against: int | None, background: str | None, output: str | None, as_json: bool) -> None:
    """Options that belong together, before any work."""
    if (row is None) == (output is None):
        raise WrongUsage(
            "Give --row N to explain one row" + (", or -o FILE to explain all rows." if row is None else " or -o FILE.")
        )
    if against is not None and (output is not None or background is not None):
        other = "-o" if output is not None else "--background"
        raise WrongUsage(f"--against compares two rows, so {other} has no meaning; leave one of them out.")
    if row is not None and row == against:
        raise WrongUsage(f"--row and --against are both {row}; give two rows.")
    if (row is not None and row < 1) or (against is not None and against < 1):
        raise WrongUsage(
            "Rows are numbered from 1, the first one below the header; give --row and --against of at least 1."
        )
    if as_json and output == "-":
        raise WrongUsage("--json and -o - both write to standard output; write the reasons to a file.")
