"""``rankforest explain``: why a row has its score, and why it is above another one."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ._options import AsJson, Data, Decimal, Delimiter, Encoding, Format, Missing, Model, layout

__all__ = ["explain"]

_LISTED = 10
_SAMPLE = 200


def explain(
    model: Model,
    data: Data,
    row: Annotated[int, typer.Option("--row", metavar="N", help="Row of DATA; 1 is the first one below the header.")],
    versus: Annotated[int | None, typer.Option("--versus", metavar="M", help="Another row, to compare with.")] = None,
    as_json: AsJson = False,
    format: Format = None,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    encoding: Encoding = "utf-8",
    missing: Missing = None,
) -> None:
    """Explain the score of a row, or why one row is above another.

    For a tree: the conditions that the row meets, and with --versus the split that separates the two rows. For a
    scorecard: the points of the row, and with --versus the features in which the two rows differ. For all other
    models: how the score changes if one feature at a time gets the values of other rows. These are 200 rows of DATA, or
    the row given by --versus.

    Example: rankforest explain loans.rankforest new.csv --row 17 --versus 4
    """
    from ..data.load import open_data
    from ._model import load
    from ._say import print_json
    from ._scoring import check_file

    if row < 1 or (versus is not None and versus < 1):
        raise ValueError(
            "Rows are numbered from 1, the first one below the header; give --row and --versus of at least 1."
        )
    loaded = load(model)
    file = open_data(data, layout(format, delimiter, decimal, encoding, missing, loaded.notes.get("missing")))
    check_file(loaded, file)
    one = loaded.model.one_tree()
    if one is not None:
        found, text = _of_tree(loaded, one.tree, file, row, versus)
    elif loaded.model.one_card() is not None:
        found, text = _of_card(loaded, file, row, versus)
    else:
        found, text = _of_scores(loaded, file, row, versus)
    if as_json:
        print_json(found)
    else:
        text()


def _of_tree(loaded: Any, tree: Any, file: Any, row: int, versus: int | None) -> tuple[dict[str, Any], Any]:
    from ..tree.path import coded_row, contrast, path_of
    from ._rows import rows_at
    from ._say import say

    tables = rows_at(loaded, file, [row] if versus is None else [row, versus])
    told: Any
    if versus is None:
        told = path_of(tree, coded_row(tables[row], tree.schema))
        found = {"row": row, **told.to_dict()}
    else:
        told = contrast(tree, *(coded_row(tables[number], tree.schema) for number in (row, versus)))
        found = {"rows": [row, versus], **told.to_dict()}
    for name in ("stratum",):
        if name in found:
            found[name] += 1
    if "strata" in found:
        found["strata"] = [stratum + 1 for stratum in found["strata"]]

    def text() -> None:
        said = str(told)
        if versus is not None:
            for word, number in (("first", row), ("second", versus)):
                said = said.replace(f"The {word} row", f"Row {number}").replace(f"the {word} row", f"row {number}")
                said = said.replace(f", the {word} in", f", row {number} in").replace(f"] {word}:", f"] row {number}:")
        say(said if versus is not None else f"Row {row}, {said}")

    return found, text


def _of_card(loaded: Any, file: Any, row: int, versus: int | None) -> tuple[dict[str, Any], Any]:
    from ._rows import rows_at
    from ._say import say

    tables = rows_at(loaded, file, [row] if versus is None else [row, versus])
    told: Any
    if versus is None:
        told = loaded.model.points_of(tables[row])
        return {"row": row, **told.to_dict()}, lambda: say(f"Row {row}, {told}")
    told = loaded.model.why(tables[row], tables[versus]).words

    def text() -> None:
        said = str(told)
        for word, number in (("first", row), ("second", versus)):
            said = said.replace(f"The {word} row", f"Row {number}").replace(f", the {word} ", f", row {number} ")
        say(said)

    return {"rows": [row, versus], **told.to_dict()}, text


def _of_scores(loaded: Any, file: Any, row: int, versus: int | None) -> tuple[dict[str, Any], Any]:
    import numpy as np

    from ..interpret.swaps import swap_effects
    from ..words import area, signed
    from ._rows import rows_at, sample_of
    from ._say import print_table, say

    schema = loaded.schema
    tables = rows_at(loaded, file, [row] if versus is None else [row, versus])
    others = sample_of(loaded, file, _SAMPLE) if versus is None else tables[versus]
    swaps = swap_effects(loaded.model, tables[row], others)
    order = np.argsort(-np.abs(swaps.effect), kind="stable")
    values = {name: tables[row][name][0].as_py() for name in schema.names}
    compared = {} if versus is None else {name: tables[versus][name][0].as_py() for name in schema.names}
    found: dict[str, Any] = {"row": row, "score": swaps.score}
    if versus is not None:
        found |= {"versus": versus, "versus_score": float(loaded.model.score_samples(others)[0])}
    found["effects"] = [
        {
            "feature": schema.names[j],
            "value": values[schema.names[j]],
            **({} if versus is None else {"versus_value": compared[schema.names[j]]}),
            "score_without": swaps.swapped[j],
            "effect": swaps.effect[j],
        }
        for j in order
    ]

    def text() -> None:
        here = f"Row {row} has the score {area(swaps.score)}"
        if versus is None:
            say(f"{here}. Effect of its own values, compared with those of other rows, one feature at a time:")
        else:
            say(
                f"{here} and row {versus} has {area(found['versus_score'])}. Effect of the values of row {row}, "
                f"compared with those of row {versus}, one feature at a time:"
            )
        head = ["feature", f"row {row}", *([] if versus is None else [f"row {versus}"]), "effect on the score"]
        told = [entry for entry in found["effects"][:_LISTED] if entry["effect"] != 0]
        lines = [
            [
                entry["feature"],
                _shown(entry["value"]),
                *([] if versus is None else [_shown(entry["versus_value"])]),
                signed(entry["effect"]),
            ]
            for entry in told
        ]
        print_table(head, lines)
        say("Features interact, so the effects need not add up to a difference of scores.")

    return found, text


def _shown(value: Any) -> str:
    from ..words import number

    return "missing" if value is None else number(value) if isinstance(value, float) else str(value)
