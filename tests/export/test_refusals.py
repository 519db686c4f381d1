"""A model that a format cannot express raises a one-sentence error, and no file is left."""

from __future__ import annotations

import ast
import json
import re
import sqlite3
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from export_rows import models, training
from rankforest import BestInstances, Dyadic, LeafRank, PRank, RankingForest, TreeRank
from rankforest.export import ExportError, export_model, sql, to_json, to_onnx, to_python, to_sql, to_text
from rankforest.export.chunks import cut
from rankforest.export.model import program_of

MODELS = cache(models)
EVERY = (to_sql, to_onnx, to_python, to_json)


def small(**options: Any) -> TreeRank:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    return TreeRank(**options).fit(X, X[:, 0] + rng.normal(size=200) > 0)


def one_sentence(error: BaseException) -> bool:
    text = str(error)
    return text.endswith(".") and re.search(r"\. [A-Z]", text) is None and "\n" not in text


@pytest.mark.parametrize("export", EVERY)
@pytest.mark.parametrize("splitter", [DecisionTreeClassifier(max_depth=2), Dyadic(1)])
def test_rules_that_are_not_axis_parallel(export: Any, splitter: Any) -> None:
    with pytest.raises(ExportError, match="LeafRank") as caught:
        export(small(splitter=splitter, max_depth=2))
    assert one_sentence(caught.value)


@pytest.mark.parametrize("export", [to_sql, to_onnx])
@pytest.mark.parametrize("name", ["forest, median", "ordinal forest, median"])
def test_medians(export: Any, name: str) -> None:
    with pytest.raises(ExportError, match="mean_rank") as caught:
        export(MODELS()[name])
    assert one_sentence(caught.value)


@pytest.mark.parametrize("aggregation", ["kemeny", "kemeny_ties"])
@pytest.mark.parametrize("export", EVERY)
def test_kemeny_kernels_and_strangers(export: Any, aggregation: str) -> None:
    X, y, levels = training(120)
    how: dict[str, Any] = {"categorical_features": ["grade"], "random_state": 0}
    with pytest.raises(ExportError, match="mean_rank") as kemeny:
        export(RankingForest(2, aggregation=aggregation, **how).fit(X, y))
    with pytest.raises(ExportError, match="linear") as kernel:
        export(PRank("rbf", **how).fit(X, levels))
    with pytest.raises(ExportError, match="LogisticRegression") as stranger:
        export(LogisticRegression().fit([[0.0], [1.0]], [0, 1]))
    assert all(one_sentence(caught.value) for caught in (kemeny, kernel, stranger))


def test_large_forests_in_sql(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "MOST_NODES", 100)
    with pytest.raises(ExportError, match="n_estimators") as caught:
        to_sql(MODELS()["forest"])
    assert one_sentence(caught.value)


def test_names_that_sql_and_onnx_cannot_have() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))

    def fitted(*names: str) -> TreeRank:
        model = TreeRank(LeafRank(max_depth=3, min_mass_leaf=0)).fit(pd.DataFrame(X, columns=names), X.sum(axis=1) > 0)
        assert len(set(model.tree_.feature)) == 2
        return model

    for names, export in (
        (("a", "A"), to_sql), (("a", "b\0"), to_sql), (("a", ""), to_sql),
    ):  # fmt: skip
        with pytest.raises(ExportError) as caught:
            export(fitted(*names))
        assert one_sentence(caught.value)
    with pytest.raises(ExportError, match="keep and outputs"):
        to_sql(fitted("a", "b"), keep=["Score"])
    with pytest.raises(ValueError, match="dialect is 'oracle'"):
        to_sql(fitted("a", "b"), dialect="oracle")
    with pytest.raises(ValueError, match="outputs is"):
        to_sql(fitted("a", "b"), outputs=["level"])
    mixed, y, _ = training(120)
    with pytest.raises(ExportError, match="'score'") as caught:
        to_onnx(TreeRank(categorical_features=["grade"]).fit(mixed.rename(columns={"size": "score"}), y))
    assert one_sentence(caught.value)


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)


