"""A new estimator registers once: files, the command line, reports, exports, plots and its repr find it."""

import ast
import json
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pandas as pd
import pytest

import rankforest
from command_line import run
from mutants import file_of, fitted, models
from rankforest import load_model, save_model
from rankforest.boosting.squash import squash
from rankforest.cli.fit import fit
from rankforest.data import simulate
from rankforest.data import storable as storables
from rankforest.data.encoding import Standardization
from rankforest.data.parts import InvalidParts, Parts
from rankforest.estimators import registry
from rankforest.estimators._ranker import Ranker
from rankforest.estimators.fitted_model import FittedModel
from rankforest.export import ExportError, to_json, to_python, to_sql, to_text
from rankforest.fitting.calibration import Calibration, calibrate
from rankforest.interpret import partial_dependence
from rankforest.plots import PruningDisplay, plot_tree
from rankforest.program import Program
from rankforest.program.of_direction import weighted_sum
from rankforest.program.program import Squash
from rankforest.report import report_facts, write_report
from rankforest.storage import ModelFileError

SRC = Path(rankforest.__file__).parent
ABOVE = ("storage", "export", "report", "interpret", "cli", "plots")


class MeanDifference(Ranker):
    """Ranks by a weighted sum of standardised columns; the weights are the differences between the class means."""

    def __init__(self, *, pos_label=None, categorical_features=None, n_jobs=None, random_state=None):
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        training = self._reading(X, y, sample_weight)
        rows, labels = np.vstack(list(training.sample.table.blocks())), training.sample.labels
        self.scaling_ = Standardization.of(rows, training.sample.table.schema)
        columns = self.scaling_.encode(rows)
        self.coef_ = columns[labels == 1].mean(axis=0) - columns[labels == 0].mean(axis=0)
        self._calibration = calibrate(self.score_coded(rows), labels, training.sample.weights)
        self._keep_names(training)
        return self

    def score_coded(self, block):
        return squash(self.scaling_.encode(block) @ self.coef_)

    def _probabilities(self):
        return self._calibration

    def figures(self):
        return {"columns": len(self.coef_), "largest_weight": float(np.abs(self.coef_).max())}

    def program(self):
        score = Squash(weighted_sum(self.scaling_, self.coef_))
        return Program(type(self).__name__, self.schema_.features, (), {"score": score})

    def to_parts(self):
        scaling, calibration = self.scaling_.to_parts(), self._calibration.to_parts()
        return {"scaling": scaling, "coef": self.coef_, "calibration": calibration}

    def from_parts(self, parts):
        self.scaling_ = Standardization.from_parts(parts.below("scaling"), self.schema_)
        self.coef_ = parts.array("coef", np.float64, len(self.scaling_.mean))
        self._calibration = Calibration.from_parts(parts.below("calibration"))


class NoProgram(MeanDifference):
    """The same model without a program for exports."""

    program = FittedModel.program


@pytest.fixture(autouse=True)
def registered():
    """Register both classes for one test; other classes use the decorator."""
    registry.register("mean-difference")(MeanDifference)
    registry.register()(NoProgram)
    yield
    for known in (registry._CLASSES, storables._CLASSES):
        for cls in (MeanDifference, NoProgram):
            del known[cls.__name__]


@pytest.fixture(scope="module")
def data():
    sample = simulate.rf20(400, random_state=0)
    X = pd.DataFrame(sample.X[:, :4], columns=["age", "income", "debt", "size"])
    X["city"] = np.where(sample.X[:, 4] > 0, "Lyon", "Oslo")
    X.loc[::9, "age"] = np.nan
    return X, np.where(sample.y == 1, "yes", "no")


@pytest.fixture
def model(data):
    return MeanDifference().fit(*data)


