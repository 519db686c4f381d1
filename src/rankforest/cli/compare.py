"""``rankforest compare``: which of several models ranks a file best, and is that more than chance."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ._options import AsJson, Decimal, Delimiter, Encoding, Format, Jobs, Missing, layout

__all__ = ["compare"]


def compare(
    files: Annotated[
        list[str], typer.Argument(metavar="MODEL MODEL... DATA", help="Two or more model files, and the data.")
    ],
    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar="COL", help="Column of the labels; as in fit.")
    ] = None,
    weight: Annotated[str | None, typer.Option(metavar="COL", help="Column of weights; none by default.")] = None,
    baseline: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Model that the others are tested against; the best by default.")
    ] = None,
    top: Annotated[str, typer.Option(metavar="SHARE,...", help="Shares of the list to look at.")] = "0.05,0.1",
    confidence: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    replicates: Annotated[int, typer.Option(help="Draws of the bootstrap.")] = 1000,
    jobs: Jobs = -1,
    as_json: AsJson = False,
    format: Format = None,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    encoding: Encoding = "utf-8",
    missing: Missing = None,
) -> None:
    """Compare models on the same labelled rows: figures with intervals and paired tests (DeLong, bootstrap).

    The rows should be ones that no model has learned from.

    Example: rankforest compare tree.rankforest forest.rankforest test.csv
    """
    from ..data.load import open_data
    from ..metrics import compare as compare_scores
    from ._model import load
    from ._say import bar, print_json, say
    from ._scoring import check_file, read_scored, target_in
    from .evaluate import shares

    *paths, data = files
    if len(paths) < 2:
        raise ValueError("Give two or more model files and then the data file.")
    if len(set(paths)) < len(paths):
        raise ValueError("A model file is named twice; name each once.")
    tops = shares(top)
    models = [load(path, jobs=jobs) for path in paths]
    if any(loaded.is_ordinal for loaded in models):
        raise ValueError("Models of ordered labels cannot be compared yet; run rankforest evaluate on each.")
    if baseline is not None and baseline not in paths:
        raise ValueError(f"--baseline is {baseline!r}, which is not among the models; give one of {', '.join(paths)}.")
    first = models[0]
    scores: dict[str, Any] = {}
    known: Any = None
    file: Any = None
    reading: Any = None
    with bar("Scoring", quiet=as_json) as tell:
        for k, loaded in enumerate(models):
            wanted = layout(format, delimiter, decimal, encoding, missing, loaded.notes.get("missing"))
            if wanted != reading:
                if file is not None and data == "-":
                    raise ValueError(
                        f"{loaded.path} reads other values as missing; give the data as a file, or --missing."
                    )
                file, reading = open_data(data, wanted), wanted
            if str(loaded.model.pos_label_) != str(first.model.pos_label_):
                raise ValueError(
                    f"{loaded.path} puts {loaded.model.pos_label_} at the top, and {first.path} puts "
                    f"{first.model.pos_label_} there; compare models of the same label."
                )
            check_file(loaded, file)
            column = target_in(loaded, file, target)
            known = read_scored(
                loaded, file, target=column, weight=weight, tell=lambda share, k=k: tell((k + share) / len(models))
            )
            scores[loaded.path] = known.scores
    found = compare_scores(
        scores, None, known.labels, sample_weight=known.weights, pos_label=first.model.pos_label_,
        u=tops, confidence=confidence, baseline=baseline, n_replicates=replicates,
    )  # fmt: skip
    if as_json:
        columns = found.to_dict()
        rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
        print_json(
            {"rows": found.n_rows, "positives": found.n_positive, "baseline": found.baseline, "comparisons": rows}
        )
        return
    say(str(found))
