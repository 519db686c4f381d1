"""``rankforest score``: scores equal those of the model for every file format, and columns are checked."""

import io
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import clients
from rankforest import load_model
from rankforest.cli._streams import Growing
from rankforest.data.load import open_data

FEATURES = ["age", "income", "zone", "city"]


@pytest.mark.parametrize("kind", ["tree", "forest"])
@pytest.mark.parametrize("ending", ["parquet", "csv", "csv.gz", "arrow"])
def test_as_the_library(kind, ending, rf, files, tmp_path):
    out = tmp_path / f"s.{ending}"
    assert rf("score", files / f"{kind}.rankforest", files / "test.csv", "-o", out).code == 0
    model, table = load_model(files / f"{kind}.rankforest"), clients(300, 1)
    X = table.select(FEATURES)
    found = open_data(out).table()
    if "csv" in ending:
        numbers = ["age", "income", "score", "rank", "cell"]
        for name in set(numbers) & set(found.column_names):
            found = found.set_column(found.column_names.index(name), name, found[name].cast(pa.float64()))
    assert found.column_names[:8] == [*table.column_names, "score", "rank"]
    assert found.select([*FEATURES, "label"]).to_pylist() == table.select([*FEATURES, "label"]).to_pylist()
    assert list(map(str, found["id"].to_pylist())) == list(map(str, table["id"].to_pylist()))  # no feature: as text
    assert np.array_equal(found["score"].to_numpy(), model.score_samples(X))
    assert np.array_equal(found["rank"].to_numpy(), model.rank(X))
    if kind == "tree":
        assert np.array_equal(found["cell"].to_numpy(), model.apply(X) + 1)


def test_small_batches(rf, files, tmp_path, monkeypatch):
    """Ranks refer to the whole file and do not depend on the batches."""
    from rankforest.data import csv_file

    assert rf("score", files / "tree.rankforest", files / "test.csv", "-o", tmp_path / "whole.parquet").code == 0
    monkeypatch.setattr(csv_file, "_BLOCK_BYTES", 256)
    assert rf("score", files / "tree.rankforest", files / "test.csv", "-o", tmp_path / "parts.parquet").code == 0
    assert pq.read_table(tmp_path / "parts.parquet").equals(pq.read_table(tmp_path / "whole.parquet"))


def test_values_stay_as_they_are_written(rf, files, tmp_path):
    """From CSV to CSV nothing is rounded, and no zero is lost."""
    text = "income;city;zone;age;id\n0031.50;Lyon;01;+30;007\n?;;75;1e1;NA\n"
    (tmp_path / "a.csv").write_text(text)
    out = tmp_path / "s.csv"
    assert rf("score", files / "tree.rankforest", tmp_path / "a.csv", "-o", out).code == 0
    lines = out.read_text().splitlines()
    assert [line.split(",")[:5] for line in lines] == [line.split(";") for line in text.splitlines()]


def test_columns_kept(rf, files, tmp_path):
    model, data = files / "tree.rankforest", files / "test.csv"
    names = lambda *more: rf("score", model, data, "-o", tmp_path / "s.parquet", "--json", *more).json["columns"]  # noqa: E731
    assert names("--keep", "id,label") == ["id", "label", "score", "rank", "cell", "probability"]
    assert names("--only-scores", "--prefix", "m_") == ["m_score", "m_rank", "m_cell", "m_probability"]
    assert pq.read_table(tmp_path / "s.parquet").num_rows == 300
    again = rf("score", model, tmp_path / "s.parquet", "-o", tmp_path / "t.csv")
    assert again.err.startswith(
        f"rankforest: {tmp_path}/s.parquet has no columns 'age', 'income', 'zone', 'city', which"
    )
    assert rf("score", model, data, "-o", tmp_path / "s.csv").code == 0
    again = rf("score", model, tmp_path / "s.csv", "-o", tmp_path / "t.csv")
    assert "s.csv already has a column 'score'; rename the new columns with --prefix" in again.err


def test_to_standard_output(rf, files):
    said = rf("score", files / "tree.rankforest", files / "test.csv", "-o", "-", "--keep", "id")
    lines = said.out.splitlines()
    assert lines[0] == "id,score,rank,cell,probability"
    assert len(lines) == 301
    assert rf("score", files / "tree.rankforest", files / "test.csv", "-o", "-", "--json").code == 2


