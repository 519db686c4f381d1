"""A single row is coded as it is in a table, or read and refused as a table is."""

from __future__ import annotations

import pickle
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rankforest import RankBoost
from rankforest.data.one_row import coded_row
from rankforest.data.stores import open_store
from rankforest.data.table import Table, _apply, read_table

TRAINING = pd.DataFrame(
    {
        "number": [1.5, np.nan, 3.0],
        "text": ["red", "blue", None],
        "count": pd.Categorical([10, 20, 30]),
        "flag": [True, False, True],
    }
)
# of the type that fit saw, and of others
VALUES: dict[str, list[Any]] = {
    "number": [2.5, 7, np.float32(0.1), np.int8(-3), Decimal("0.5"), None, np.nan, pd.NA, np.inf, 10**400, True, "2"],
    "text": ["red", "blue", "green", "", np.str_("red"), None, np.nan, pd.NaT, 5, 2.5, False, np.inf, b"red"],
    "count": [10, 20.0, np.int64(30), 25, 2.5, Decimal(10), None, np.nan, np.inf, True, "10"],
    "flag": [True, np.bool_(False), None, np.nan, 1, 0.0, "True"],
}


def as_any_table(X: Any, schema: Any) -> Table:
    """The row read as a table of several rows is, without the short way."""
    return _apply(open_store(X, scoring=True)[0], schema, "this model")


def the_same(row: pd.DataFrame, schema: Any) -> bool:
    """Whether the short way was taken; it must then agree with the long one."""
    coded = coded_row(row, schema)
    try:
        known = next(as_any_table(row, schema).blocks())
    except (ValueError, TypeError):
        assert coded is None
        return False
    if coded is None:
        return False
    assert coded.dtype == np.float64
    np.testing.assert_array_equal(coded, known)
    return True


@pytest.mark.parametrize("column", list(VALUES))
def test_every_kind_of_value_is_coded_as_in_a_table(column: str) -> None:
    schema = read_table(TRAINING).schema
    usual = {"number": 1.0, "text": "red", "count": 10, "flag": True}
    short = []
    for value in VALUES[column]:
        values = {**usual, column: value}
        row = pd.DataFrame({name: pd.Series([values[name]], dtype=object) for name in values})
        short.append(the_same(row, schema))
    assert short[:2] == [True, True]
    assert not all(short)  # the rest is read the long way, or refused there


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_of_own_types_take_the_short_way(frame: Any) -> None:
    table = frame({"number": [1.5, 2.5, None], "text": ["red", "blue", None], "flag": [True, False, None]})
    schema = read_table(table).schema
    whole = np.vstack(list(read_table(table, schema=schema).blocks()))
    for i in range(3):
        coded = coded_row(table[i : i + 1], schema)
        assert coded is not None
        np.testing.assert_array_equal(coded[0], whole[i])


def test_an_array_of_objects() -> None:
    table = np.array([[1.5, "red"], [2.5, "blue"], [None, "red"]], dtype=object)
    schema = read_table(table).schema
    whole = np.vstack(list(read_table(table, schema=schema).blocks()))
    for i in range(3):
        np.testing.assert_array_equal(coded_row(table[i : i + 1], schema)[0], whole[i])
    assert coded_row(table, schema) is None
    assert coded_row(table[:1, :1], schema) is None


def test_other_names_are_left_to_the_checks() -> None:
    schema = read_table(TRAINING).schema
    row = TRAINING[:1]
    assert coded_row(row, schema) is not None
    assert coded_row(row[list(reversed(row.columns))], schema) is None
    assert coded_row(row.rename(columns={"text": "colour"}), schema) is None
    assert coded_row(row.drop(columns="flag"), schema) is None
    assert coded_row(row.to_numpy(dtype=object), schema) is None  # warns that the names are gone
    with pytest.raises(ValueError, match="unseen at fit time"):
        read_table(row.rename(columns={"text": "colour"}), schema=schema)


def test_scores_of_single_rows_are_those_of_the_table() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.standard_normal(200), "b": rng.choice(["x", "y", "z"], 200)})
    X.loc[::9, "a"] = np.nan
    X.loc[::7, "b"] = None
    model = RankBoost(20, n_folds=2, random_state=0).fit(X, (X["a"].fillna(0) > rng.standard_normal(200)).astype(int))
    fresh = pickle.dumps(model)
    one_by_one = np.concatenate([model.score_samples(X[i : i + 1]) for i in range(len(X))])
    np.testing.assert_array_equal(one_by_one, model.score_samples(X))
    assert len(pickle.dumps(model.schema_)) == len(pickle.dumps(pickle.loads(fresh).schema_))  # codes are not stored
