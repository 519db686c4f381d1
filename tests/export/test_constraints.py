"""Exports say which constraints the score keeps, and score as without them."""

from __future__ import annotations

import io
import json
import sqlite3
from typing import Any

import numpy as np
import onnxruntime
import openpyxl
import pandas as pd
import pytest

from rankforest import (
    BestInstances,
    OrdinalRankingForest,
    OrdinalRankingTree,
    RankBoost,
    RankConsensus,
    RankingForest,
    RankScore,
    TreeRank,
)
from rankforest.export import to_excel, to_json, to_onnx, to_python, to_sql, to_text

BROKEN = "a\n; DROP TABLE data; --"  # a name that would end a comment


@pytest.fixture(scope="module")
def rows() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({BROKEN: rng.normal(size=200), "grade": rng.choice(["A", "B\u2028x", "C"], 200)})
    signal = frame[BROKEN] + (frame["grade"] == "A") + rng.normal(size=200)
    return frame, (signal > signal.median()).astype(int).to_numpy()


RULES = {BROKEN: 1, "grade": ["C", "B\u2028x", "A"]}
SENTENCES = [
    "The score never falls as a?; DROP TABLE data; -- rises.",
    "The score never falls along the order of grade: C, B?x, A.",
]
MODELS: dict[str, Any] = {
    "tree": TreeRank(max_depth=2, monotonic_cst=RULES, random_state=0),
    "forest": RankingForest(3, monotonic_cst=RULES, random_state=0),
    "boosting": RankBoost(5, loss="log_loss", n_folds=2, monotonic_cst=RULES, random_state=0),
    "scorecard": RankScore(n_estimators=20, monotonic_cst=RULES, random_state=0),
    "consensus": RankConsensus(
        RankingForest(3, random_state=0), RankBoost(5, n_folds=2), monotonic_cst=RULES, random_state=0
    ),
    "ordinal tree": OrdinalRankingTree(max_depth=3, monotonic_cst=RULES, random_state=0),
    "ordinal forest": OrdinalRankingForest(3, monotonic_cst=RULES, random_state=0),
    "flags": BestInstances(
        TreeRank(max_depth=2, monotonic_cst=RULES, random_state=0), top=0.2, ties="nearest", random_state=0
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_export_says_them(name: str, rows: Any) -> None:
    frame, y = rows
    if MODELS[name].ordered:
        y = y + (frame[BROKEN] > 1.0).to_numpy()
    model = MODELS[name].fit(frame, y)
    assert json.loads(to_json(model))["constraints"] == SENTENCES
    query = to_sql(model, outputs=["score"], dialect="sqlite")
    assert query.splitlines()[:2] == [f"-- {said}" for said in SENTENCES]
    base = sqlite3.connect(":memory:")
    frame.to_sql("data", base, index=False)
    wanted = model.score_samples(frame) - getattr(model, "threshold_", 0.0)
    np.testing.assert_allclose([score for (score,) in base.execute(query)], wanted, atol=1e-12)
    module: dict[str, Any] = {}
    exec(to_python(model), module)
    assert list(module["CONSTRAINTS"]) == SENTENCES
    made = to_onnx(model)
    assert {prop.key: prop.value for prop in made.metadata_props} == {"constraints": "\n".join(SENTENCES)}
    session = onnxruntime.InferenceSession(made.SerializeToString())
    assert session.get_modelmeta().custom_metadata_map["constraints"].split("\n") == SENTENCES
    assert all(said in to_text(model) for said in model.constraints())


def test_the_excel_sheet_of_a_card_says_them(rows: Any) -> None:
    frame, y = rows
    named = frame.rename(columns={BROKEN: "income"}).assign(grade=frame["grade"].str[0])
    rules = {"income": 1, "grade": ["C", "B", "A"]}
    model = RankScore(n_estimators=20, monotonic_cst=rules, random_state=0).fit(named, y)
    sheet = openpyxl.load_workbook(io.BytesIO(to_excel(model)))["Card"]
    told = [sheet.cell(row, 1).value for row in range(sheet.max_row - 1, sheet.max_row + 1)]
    assert told == model.constraints()
    assert len(told) == 2
    free = RankScore(n_estimators=20, random_state=0).fit(named, y)
    plain = openpyxl.load_workbook(io.BytesIO(to_excel(free)))["Card"]
    assert "never falls" not in str([cell.value for cell in plain["A"]])


def test_without_constraints_nothing_is_said(rows: Any) -> None:
    model = TreeRank(max_depth=1).fit(*rows)
    assert json.loads(to_json(model))["constraints"] == []
    assert not to_sql(model).startswith("--")
    assert "CONSTRAINTS" not in to_python(model)
    assert not to_onnx(model).metadata_props