def test_from_standard_input(rf, files, tmp_path, monkeypatch):
    class Input:
        buffer = io.BytesIO((files / "test.csv").read_bytes())

    monkeypatch.setattr("sys.stdin", Input)
    assert rf("score", files / "tree.rankforest", "-", "-o", tmp_path / "a.csv").code == 0
    assert rf("score", files / "tree.rankforest", files / "test.csv", "-o", tmp_path / "b.csv").code == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_unseen_and_extra(rf, files, tmp_path):
    table = clients(20, 2)
    city = pa.array(["Brest", "Brest", *table["city"].to_pylist()[2:]])
    table = table.set_column(4, "city", city).append_column("more", pa.array(range(20)))
    arrow_csv.write_csv(table, tmp_path / "a.csv")
    arguments = ("score", files / "tree.rankforest", tmp_path / "a.csv", "-o", tmp_path / "s.parquet")
    said = rf(*arguments)
    assert said.code == 0
    assert said.err.splitlines() == [
        f"Note: {tmp_path}/a.csv has the column 'more', which {files}/tree.rankforest was not fitted on; not used.",
        "Note: 2 rows have a category in column 'city' that did not occur in training, such as 'Brest'; "
        "it counts as missing.",
    ]
    assert pq.read_table(tmp_path / "s.parquet")["more"].to_pylist() == list(map(str, range(20)))
    said = rf(*arguments, "--strict")
    assert said.code == 1
    assert said.err.endswith("was not fitted on; drop it, or leave out --strict.\n")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda t: t.drop_columns(["city"]),
            "has no column 'city', which the model was fitted on; its columns are 'id'",
        ),
        (lambda t: t.drop_columns(["city", "age"]), "has no columns 'age', 'city', which the model was fitted on"),
        (lambda t: t.rename_columns(["id", "Age", "income", "zone", "city", "label"]), "has no column 'age', which"),
        (
            lambda t: t.set_column(2, "income", pa.array(["12", "lots", "3"])),
            {
                "csv": ": column 'income' in row 2 is 'lots', not a number as when the model was fitted; correct it,",
                "parquet": ": column 'income' has the type string, and held numbers when the model was fitted; convert",
            },
        ),
        (
            lambda t: t.set_column(2, "income", pa.array([1.0, float("inf"), 2.0])),
            ": column 'income' contains inf in row 2; replace it by a finite number, or by NaN to mark it as missing.",
        ),
        (
            lambda t: t.set_column(4, "city", pa.array([1.5, 2.5, 3.5])),
            {
                "csv": ": no value of the column 'city' (such as '1.5') occurred in training; give the values that",
                "parquet": ": column 'city' has the type double, and held text when the model was fitted; convert it.",
            },
        ),
    ],
)
def test_changed_columns_are_named(change, said, ending, rf, files, tmp_path):
    path = tmp_path / f"a.{ending}"
    (arrow_csv.write_csv if ending == "csv" else pq.write_table)(change(clients(3, 2)), path)
    found = rf("score", files / "tree.rankforest", path, "-o", tmp_path / "s.parquet")
    said = said[ending] if isinstance(said, dict) else said
    assert found.code == 1
    assert found.err.startswith(f"rankforest: {path}{'' if said[0] == ':' else ' '}{said}")
    assert found.err.count("\n") == 1
    assert not (tmp_path / "s.parquet").exists()


def test_new_categories_are_allowed_on_request(rf, files, tmp_path):
    """One row may have a new category, a whole column only if that is said."""
    table = clients(3, 2).set_column(4, "city", pa.array(["Oslo", "Rome", None]))
    arrow_csv.write_csv(table, tmp_path / "a.csv")
    score = ("score", files / "tree.rankforest", tmp_path / "a.csv", "-o", tmp_path / "s.csv")
    assert rf(*score).code == 1
    found = rf(*score, "--new-categories")
    assert found.code == 0
    assert "2 rows have a category in column 'city' that did not occur in training, such as 'Oslo'" in found.err
    arrow_csv.write_csv(table.slice(0, 1), tmp_path / "a.csv")
    assert rf(*score).code == 0


def test_a_row_of_a_late_batch_and_a_column_named_row(rf, tmp_path):
    """Rows of the file count over all batches, and 'row 7' is the name of a column."""
    x = np.arange(70_000.0)
    table = pa.table({"row 7": x, "label": (x % 3 > 0).astype(int)})
    pq.write_table(table, tmp_path / "a.parquet")
    fit = rf("fit", tmp_path / "a.parquet", "-t", "label", "--model", "tree", "-o", tmp_path / "m.rankforest")
    assert fit.code == 0, fit.err
    x[68_999] = np.inf
    pq.write_table(table.set_column(0, "row 7", pa.array(x)), tmp_path / "b.parquet", row_group_size=1000)
    said = rf("score", tmp_path / "m.rankforest", tmp_path / "b.parquet", "-o", tmp_path / "s.parquet")
    assert "b.parquet: column 'row 7' contains inf in row 69000;" in said.err
    said = rf("explain", tmp_path / "m.rankforest", tmp_path / "b.parquet", "--row", "69000")
    assert "b.parquet: column 'row 7' contains inf in row 69000;" in said.err
    said = rf("report", tmp_path / "m.rankforest", tmp_path / "b.parquet", "-o", tmp_path / "r.html")
    assert "b.parquet: column 'row 7' contains inf in row 69000;" in said.err


