"""Every export gives the scores of the library on 10 000 rows: missing values, new categories, large numbers, ties."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from functools import cache
from typing import Any

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
import pyarrow as pa
import pytest

from export_rows import LARGEST, coded_rows, models, outputs_of, read_json, table_of
from postgres import server
from rankforest.export import to_json, to_onnx, to_python, to_sql

MODELS = cache(models)
NAMES = (
    "tree", "oblique tree", "forest", "forest, mean rank", "forest, plug-in", "boosting", "scorecard", "consensus",
    "consensus of log-odds", "ordinal tree", "ordinal forest", "PRank", "OAPBPM",
)  # fmt: skip
MEDIANS = ("forest, median", "ordinal forest, median")


@cache
def case(name: str) -> tuple[Any, np.ndarray, pd.DataFrame, dict[str, np.ndarray]]:
    model = MODELS()[name]
    X = coded_rows(model)
    return model, X, table_of(model, X), outputs_of(model, X)


def same(found: dict[str, Any], wanted: dict[str, np.ndarray]) -> None:
    assert set(found) == set(wanted)
    for name, values in wanted.items():
        got = np.asarray(found[name], dtype=np.float64)
        if name in ("stratum", "level"):
            np.testing.assert_array_equal(got, values)
        elif name == "score":
            np.testing.assert_allclose(got, values, rtol=1e-12, atol=1e-12)
        else:  # between two neighbouring scores a probability can be steep
            np.testing.assert_allclose(got, values, rtol=0, atol=1e-9)


def plain_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return table.to_dict("records")


def with_key(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(id=np.arange(len(table)))


def test_rows_are_nasty() -> None:
    model, X, table, _ = case("forest")
    assert (np.abs(X) == LARGEST).any(axis=0).sum() == 3
    assert np.isnan(X).any(axis=0).all()
    assert table["city's name"].isna().any()
    assert "new" in set(table["city's name"])
    assert 99.0 in set(table["grade"])
    cuts = {t for tree in model.trees_ for t in tree.threshold[tree.set_offset < 0].tolist()}
    assert np.isin(X, list(cuts)).mean() > 0.01


@pytest.mark.parametrize("name", [*NAMES, *MEDIANS])
def test_python(name: str) -> None:
    model, _, table, wanted = case(name)
    module: dict[str, Any] = {}
    exec(to_python(model), module)
    rows = plain_rows(table)
    same({output: [module[output](row) for row in rows] for output in wanted}, wanted)
    assert module["score_rows"](rows[:5]) == [module["score"](row) for row in rows[:5]]


@pytest.mark.parametrize("name", [*NAMES, *MEDIANS])
def test_json(name: str) -> None:
    model, _, table, wanted = case(name)
    document, rows = json.loads(to_json(model)), plain_rows(table)
    same({output: [read_json(document, row, output) for row in rows] for output in wanted}, wanted)


@pytest.mark.parametrize(("name", "dialect"), [*((name, "ansi") for name in NAMES), ("tree", "sqlite")])
def test_sqlite(name: str, dialect: str) -> None:
    model, _, table, wanted = case(name)
    database = sqlite3.connect(":memory:")
    # no type, no conversion; text that SQLite would compare without case
    columns = [f'"{c}" COLLATE NOCASE'.replace('"cm"', '""cm""') for c in with_key(table)]
    database.execute(f"CREATE TABLE rows ({', '.join(columns)})")
    marks = ", ".join("?" * len(columns))
    database.executemany(f"INSERT INTO rows VALUES ({marks})", with_key(table).itertuples(index=False, name=None))
    found = database.execute(to_sql(model, table="rows", keep=["id"], dialect=dialect))
    read = pd.DataFrame(found.fetchall(), columns=[column[0] for column in found.description]).sort_values("id")
    same({output: read[output] for output in read if output != "id"}, wanted)


@pytest.mark.parametrize(("name", "dialect"), [*((name, "ansi") for name in NAMES), ("tree", "duckdb")])
def test_duckdb(name: str, dialect: str) -> None:
    model, _, table, wanted = case(name)
    database = duckdb.connect()
    frame = with_key(table).astype({"city's name": "string", "grade": "float64", "is new": "boolean"})
    database.register("frame", frame)
    database.execute("CREATE TABLE rows AS SELECT * FROM frame")
    assert database.execute("SELECT COUNT(*) FROM rows WHERE isnan(size)").fetchall()[0][0] == 0
    # half of the missing numbers are NULL, and half NaN
    database.execute("UPDATE rows SET size = CAST('NaN' AS DOUBLE) WHERE size IS NULL AND id % 2 = 0")
    read = database.execute(to_sql(model, table="rows", keep=["id"], dialect=dialect)).df().sort_values("id")
    same({output: read[output] for output in read if output != "id"}, wanted)


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with server() as url:
        yield url


@pytest.mark.parametrize(("name", "dialect"), [*((name, "postgresql") for name in NAMES), ("tree", "ansi")])
def test_postgresql(name: str, dialect: str, postgres: str) -> None:
    import adbc_driver_postgresql.dbapi as adbc

    model, _, table, wanted = case(name)
    frame = with_key(table).astype({"city's name": "string", "grade": "float64", "is new": "boolean"})
    assert (frame["city's name"] == "").any()
    rows = pa.Table.from_pandas(frame, preserve_index=False)
    with adbc.connect(postgres) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("rows", rows, mode="create")  # rolled back when the connection ends
        cursor.execute("UPDATE rows SET size = 'NaN' WHERE size IS NULL AND id % 2 = 0")
        cursor.execute(to_sql(model, table="rows", keep=["id"], dialect=dialect))
        read = cursor.fetch_arrow_table().to_pandas().sort_values("id")
    same({output: read[output] for output in read if output != "id"}, wanted)


@pytest.mark.parametrize("name", NAMES)
def test_onnx(name: str) -> None:
    model, _, table, wanted = case(name)
    session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"])
    feed = {}
    for put in session.get_inputs():
        column = table[put.name]
        if put.type == "tensor(string)":
            feed[put.name] = column.fillna("no city").to_numpy(dtype=object)[:, None]
        else:
            feed[put.name] = np.array([np.nan if v is None else float(v) for v in column])[:, None]
    names = [put.name for put in session.get_outputs()]
    same(dict(zip(names, session.run(names, feed))), wanted)
    few = {name: values[:1] for name, values in feed.items()}
    np.testing.assert_allclose(session.run(["score"], few)[0], wanted["score"][:1], rtol=1e-12, atol=1e-12)


def test_onnx_of_numbers_has_one_input() -> None:
    from rankforest import RankingForest
    from rankforest.data import simulate

    sample = simulate.rf20(500, random_state=0)
    model = RankingForest(10, random_state=0).fit(sample.X, sample.y)
    X = coded_rows(model)
    session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(session.run(["score"], {"X": X})[0], model.score_coded(X), rtol=1e-12)