@settings(max_examples=10, deadline=None)
@given(st.lists(TEXTS, min_size=2, max_size=5, unique=True), st.lists(TEXTS, min_size=2, max_size=2, unique=True))
def test_any_names_and_categories(categories: list[str], names: list[str]) -> None:
    if len({name.casefold() for name in [*names, "score", "stratum", "probability", "key", "x"]}) < 7:
        return
    rng = np.random.default_rng(0)
    place = rng.integers(0, len(categories), 80)
    table = pd.DataFrame({names[0]: np.array(categories, dtype=object)[place], names[1]: rng.normal(size=80)})
    y = (place + table[names[1]].to_numpy()) > place.mean()
    model = TreeRank().fit(table, y)
    wanted = model.score_samples(table)
    module: dict[str, Any] = {}
    exec(to_python(model), module)
    assert module["score_rows"](table.to_dict("records")) == wanted.tolist()
    query = to_sql(model, table="t", keep=["key"], outputs=["score"])
    rows = [(k, *row) for k, row in enumerate(table.itertuples(index=False, name=None))]
    columns = [f'"{name}"' for name in ("key", *(name.replace('"', '""') for name in names))]
    for database, kinds in ((sqlite3.connect(":memory:"), ("", "", "")), (duckdb.connect(), ("INT", "TEXT", "DOUBLE"))):
        database.execute(f"CREATE TABLE t ({', '.join(map(' '.join, zip(columns, kinds)))})")
        database.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        assert [score for _, score in sorted(database.execute(query).fetchall())] == wanted.tolist()
    session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"])
    feed = {names[0]: table[[names[0]]].to_numpy(dtype=object), names[1]: table[[names[1]]].to_numpy()}
    np.testing.assert_array_equal(session.run(["score"], feed)[0], wanted)


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_in_sql_are_exact(value: float) -> None:
    text = f"SELECT {sql.literal(value)}"
    assert sqlite3.connect(":memory:").execute(text).fetchone()[0] == value
    assert duckdb.execute(text).fetchone()[0] == value  # type: ignore[index]


def test_nothing_is_written_twice() -> None:
    program = program_of(MODELS()["forest"])
    shared = sum(len(cut(graph).stage) - 1 for graph in program.graphs)
    assert shared > 10
    text = to_sql(MODELS()["forest"], outputs=["score"])
    assert text.count("CASE WHEN x") - len(program.features) <= program.n_nodes
    written = to_onnx(MODELS()["forest"])
    nodes = [len(a.ints) for n in written.graph.node for a in n.attribute if a.name == "nodes_featureids"]
    assert program.n_nodes < sum(nodes) < program.n_nodes + 3 * shared + len(program.graphs) * len(nodes)


def test_best_instances() -> None:
    X, y, _ = training(300)
    forest = RankingForest(5, categorical_features=["grade"], random_state=0)
    model = BestInstances(forest, top=0.2, random_state=0).fit(X, y)
    document = json.loads(to_json(model))
    assert document["outputs"]["score"]["offset"] == -model.threshold_
    assert "flagged" in to_text(model)
    tree = TreeRank(max_depth=2, categorical_features=["grade"])
    with pytest.raises(
        ExportError, match=r"flags rows with the score .* by lot, and lots cannot be exported; fit it with"
    ):
        to_json(BestInstances(tree, top=0.2, random_state=0).fit(X, y))
    with pytest.warns(UserWarning, match="rows with equal scores are flagged together"):
        whole = BestInstances(tree, top=0.01, ties="nearest", random_state=0).fit(X, y)
    assert json.loads(to_json(whole))["outputs"]["score"]["offset"] == -whole.threshold_


def test_files(tmp_path: Path) -> None:
    model = MODELS()["tree"]
    for ending in ("sql", "onnx", "py", "json", "txt"):
        export_model(model, tmp_path / f"model.{ending}")
    assert (tmp_path / "model.sql").read_text() == to_sql(model)
    assert json.loads((tmp_path / "model.json").read_text())["model"] == "TreeRank"
    assert onnx.load(tmp_path / "model.onnx").graph.output[0].name == "score"
    assert "stratum 1" in (tmp_path / "model.txt").read_text()
    ast.parse((tmp_path / "model.py").read_text())
    export_model(model, tmp_path / "other", "python")
    export_model(model, tmp_path / "keyed.sql", keep=["id"])
    assert 'k0 AS "id"' in (tmp_path / "keyed.sql").read_text()
    with pytest.raises(ValueError, match="ends with none"):
        export_model(model, tmp_path / "model.xls")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ExportError):
        export_model(MODELS()["forest, median"], tmp_path / "median.sql")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["forest", "boosting", "ordinal tree", "ordinal forest", "PRank", "OAPBPM"])
def test_text(name: str) -> None:
    text = to_text(MODELS()[name])
    assert "load %" in text
    assert text.endswith("\n")
