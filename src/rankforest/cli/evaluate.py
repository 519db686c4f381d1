"""``rankforest evaluate``: metrics of a model on a file, and the drift of the file since training."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ._errors import WrongUsage, usage
from ._options import (
    AsJson,
    Confidence,
    Database,
    Decimal,
    Delimiter,
    DropUnlabelled,
    Encoding,
    Format,
    Group,
    Jobs,
    Missing,
    Model,
    NewCategories,
    OrData,
    Replicates,
    Sheet,
    Skip,
    Sql,
    Table,
    Weight,
    check_group,
    layout,
)

__all__ = ["evaluate", "shares"]

_LISTED = 8


def evaluate(
    context: typer.Context,
    model: Model,
    data: OrData = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar="COL", help="Column of the labels; as in fit.")
    ] = None,
    weight: Weight = None,
    group: Group = None,
    by: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Figures by group, such as AUC within and across groups, of this column."),
    ] = None,
    top: Annotated[
        str, typer.Option(metavar="SHARE,...", help="Shares of the list for local metrics.")
    ] = "0.01,0.05,0.1",
    confidence: Confidence = 0.95,
    replicates: Replicates = 1000,
    jobs: Jobs = -1,
    database: Database = None,
    sql: Sql = None,
    table: Table = None,
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
    """Evaluate a model on DATA: all metrics with intervals, the strata, and the drift since training.

    Use rows that the model was not trained on. The rows of the fit are recognised, and their figures are then those of
    held-out scores, if the model has them. Without a label column only the drift is printed: the population
    stability index of every feature and of the scores. A value below 0.1 is commonly read as stable, above 0.25 as
    shifted. The next column is the value that samples of this size reach by chance. The file is read in batches and
    may be larger than memory.

    --by COL adds figures of each group of a column, with a star where a group differs from the others. Numbers are cut
    into quarters. The top of the list counts as flagged: the greatest share of --top.

    Example: rankforest evaluate loans.rankforest test.csv --by region
    """
    from ..data.many_files import open_files
    from ..metrics.bootstrap import check_replicates
    from ..metrics.interval import check_confidence
    from ._database import data_of
    from ._drift import FileDrift
    from ._figures import figures
    from ._model import load
    from ._recognised import recognise
    from ._say import bar, print_json
    from ._scoring import check_file, labelled_rows, read_scored, target_in

    tops = shares(top)
    with usage():
        check_confidence(confidence)
        check_replicates(replicates)
    loaded = load(model, jobs=jobs)
    how = layout(format, delimiter, decimal, encoding, missing, loaded.notes.get("missing"), skip=skip, sheet=sheet)
    file = data_of(context, data, database, sql, table, lambda path: open_files(path, how))
    check_file(loaded, file)
    check_group(group, loaded.model, file)
    column = loaded.notes.get("target") if target is None else target
    labelled = column in file.names or target is not None
    file = labelled_rows(loaded, file, target, drop=drop_unlabelled)
    if by is not None:
        _check_by(by, file, loaded, labelled)
    drift = FileDrift(loaded)
    with bar("Scoring", quiet=as_json) as tell:
        scored = read_scored(
            loaded,
            file,
            target=target_in(loaded, file, target) if labelled else None,
            weight=weight,
            group=group,
            by=by,
            tell=tell,
            watch=drift.see,
            new_categories=new_categories,
        )
    found: dict[str, Any] = {"model": loaded.path, "data": file.path, "rows": scored.n_rows}
    if labelled:
        known = recognise(loaded, scored, drift)
        found |= known.plain()
        with bar("Drawing intervals", quiet=as_json):
            found |= figures(loaded, known.scored, tops, confidence, replicates)
    found["drift"] = drift.found(scored)
    if as_json:
        print_json(found)
    else:
        _tell(found, column, by)


def shares(text: str) -> list[float]:
    """Shares of the list out of ``0.01,0.05``.

    Examples
    --------
    >>> shares("0.01, 0.1")
    [0.01, 0.1]
    """
    try:
        found = [float(one) for one in text.split(",")]
    except ValueError:
        found = [float("nan")]
    if not all(0.0 < one <= 1.0 for one in found):
        raise WrongUsage(f"--top is {text!r}; give shares of the list between 0 and 1, such as 0.01,0.1.")
    return found


def _check_by(by: str, file: Any, loaded: Any, labelled: bool) -> None:
    from ._options import names_in

    names_in([by], file.names, "--by", file.path)
    if not labelled:
        raise WrongUsage(f"--by {by} needs labels, and {file.path} has no label column; give it with --target.")
    if loaded.model.ordered:
        raise WrongUsage(f"--by is for two labels, and {loaded.path} ranks ordered ones.")


def _tell(found: dict[str, Any], target: str | None, by: str | None) -> None:
    import numpy as np

    from ..metrics.gains import printed_counts
    from ..metrics.titles import SCALE
    from ..words import area, count, counts, number, percent
    from ..words import rows as so_many_rows
    from ._say import print_table, say

    say(f"{found['model']} on {found['data']}: {so_many_rows(found['rows'])}" + _positives(found))
    if "said" in found:
        say(found["said"])
    if "metrics" in found:
        rows = [
            [
                one["metric"],
                area(one["value"]),
                "" if one["low"] is None else f"[{area(one['low'])}, {area(one['high'])}]",
                one["method"],
            ]
            for one in found["metrics"]
        ]
        print_table(["metric", "value", f"{number(found['confidence'] * 100, 6)}% interval", "by"], rows)
        if any("relative" in one["metric"] for one in found["metrics"]):
            say(SCALE)
    else:
        say(f"It has no label column {target!r}, so only the drift follows.")
    positive = found["positive_words"]["name"] if "positive_words" in found else ""
    if "strata" in found:
        positives = counts(one["positives"] for one in found["strata"])
        rows = [
            [
                f"{one['stratum']}",
                count(one["rows"]),
                caught,
                "" if one["rate"] is None else percent(one["rate"]),
                percent(one["training_rate"]),
            ]
            for one, caught in zip(found["strata"], positives)
        ]
        title = f"Strata, most likely {positive} first"
        print_table(["stratum", "rows", positive, "rate", "rate in training"], rows, title=title)
    elif "gains" in found:
        masses = (np.array([one[name] for one in found["gains"]]) for name in ("mass", "positives"))
        rows = [
            [
                f"{one['group']}",
                mass,
                caught,
                percent(one["rate"]),
                area(one["lift"], 2),
                percent(one["cumulative_capture"]),
            ]
            for one, mass, caught in zip(found["gains"], *printed_counts(*masses))
        ]
        title = f"Gains, most likely {positive} first"
        print_table(["tenth", "rows", positive, "rate", "lift", "captured"], rows, title=title)
    if "groups" in found:
        printed = found["groups"]["printed"]
        title = f"Groups of {by}; flagged: the first {percent(found['groups']['top'], 0)} of the list"
        print_table(printed["head"], printed["lines"], title=title)
        say(printed["note"])
        say(
            "BNSP AUC: positives of the group against negatives of all others; BPSN AUC: positives of all others "
            "against negatives of the group."
        )
    _tell_drift(found["drift"])


def _positives(found: dict[str, Any]) -> str:
    from ..words import count

    return f", {count(found['positives'])} {found['positive_words']['of_rows']}" if "positives" in found else ""


def _tell_drift(drift: dict[str, Any] | None) -> None:
    from ..words import area, more_features
    from ._say import print_table, say

    if drift is None:
        say("The model file has no training summary, so the drift cannot be computed; fit the model again.")
        return
    features = sorted(drift["features"], key=lambda one: -one["index"])
    lines = [] if drift["index"] is None else [{**drift, "name": f"the {drift['of']}"}]
    rows = [
        [one["name"], area(one["index"]), area(one["by_chance"]), one["reading"]]
        for one in [*lines, *features[:_LISTED]]
    ]
    print_table(["drift since training", "stability index", "by chance up to", ""], rows, left=1)
    if len(features) > _LISTED:
        say(f"{more_features(len(features) - _LISTED)} with less drift; --json has all of them.")
