"""A scorecard on the command line: fit, info, explain, score, export and report."""

import io

import numpy as np
import openpyxl
import pytest

from command_line import clients
from rankforest import load_model

FEATURES = ["age", "income", "zone", "city"]


@pytest.fixture(scope="module")
def card(files):
    from rankforest.cli import main

    path = files / "card.rankforest"
    with pytest.raises(SystemExit) as ended:
        main([
            "fit", f"{files}/train.csv", "-t", "label", "--ignore", "id", "--categorical", "zone", "--jobs", "1",
            "--model", "scorecard", "-o", str(path),
        ])  # fmt: skip
    assert not ended.value.code
    return path


def test_info(card, rf):
    model = load_model(card)
    found = rf("info", card, "--json").json
    assert found["kind"] == "RankScore"
    assert found["held_out_auc"] == pytest.approx(model.held_out_auc_)
    assert found["features_used"] == len(model.card_.steps)
    assert len(found["features"]) == len(FEATURES)
    assert found["steps"] == sum(steps.n_steps for steps in model.card_.steps)
    assert f"greatest total: {model.card_.range[1]:g}\n" in rf("info", card).out


def test_explain(card, rf, files):
    model, rows = load_model(card), clients(300, 1).select(FEATURES)
    totals = model.score_samples(rows)
    found = rf("explain", card, files / "test.csv", "--row", 3, "--json").json
    words = found["words"]
    assert words["total"] == found["points"] == totals[2]
    assert words["offset"] + sum(reason["points"] for reason in words["reasons"]) == totals[2]
    added = sum(each["contribution"] for each in found["contributions"])
    assert found["base"] + added == pytest.approx(totals[2], abs=1e-9)
    head, _, points = rf("explain", card, files / "test.csv", "--row", 3).out.partition("\n")
    assert head.startswith(f"Row 3: {totals[2]:g} points, ")
    assert points == f"{model.points_of(rows.slice(2, 1))}\n"
    other = int(np.flatnonzero(totals < totals[2])[0]) + 1
    against = ["explain", card, files / "test.csv", "--row", other, "--against", 3]
    found = rf(*against, "--json").json
    assert found["order"] == -1
    added = sum(each["contribution"] for each in found["contributions"])
    assert added == pytest.approx(totals[other - 1] - totals[2])
    said = rf(*against).out
    assert said.startswith(f"Row 3 ({totals[2]:g} points, place ")
    assert f"is above row {other} ({totals[other - 1]:g} points, " in said


def test_score(card, rf, files, tmp_path):
    model, rows = load_model(card), clients(300, 1).select(FEATURES)
    out = tmp_path / "scores.csv"
    assert rf("score", card, files / "test.csv", "-o", out).code == 0
    found = np.genfromtxt(out, delimiter=",", names=True)
    np.testing.assert_array_equal(found["score"], model.score_samples(rows))
    assert (found["score"] == np.round(found["score"])).all()


def test_export(card, rf, tmp_path):
    model = load_model(card)
    assert rf("export", card, "--to", "text").out == f"{model.text()}\n"
    assert rf("export", card, "--to", "excel", "-o", tmp_path / "card.xlsx").code == 0
    book = openpyxl.load_workbook(io.BytesIO((tmp_path / "card.xlsx").read_bytes()))
    assert book["Card"].max_row == 2 + len(model.table())
    assert "An Excel file is not text; give the file" in rf("export", card, "--to", "excel").err
    assert rf("export", card, "--to", "sql", "-o", tmp_path / "card.sql").code == 0


def test_excel_of_a_tree_is_refused(rf, files, tmp_path):
    said = rf("export", files / "tree.rankforest", "--to", "excel", "-o", tmp_path / "tree.xlsx")
    assert said.code == 1
    assert "There is no Excel sheet of a TreeRank, only of a scorecard" in said.err
    assert not (tmp_path / "tree.xlsx").exists()


def test_report(card, rf, files, tmp_path):
    assert rf("report", card, files / "test.csv", "-o", tmp_path / "card.html").code == 0
    page = (tmp_path / "card.html").read_text()
    assert "A scorecard (RankScore)" in page
    assert "Change any points" not in page
    assert rf("report", card, files / "test.csv", "-o", tmp_path / "card.html", "--rows", 100).code == 0
    assert "Change any points" in (tmp_path / "card.html").read_text()
