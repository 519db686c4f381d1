"""An Excel file gives the model of the same rows in CSV: dates, codes that are text, whole labels."""

import datetime

import openpyxl
import pytest

from command_line import run
from dirt.messy import day
from rankforest.data.data_file import DataFileError, Layout
from rankforest.data.load import open_data


def test_dates_codes_and_labels_of_a_sheet(capsys, tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["x", "zip", "opened", "y"])
    for k in range(60):
        noon = datetime.datetime.combine(day(k), datetime.time())
        book.active.append([k % 13 / 2, f"0{k % 5}", noon, int(k % 13 > 6)])
    path, model = tmp_path / "a.xlsx", tmp_path / "m.rankforest"
    book.save(path)
    options = ["-t", "y", "-m", "tree", "--jobs", "1", "-o", model]
    found = run(capsys, ["fit", path, *options, "--json"])
    assert found.json["labels"] == {"0": 35, "1": 25}
    assert found.json["features"] == 4  # the month of the day too; the weekday is always the same
    assert "column 'zip' holds codes such as '00'" in found.err
    assert run(capsys, ["score", model, path, "-o", tmp_path / "s.csv"]).code == 0
    assert (tmp_path / "s.csv").read_text().splitlines()[1].startswith("0,00,2023-01-01,0,")


def test_a_file_that_is_no_sheet_is_refused(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(DataFileError, match=r"a.xlsx cannot be read as Excel"):
        open_data(tmp_path / "a.xlsx")


def test_a_title_and_another_sheet(tmp_path):
    book = openpyxl.Workbook()
    for row in (["Loans of 2024"], [], *([["x", "y"]] + [[k, k % 2] for k in range(5)])):
        book.active.append(row)
    book.create_sheet("later").append(["x", "y"])
    book["later"].append([7, 1])
    path = tmp_path / "a.xlsx"
    book.save(path)
    with pytest.raises(DataFileError, match=r"2 lines stand above the header; add --skip 2"):
        open_data(path, Layout(sheet="Sheet"))
    assert open_data(path, Layout(sheet="Sheet", skip=2)).names == ("x", "y")
    assert open_data(path, Layout(sheet="later")).table()["x"].to_pylist() == [7]
    with pytest.raises(DataFileError, match=r"has no sheet 'now'; it has 'Sheet', 'later'"):
        open_data(path, Layout(sheet="now"))
    with pytest.warns(UserWarning, match=r"several sheets with values, of which 'Sheet'"):
        open_data(path, Layout(skip=2))


def test_a_label_on_another_sheet(capsys, tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "Read me"
    book.active.append(["Loans of 2024"])
    data = book.create_sheet("Data")
    for row in (["x", "y"], *([k % 7, k % 2] for k in range(60))):
        data.append(row)
    path = tmp_path / "a.xlsx"
    book.save(path)
    found = run(capsys, ["check", path, "-t", "y"])
    assert found.code == 2
    assert "of which 'Read me', the first, is read, and 'Data' not" in found.err
    assert found.err.rstrip().endswith("The sheet 'Data' has it; add --sheet 'Data'.")
    assert run(capsys, ["check", path, "-t", "y", "--sheet", "Data", "--json"]).json["rows"] == 60


def test_durations_and_rounded_numbers(capsys, tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["x", "lasts", "account", "y"])
    for k in range(60):
        book.active.append([k % 7, datetime.timedelta(hours=k), 12345678901234567890 + k, k // 7 % 2])
    path = tmp_path / "a.xlsx"
    book.save(path)
    table = open_data(path).table()
    assert [one.total_seconds() for one in table["lasts"].to_pylist()[:30:10]] == [0, 36_000, 72_000]
    found = run(capsys, ["check", path, "-t", "y", "--json"]).json
    assert [(one["kind"], one["column"]) for one in found["findings"]] == [("time", "lasts"), ("long", "account")]
