"""``rankforest score``: score and rank the rows of a file."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ._options import AsJson, Data, Decimal, Delimiter, Encoding, Format, Jobs, Missing, Model, layout, names_in

__all__ = ["score"]


def score(
    model: Model,
    data: Data,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="A .parquet, .csv, .csv.gz or .arrow file; - is standard output."
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option(metavar="parquet|csv|csv.gz|arrow", help="Format of the output; by default from its extension."),
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option(metavar="COL,...", help="Columns of DATA to keep; all of them by default.")
    ] = None,
    only_scores: Annotated[bool, typer.Option("--only-scores", help="Keep no column of DATA.")] = False,
    prefix: Annotated[str, typer.Option(help="Prefix of the new columns score, rank and cell.")] = "",
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse columns that were not in the training data.")
    ] = False,
    jobs: Jobs = -1,
    as_json: AsJson = False,
    format: Format = None,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    encoding: Encoding = "utf-8",
    missing: Missing = None,
) -> None:
    """Score the rows of DATA and write them with three more columns.

    score: higher is better. rank: 1 is the best of the file, ties share their mean rank. cell: for a tree the stratum,
    1 is the best; for other models the decile of the score among the training scores, 1 is the best.

    The file is read twice, in batches, so it may be larger than memory: only 20 bytes per row are kept. Standard input
    is copied to a temporary file. An incomplete output file is never left behind.

    Example: rankforest score loans.rankforest new.csv -o scored.parquet
    """
    from ..data.atomic import check_output
    from ..data.load import open_data
    from ..data.sink import output_format
    from ..words import rows
    from ._model import load
    from ._say import bar, print_json, say
    from ._scoring import check_file
    from ._streams import Wanted, stream_scores

    if as_json and output == "-":
        raise ValueError("--json and -o - both write to standard output; write the scores to a file.")
    kind = output_format(output, to)
    if output != "-":
        check_output(output, [model, data])
    loaded = load(model, jobs=jobs)
    file = open_data(data, layout(format, delimiter, decimal, encoding, missing, loaded.notes.get("missing")))
    check_file(loaded, file, strict=strict)
    kept = [] if only_scores else list(file.names) if keep is None else names_in(keep, file.names, "--keep", file.path)
    wanted = Wanted(output, kind, kept, tuple(f"{prefix}{name}" for name in ("score", "rank", "cell")))
    with bar("Scoring", quiet=as_json) as tell:
        found: dict[str, Any] = stream_scores(loaded, file, wanted, tell)
    if as_json:
        print_json(found)
    elif output != "-":
        say(f"{rows(found['rows'])} scored: {output}")
