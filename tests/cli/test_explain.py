"""``rankforest explain`` and ``info``."""

import numpy as np
import pyarrow as pa
import pytest

from command_line import clients
from rankforest import load_model

FEATURES = ["age", "income", "zone", "city"]


def test_tree(rf, files):
    model, rows = load_model(files / "tree.rankforest"), clients(300, 1).select(FEATURES)
    cells = model.apply(rows)
    other = int(np.flatnonzero(cells != cells[0])[0]) + 1
    found = rf("explain", files / "tree.rankforest", files / "test.csv", "--row", 1, "--json").json
    assert found["stratum"] == cells[0] + 1
    assert found["score"] == model.score_samples(rows)[0]
    said = rf("explain", files / "tree.rankforest", files / "test.csv", "--row", 1).out
    assert said == f"Row 1, {model.path_of(rows.slice(0, 1))}\n"
    versus = ["explain", files / "tree.rankforest", files / "test.csv", "--row", 1, "--versus", other]
    found = rf(*versus, "--json").json
    assert found["strata"] == [cells[0] + 1, cells[other - 1] + 1]
    assert found["order"] == np.sign(cells[other - 1] - cells[0])
    above, below = (1, other) if found["order"] > 0 else (other, 1)
    said = rf(*versus).out
    assert said.startswith(f"Row {above} is above: stratum ")
    assert f"what row {below} lacks: " in said
    assert "first row" not in said
    assert "second" not in said


def test_forest(rf, files):
    model, rows = load_model(files / "forest.rankforest"), clients(300, 1).select(FEATURES)
    found = rf("explain", files / "forest.rankforest", files / "test.csv", "--row", 2, "--versus", 5, "--json").json
    scores = model.score_samples(rows)
    assert found["score"] == pytest.approx(scores[1])
    assert found["versus_score"] == pytest.approx(scores[4])
    one, other = rows.slice(1, 1).to_pylist()[0], rows.slice(4, 1).to_pylist()[0]
    for effect in found["effects"]:
        swapped = pa.Table.from_pylist([{**one, effect["feature"]: other[effect["feature"]]}], schema=rows.schema)
        assert effect["score_without"] == pytest.approx(model.score_samples(swapped)[0])
        assert effect["effect"] == pytest.approx(scores[1] - effect["score_without"])
        assert (effect["value"], effect["versus_value"]) == (one[effect["feature"]], other[effect["feature"]])
    sizes = [abs(effect["effect"]) for effect in found["effects"]]
    assert sizes == sorted(sizes, reverse=True)
    said = rf("explain", files / "forest.rankforest", files / "test.csv", "--row", 2)
    assert said.out.startswith(f"Row 2 has the score {scores[1]:.4f}.")


def test_sample_is_of_the_whole_file(files, monkeypatch):
    from rankforest.cli._model import load
    from rankforest.cli._rows import sample_of
    from rankforest.data import csv_file
    from rankforest.data.load import open_data

    monkeypatch.setattr(csv_file, "_BLOCK_BYTES", 512)
    loaded, data = load(str(files / "tree.rankforest")), open_data(files / "test.csv")
    place = {income: i for i, income in enumerate(clients(300, 1)["income"].to_pylist())}
    rows = [place[income] for income in sample_of(loaded, data, 20)["income"].to_pylist()]
    assert len(rows) == 20
    assert rows == sorted(rows)
    assert min(rows) < 75 < 225 < max(rows)
    assert sample_of(loaded, data, 1000).num_rows == 300


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--row", "301"], "test.csv has 300 rows, so there is no row 301; give a number from 1 to 300."),
        (["--row", "1", "--versus", "999"], "so there is no row 999;"),
        (["--row", "0"], "Rows are numbered from 1, the first one below the header; give --row"),
    ],
)
def test_no_such_row(more, said, rf, files):
    for kind in ("tree", "forest"):
        found = rf("explain", files / f"{kind}.rankforest", files / "test.csv", *more)
        assert found.code == 1
        assert said in found.err


def test_info(rf, files):
    found = rf("info", files / "forest.rankforest", "--json").json
    assert found["kind"] == "RankingForest"
    assert found["target"] == "label"
    assert found["ignored"] == ["id"]
    assert found["labels"] == ["no", "yes"]
    assert found["parameters"]["n_estimators"] == 10
    features = {one["name"]: one for one in found["features"]}
    assert features["zone"]["categories"] == ["01", "02", "75"]
    assert features["age"]["kind"] == "numeric"
    assert sum(one["importance"] for one in found["features"]) == pytest.approx(1.0)
    said = rf("info", files / "forest.rankforest").out
    assert "target: label" in said
    assert "Lyon, Nice, Paris" in said
