"""``rankforest report``: a model and its evaluation on a file, as one HTML page."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ._errors import WrongUsage
from ._options import (
    Data,
    Decimal,
    Delimiter,
    DropUnlabelled,
    Encoding,
    Format,
    Missing,
    Model,
    NewCategories,
    Sheet,
    Skip,
    Weight,
    layout,
)

__all__ = ["report"]


def report(
    context: typer.Context,
    model: Model,
    data: Data,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Where the page goes.")] = "report.html",
    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar="COL", help="Column of the labels; as in fit.")
    ] = None,
    weight: Weight = None,
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
    train: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The training file: its figures stand beside those of DATA."),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="Figures by group of this column; may be given several times."),
    ] = None,
    rows: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Most rows of DATA that the page contains, to trace and explain them; none by default.",
        ),
    ] = 0,
    format: Format = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = "utf-8",
    missing: Missing = None,
    skip: Skip = 0,
    sheet: Sheet = None,
    drop_unlabelled: DropUnlabelled = False,
    new_categories: NewCategories = False,
) -> None:
    """Write a report of a model on labelled rows: one HTML page that needs no network.

    Use rows that the model was not trained on. They are read into memory. The page contains counts, rates and
    quantiles, and rows of DATA only if --rows asks for them, so that it can be mailed.

    Example: rankforest report loans.rankforest test.csv --train train.csv --by region -o report.html
    """
    from pathlib import Path

    from ..data.many_files import open_files
    from ..data.match import file_rows
    from ..fitting.progress import progress
    from ..report import write_report
    from ._errors import note
    from ._inputs import check_not_read
    from ._known_rows import known_rows_of
    from ._model import load
    from ._recognised import rows_to_judge
    from ._say import bar, between, say
    from ._scoring import check_file, group_column, labelled_rows, read_labelled, target_in

    check_not_read(context, output)
    loaded = load(model)
    how = layout(format, delimiter, decimal, encoding, missing, loaded.notes.get("missing"), skip=skip, sheet=sheet)
    file = labelled_rows(loaded, open_files(data, how), target, drop=drop_unlabelled)
    check_file(loaded, file)
    _check_by(by or [], file, loaded)
    training = None
    if train is not None:
        training = labelled_rows(loaded, open_files(train, how), target, drop=drop_unlabelled)
    if training is not None:
        check_file(loaded, training)
        target_in(loaded, training, target)
    with bar("Writing the report") as tell:
        features, labels, weights = read_labelled(
            loaded, file, target=target, weight=weight, new_categories=new_categories
        )
        groups = {name: group_column(file, name, features) for name in by or []}
        known = known_rows_of(loaded, features, labels)
        chosen = None if known is None else rows_to_judge(loaded, known, labels)
        if chosen is not None:
            places, said = chosen
            note(said)
            features, labels = features.take(places), labels[places]
            weights = None if weights is None else weights[places]
            groups = {name: values[places] for name, values in groups.items()}
        beside = None if training is None else read_labelled(loaded, training, target=target, weight=weight)
        tell(0.1)
        with file_rows(file), progress(between(tell, 0.1, 0.95)):
            write_report(
                loaded.model,
                features,
                labels,
                output,
                sample_weight=weights,
                title=title,
                max_rows=rows,
                by=groups or None,
                train=beside,
                target=target_in(loaded, file, target),
                data=Path(file.path).name if chosen is None else f"{Path(file.path).name}; {said}",
                train_data=None if training is None else Path(training.path).name,
            )
    say(f"Report: {output}")


def _check_by(by: list[str], file: Any, loaded: Any) -> None:
    from ._options import names_in

    names_in(by, file.names, "--by", file.path)
    if by and loaded.model.ordered:
        raise WrongUsage(f"--by is for two labels, and {loaded.path} ranks ordered ones.")