def test_its_file_holds_all_of_it(model, data, tmp_path):
    save_model(model, tmp_path / "a.rankforest")
    loaded = load_model(tmp_path / "a.rankforest")
    assert type(loaded) is MeanDifference
    for method in ("score_samples", "predict_proba", "predict", "rank"):
        np.testing.assert_array_equal(getattr(loaded, method)(data[0]), getattr(model, method)(data[0]))
    assert repr(loaded) == repr(model) == "MeanDifference(pos_label='yes')"
    save_model(loaded, tmp_path / "b.rankforest")
    assert (tmp_path / "b.rankforest").read_bytes() == (tmp_path / "a.rankforest").read_bytes()
    # it is stored inside of another one too
    flagger = rankforest.FalseAlarmConstrained(MeanDifference(), alpha=0.2, random_state=0).fit(*data)
    save_model(flagger, tmp_path / "c.rankforest")
    assert type(load_model(tmp_path / "c.rankforest").estimator_) is MeanDifference


def test_parts_that_are_not_sound_are_refused(model, data, tmp_path, monkeypatch):
    for wrong, match in (
        ({"coef": np.zeros(2)}, r"its 'coef' has the shape \(2,\)"),
        ({"coef": [0.0]}, "its 'coef' is not an array"),
        ({"more": 1}, "it has 'more', which this kind of model does not have"),
    ):
        parts = model.to_parts() | wrong
        about = {"schema": model.schema_, "classes": model.classes_, "pos_label": "yes", "summary": None}
        with pytest.raises(InvalidParts, match=match):
            MeanDifference().restore(Parts(parts), **about)
        with monkeypatch.context() as patch:
            patch.setattr(model, "to_parts", lambda parts=parts: parts)
            save_model(model, tmp_path / "a.rankforest")
        with pytest.raises(ModelFileError, match=f"not a valid model file: {match}"):
            load_model(tmp_path / "a.rankforest")


