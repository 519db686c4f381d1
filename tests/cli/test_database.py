"""Rows of a DuckDB file, a PostgreSQL server and a Parquet file give the same models and scores."""

from __future__ import annotations

import sys

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import clients
from postgres import PASSWORD, server
from rankforest import RankingForest, TreeRank
from rankforest.data.database import open_database

FIT = ["-t", "label", "--ignore", "id", "--model", "tree", "--set", "max_depth=3", "--jobs", "1"]
KINDS = ("duckdb", "postgresql")


def _text(said):
    """The words of an error in a frame."""
    return " ".join(said.replace("│", " ").split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("database")
    for name, table in (("train", clients(400, 0)), ("fresh", clients(200, 1))):
        pq.write_table(table, made / f"{name}.parquet")
    return made


@pytest.fixture(scope="module")
def urls(folder):
    """Addresses by kind, made when they are asked for; both have the tables train and fresh, the latter in a schema."""
    made, ends = {}, []

    def url_of(kind):
        if kind not in made:
            if kind == "postgresql":
                context = server()
                made[kind] = context.__enter__()
                ends.append(context)
            else:
                made[kind] = str(folder / "bank.duckdb")
            database = open_database(made[kind])
            _run(kind, made[kind], "CREATE SCHEMA new")
            for name in ("train", "new.fresh"):
                table = pq.read_table(folder / f"{name.removeprefix('new.')}.parquet")
                database.write(name, table.schema, table.to_batches(max_chunksize=70))
        return made[kind]

    yield url_of
    for context in ends:
        context.__exit__(None, None, None)


def _run(kind, url, sql):
    if kind == "duckdb":
        with duckdb.connect(url) as connection:
            connection.execute(sql)
        return
    import adbc_driver_postgresql.dbapi as postgres

    with postgres.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        connection.commit()


@pytest.fixture(scope="module")
def model(folder):
    from rankforest.cli import main

    with pytest.raises(SystemExit) as ended:
        main(["fit", f"{folder}/train.parquet", *FIT, "-o", f"{folder}/file.rankforest"])
    assert not ended.value.code
    return folder / "file.rankforest"


@pytest.mark.parametrize("more", [["--table", "train"], ["--sql", "SELECT * FROM train", "--memory", "1GB"]])
@pytest.mark.parametrize("kind", KINDS)
def test_a_model_of_a_database_is_that_of_a_file(rf, urls, folder, model, kind, more):
    said = rf("fit", "--database", urls(kind), *more, *FIT, "-o", folder / "of.rankforest")
    assert said.code == 0, said.err
    assert (folder / "of.rankforest").read_bytes() == model.read_bytes()
    assert PASSWORD not in said.out + said.err


@pytest.mark.parametrize("kind", KINDS)
def test_scores_go_back_to_a_table(rf, urls, folder, model, kind):
    assert rf("score", model, folder / "fresh.parquet", "-o", folder / "scored.parquet").code == 0
    expected = pq.read_table(folder / "scored.parquet")
    for name, source in (("scored", ["--table", "new.fresh"]), ("new.scored", [folder / "fresh.parquet"])):
        said = rf("score", model, *source, "--database", urls(kind), "--to-table", name)
        assert said.code == 0, said.err
        assert f"200 rows scored: table {name} of " in said.out
        assert PASSWORD not in said.out + said.err
        found = open_database(urls(kind)).read(f"SELECT * FROM {name}").table()
        assert found.column_names == expected.column_names
        for column in expected.column_names:
            assert found[column].to_pylist() == expected[column].to_pylist()
    again = rf("score", model, "--table", "new.fresh", "--database", urls(kind), "--to-table", "scored")
    assert again.code != 0
    assert "already has a table 'scored'; give another name, or drop that table first." in again.err


@pytest.mark.parametrize("kind", KINDS)
def test_figures_are_those_of_a_file(rf, urls, folder, model, kind):
    said = rf("evaluate", model, "--database", urls(kind), "--sql", "SELECT * FROM new.fresh ORDER BY id", "--json")
    of_file = rf("evaluate", model, folder / "fresh.parquet", "--json")
    assert {**said.json, "data": ""} == {**of_file.json, "data": ""}
    assert PASSWORD not in said.out


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_with_decimals_are_numbers(urls, kind):
    found = open_database(urls(kind)).read("SELECT CAST(12.25 AS NUMERIC(10, 2)) AS amount, CAST(NULL AS TEXT) AS word")
    assert found.table().to_pylist() == [{"amount": 12.25, "word": None}]
    assert pa.types.is_decimal(found.types["amount"])
    some = "SELECT CAST(12.25 AS NUMERIC(10, 2)) AS a UNION ALL SELECT CAST('NaN' AS NUMERIC)"
    if kind == "postgresql":  # whose numeric has values that are no decimals
        assert open_database(urls(kind)).read(some).types["a"] == pa.float64()


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_half_written_stays(urls, kind, tmp_path):
    table = pa.table({"a": [1, 2]})

    def broken():
        yield from table.to_batches()
        raise RuntimeError("the disk is full")

    for url in (urls(kind), *([str(tmp_path / "new.duckdb")] if kind == "duckdb" else [])):
        database = open_database(url)
        with pytest.raises(Exception, match="the disk is full"):
            database.write("half", table.schema, broken())
        database.check_new("half")  # it is not there
    assert not list(tmp_path.iterdir())
    database = open_database(urls(kind))
    database.write("half", table.schema, table.to_batches())
    assert database.read("SELECT a FROM half ORDER BY a").table().to_pylist() == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT * FROM nowhere", "nowhere"),
        ("SELEC 1", "SELEC"),
        ("DROP TABLE train", "DROP"),
    ],
)
def test_queries_that_fail(rf, urls, model, kind, sql, words):
    said = rf("evaluate", model, "--database", urls(kind), "--sql", sql)
    assert said.code != 0
    assert words in said.err
    assert said.err.count("\n") == 1
    assert PASSWORD not in said.err
    assert open_database(urls(kind)).read("SELECT COUNT(*) AS n FROM train").table()["n"].to_pylist() == [400]


