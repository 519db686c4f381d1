"""``rankforest check``: the same findings as fit, and a command that runs."""

import json
import shlex
from html import escape
from itertools import pairwise

import numpy as np
import pytest

from command_line import run
from dirt.messy import write
from rankforest.cli import _stream_training


def test_the_command_that_it_prints_has_the_remedies_and_runs(capsys, tmp_path):
    path = write(tmp_path, "minus 999")
    found = run(capsys, ["check", path, "-t", "y", "--json"]).json
    assert found["options"] == ["--missing", "c=-999"]
    assert [one["kind"] for one in found["findings"]] == ["sentinel"]
    said = run(capsys, ["check", path, "-t", "y"])
    last = said.out.splitlines()[-1].removeprefix("Fit with: rankforest ")
    model = tmp_path / "m.rankforest"
    done = run(capsys, [*shlex.split(last), "-m", "tree", "--jobs", "1", "-o", model])
    assert done.code == 0
    assert done.err == ""


def test_rows_without_a_label_are_counted(capsys, tmp_path):
    found = run(capsys, ["check", write(tmp_path, "no label"), "-t", "y", "--json"]).json
    assert found["options"][0] == "--drop-unlabelled"


def loans(n=60):
    """Rows with a code for missing values, a disguised label and a copy."""
    rows = ["id,age,late_days,debt,y"]
    rows += [
        f"{100 + 7 * i},{-999 if i % 9 == 0 else 20 + i % 40},{5 * (i % 3 == 0)},{i * 37 % 101},{int(i % 3 == 0)}"
        for i in range(n)
    ]
    return rows


def kinds(found):
    return {(one["kind"], one.get("column", "")) for one in found["findings"]}


def test_a_page_says_the_same(capsys, tmp_path):
    path, page = tmp_path / "loans <b>.csv", tmp_path / "page.html"
    path.write_text("\n".join(loans()))
    said = run(capsys, ["check", path, "-t", "y", "-o", page])
    assert f"Page: {page}" in said.out
    text = page.read_text().replace("<code>", "").replace("</code>", "")
    assert "loans &lt;b&gt;.csv" in text
    assert "<b>" not in text
    assert "http" not in text  # nothing from elsewhere
    told = [line.strip() for line in said.out.splitlines() if line.startswith("  ")]
    assert len(told) == text.count("<li>") == 3
    for one in told:
        assert escape(one) in text
    assert escape(said.out.splitlines()[-1].removeprefix("Fit with: ")) in text
    refused = run(capsys, ["check", path, "-t", "y", "-o", path])
    assert refused.code != 0
    assert path.read_text().startswith("id,age")


def test_a_folder_is_looked_at_like_a_file(capsys, tmp_path, monkeypatch):
    """Codes, disguised labels and copies too; of many rows some from everywhere, and that is said."""
    rows = [*loans(), loans()[5]]
    (tmp_path / "one.csv").write_text("\n".join(rows))
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.csv").write_text("\n".join(rows[:30]))
    (folder / "b.csv").write_text("\n".join([rows[0], *rows[30:]]))
    one = run(capsys, ["check", tmp_path / "one.csv", "-t", "y", "--json"]).json
    many = run(capsys, ["check", folder, "-t", "y", "--json"]).json
    assert kinds(one) == kinds(many) == {("sentinel", "age"), ("leak", "late_days"), ("duplicates", "")}
    assert many["options"] == one["options"]
    monkeypatch.setattr("rankforest.cli._stream_training.LOOKED_ROWS", 40)
    said = run(capsys, ["check", folder, "-t", "y"]).out
    assert "were looked for in 40 of 61 rows, from all parts of the table" in said


