"""A model that cannot be stored, or a file that cannot be read, raises a one-sentence error."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from mutants import file_of, fitted, mixed_table, models
from rankforest import (
    OAPBPM,
    BestInstances,
    LeafRank,
    PRank,
    RankingForest,
    TreeRank,
    load_model,
    read_header,
    save_model,
)
from rankforest.storage import ModelFileError, model
from rankforest.storage.container import read_container, write_container


def _refused(match, *args):
    with pytest.raises(ModelFileError, match=match) as error:
        save_model(*args)
    assert str(error.value).count(". ") == 0


def test_models_that_a_file_cannot_hold(tmp_path):
    X, y, levels, _ = mixed_table(100)
    path = tmp_path / "a.rankforest"
    both = "use LeafRank or Dyadic as the splitter, or pickle or joblib"
    _refused(both, TreeRank(DecisionTreeClassifier(max_depth=1), max_depth=2).fit(X, y), path)
    _refused(both, RankingForest(2, splitter=DecisionTreeClassifier(max_depth=1), max_depth=1).fit(X, y), path)
    # none of these has cut a cell, and yet they could not be fitted again
    _refused(both, TreeRank(DecisionTreeClassifier(), min_samples_leaf=1000).fit(X, y), path)
    several = [LeafRank(max_depth=1), DecisionTreeClassifier()]
    _refused(both, RankingForest(2, splitter=several, min_samples_leaf=1000).fit(X, y), path)
    _refused("kernel is a function", PRank(lambda a, b: a @ b.T, n_epochs=1).fit(X, levels), path)
    _refused("not fitted yet; call fit", TreeRank(), path)
    _refused("is a LogisticRegression, which a model file cannot store", LogisticRegression(), path)
    numbers = X[["income", "debt"]]
    _refused("is a LogisticRegression", BestInstances(LogisticRegression(), cv=2).fit(numbers, y), path)
    _refused("cv is KFold", BestInstances(TreeRank(max_depth=1), cv=KFold(3)).fit(X, y), path)
    assert not list(tmp_path.iterdir())


def test_a_subclass_is_not_stored_as_its_parent(tmp_path):
    class Mine(TreeRank):
        pass

    _refused("is a Mine", fitted(Mine(max_depth=1)), tmp_path / "a.rankforest")


def test_paths_that_hold_no_file(tmp_path):
    for path, match in ((tmp_path / "none", "There is no file"), (tmp_path, "is not a file")):
        for read in (load_model, read_header):
            with pytest.raises(ModelFileError, match=match):
                read(path)


@pytest.fixture
def parts(tmp_path):
    """Header and arrays of a stored tree, and a function that loads what is made of them."""
    text, arrays = read_container(file_of(fitted(models()["tree"]), tmp_path))

    def load(header=None, **changed):
        path = tmp_path / "changed.rankforest"
        text_of = header if isinstance(header, str) else json.dumps(header or json.loads(text))
        path.write_bytes(write_container(text_of, arrays | changed))
        return load_model(path)

    return json.loads(text), arrays, load


def test_a_newer_version_says_what_to_install(parts):
    header, _, load = parts
    with pytest.raises(ModelFileError, match=r"version 999 .* reads versions up to 2; install rankforest '9.9'"):
        load(header | {"version": 999, "library": "9.9"})


def test_an_older_version_is_brought_up_to_date(parts, monkeypatch):
    header, _, load = parts
    with pytest.raises(ModelFileError, match="version 0 of the format does not exist"):
        load(header | {"version": 0})

    def migrate(old, old_arrays):
        return old | {"params": {"max_depth": old["params"]["depth"]}}, old_arrays

    monkeypatch.setitem(model._MIGRATIONS, 0, migrate)
    assert load(header | {"version": 0, "params": {"depth": 3}}).max_depth == 3


def test_a_parameter_that_the_file_does_not_know_is_the_default(parts):
    header, _, load = parts
    assert load(header | {"params": {"max_depth": 3}}).min_samples_leaf == 1
    with pytest.raises(ModelFileError, match="has the parameter 'speed', which TreeRank of this version does not have"):
        load(header | {"params": {"speed": 3}})


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"a":1,"a":2}', "a name twice"),
        ('{"a":NaN}', "contains NaN"),
        ('{"a":-Infinity}', "contains -Infinity"),
        ('{"a":1e999}', "too large"),
        ('{"a":' + "1" * 5000 + "}", "too many digits"),
        ('{"a":0.' + "1" * 5000 + "}", "too many digits"),
        ("{", "not JSON"),
        ("[]", "does not describe a model"),
        ('{"format":"rankforest","version":1.0,"library":"0"}', "its version is missing"),
        ('{"format":"rankforest","version":1,"library":"0","model":"os.system"}', "of the class 'os.system'"),
    ],
)
def test_json_that_is_meant_ill(parts, text, match):
    with pytest.raises(ModelFileError, match=match):
        parts[2](text)


@pytest.mark.parametrize(
    ("name", "change", "match"),
    [
        ("tree.left", lambda a: np.zeros_like(a), "comes before it"),  # a cycle
        ("tree.left", lambda a: np.full_like(a, a.max() + 1000), "does not exist"),
        ("tree.right", lambda a: np.full_like(a, np.iinfo(np.int32).min), "does not exist"),
        ("tree.feature", lambda a: a + 5, "cuts on a feature that does not exist"),
        ("tree.feature", lambda a: -a - 1, "cuts on a feature that does not exist"),
        ("tree.set_offset", lambda a: np.where(a >= 0, a + 10_000, a), "out of range"),
        ("tree.set_offset", lambda a: np.where(a >= 0, -1, 0).astype(np.int32), "set of categories"),
        ("tree.threshold", lambda a: a * np.nan, "no threshold"),
        ("tree.cell_left", lambda a: np.where(a >= 0, a + 1, a), "not followed by its left child"),
        ("tree.cell_parent", lambda a: np.where(a >= 0, 0, a), "a parent without this child"),
        ("tree.cell_depth", lambda a: a * 0, "preorder"),
        ("tree.cell_mass", lambda a: a * 0, "is empty"),
        ("tree.cell_mass", lambda a: a * 1e308, "infinite number|too large"),
        ("tree.cell_bounds", lambda a: a[::-1].copy(), "do not match"),
        ("tree.terminal_cell", lambda a: a * 0, "in a cell that is split"),
        ("tree.owner", lambda a: a * 0 + a.max(), "an? (inner|split)"),
        ("tree.missing_left", lambda a: a + 2, "missing_left contains values other than 0 and 1"),
        ("tree.has_missing", lambda a: a + 2, "0 and 1"),
        ("tree.cell_gain", lambda a: a[:-1], "has the shape"),
        ("tree.cell_gain", lambda a: a.astype(np.int64), "has the dtype int64, not float64"),
        ("other", lambda a: np.zeros(1), "'other', which this kind of model does not have"),
    ],
)
def test_arrays_that_would_lead_astray(parts, name, change, match):
    arrays, load = parts[1], parts[2]
    with np.errstate(all="ignore"), pytest.raises(ModelFileError, match=match):
        load(**{name: change(arrays.get(name))})


@pytest.mark.parametrize("model", [PRank(n_epochs=1), PRank("rbf", n_epochs=1), OAPBPM(2, n_epochs=1)])
@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda a: a + 3, "a category that its feature does not have"),
        (lambda a: a - 1, "a category that its feature does not have"),
        (lambda a: a + 0.5, "a category that its feature does not have"),
        (lambda a: a * np.nan, "a category that its feature does not have"),
        (lambda a: a * 0, "not sorted"),
        (lambda a: np.array([0.0, 1.0, 3.0, 2.0, 4.0, 0.0, 1.0, 2.0]), "not sorted"),
    ],
)
def test_codes_of_categories_that_there_are_not(model, change, match, tmp_path):
    X, _, levels, _ = mixed_table(60)
    save_model(model.fit(X, levels), tmp_path / "a.rankforest")
    text, arrays = read_container((tmp_path / "a.rankforest").read_bytes())
    assert arrays["standardization.codes"].tolist() == [0, 1, 2, 3, 4, 0, 1, 2]
    arrays["standardization.codes"] = change(arrays["standardization.codes"])
    (tmp_path / "a.rankforest").write_bytes(write_container(text, arrays))
    with pytest.raises(ModelFileError, match=match):
        load_model(tmp_path / "a.rankforest")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("params", "n_jobs"), 10**6),
        (("params", "n_jobs"), "all"),
        (("params", "splitter"), {"type": "subprocess.Popen", "value": ["true"]}),
        (("params", "splitter"), {"type": "LeafRank", "value": {"speed": 1}}),
        (("schema", "features"), []),
        (("classes",), {"type": "array", "value": ["a"] * 2, "dtype": "str32", "shape": [2]}),
        (("classes",), {"type": "array", "value": [1], "dtype": "int8", "shape": [1 << 31]}),
        (("classes",), {"type": "array", "value": ["a", "b"], "dtype": "str9999999", "shape": [2]}),
        (("classes",), {"type": "array", "value": [1, 300], "dtype": "int8", "shape": [2]}),
        (("positive",), 2),
        (("summary", "class_counts"), [1]),
        (("fitted", "pruning"), {"kind": "structural", "constant": 1.0}),
    ],
)
def test_values_that_make_no_sense(parts, place, value):
    header, _, load = parts
    holder = header
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    with pytest.raises(ModelFileError):
        load(header)


@pytest.mark.parametrize(
    ("name", "value", "match"),
    [
        ("aggregation", "kemeny_ties", "its consensus is of another aggregation"),
        ("aggregation", "mean_rank", "its aggregation needs none"),
        ("oob_aggregation", "borda", "its out-of-bag scores are of an unknown aggregation"),
        ("oob_aggregation", None, "its out-of-bag scores are of an unknown aggregation"),
    ],
)
def test_aggregations_that_do_not_go_together(tmp_path, name, value, match):
    text, arrays = read_container(file_of(fitted(models()["kemeny forest"]), tmp_path))
    header = json.loads(text)
    assert header["fitted"][name] == "kemeny"
    header["fitted"][name] = value
    path = tmp_path / "changed.rankforest"
    path.write_bytes(write_container(json.dumps(header), arrays))
    with pytest.raises(ModelFileError, match=match):
        load_model(path)


@pytest.mark.parametrize("changed", [{"confidence": []}, {"confidence": "0.5"}, {"top": 0.2}, {"precision": "x"}])
def test_goals_that_make_no_sense(tmp_path, changed):
    text, arrays = read_container(file_of(fitted(models()["best by precision"]), tmp_path))
    header = json.loads(text)
    header["params"] |= changed
    (tmp_path / "changed").write_bytes(write_container(json.dumps(header), arrays))
    with pytest.raises(ModelFileError, match="its goal or its confidence is invalid"):
        load_model(tmp_path / "changed")
