"""``rankforest score``: score and rank the rows of a file."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ._errors import WrongUsage, usage
from ._options import (
    DATABASE,
    AsJson,
    Database,
    Decimal,
    Delimiter,
    Encoding,
    Format,
    Jobs,
    Missing,
    Model,
    OrData,
    Sheet,
    Skip,
    Sql,
    Table,
    layout,
    names_in,
)

__all__ = ["score"]

_FLAGS = "Which rows are flagged"


def score(
    context: typer.Context,
    model: Model,
    data: OrData = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="A .parquet, .csv, .csv.gz or .arrow file; - is standard output."
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(metavar="parquet|csv|csv.gz|arrow", help="Format of the output; by default from its extension."),
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option(metavar="COL,...", help="Columns of DATA to keep; all of them by default.")
    ] = None,
    only_scores: Annotated[bool, typer.Option("--only-scores", help="Keep no column of DATA.")] = False,
    prefix: Annotated[str, typer.Option(help="Prefix of the new columns.")] = "",
    precision: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", help="Flag rows, of which at least this share is positive.", rich_help_panel=_FLAGS
        ),
    ] = None,
    budget: Annotated[
        int | None, typer.Option(metavar="N", help="Flag the N best rows of DATA.", rich_help_panel=_FLAGS)
    ] = None,
    held_out: Annotated[
        str | None,
        typer.Option(
            "--held-out",
            metavar="FILE",
            help="Labelled rows that the model was not trained on: the guarantee of --precision comes from them.",
            rich_help_panel=_FLAGS,
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            metavar="COL",
            help="Column of the labels of --held-out; as in fit.",
            rich_help_panel=_FLAGS,
        ),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="Column of groups in --held-out, such as customers: one row of each counts. DATA may have it too.",
            rich_help_panel=_FLAGS,
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse columns that were not in the training data.")
    ] = False,
    new_categories: Annotated[
        bool,
        typer.Option(
            "--new-categories", help="Allow a column of which no category occurred in training; it counts as missing."
        ),
    ] = False,
    jobs: Jobs = -1,
    database: Database = None,
    sql: Sql = None,
    table: Table = None,
    to_table: Annotated[
        str | None,
        typer.Option(
            "--to-table",
            metavar="NAME",
            help="Write a new table of the database instead of a file, in one transaction.",
            rich_help_panel=DATABASE,
        ),
    ] = None,
    as_json: AsJson = False,
    format: Format = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = "utf-8",
    missing: Missing = None,
    skip: Skip = 0,
    sheet: Sheet = None,
) -> None:
    """Score the rows of DATA and write them with four more columns.

    DATA is a file, a folder of files with the same columns, or a pattern such as 'new/*.parquet'.

    score: the higher, the more likely the positive label. rank: 1 is the most likely of the file, ties share their mean
    rank. cell: for a tree the stratum, 1 is the most likely; for other models the tenth of the score among the training
    scores, 1 is at the top. probability: of the positive label; models of ordered labels have none.

    With --precision or --budget there is a column flagged. --precision P flags rows of which a share P or more is
    expected to be positive, by conformal selection over the whole file (column p_value), whatever the model. --budget N
    flags the N best rows; with --held-out it prints how many of such rows have the positive label. With --group one
    row of each group counts, because rows of one customer are not independent.

    The file is read twice, in batches, so it may be larger than memory: only 20 bytes per row are kept. Standard input
    is copied to a temporary file. An incomplete output file is never left behind.

    Example: rankforest score loans.rankforest new.csv -o scored.parquet

    Example: rankforest score loans.rankforest new.csv --precision 0.8 --held-out labelled.csv -o flagged.csv
    """
    from ..data.many_files import open_files
    from ..words import rows
    from ._database import data_of
    from ._decision import decision
    from ._inputs import check_not_read
    from ._model import load
    from ._say import bar, print_json, say
    from ._scoring import check_file, read_groups, read_held_out
    from ._streams import Wanted, stream_scores

    if as_json and output == "-":
        raise WrongUsage("--json and -o - both write to standard output; write the scores to a file.")
    place = _place(context, output, to, to_table, database)
    check_not_read(context, output)
    loaded = load(model, jobs=jobs)
    how = layout(format, delimiter, decimal, encoding, missing, loaded.notes.get("missing"), skip=skip, sheet=sheet)
    file = data_of(context, data, database, sql, table, lambda path: open_files(path, how), writes=to_table is not None)
    check_file(loaded, file, strict=strict)
    kept = [] if only_scores else list(file.names) if keep is None else names_in(keep, file.names, "--keep", file.path)
    flags = decision(
        precision,
        budget,
        None if held_out is None else lambda: read_held_out(loaded, open_files(held_out, how), target, group),
        None if group is None else lambda: read_groups(file, group),
    )
    wanted = Wanted(place, kept, prefix, flags, new_categories)
    with bar("Scoring", quiet=as_json) as tell:
        found: dict[str, Any] = stream_scores(loaded, file, wanted, tell)
    if as_json:
        print_json(found)
    elif output != "-":
        say(f"{rows(found['rows'])} scored: {place.path}")
        if "decision" in found:
            say(found["decision"]["said"])


def _place(
    context: typer.Context, output: str | None, to: str | None, to_table: str | None, database: str | None
) -> Any:
    """Where the scores go; what cannot be written is said before any work."""
    from ..data.sink import output_format
    from ._errors import wrong_usage
    from ._streams import FilePlace, TablePlace

    if (output is None) == (to_table is None):
        wrong_usage("The scores go to a file or to a table; give --output or --to-table.", context)
    if to_table is None:
        assert output is not None
        with usage():
            return FilePlace(output, output_format(output, to))
    if database is None:
        wrong_usage("--to-table is a table of a database; give its address with --database.", context)
    from ..data.database import open_database

    found = open_database(database)
    found.check_new(to_table)
    return TablePlace(to_table, found)
