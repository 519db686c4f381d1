"""``rankforest report``: a model and its evaluation on a file, as one HTML page."""

from __future__ import annotations

from typing import Annotated

import typer

from ._options import Data, Decimal, Delimiter, Encoding, Format, Missing, Model, Weight, layout

__all__ = ["report"]


def report(
    model: Model,
    data: Data,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Where the page goes.")] = "report.html",
    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar="COL", help="Column of the labels; as in fit.")
    ] = None,
    weight: Weight = None,
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
    rows: Annotated[
        int, typer.Option(min=0, metavar="N", help="Most rows of DATA whose values the page contains; 0 for none.")
    ] = 2000,
    format: Format = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = "utf-8",
    missing: Missing = None,
) -> None:
    """Write a report of a model on labelled rows: one HTML page that needs no network.

    Use rows that the model was not trained on. They are read into memory.

    Example: rankforest report loans.rankforest test.csv -o report.html
    """
    from ..data.atomic import check_output
    from ..data.load import open_data
    from ..data.match import file_rows
    from ..report import write_report
    from ._model import load
    from ._say import bar, say
    from ._scoring import check_file, read_labelled

    check_output(output, [model, data])
    loaded = load(model)
    file = open_data(data, layout(format, delimiter, decimal, encoding, missing, loaded.notes.get("missing")))
    check_file(loaded, file)
    with bar("Writing the report") as tell:
        features, labels, weights = read_labelled(loaded, file, target=target, weight=weight)
        tell(0.1)
        with file_rows(file):
            write_report(loaded.model, features, labels, output, sample_weight=weights, title=title, max_rows=rows)
    say(f"Report: {output}")
