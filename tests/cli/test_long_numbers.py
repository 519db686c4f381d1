"""Identifiers of 20 digits pass through from databases and Parquet, and are named for what they are."""

import decimal

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from postgres import server
from rankforest import TreeRank

N = 300
IDS = [10**19 + 7 * k for k in range(N)]


def _table():
    rng = np.random.default_rng(0)
    x = rng.normal(size=N).round(2)
    amounts = [decimal.Decimal(int(100 * value)) / 100 for value in x]
    return pa.table({
        "id": pa.array(map(decimal.Decimal, IDS), pa.decimal128(20, 0)),
        "x": pa.array(amounts, pa.decimal128(12, 2)),
        "y": (x + rng.normal(size=N) > 0).astype(int),
    })  # fmt: skip


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The options that name the rows, by kind."""
    folder, ends = tmp_path_factory.mktemp("long"), []

    def rows_of(kind):
        if kind == "parquet":
            pq.write_table(_table(), folder / "rows.parquet")
            return [folder / "rows.parquet"]
        if kind.startswith("duckdb"):
            path = folder / f"{kind}.duckdb"
            with duckdb.connect(str(path)) as bank:
                bank.register("given", _table())
                of_id = "HUGEINT" if kind.endswith("hugeint") else "DECIMAL(20,0)"
                bank.execute(f"CREATE OR REPLACE TABLE rows AS SELECT id::{of_id} AS id, x, y FROM given")
            return ["--database", path, "--table", "rows"]
        import adbc_driver_postgresql.dbapi as postgres

        context = server()
        url = context.__enter__()
        ends.append(context)
        with postgres.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute("CREATE TABLE rows (id numeric(20,0), x numeric(12,2), y integer)")
            lines = ", ".join(f"({row['id']}, {row['x']}, {row['y']})" for row in _table().to_pylist())
            cursor.execute(f"INSERT INTO rows VALUES {lines}")
            connection.commit()
        return ["--database", url, "--table", "rows"]

    yield rows_of
    for context in ends:
        context.__exit__(None, None, None)


@pytest.mark.parametrize("kind", ["parquet", "duckdb-decimal", "duckdb-hugeint", "postgresql"])
def test_long_identifiers_pass_through(kind, sources, rf, tmp_path):
    given, model = sources(kind), tmp_path / "m.rankforest"
    checked = rf("check", *given, "-t", "y")
    assert checked.code == 0, checked.err
    assert "column 'id' holds whole numbers such as 10000000000000002093, which are too long" in checked.out.replace(
        "Column", "column"
    )
    assert "--ignore id" in checked.out
    fitted = rf("fit", *given, "-t", "y", "--ignore", "id", "--set", "max_depth=2", "-o", model)
    assert fitted.code == 0, fitted.err
    assert rf("score", model, *given, "-o", tmp_path / "s.csv").code == 0
    lines = (tmp_path / "s.csv").read_text().splitlines()[1:]
    assert [line.partition(",")[0] for line in lines] == [str(one) for one in IDS]
    assert rf("score", model, *given, "-o", tmp_path / "s.parquet").code == 0
    assert [int(one) for one in pq.read_table(tmp_path / "s.parquet")["id"].to_pylist()] == IDS
    assert rf("evaluate", model, *given, "--json").json["source"] == "training"
    if kind != "parquet":
        done = rf("score", model, *given, "--to-table", "scored")
        assert done.code == 0, done.err
        back = rf("score", model, *given[:2], "--table", "scored", "--prefix", "again_", "-o", tmp_path / "t.csv")
        assert back.code == 0, back.err
        again = (tmp_path / "t.csv").read_text().splitlines()[1:]
        assert len({line.partition(",")[0] for line in again}) == N
        assert {line.partition(",")[0] for line in again} == set(map(str, IDS))


def test_decimals_are_features_of_python(tmp_path):
    table = _table()
    with duckdb.connect() as bank:
        bank.register("given", table)
        model = TreeRank(max_depth=2).fit(bank.sql("SELECT x, y FROM given"), "y")
    plain = table.select(["x"]).cast(pa.schema([("x", pa.float64())]))
    same = TreeRank(max_depth=2).fit(plain, table["y"].to_numpy())
    assert np.array_equal(model.score_samples(plain), same.score_samples(plain))