@pytest.mark.parametrize("n_rows", [60, 61, 190])
@pytest.mark.parametrize("looked", [40, 56, 200])
def test_rows_that_are_looked_at_do_not_depend_on_the_batches(n_rows, looked, monkeypatch):
    monkeypatch.setattr(_stream_training, "LOOKED_ROWS", looked)
    monkeypatch.setattr(_stream_training, "_STRETCHES", 8)
    whole = _stream_training._looked_at(n_rows, 0, n_rows)
    assert len(whole) == len(set(whole.tolist())) == min(n_rows, looked)
    bounds = [0, 1, 17, 18, 50, n_rows]
    parts = [start + _stream_training._looked_at(n_rows, start, stop - start) for start, stop in pairwise(bounds)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_sorted_labels_and_a_file_that_is_there_twice(capsys, tmp_path, monkeypatch):
    """The first rows would have one label, and no copies."""
    header, *rows = loans()
    rows.sort(key=lambda row: row.rpartition(",")[2])
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.setattr(_stream_training, "LOOKED_ROWS", len(rows) // 2)
    monkeypatch.setattr(_stream_training, "_STRETCHES", 10)
    (folder / "a.csv").write_text("\n".join([header, *rows]))
    assert ("leak", "late_days") in kinds(run(capsys, ["check", folder, "-t", "y", "--json"]).json)
    monkeypatch.setattr(_stream_training, "LOOKED_ROWS", len(rows))
    (folder / "b.csv").write_text("\n".join([header, *rows]))
    assert ("duplicates", "") in kinds(run(capsys, ["check", folder, "-t", "y", "--json"]).json)


def test_a_table_of_a_database_is_looked_at(capsys, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    (tmp_path / "one.csv").write_text("\n".join(loans()))
    with duckdb.connect(tmp_path / "bank.duckdb") as bank:
        bank.execute(f"create table loans as select * from read_csv('{tmp_path / 'one.csv'}')")
    base = ["check", "--database", str(tmp_path / "bank.duckdb"), "-t", "y"]
    found = run(capsys, [*base, "--table", "loans", "--json"]).json
    assert {("sentinel", "age"), ("leak", "late_days")} <= kinds(found)
    assert found["command"].startswith(f"rankforest fit --database {tmp_path / 'bank.duckdb'} --table loans --target y")
    some = run(capsys, [*base, "--sql", "select age, y from loans where debt > 20", "--json"]).json
    assert some["features"] == 1
    assert run(capsys, base).code == 2


def test_all_faults_are_said_at_once(capsys, tmp_path):
    """Names, rows, letters and labels together, and what the sound rows show; never a command for fit."""
    rows = [f"{k},{k % 7},0{k % 5},{['no', 'yes', 'open'][k % 3]}" for k in range(60)]
    rows[9] += ",more"
    path = tmp_path / "a.csv"
    path.write_bytes("\n".join(["a,a,Köln,y", *rows]).encode("latin-1"))
    found = run(capsys, ["check", path, "-t", "y"])
    assert found.code == 1
    said = (
        "Line 1 is not UTF-8",
        "2 columns are named 'a'",
        "Row 10 has 5 values",
        "has 3 values ('no', 'open', 'yes')",
    )
    for one in (*said, "holds codes such as '00'"):
        assert one in found.out
    assert "Fit with" not in found.out
    plain = run(capsys, ["check", path, "-t", "y", "--json"])
    assert plain.code == 1
    asked = json.loads(plain.out)
    assert len(asked["faults"]) == 4
    code = {"kind": "code", "column": "Köln", "value": "'00'", "option": ["--numeric", "Köln"]}
    assert code in asked["findings"]


def test_few_values_do_not_hide_copies(capsys, tmp_path):
    """Copies far beyond chance are said also where rows could be equal by chance; those of chance are not."""
    rows = [f"{k * 37 % 101},{k % 9},{int(k * 37 % 101 > 50)}" for k in range(100)]
    path = tmp_path / "a.csv"
    for copies, told in ((0, False), (40, True)):
        path.write_text("\n".join(["x,z,y", *rows, *rows[:copies]]))
        assert (f"{copies} rows are copies" in run(capsys, ["check", path, "-t", "y"]).out) == told


def test_two_commands_where_the_labels_do_not_tell_which_belongs_at_the_top(capsys, tmp_path):
    path, page = tmp_path / "a.csv", tmp_path / "a.html"
    path.write_text("\n".join(["x,y", *(f"{k % 7},{['good', 'bad'][k % 2]}" for k in range(40))]))
    said = run(capsys, ["check", path, "-t", "y", "-o", page])
    assert "It is not clear which of the labels belongs at the top; add --positive bad or --positive good." in said.out
    first, second = (line.partition(": rankforest ")[2] for line in said.out.splitlines()[-2:])
    assert first.endswith("--positive bad")
    for command in (first, second):
        assert command in page.read_text().replace("<code>", "").replace("</code>", "")
        assert run(capsys, [*shlex.split(command), "--jobs", "1", "-o", tmp_path / "m.rankforest"]).code == 0
    found = run(capsys, ["check", path, "-t", "y", "--positive", "bad", "--json"]).json
    assert found["findings"] == []
