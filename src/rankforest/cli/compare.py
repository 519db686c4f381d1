"""``rankforest compare``: metrics of several models on a file, with paired tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._errors import WrongUsage, usage
from ._options import (
    AsJson,
    Confidence,
    Decimal,
    Delimiter,
    DropUnlabelled,
    Encoding,
    Format,
    Group,
    Jobs,
    Missing,
    NewCategories,
    Replicates,
    Sheet,
    Skip,
    Weight,
    check_group,
    layout,
)

if TYPE_CHECKING:
    from ..metrics import Comparison

__all__ = ["compare"]


def compare(
    files: Annotated[
        list[str], typer.Argument(metavar="MODEL MODEL... DATA", help="Two or more model files, and the data.")
    ],
    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar="COL", help="Column of the labels; as in fit.")
    ] = None,
    weight: Weight = None,
    group: Group = None,
    baseline: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Model that the others are tested against; the best by default.")
    ] = None,
    top: Annotated[str, typer.Option(metavar="SHARE,...", help="Shares of the list for local metrics.")] = "0.05,0.1",
    confidence: Confidence = 0.95,
    replicates: Replicates = 1000,
    jobs: Jobs = -1,
    as_json: AsJson = False,
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
    """Compare models on the same labelled rows: figures with intervals and paired tests (DeLong, bootstrap).

    Use rows that none of the models was trained on.

    Example: rankforest compare tree.rankforest forest.rankforest test.csv
    """
    from ..metrics.bootstrap import check_replicates
    from ..metrics.interval import check_confidence
    from ..metrics.titles import SCALE
    from ._model import load
    from ._say import bar, print_json, say
    from .evaluate import shares

    *paths, data = files
    if len(paths) < 2:
        raise WrongUsage("Give two or more model files and then the data file.")
    if len(set(paths)) < len(paths):
        raise WrongUsage("A model file is named twice; name each once.")
    if baseline is not None and baseline not in paths:
        raise WrongUsage(f"--baseline is {baseline!r}, which is not among the models; give one of {', '.join(paths)}.")
    tops = shares(top)
    with usage():
        check_confidence(confidence)
        check_replicates(replicates)
    models = [load(path, jobs=jobs) for path in paths]
    _check_same_labels(models)
    layouts = [
        layout(format, delimiter, decimal, encoding, missing, one.notes.get("missing"), skip=skip, sheet=sheet)
        for one in models
    ]
    with bar("Scoring", quiet=as_json) as tell:
        scored = _scored(models, data, layouts, (target, weight, group), tell, (drop_unlabelled, new_categories))
    with bar("Drawing intervals", quiet=as_json):
        found = _compared(models, scored, tops, baseline, confidence, replicates)
    if as_json:
        print_json(_plain(found))
    else:
        say(found.text(models[0].model.positive_words.of_rows))
        if not models[0].model.ordered:
            say(SCALE)


def _check_same_labels(models: list[Any]) -> None:
    first = models[0]
    for other in models[1:]:
        if list(map(str, other.model.classes_)) != list(map(str, first.model.classes_)):
            raise ValueError(
                f"{first.path} has the labels {', '.join(map(str, first.model.classes_))}, and {other.path} has "
                f"{', '.join(map(str, other.model.classes_))}; compare models with the same labels."
            )
        if other.model.ordered != first.model.ordered:
            raise ValueError(
                f"{first.path} and {other.path} are models of two labels and of ordered labels; compare models of "
                "one kind."
            )
        if not first.model.ordered and other.model.pos_label_ != first.model.pos_label_:
            raise ValueError(
                f"{first.path} puts {first.model.pos_label_} at the top, and {other.path} puts "
                f"{other.model.pos_label_} there; compare models of the same label."
            )


def _scored(
    models: list[Any],
    data: str,
    layouts: list[Any],
    columns: tuple[str | None, str | None, str | None],
    tell: Any,
    allowed: tuple[bool, bool],
) -> list[Any]:
    """The rows of the file as each model sees them; `columns` are those of labels, weights and groups.

    `allowed` says whether rows without a label are left out, and whether a column may have new categories only.
    """
    from ..data.many_files import open_files
    from ._drift import FileDrift
    from ._errors import note
    from ._scoring import check_file, labelled_rows, read_scored, target_in

    target, weight, group = columns
    if data == "-" and len(set(layouts)) > 1:
        raise WrongUsage(
            "The models read different words as missing values; give the data as a file, or set --missing."
        )
    files = {one: open_files(data, one) for one in dict.fromkeys(layouts)}  # standard input can be read only once
    found = []
    for k, (loaded, how) in enumerate(zip(models, layouts)):
        file = files[how]
        check_file(loaded, file)
        check_group(group, loaded.model, file)

        def told(share: float, k: int = k) -> None:
            tell((k + share) / len(models))

        column, drift = target_in(loaded, file, target), FileDrift(loaded)
        rows = labelled_rows(loaded, file, target, drop=allowed[0])
        scored = read_scored(
            loaded,
            rows,
            target=column,
            weight=weight,
            group=group,
            tell=told,
            watch=drift.see,
            new_categories=allowed[1],
        )
        known = drift.known_rows(scored)
        if known is not None or drift.has_training_rows(scored):
            said = f"{loaded.path} was fitted on these rows" if known is None else known.said
            note(f"{said}, so that its figures are too good; give other rows.")
        found.append(scored)
    return found


def _compared(
    models: list[Any], scored: list[Any], tops: list[float], baseline: str | None, confidence: float, replicates: int
) -> Comparison:
    from ..metrics import compare as compare_scores
    from ..metrics import compare_ordinal

    first, model = scored[0], models[0].model
    options: dict[str, Any] = {
        "baseline": baseline,
        "confidence": confidence,
        "n_replicates": replicates,
        "sample_weight": first.weights,
    }
    paths = [loaded.path for loaded in models]
    if models[0].model.ordered:
        guesses = {path: (one.scores, one.predicted) for path, one in zip(paths, scored)}
        return compare_ordinal(guesses, first.labels, order=model.classes_, **options)
    scores = {path: one.scores for path, one in zip(paths, scored)}
    return compare_scores(
        scores, None, first.labels, pos_label=model.pos_label_, u=tops, groups=first.together, **options
    )


def _plain(found: Comparison) -> dict[str, Any]:
    columns = found.to_dict()
    rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
    positives = {} if found.n_positive is None else {"positives": found.n_positive}
    return {"rows": found.n_rows, **positives, "baseline": found.baseline, "comparisons": rows}
