"""The formulas of the Excel file give the total and the probability of the model, row by row."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
import openpyxl
import pytest

from hand_card import HandCard, hand_model
from rankforest import TreeRank
from rankforest.data.schema import Feature, Schema
from rankforest.export import ExportError, export_model, to_excel
from sheets import Sheets


def typed_into(book: Any, row: dict[str, Any]) -> Sheets:
    """The workbook after the values of a row were typed beside the names of their features."""
    sheet, typed = book["Score"], {}
    for line in range(7, sheet.max_row + 1):
        name = sheet.cell(line, 1).value
        if name in row:
            value = row[name]
            typed[f"B{line}"] = None if value is None or value != value else value
    return Sheets(book, typed)


@pytest.mark.parametrize("pairs", [False, True])
def test_typing_a_row_gives_its_total_and_probability(pairs: bool) -> None:
    model, X, _ = hand_model(300, pairs=pairs)
    X = X[:60].copy()
    X.loc[5, "job"] = "new"
    X.loc[6, "job"] = None
    X.loc[7, "job"] = "PILOT"  # another category, although a spreadsheet compares without case
    X.loc[8, "age"] = 25.0
    X.loc[9, "age"] = np.nextafter(25.0, 99.0)
    book = openpyxl.load_workbook(io.BytesIO(to_excel(model)))
    totals, chances = model.score_samples(X), model.predict_proba(X)[:, 1]
    for i, row in enumerate(X.to_dict("records")):
        sheets = typed_into(book, row)
        assert sheets.value("Score", "B3") == totals[i]
        assert sheets.value("Score", "B4") == pytest.approx(chances[i], abs=1e-12)
        told = {reason.feature: reason for reason in model.points_of(X.iloc[i]).reasons}
        for line in range(7, book["Score"].max_row + 1):
            reason = told[book["Score"].cell(line, 1).value]
            assert sheets.value("Score", f"C{line}") == reason.step
            assert sheets.value("Score", f"D{line}") == reason.points
            assert sheets.value("Score", f"F{line}") == reason.lost


def test_points_can_be_changed_in_the_sheet() -> None:
    model, X, _ = hand_model(300)
    book = openpyxl.load_workbook(io.BytesIO(to_excel(model)))
    sheet = book["Card"]
    lines = {(sheet.cell(r, 1).value, sheet.cell(r, 2).value): r for r in range(3, sheet.max_row + 1)}
    sheet.cell(lines["debt", "up to 0"], 3).value = 99
    changed = model.set_points("debt", "up to 0", 99).score_samples(X[:40])
    found = [typed_into(book, row).value("Score", "B3") for row in X[:40].to_dict("records")]
    assert found == changed.tolist()
    assert found != model.score_samples(X[:40]).tolist()


def test_numbers_and_booleans_as_categories_and_names_like_formulas() -> None:
    model, _, _ = hand_model(200)
    schema = Schema(
        (
            Feature("=1+1", "numeric"),
            Feature("flag", "categorical", (1, 2.5, 7, 9)),
            Feature("u", "numeric"),
            Feature("debt\x07", "numeric"),
        ),
        named=True,
    )
    card = replace(model.card_, schema=schema)
    model.card_, model.schema_ = card, schema
    book = openpyxl.load_workbook(io.BytesIO(to_excel(model)))
    assert book["Score"]["A7"].value == "=1+1"
    assert book["Score"]["A7"].data_type != "f"
    assert book["Score"]["A9"].value == "debt"
    for code, value in enumerate((1, 2.5, 7, 9)):
        total = card.total(np.array([[30.0, code, 0.0, 5.0]]))[0]
        assert Sheets(book, {"B7": 30.0, "B8": value, "B9": 5.0}).value("Score", "B3") == total
    missing = card.total(np.full((1, 4), np.nan))[0]
    assert Sheets(book, {"B8": 4, "B7": "unknown"}).value("Score", "B3") == missing


def test_files_and_refusals(tmp_path: Any) -> None:
    model, _, _ = hand_model(100)
    export_model(model, tmp_path / "card.xlsx")
    assert openpyxl.load_workbook(tmp_path / "card.xlsx").sheetnames == ["Score", "Card", "Lookup", "Probability"]
    tree = TreeRank(max_depth=1).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ExportError, match="no Excel sheet of a TreeRank, only of a scorecard"):
        export_model(tree, tmp_path / "tree.xlsx")
    assert not (tmp_path / "tree.xlsx").exists()


def test_a_card_without_terms() -> None:
    model, X, _ = hand_model(60)
    empty = model.forbid("age").forbid("job").forbid("debt")
    assert isinstance(empty, HandCard)
    book = openpyxl.load_workbook(io.BytesIO(to_excel(empty)))
    assert Sheets(book).value("Score", "B3") == empty.score_samples(X[:1])[0]
