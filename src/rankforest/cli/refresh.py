"""``rankforest refresh``: a model for new rows, with the AUC before and after."""

from __future__ import annotations

from typing import Annotated, Any

import typer

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
    Weight,
    layout,
    names_in,
)

__all__ = ["refresh"]


def refresh(
    context: typer.Context,
    model: Model,
    data: Data,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The model file to write.")],
    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar="COL", help="Column of the labels; as in fit.")
    ] = None,
    weight: Weight = None,
    group: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column of groups, such as customers, whose rows are held out together."),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column of numbers or dates: later rows are held out; for scorecards."),
    ] = None,
    jobs: Jobs = -1,
    as_json: AsJson = False,
    format: Format = None,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    encoding: Encoding = "utf-8",
    missing: Missing = None,
    skip: Skip = 0,
    sheet: Sheet = None,
) -> None:
    """Refresh a forest or a scorecard on the labelled rows of DATA, which are newer than those of its fit.

    A part of the trees of a forest is replaced by trees grown on the new rows; the steps of a scorecard get new points.
    The result is judged on new rows that it was not trained on. If its gain over the old model may be due to chance,
    the old one is kept and written, and the command says so. If the new rows are too far from those of the fit, it
    writes nothing. The file keeps the history, which info prints.

    Example: rankforest refresh loans.rankforest march.csv -o loans-march.rankforest
    """
    from ..data.many_files import open_files
    from ..fitting.progress import progress
    from ..storage import save_model
    from ._inputs import check_not_read
    from ._kinds import set_known
    from ._known_rows import notes_of_rows
    from ._model import load
    from ._say import bar, print_json, say, share_of
    from ._scoring import check_file, read_column, read_labelled

    check_not_read(context, output, but="model")
    loaded = load(model, jobs=jobs)
    old: Any = loaded.model
    if not old.can_refresh:
        raise ValueError(f"{model} is a {type(old).__name__}, which cannot be refreshed; fit it again on all rows.")
    file = open_files(
        data, layout(format, delimiter, decimal, encoding, missing, loaded.notes.get("missing"), skip=skip, sheet=sheet)
    )
    for option, column in (("--group", group), ("--time", time)):
        names_in([] if column is None else [column], file.names, option, file.path)
    check_file(loaded, file)
    features, labels, weights = read_labelled(loaded, file, target=target, weight=weight)
    apart = {"groups": read_column(file, group), "time": read_column(file, time)}
    with bar("Refreshing", quiet=as_json) as tell, progress(share_of(tell)):
        new = old.refresh(features, labels, weights, **apart)
    set_known(new, n_jobs=None)  # the model file must not depend on the machine
    save_model(new, output, notes={**loaded.notes, **notes_of_rows(features, labels)})
    report = new.history[-1]
    if as_json:
        print_json({"model": model, "data": file.path, "output": output, "said": str(report), **vars(report)})
    else:
        say(str(report))
        say(f"Model: {output}")
