"""The card in other languages gives the totals and probabilities of the model, row by row."""

from __future__ import annotations

import json
import sqlite3
from functools import cache
from typing import Any

import numpy as np
import onnxruntime
import pandas as pd
import pytest

from cards import coded_rows
from export_rows import read_json
from hand_card import HandCard, hand_model
from rankforest.export import to_json, to_onnx, to_python, to_sql, to_text


@cache
def case() -> tuple[HandCard, pd.DataFrame, dict[str, np.ndarray]]:
    """A model with a pair, and rows on and around all edges, with missing values and new categories."""
    model, _, _ = hand_model(300, pairs=True)
    block = np.nan_to_num(coded_rows(500, 9), nan=np.nan, posinf=1e300, neginf=-1e300)
    names = np.array([*(model.schema_.features[1].categories or ()), None, "new"], dtype=object)
    unseen = 4 + np.arange(len(block)) % 2
    job = names[np.where(np.isnan(block[:, 1]), unseen, block[:, 1]).astype(int)]
    table = pd.DataFrame({"age": block[:, 0], "job": job, "unused": block[:, 2], "debt": block[:, 3]})
    wanted = {"score": model.score_samples(table), "probability": model.predict_proba(table)[:, 1]}
    assert len(np.unique(wanted["score"])) > 50
    return model, table, wanted


def same(found: dict[str, Any], wanted: dict[str, np.ndarray]) -> None:
    assert found.keys() == wanted.keys()
    np.testing.assert_array_equal(found["score"], wanted["score"])
    np.testing.assert_allclose(np.asarray(found["probability"]), wanted["probability"], rtol=0, atol=1e-12)


def test_python() -> None:
    model, table, wanted = case()
    module: dict[str, Any] = {}
    exec(to_python(model), module)
    same({name: [module[name](row) for row in table.to_dict("records")] for name in wanted}, wanted)


def test_json() -> None:
    model, table, wanted = case()
    document, rows = json.loads(to_json(model)), table.to_dict("records")
    same({name: [read_json(document, row, name) for row in rows] for name in wanted}, wanted)
    assert len(document["graphs"]) == len(model.card_.terms)


def test_sql() -> None:
    model, table, wanted = case()
    database = sqlite3.connect(":memory:")
    table.assign(id=np.arange(len(table))).to_sql("rows", database, index=False)
    found = pd.read_sql(to_sql(model, table="rows", keep=["id"], dialect="sqlite"), database).sort_values("id")
    same({name: found[name].to_numpy() for name in wanted}, wanted)


def test_onnx() -> None:
    model, table, wanted = case()
    session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"])
    feed = {}
    for put in session.get_inputs():
        column = table[put.name]
        text = put.type == "tensor(string)"
        feed[put.name] = (column.fillna("none").to_numpy(dtype=object) if text else column.to_numpy())[:, None]
    names = [put.name for put in session.get_outputs()]
    found = {name: np.asarray(values).ravel() for name, values in zip(names, session.run(names, feed))}
    assert found["score"] == pytest.approx(wanted["score"], abs=1e-9)
    assert found["probability"] == pytest.approx(wanted["probability"], abs=1e-9)


def test_text() -> None:
    model, _, _ = case()
    assert to_text(model) == f"{model.text()}\n"
    assert "above 1000 to 2500" in to_text(model)
