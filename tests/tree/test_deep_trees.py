"""Trees deeper than Python's stack: everything that walks one does it without recursion."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chains import DEPTH, chain_rows, inner_chain, ordinal_chain, ordinal_tree, ranking_chain, tree_rank
from rankforest.export import to_json, to_onnx, to_python, to_sql
from rankforest.plots import TreeDisplay
from rankforest.report.tree_facts import tree_facts
from rankforest.storage import load_model, save_model
from rankforest.tree.rules import side_rule, strata_rules

X, _ = chain_rows()
MODELS: dict[str, Any] = {"ranking": tree_rank(ranking_chain()), "ordinal": ordinal_tree(ordinal_chain())}


def test_the_chains_are_chains() -> None:
    assert DEPTH > 3000
    for model in MODELS.values():
        assert model.tree_.max_depth == DEPTH
        assert (model.tree_.apply(X) == np.arange(DEPTH + 1)).all()


@pytest.mark.parametrize("name", MODELS)
def test_text(name: str) -> None:
    text = MODELS[name].export_text()
    assert text.count("\n") >= 2 * DEPTH
    assert f"x0 > {DEPTH - 0.5:.1f}" in text or f"x0 <= {DEPTH - 0.5:.1f}" in text
    assert MODELS[name].export_text(max_depth=2).count("\n") < 10


def test_rules_and_explanations() -> None:
    model = MODELS["ranking"]
    rules = strata_rules(model.tree_)
    assert rules[0] == "x0 <= 0.5"
    assert rules[-1] == f"x0 > {DEPTH - 0.5:.1f}"
    assert len(MODELS["ordinal"].rules()) == DEPTH + 1
    assert len(model.path_of(X[-1:]).steps) == DEPTH
    assert model.why(X[:1], X[-1:]).order == 1
    assert len(side_rule(inner_chain(), 0)) == DEPTH // 2 + 1


def test_pictures_and_reports() -> None:
    model = MODELS["ranking"]
    assert len(TreeDisplay.from_tree(model.tree_, max_depth=3).nodes) == 7
    assert tree_facts(model, model.one_tree(), None)["n_strata"] == DEPTH + 1


@pytest.mark.parametrize("name", MODELS)
def test_exports(name: str) -> None:
    model = MODELS[name]
    module: dict[str, Any] = {}
    exec(to_python(model), module)
    table = model.tree_.leaf_score if name == "ranking" else model.tree_.leaf_mean
    assert [module["score"]({"x0": float(k)}) for k in (0, DEPTH)] == [table[0], table[-1]]
    assert len(to_json(model)) > DEPTH
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE data (x0 REAL)")
    database.executemany("INSERT INTO data VALUES (?)", [(0.0,), (float(DEPTH),)])
    found = database.execute(to_sql(model, keep=["x0"], outputs=["score"], dialect="sqlite")).fetchall()
    assert sorted(found) == [(0.0, table[0]), (float(DEPTH), table[-1])]


@pytest.mark.parametrize("name", MODELS)
def test_onnx(name: str) -> None:
    pytest.importorskip("onnx")
    assert len(to_onnx(MODELS[name]).graph.node) > 0


def test_files(tmp_path: Path) -> None:
    for name, model in MODELS.items():
        save_model(model, tmp_path / name)
        assert load_model(tmp_path / name).export_text(max_depth=3) == model.export_text(max_depth=3)
