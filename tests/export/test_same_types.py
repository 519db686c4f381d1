"""An export converts what the model converts and refuses what the model refuses."""

from __future__ import annotations

import sqlite3
from decimal import Decimal
from functools import cache
from typing import Any

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
import pytest

from export_rows import training
from rankforest import TreeRank
from rankforest.data.data_file import MISSING
from rankforest.export import to_onnx, to_python, to_sql
from rankforest.export.model import program_of
from rankforest.program.program import used_features

SQLITE = ("ansi", "sqlite")
DUCKDB = ("ansi", "duckdb")


@cache
def fitted() -> tuple[TreeRank, pd.DataFrame]:
    """A tree that asks for every column, and 300 rows of its training table without infinite numbers."""
    X, y, _ = training(600)
    model = TreeRank(max_depth=None, categorical_features=["grade"], random_state=0).fit(X, y)
    assert len(used_features(program_of(model))) == X.shape[1]
    return model, X.head(300).reset_index(drop=True)


def as_text(value: Any) -> str | None:
    """As a CSV file has it."""
    if value is None or value != value:
        return None
    return str(value)


def create(columns: dict[str, str]) -> str:
    listed = [f'"{name.replace(chr(34), 2 * chr(34))}" {kind}' for name, kind in columns.items()]
    return f"CREATE TABLE data ({', '.join(listed)})"


def sqlite_scores(model: Any, table: pd.DataFrame, kinds: dict[str, str], dialect: str) -> list[float | None]:
    database = sqlite3.connect(":memory:")
    database.execute(create({"id": "INTEGER", **kinds}))
    marks = ", ".join("?" * (1 + table.shape[1]))
    rows = [(i, *(None if v is None or v != v else v for v in row)) for i, row in enumerate(table.values.tolist())]
    database.executemany(f"INSERT INTO data VALUES ({marks})", rows)
    found = database.execute(to_sql(model, keep=["id"], outputs=["score"], dialect=dialect)).fetchall()
    return [score for _, score in sorted(found)]


def duckdb_scores(model: Any, table: pd.DataFrame, kinds: dict[str, str], dialect: str) -> list[float | None]:
    database = duckdb.connect()
    database.execute(create({"id": "INTEGER", **kinds}))
    marks = ", ".join("?" * (1 + table.shape[1]))
    rows = [(i, *(None if v is None or v != v else v for v in row)) for i, row in enumerate(table.values.tolist())]
    database.executemany(f"INSERT INTO data VALUES ({marks})", rows)
    found = database.execute(to_sql(model, keep=["id"], outputs=["score"], dialect=dialect)).fetchall()
    return [score for _, score in sorted(found)]


ENGINES = [*((sqlite_scores, d) for d in SQLITE), *((duckdb_scores, d) for d in DUCKDB)]
TYPES = {"size": "DOUBLE", 'height "cm"': "DOUBLE", "city's name": "VARCHAR", "grade": "DOUBLE", "is new": "BOOLEAN",
         "load %": "DOUBLE"}  # fmt: skip


@pytest.mark.parametrize(("scores_of", "dialect"), ENGINES)
def test_tables_of_text_and_typed_tables(scores_of: Any, dialect: str) -> None:
    """What `.import` makes of a CSV file in SQLite: every column is text, and '' is a missing value."""
    model, X = fitted()
    wanted = model.score_samples(X)
    typed = X.astype(object).where(X.notna(), None)
    np.testing.assert_array_equal(scores_of(model, typed, TYPES, dialect), wanted)
    texts = X.map(as_text)
    all_text = dict.fromkeys(TYPES, "TEXT")
    np.testing.assert_array_equal(scores_of(model, texts, all_text, dialect), wanted)
    for missing in MISSING:
        filled = texts.copy()
        for name in set(TYPES) - {"city's name"}:  # where '' is a category
            filled[name] = filled[name].fillna(missing)
        np.testing.assert_array_equal(scores_of(model, filled, all_text, dialect), wanted)


NO_NUMBERS = [
    "abc",
    "12abc",
    "2020-01-05",
    "1-2",
    "--1",
    "1.2.3",
    "e5",
    "1e",
    "1e2e3",
    ".",
    "-",
    "0x1A",
    "1 2",
    "1e400",
]
NUMBERS = {"12": 12.0, "-0.5": -0.5, "+3": 3.0, "1e-3": 1e-3, "2.5E+1": 25.0, ".5": 0.5, "5.": 5.0, "1e5": 1e5}


@pytest.mark.parametrize(("scores_of", "dialect"), ENGINES)
def test_text_for_a_number(scores_of: Any, dialect: str) -> None:
    """Text that is a number is that number; other text has no score, and takes no other row's."""
    rng = np.random.default_rng(0)
    X = rng.normal(scale=10, size=(300, 1))
    model = TreeRank().fit(pd.DataFrame(X, columns=["a"]), X[:, 0] + rng.normal(size=300) > 0)
    table = pd.DataFrame({"a": [*NUMBERS, *NO_NUMBERS, None]})
    found = scores_of(model, table, {"a": "TEXT"}, dialect)
    wanted = model.score_samples(pd.DataFrame({"a": [*NUMBERS.values(), np.nan]}))
    assert [*found[: len(NUMBERS)], found[-1]] == wanted.tolist()
    assert found[len(NUMBERS) : -1] == [None] * len(NO_NUMBERS)


