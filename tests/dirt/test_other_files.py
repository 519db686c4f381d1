"""Files that are no table, or whose rows are hidden: one sentence says what they are, in `check` and in `fit`."""

import gzip
import io
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import run

ROWS = [f"{20 + k * 7 % 60},n{k % 3},{k % 2}" for k in range(60)]


def text(*lines):
    return "\n".join([*lines, ""]).encode()


def archive(name):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        file.writestr(name, text("age,y", *ROWS))
    return stream.getvalue()


TABLE = text("age,note,y", *ROWS)
FILES = {
    "an archive": (archive("loans.csv"), "is an archive with 'loans.csv'; unpack it"),
    "a page": (b"<html><table><tr><td>age</td></tr></table></html>", "is a page of HTML or XML"),
    "json": (b'[{"age": 3, "y": 1}]', "is JSON, not a table"),
    "lines of json": (text('{"age": 3, "y": 1}'), "is JSON, not a table"),
    "an old sheet": (bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600), "save it as .xlsx or CSV"),
    "a cut archive": (gzip.compress(TABLE)[:-60], "cannot be read as CSV (Truncated compressed stream)"),
    "NUL": (TABLE.replace(b"n1", b"n\0", 1), "line 3 holds the character NUL, which is no text; remove it"),
    "a euro of Windows": (
        TABLE.replace(b"n0", "5 €".encode("cp1252")),
        "is not UTF-8 text; give the encoding of the file, for instance with --encoding cp1252",
    ),
    "rows that end with a comma": (
        text("age,note,y", *(f"{row}," for row in ROWS)),
        "the rows end with the delimiter ',', and the header does not",
    ),
    "no rows": (text("age,y"), "has a header but no rows; give rows of both labels"),
}  # fmt: skip
NO_TARGET = {
    "no header": (text(*ROWS), "These are no names; if the file has no header, write one in its first line."),
    "two headers": (text("who,,what", "age,note,y", *ROWS), "Row 1 below has it: if that is the header, add --skip 1."),
    "spaces": (text("age note y", *(row.replace(",", " ") for row in ROWS)), "add --delimiter ' '."),
}  # fmt: skip


def said(capsys, command, path, folder):
    options = ["-t", "y"] if command == "check" else ["-t", "y", "-o", folder / "m.rankforest", "--jobs", "1"]
    return run(capsys, [command, path, *options])


@pytest.mark.parametrize("command", ["check", "fit"])
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_cannot_be_read_is_called_what_it_is(name, command, capsys, tmp_path):
    content, sentence = FILES[name]
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    found = said(capsys, command, path, tmp_path)
    assert found.code == 1
    assert sentence in (found.err or found.out)
    assert not (tmp_path / "m.rankforest").exists()


@pytest.mark.parametrize("command", ["check", "fit"])
@pytest.mark.parametrize("name", NO_TARGET)
def test_where_the_label_may_be(name, command, capsys, tmp_path):
    content, sentence = NO_TARGET[name]
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    found = said(capsys, command, path, tmp_path)
    assert found.code == 2
    assert found.err.rstrip().endswith(sentence)


def test_the_remedies_lead_to_the_label(capsys, tmp_path):
    path = tmp_path / "a.csv"
    for name, options in (("two headers", ["--skip", "1"]), ("spaces", ["--delimiter", " "])):
        path.write_bytes(NO_TARGET[name][0])
        found = run(capsys, ["check", path, "-t", "y", "--json", *options])
        assert found.json["labels"] == {"0": 30, "1": 30}


def test_a_header_in_brackets_is_no_json(capsys, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(text("[age],[note],[y]", *ROWS))
    assert run(capsys, ["check", path, "-t", "[y]", "--json"]).json["rows"] == 60


def test_a_broken_parquet_file_is_not_mended_as_text(capsys, tmp_path):
    path = tmp_path / "a.parquet"
    ages = pa.array(np.arange(60.0))
    pq.write_table(pa.table([ages, ages, ages], names=["age", "age", "y"]), path)
    assert "has 2 columns named 'age'" in run(capsys, ["check", path, "-t", "y"]).err
    path.write_bytes(path.read_bytes()[:-9])
    assert "cannot be read as Parquet" in run(capsys, ["check", path, "-t", "y"]).err


def test_types_of_parquet_that_are_read(capsys, tmp_path):
    n = 80
    rng = np.random.default_rng(0)
    signal = rng.normal(size=n)
    columns = {
        "x": pa.array(signal),
        "view": pa.array([f"c{k % 4}" for k in range(n)]).cast(pa.string_view()),
        "lasts": pa.array((rng.integers(0, 90, n) * 3600).astype("timedelta64[s]")),
        "y": pa.array((signal + rng.normal(size=n) > 0).astype(int)),
    }
    path, model, out = tmp_path / "a.parquet", tmp_path / "m.rankforest", tmp_path / "s.csv"
    pq.write_table(pa.table(columns), path)
    found = run(capsys, ["check", path, "-t", "y", "--json"]).json
    assert found["features"] == 3  # a duration has no month
    assert [(one["kind"], one["column"]) for one in found["findings"]] == [("time", "lasts")]
    assert run(capsys, ["fit", path, "-t", "y", "--jobs", "1", "-o", model]).code == 0
    assert run(capsys, ["score", model, path, "-o", out]).code == 0
    assert [line.split(",")[1] for line in out.read_text().splitlines()[1:5]] == ["c0", "c1", "c2", "c3"]


def test_infinite_numbers_of_parquet_are_said_by_check_and_left_out_on_request(capsys, tmp_path):
    path, model = tmp_path / "a.parquet", tmp_path / "m.rankforest"
    numbers = np.arange(80) % 17 / 2
    numbers[3] = np.inf
    pq.write_table(pa.table({"x": numbers, "y": np.arange(80) // 2 % 2}), path)
    found = run(capsys, ["check", path, "-t", "y", "--json"]).json
    assert found["options"] == ["--missing", "x=inf"]
    assert "column 'x' contains inf in row 4" in run(capsys, ["fit", path, "-t", "y", "-o", model]).err
    assert run(capsys, ["fit", path, "-t", "y", "-o", model, "--jobs", "1", "--missing", "x=inf"]).code == 0


def test_what_a_later_file_has_otherwise_is_named_with_its_remedy(capsys, tmp_path):
    rows = [f"{k % 9}.5%,€{k % 7}.50,{k % 2}" for k in range(60)]
    train, later, model = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "m.rankforest"
    train.write_bytes(text("Debt share,Pay,y", *rows))
    assert run(capsys, ["fit", train, "-t", "y", "--jobs", "1", "-o", model]).code == 0
    for header, row, sentence in (
        ("debt_share ,Pay,y", rows[0], "which the model was fitted on; rename 'debt_share ' to 'Debt share'."),
        ("Debt share,Pay,y", "5.5,€1.50,0", "in row 1 is '5.5', not a number in per cent as when the model"),
        ("Debt share,Pay,y", "5.5%,$1.50,0", "in row 1 is '$1.50', not a number, alone or in €, as when the model"),
    ):  # fmt: skip
        later.write_bytes(text(header, row, rows[1]))
        found = run(capsys, ["score", model, later, "-o", tmp_path / "s.csv"])
        assert found.code == 1
        assert sentence in found.err
    later.write_bytes(text("Debt share,Pay,y", "5.5%,1.50-,0"))  # a ledger's minus is read now as then
    assert run(capsys, ["score", model, later, "-o", tmp_path / "s.csv"]).code == 0