def test_file_changes_between_the_passes(rf, files, tmp_path, monkeypatch):
    from rankforest.cli import _streams

    data = tmp_path / "a.csv"
    data.write_bytes((files / "test.csv").read_bytes())
    first = _streams._first_pass

    def and_then_grow(*arguments):
        found = first(*arguments)
        with data.open("ab") as file:
            file.write(b"301,30,12.0,01,Lyon,no\n")
        return found

    monkeypatch.setattr(_streams, "_first_pass", and_then_grow)
    said = rf("score", files / "tree.rankforest", data, "-o", tmp_path / "s.csv")
    assert said.code == 1
    assert said.err == f"rankforest: {data} changed while it was read; score it again.\n"
    assert not (tmp_path / "s.csv").exists()


@given(st.lists(st.integers(0, 100_000), max_size=5))
def test_growing(sizes):
    parts, growing = [np.arange(n, dtype=np.int32) for n in sizes], Growing(np.int32)
    for part in parts:
        growing.add(part)
    assert np.array_equal(growing.values(), np.concatenate([np.empty(0), *parts]))


@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_flags_are_those_of_the_library(kind, rf, files, tmp_path):
    """Rows of the file are judged together by labelled rows of another file."""
    from rankforest.metrics import conformal_selection

    labelled, new = clients(400, 5), clients(300, 1)
    arrow_csv.write_csv(labelled, tmp_path / "labelled.csv")
    model, out = files / f"{kind}.rankforest", tmp_path / "s.parquet"
    options = ("--held-out", tmp_path / "labelled.csv", "--json", "-o", out)
    found = rf("score", model, files / "test.csv", "--precision", "0.7", *options).json
    loaded = load_model(model)
    y = np.asarray(labelled["label"].to_pylist()) == loaded.pos_label_
    scores = [loaded.score_samples(table.select(FEATURES)) for table in (labelled, new)]
    expected = conformal_selection(y, *scores, 0.7)
    table = pq.read_table(out)
    assert table.column_names[-2:] == ["flagged", "p_value"]
    assert table["flagged"].to_pylist() == expected.flagged.tolist()
    assert table["p_value"].to_pylist() == expected.p_value.tolist()
    assert 0 < found["decision"]["flagged"] == expected.n_flagged < 300
    found = rf("score", model, files / "test.csv", "--budget", "40", "--prefix", "new_", *options).json
    flagged = np.array(pq.read_table(out)["new_flagged"].to_pylist())
    assert flagged.sum() == found["decision"]["flagged"] == 40
    assert scores[1][flagged].min() >= scores[1][~flagged].max()
    above = scores[0] >= scores[1][flagged].min()
    assert found["decision"]["precision"]["estimate"] == pytest.approx(y[above].mean())