def test_the_command_line_finds_it(data, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data[0].assign(bought=data[1]).to_csv("data.csv", index=False)
    said = run(capsys, ["fit", "data.csv", "-t", "bought", "-m", "mean-difference", "--positive", "yes", "-o", "m"])
    assert (said.code, "columns: 6" in said.out) == (0, True), said.err
    about = run(capsys, ["info", "m", "--json"]).json
    assert (about["kind"], about["positive"], about["columns"]) == ("MeanDifference", "yes", 6)
    assert [feature["name"] for feature in about["features"]] == list(data[0])
    assert run(capsys, ["score", "m", "data.csv", "-o", "scored.csv"]).code == 0
    scored = pd.read_csv("scored.csv")["score"]
    np.testing.assert_allclose(scored, load_model("m").score_samples(data[0]), rtol=1e-15)
    measured = run(capsys, ["evaluate", "m", "data.csv", "--json", "--replicates", "10"]).json
    assert measured["metrics"][0]["metric"] == "AUC"
    assert measured["metrics"][0]["value"] > 0.6
    assert {line["metric"] for line in measured["metrics"]} >= {"Brier score", "calibration error"}
    assert "Row 3: score" in run(capsys, ["explain", "m", "data.csv", "--row", "3"]).out
    assert run(capsys, ["report", "m", "data.csv"]).out == "Report: report.html\n"
    assert run(capsys, ["export", "m", "--to", "sql"]).out.startswith("WITH")
    said = run(capsys, ["fit", "data.csv", "-t", "bought", "-m", "none", "-o", "n"])
    assert "'none'; choose one of" in said.err
    assert "mean-difference" in said.err


def test_it_has_a_report(model, data, tmp_path):
    facts = report_facts(model, *data)
    assert facts["summary"][0] == ["Columns", "6"]
    assert facts["evaluation"]["auc"]["estimate"] == pytest.approx(model.score(*data))
    assert len(facts["dependence"]) == 5
    assert facts["importance"] is None
    page = write_report(model, *data, tmp_path / "report.html").read_text()
    assert "MeanDifference report" in page
    assert model._repr_html_inner().startswith("<iframe title='MeanDifference report'")


def test_its_program_is_printed(model, data):
    scope: dict[str, Any] = {}
    exec(to_python(model), scope)
    row = {"age": 1.0, "income": -2.0, "debt": 0.5, "size": 0.0, "city": "Oslo"}
    found = json.loads(to_json(model))
    assert found["outputs"]["score"]["kind"] == "squash"
    assert to_sql(model).endswith('AS "score" FROM c3\n')
    assert to_text(model).startswith("MeanDifference: the score rises with a sum over\n")
    expected = model.score_samples(pd.DataFrame([row]))[0]
    assert scope["score"](row) == pytest.approx(expected, rel=1e-12)


def test_what_does_not_apply_is_said_in_one_sentence(data, tmp_path):
    model = NoProgram().fit(*data)
    for export in (to_sql, to_json, to_python, to_text):
        with pytest.raises(ExportError, match=r"^There is no export of a NoProgram, which has no program; score with"):
            export(model)
    with pytest.raises(TypeError, match=r"^NoProgram has no ranking tree to draw; give a fitted TreeRank"):
        plot_tree(model)
    with pytest.raises(TypeError, match=r"^NoProgram has no pruning path"):
        PruningDisplay.from_estimator(model)
    assert partial_dependence(model, data[0], "city").values.shape == (2,)
    assert model.voters() is model.held_out_scores() is model.kept_rows() is model.importance() is None

    class NotRegistered(MeanDifference):
        pass

    with pytest.raises(ModelFileError, match="is a NotRegistered, which a model file cannot store; give one of"):
        save_model(NotRegistered().fit(*data), tmp_path / "a.rankforest")


# ---- the estimators of the library


def _own():
    return {name: cls for name, cls in registry.model_classes().items() if cls.__module__.startswith("rankforest.")}


def test_the_help_names_every_model_that_can_be_fitted():
    option = get_type_hints(fit, include_extras=True)["model"].__metadata__[0]
    assert set(option.metavar.split("|")) == {cls.command for cls in _own().values()} - {None}


def test_every_estimator_is_public():
    assert _own().keys() == {name for name, place in rankforest._PUBLIC.items() if place.startswith("estimators.")}


@pytest.mark.parametrize("name", models())
def test_a_model_is_made_of_its_parts(name, tmp_path):
    """A model is rebuilt from its parts without a file."""
    model = fitted(models()[name])
    again = type(model)(**model.get_params(deep=False))
    pos_label = None if model.ordered else model.pos_label_
    about = {"schema": model.schema_, "classes": model.classes_, "pos_label": pos_label, "summary": model.summary_}
    again.restore(Parts(model.to_parts()), **about)
    assert file_of(again, tmp_path) == file_of(model, tmp_path)


# ---- nobody reaches into a model


def _modules(packages=("*",)):
    for package in packages:
        for path in sorted(SRC.glob(f"{package}/*.py")):
            yield path.relative_to(SRC), list(ast.walk(ast.parse(path.read_text())))


def test_no_package_reads_private_attributes_of_another():
    """A class above, and its attributes, are private to its package; a model file or a report asks the protocol."""
    own: dict[str, set[str]] = {}
    for path, nodes in _modules():
        names = own.setdefault(path.parts[0], {"_get_param_names", "_meta"})  # of scikit-learn and of Dask
        names |= {node.attr for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self"}
        for line in (line for node in nodes if isinstance(node, ast.ClassDef) for line in node.body):
            names |= {line.name} if isinstance(line, ast.FunctionDef) else set()
            names |= {ast.unparse(line.target)} if isinstance(line, ast.AnnAssign) else set()
    reached = [
        f"{path}:{node.lineno} {ast.unparse(node)}"
        for path, nodes in _modules()
        for node in nodes
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
        if node.attr not in own[path.parts[0]]
    ]
    assert reached == []


def test_nobody_asks_a_model_what_attributes_it_has():
    of_data = {"item", "tolist", "iloc"}  # of NumPy and pandas
    asked = [
        f"{path}:{node.lineno} {ast.unparse(node)}"
        for path, nodes in _modules(ABOVE)
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hasattr"
        if not (isinstance(node.args[1], ast.Constant) and node.args[1].value in of_data)
    ]
    assert asked == []