def test_a_wrong_password_is_not_printed(rf, urls, model):
    url = urls("postgresql").replace(PASSWORD, "an0ther-word")
    said = rf("score", model, "--database", url, "--table", "train", "--to-table", "x")
    assert said.code != 0
    assert "password authentication failed" in said.err
    assert "an0ther-word" not in said.err
    assert "tester:***@127.0.0.1" in said.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--database", "mysql://a:pw@host/b", "--table", "t"],
            "give the path of a DuckDB file (.duckdb), or an address",
        ),
        (["--database", "none.duckdb", "--table", "t"], "There is no DuckDB file 'none.duckdb'."),
        (["--database", "postgresql://a:pw@host:port/b", "--table", "t"], "has no valid host or port; correct it."),
        (["--database", "none.duckdb"], "--database needs one of --sql and --table: the rows."),
        (
            ["--database", "none.duckdb", "--sql", "a", "--table", "b"],
            "--database needs one of --sql and --table: the rows.",
        ),
        (["--table", "t"], "--table is for a database; give its address with --database."),
        (["--database", "none.duckdb", "rows.csv"], "Both DATA, 'rows.csv', and --database are given"),
        ([], "There is no DATA; give a file, or --database with --sql or --table."),
    ],
)
def test_options_that_do_not_go_together(rf, model, arguments, words):
    said = rf("evaluate", model, *arguments)
    assert said.code == (1 if "a DuckDB file" in words or "host" in words else 2)
    assert words in _text(said.err)
    assert "pw" not in said.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give --output or --to-table"),
        (["-o", "a.csv", "--to-table", "x"], "give --output or --to-table"),
        (["--to-table", "x"], "--to-table is a table of a database; give its address with --database"),
    ],
)
def test_places_that_do_not_go_together(rf, model, folder, arguments, words):
    said = rf("score", model, folder / "fresh.parquet", *arguments)
    assert said.code == 2
    assert words in _text(said.err)


@pytest.mark.parametrize(
    ("url", "module"), [("bank.duckdb", "duckdb"), ("postgresql://a@localhost/b", "adbc_driver_postgresql.dbapi")]
)
def test_a_driver_that_is_not_installed(monkeypatch, url, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r'not installed; run pip install "rankforest\[database\]"'):
        open_database(url).read("SELECT 1")


# ---- from Python


@pytest.mark.parametrize("what", ["reader", "relation"])
def test_a_reader_and_a_relation_go_straight_into_fit(folder, what):
    table = pq.read_table(folder / "train.parquet").drop_columns(["id"])
    X, y = table.drop_columns(["label"]), table["label"].to_numpy(zero_copy_only=False).astype(str)
    pos_label = sorted(set(y.tolist()))[-1]
    for model in (TreeRank(max_depth=3, pos_label=pos_label), RankingForest(5, pos_label=pos_label, random_state=0)):
        given = table.to_reader(max_chunksize=90) if what == "reader" else duckdb.from_arrow(table)
        streamed = model.fit(given, "label").score_samples(X)
        np.testing.assert_array_equal(streamed, model.fit(X, y).score_samples(X))
