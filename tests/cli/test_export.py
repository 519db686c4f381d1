"""``rankforest export`` and ``report``: the files are there, and the exports score as the model does."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest

from command_line import clients
from rankforest import load_model
from rankforest.report import report_html

FEATURES = ["age", "income", "zone", "city"]


def test_sql(rf, files, tmp_path):
    """The query gives DuckDB, or SQLite where there is none, the scores of the model."""
    import sqlite3

    out = tmp_path / "q.sql"
    said = rf("export", files / "tree.rankforest", "--to", "sql", "--table", "clients", "--keep", "id", "-o", out)
    assert said.code == 0, said.err
    assert said.out == f"Written: {out}\n"
    table = clients(300, 1)
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE clients (id, age, income, zone, city, label)")
    rows = [tuple(row.values()) for row in table.to_pylist()]
    connection.executemany("INSERT INTO clients VALUES (?, ?, ?, ?, ?, ?)", rows)
    found = {row[0]: row[1] for row in connection.execute(out.read_text().rstrip().rstrip(";"))}
    scores = load_model(files / "tree.rankforest").score_samples(table.select(FEATURES))
    assert [found[i] for i in table["id"].to_pylist()] == pytest.approx(scores.tolist())


@pytest.mark.parametrize("to", ["sql", "json", "text", "python"])
def test_to_standard_output(to, rf, files, tmp_path):
    said = rf("export", files / "tree.rankforest", "--to", to)
    assert said.code == 0, said.err
    rf("export", files / "tree.rankforest", "--to", to, "-o", tmp_path / "out")
    assert said.out.rstrip("\n") == (tmp_path / "out").read_text().rstrip("\n")
    if to == "json":
        json.loads(said.out)


def test_onnx(rf, files, tmp_path):
    onnx = pytest.importorskip("onnx")
    said = rf("export", files / "tree.rankforest", "--to", "onnx", "-o", tmp_path / "m.onnx")
    assert said.code == 0, said.err
    onnx.checker.check_model(onnx.load(tmp_path / "m.onnx"))
    assert "An ONNX graph is not text; give the file" in rf("export", files / "tree.rankforest", "--to", "onnx").err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--to", "cobol"], "--to is 'cobol'; choose one of sql, onnx, json, text, python, excel."),
        (["--to", "json", "--table", "t"], "--table is only for --to sql; leave it out."),
        (["--to", "sql", "-o", "{folder}/nowhere/a.sql"], "The folder '{folder}/nowhere' does not exist; make it, or"),
    ],
)
def test_one_sentence(more, said, rf, files, tmp_path):
    found = rf("export", files / "tree.rankforest", *(one.format(folder=tmp_path) for one in more))
    assert found.code == 2
    assert found.err.startswith("rankforest: " + said.format(folder=tmp_path))


@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_report(kind, rf, files, tmp_path):
    out = tmp_path / "r.html"
    said = rf("report", files / f"{kind}.rankforest", files / "test.csv", "-o", out, "--title", "Our clients")
    assert said.code == 0, said.err
    assert said.out == f"Report: {out}\n"
    page = out.read_text()
    assert "<title>Our clients</title>" in page
    arrow_csv.write_csv(clients(50, 1).drop_columns(["label"]), tmp_path / "a.csv")
    said = rf("report", files / f"{kind}.rankforest", tmp_path / "a.csv", "-o", out)
    assert said.code == 1
    assert "has no label column 'label'; give another column with --target" in said.err
    assert out.read_text() == page


def test_report_for_a_committee(rf, files, tmp_path):
    out = tmp_path / "r.html"
    given = ["report", files / "forest.rankforest", files / "test.csv", "-o", out]
    assert rf(*given, "--train", files / "train.csv", "--by", "zone", "--by", "age").code == 0
    page = out.read_text()
    for words in ("<dd>label</dd>", "<dd>test.csv</dd>", "<dd>train.csv</dd>", "of them with label = yes"):
        assert words in page
    assert "out of bag" in page
    assert "Groups of zone" in page
    assert "<td>" in page.partition("Groups of age")[2]
    assert "no rows of the data" in page
    said = rf(*given, "--by", "nothing")
    assert said.code == 2
    assert "--by" in said.err
    assert rf("report", files / "forest.rankforest", files / "test.csv", "--train", out, "-o", out).code == 2
    assert out.read_text() == page


def test_report_of_ordered_labels(rf, tmp_path):
    age = np.arange(120) % 60 + 18
    table = pa.table({"age": age, "size": np.arange(120) % 7, "grade": np.digitize(age, [30, 45, 60])})
    arrow_csv.write_csv(table, tmp_path / "a.csv")
    fitted = rf("fit", tmp_path / "a.csv", "-t", "grade", "-m", "ordinal-tree", "-o", tmp_path / "m.rankforest")
    assert fitted.code == 0, fitted.err
    said = rf("report", tmp_path / "m.rankforest", tmp_path / "a.csv", "-o", tmp_path / "r.html")
    assert said.code == 0, said.err
    assert "They are probably the training rows" in (tmp_path / "r.html").read_text()
    said = rf("report", tmp_path / "m.rankforest", tmp_path / "a.csv", "-o", tmp_path / "s.html", "--by", "size")
    assert said.code == 2
    assert "--by is for two labels" in said.err
    assert not (tmp_path / "s.html").exists()


def test_report_with_weights(rf, files, tmp_path):
    table = clients(300, 1)
    weights = np.arange(300) % 3 + 1.0
    arrow_csv.write_csv(table.append_column("w", pa.array(weights)), tmp_path / "a.csv")
    out = tmp_path / "r.html"
    arguments = ["report", files / "forest.rankforest", tmp_path / "a.csv", "-o", out, "--title", "Weighted"]
    assert rf(*arguments, "--weight", "w").code == 0
    model, labels = load_model(files / "forest.rankforest"), table["label"].to_numpy().astype(str)
    same = report_html(
        model, table.select(FEATURES), labels, sample_weight=weights, title="Weighted", target="label", data="a.csv"
    )
    assert out.read_text() == same