@pytest.mark.parametrize(("scores_of", "dialect"), ENGINES)
def test_infinite_numbers_have_no_score(scores_of: Any, dialect: str) -> None:
    model, X = fitted()
    table = X.head(3).astype(object).where(X.head(3).notna(), None)
    wanted = model.score_samples(X.head(3))
    table.loc[0, "size"] = np.inf
    table.loc[1, "load %"] = -np.inf
    assert scores_of(model, table, TYPES, dialect) == [None, None, wanted[2]]
    with pytest.raises(ValueError, match="contains inf in row 0"):
        model.score_samples(X.head(1).assign(size=np.inf))


@pytest.mark.parametrize(("scores_of", "dialect"), ENGINES)
def test_numbers_for_a_text(scores_of: Any, dialect: str) -> None:
    """Whole numbers are read as text where the categories are text, as in a file; others are refused."""
    rng = np.random.default_rng(1)
    place = rng.integers(0, 3, 200)
    zips = np.array(["75001", "69002", "13003"], dtype=object)[place]
    model = TreeRank().fit(pd.DataFrame({"zip": zips, "x": rng.normal(size=200)}), place + rng.normal(size=200) > 1)
    x = [0.5, -0.5, 1.5]
    wanted = model.score_samples(pd.DataFrame({"zip": ["75001", "69002", "13003"], "x": x})).tolist()
    numbers = pd.DataFrame({"zip": [75001, 69002, 13003], "x": x}, dtype=object)
    assert scores_of(model, numbers, {"zip": "BIGINT", "x": "DOUBLE"}, dialect) == wanted
    if dialect != "ansi":  # which cannot tell types apart
        assert scores_of(model, numbers.astype(float), {"zip": "DOUBLE", "x": "DOUBLE"}, dialect) == [None] * 3


def module_of(model: Any) -> dict[str, Any]:
    module: dict[str, Any] = {}
    exec(to_python(model), module)
    return module


WRONG = [
    ("size", "abc"), ("size", "12.5"), ("size", ""), ("size", np.inf), ("load %", -np.inf),
    ("city's name", 2.5), ("city's name", True), ("grade", "2.5"), ("grade", "x"),
    ("grade", np.inf), ("is new", "True"), ("is new", "yes"),
]  # fmt: skip


@pytest.mark.parametrize(("column", "value"), WRONG)
def test_python_refuses_in_the_words_of_the_model(column: str, value: Any) -> None:
    model, X = fitted()
    row = {**X.iloc[0].to_dict(), column: value}
    table = pd.DataFrame({name: np.array([None], dtype=object) for name in X})
    for name, each in row.items():
        table[name] = pd.Series([each], dtype=object)
    with pytest.raises(ValueError, match="Column") as by_model:
        model.score_samples(table)
    with pytest.raises(ValueError, match="Column") as by_export:
        module_of(model)["score"](row)
    assert str(by_export.value) == str(by_model.value).replace(" in row 0", "")


def test_python_refuses_what_is_no_value() -> None:
    model, X = fitted()
    with pytest.raises(ValueError, match=r"^Column 'size' holds a list \(\[1\]\), which is neither a number, "):
        module_of(model)["score"]({**X.iloc[0].to_dict(), "size": [1]})


@pytest.mark.parametrize(
    ("column", "value", "same"),
    [
        ("size", True, 1.0), ("size", Decimal("0.25"), 0.25), ("size", np.float32(0.5), 0.5), ("size", 2, 2.0),
        ("size", pd.NA, None), ("grade", 1, 1.0), ("grade", Decimal("2.5"), 2.5), ("grade", np.int64(7), 7.0),
        ("grade", True, 1.0), ("grade", 99, None), ("is new", 1, True), ("is new", 0.0, False), ("is new", 2, None),
        ("is new", np.True_, True), ("city's name", np.str_("x"), "x"), ("city's name", "nowhere", None),
    ],
)  # fmt: skip
def test_python_converts_what_the_model_converts(column: str, value: Any, same: Any) -> None:
    model, X = fitted()
    score = module_of(model)["score"]
    changed = 0
    for row in X.head(40).to_dict("records"):
        assert score({**row, column: value}) == score({**row, column: same})
        table = pd.DataFrame({name: pd.Series([each], dtype=object) for name, each in {**row, column: value}.items()})
        assert score({**row, column: value}) == model.score_samples(table)[0]
        changed += score({**row, column: same}) != score(row)
    assert changed


def test_onnx_gives_infinite_numbers_no_score() -> None:
    X = np.random.default_rng(0).normal(size=(100, 2))
    model = TreeRank().fit(X, X[:, 0] > 0)
    session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"])
    rows = np.array([[np.inf, 0.0], [0.5, -np.inf], [0.5, np.nan], [0.5, 0.5]])
    (found,) = session.run(["score"], {"X": rows})
    assert np.isnan(found).tolist() == [True, True, False, False]
    np.testing.assert_array_equal(found[2:], model.score_samples(rows[2:]))