def test_rows_of_a_group_count_once(rf, files, tmp_path):
    """One row of each group of --held-out, and the groups of the file where it has the column."""
    from rankforest.metrics import conformal_selection

    labelled, new = (clients(n, seed) for n, seed in ((400, 5), (300, 1)))
    group, of_new = np.repeat(np.arange(200), 2), np.repeat(np.arange(100), 3)
    arrow_csv.write_csv(labelled.append_column("client", [group]), tmp_path / "labelled.csv")
    arrow_csv.write_csv(new.append_column("client", [of_new]), tmp_path / "new.csv")
    given = ("--precision", "0.7", "--held-out", tmp_path / "labelled.csv", "--group", "client", "--json")
    loaded = load_model(files / "tree.rankforest")
    y = np.asarray(labelled["label"].to_pylist()) == loaded.pos_label_
    scores = [loaded.score_samples(table.select(FEATURES)) for table in (labelled, new)]
    for data, groups in ((tmp_path / "new.csv", of_new), (files / "test.csv", None)):
        found = rf("score", files / "tree.rankforest", data, *given, "-o", tmp_path / "s.parquet").json
        expected = conformal_selection(y, *scores, 0.7, held_out_groups=group, groups=groups)
        assert found["decision"]["held_out"] == 200
        assert pq.read_table(tmp_path / "s.parquet")["flagged"].to_pylist() == expected.flagged.tolist()
        assert 0 < expected.n_flagged < 300


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--precision", "0.8"], "--precision needs labelled rows that the model was not trained on"),
        (["--precision", "0.8", "--budget", "3"], "--precision and --budget are different goals"),
        (["--budget", "0"], "--budget is 0; give the number of rows to flag, at least 1"),
        (["--held-out", "test.csv"], "--held-out has the labelled rows behind --precision or --budget"),
        (["--precision", "0.999", "--held-out", "test.csv"], "With 300 held-out rows no row can be flagged"),
        (["--precision", "8", "--held-out", "test.csv"], "precision must lie in"),
        (["--budget", "8", "--group", "city"], "--group is a column of the rows of --held-out"),
        (
            ["--budget", "8", "--held-out", "test.csv", "--group", "town"],
            "--group names the column 'town', which test.csv",
        ),
    ],
)
def test_wrong_flags(options, message, rf, files, tmp_path, monkeypatch):
    monkeypatch.chdir(files)
    said = rf("score", "tree.rankforest", "test.csv", "-o", tmp_path / "s.csv", *options)
    assert said.code == (1 if "0.999" in options else 2)
    assert message in said.err
    assert not (tmp_path / "s.csv").exists()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_folder_and_a_pattern(ending, rf, files, tmp_path):
    """Files of a folder, in the order of their numbers, are scored as one; columns may be in another order."""
    table, folder = clients(300, 1), tmp_path / "new"
    folder.mkdir()
    write = pq.write_table if ending == "parquet" else arrow_csv.write_csv
    write(table, tmp_path / f"whole.{ending}")
    cuts = (0, 10, 10, 200, 300) if ending == "parquet" else (0, 10, 200, 300)
    for number, (start, stop) in enumerate(pairwise(cuts)):
        part = table.slice(start, stop - start)
        write(part.select(part.column_names[::-1]) if number == 2 else part, folder / f"part.{8 + number}.{ending}")
    (folder / "_SUCCESS").touch()
    scored = {}
    for data in (tmp_path / f"whole.{ending}", folder, f"{folder}/part.*.{ending}"):
        out = tmp_path / "scored.parquet"
        done = rf("score", files / "tree.rankforest", data, "-o", out)
        assert done.code == 0, done.err
        scored[data] = pq.read_table(out)
    whole, *others = scored.values()
    assert all(other.equals(whole) for other in others)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_other_commands_read_a_folder_as_one_file(ending, rf, files, tmp_path):
    table, folder = clients(300, 1), tmp_path / "new"
    folder.mkdir()
    write = pq.write_table if ending == "parquet" else arrow_csv.write_csv
    write(table, tmp_path / f"whole.{ending}")
    for number, (start, stop) in enumerate(pairwise((0, 10, 200, 300))):
        write(table.slice(start, stop - start), folder / f"part.{8 + number}.{ending}")
    tree, forest, out = files / "tree.rankforest", files / "forest.rankforest", tmp_path / "new.rankforest"
    places = (tmp_path / f"whole.{ending}", folder, f"{folder}/*.{ending}")
    commands = {
        "evaluate": lambda data: [tree, data, "--by", "city"],
        "compare": lambda data: [tree, forest, data],
        "explain": lambda data: [tree, data, "--row", 205, "--background", data],
        "refresh": lambda data: [forest, data, "-o", out],
    }
    for command, arguments in commands.items():
        said = [rf(command, *map(str, arguments(data)), "--json") for data in places]
        assert [each.code for each in said] == [0, 0, 0], said[1].err
        plain = [{**each.json, "data": None} for each in said]
        assert plain[0] == plain[1] == plain[2]
    pages = []
    for data in places:
        assert rf("report", tree, data, "-o", tmp_path / "page.html").code == 0
        page, name = (tmp_path / "page.html").read_text(), Path(data).name
        pages.append(page.replace(f"<dd>{name}</dd>", "").replace(f'["Data","{name}"]', ""))
    assert pages[0] == pages[1] == pages[2]


def test_files_of_a_folder_that_differ(rf, files, tmp_path):
    table, folder = clients(20, 1), tmp_path / "new"
    folder.mkdir()
    pq.write_table(table, folder / "a.parquet")
    pq.write_table(table.drop_columns("age"), folder / "b.parquet")
    score = ("score", files / "tree.rankforest")
    done = rf(*score, folder, "-o", tmp_path / "s.csv")
    assert done.code == 1
    assert "a.parquet has a column 'age', and" in done.err
    pq.write_table(
        table.set_column(table.column_names.index("age"), "age", table["age"].cast("string")), folder / "b.parquet"
    )
    done = rf(*score, folder, "-o", tmp_path / "s.csv")
    assert done.code == 1
    assert "Column 'age' is" in done.err
    assert "and string in" in done.err
    done = rf(*score, f"{folder}/*.csv", "-o", tmp_path / "s.csv")
    assert done.code == 1
    assert "No file matches" in done.err
    done = rf(*score, folder, "-o", folder / "a.parquet")
    assert done.code == 2
    assert "is the file that is read" in done.err
    assert not (tmp_path / "s.csv").exists()
