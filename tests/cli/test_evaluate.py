"""``rankforest evaluate`` and ``compare``: the figures are those of the library's metrics."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest

from command_line import clients
from rankforest import load_model
from rankforest.metrics import auc_interval, bootstrap_interval, compare, concordance_index, roc_auc
from rankforest.metrics.drift import population_stability_index

FEATURES = ["age", "income", "zone", "city"]


def test_labels_in_other_words(rf, tmp_path):
    """The words of the fit are those of the model; a later file may have others for the same."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=300).round(3)
    positive = x + rng.normal(size=300) > 0
    spelled = {
        "fit": (["yes", "YES ", "Yes"], ["No", "no", "NO"]),
        "later": (["Y", "true", "yes", " Ja"], ["n", "NEIN", "false", "No"]),
    }
    for name, (yes, no) in spelled.items():
        words = [(yes if one else no)[k % len(yes)] for k, one in enumerate(positive)]
        lines = [f"{value + (name == 'later')},{word}" for value, word in zip(x, words)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,y", *lines]) + "\n")
    model = tmp_path / "m.rankforest"
    assert rf("fit", tmp_path / "fit.csv", "-t", "y", "--set", "max_depth=2", "-o", model).code == 0
    found = rf("evaluate", model, tmp_path / "later.csv", "--json").json
    assert found["positives"] == positive.sum()
    assert rf("report", model, tmp_path / "later.csv", "-o", tmp_path / "r.html").code == 0
    assert rf("compare", model, model, tmp_path / "later.csv").code == 2
    (tmp_path / "odd.csv").write_text("x,y\n1,yes\n2,maybe\n")
    odd = rf("evaluate", model, tmp_path / "odd.csv")
    assert odd.code == 1
    assert "is 'maybe' in row 2" in odd.err


@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_figures(kind, rf, files):
    found = rf("evaluate", files / f"{kind}.rankforest", files / "test.csv", "--top", "0.1", "--json").json
    table = clients(300, 1)
    model, X, y = load_model(files / f"{kind}.rankforest"), table.select(FEATURES), table["label"].to_numpy()
    score, probability = model.score_samples(X), model.predict_proba(X)[:, 1]
    metrics = {one["metric"]: one for one in found["metrics"]}
    auc, local = auc_interval(y, score), bootstrap_interval(y, score, "local_auc", 0.1)
    for name, interval in (("AUC", auc), ("local AUC, top 10%", local)):
        one = metrics[name]
        assert (one["value"], one["low"], one["high"]) == (interval.estimate, interval.low, interval.high)
    assert metrics["Brier score"]["value"] == pytest.approx(np.mean((probability - (y == "yes")) ** 2))
    assert metrics["Brier score"]["low"] < metrics["Brier score"]["value"] < metrics["Brier score"]["high"]
    assert set(metrics) == {"AUC", "Gini", "KS", "average precision", "local AUC, top 10%",
                            "relative local AUC, top 10%", "hit ratio, top 10%", "recall, top 10%",
                            "Brier score", "calibration error"}  # fmt: skip
    assert found["positives"] == (y == "yes").sum()
    assert sum(one["positives"] for one in found["gains"]) == found["positives"]
    if kind == "tree":
        cells = model.apply(X)
        for k, one in enumerate(found["strata"]):
            assert (one["stratum"], one["rows"]) == (k + 1, (cells == k).sum())
            assert one["positives"] == (y[cells == k] == "yes").sum()


def naive_index(training, now, edges):
    """Shares of the groups by counting values one by one."""

    def shares(values):
        groups = [0] * (len(edges) + 2)
        for value in values:
            groups[-1 if value is None else sum(edge < value for edge in edges)] += 1
        return groups

    return population_stability_index(shares(training), shares(now))


def test_drift(rf, files, tmp_path):
    """The training file itself has no drift; in a changed file, exactly the changed feature has drift."""
    same = rf("evaluate", files / "tree.rankforest", files / "train.csv", "--replicates", 20, "--json").json["drift"]
    assert same["of"] == "strata"
    assert same["index"] == pytest.approx(0.0, abs=1e-9)
    assert all(one["index"] == pytest.approx(0.0, abs=1e-9) for one in same["features"])

    train, test = clients(600, 0), clients(300, 1)
    moved = test.set_column(2, "income", pa.array(test["income"].to_numpy() * 2)).drop_columns(["label"])
    arrow_csv.write_csv(moved, tmp_path / "a.csv")
    for kind, of in (("tree", "strata"), ("forest", "scores")):
        found = rf("evaluate", files / f"{kind}.rankforest", tmp_path / "a.csv", "--json").json
        assert "metrics" not in found
        index = {one["name"]: one["index"] for one in found["drift"]["features"]}
        assert max(index, key=index.get) == "income"
        assert found["drift"]["of"] == of
        assert found["drift"]["index"] > 0.1
        summary = load_model(files / f"{kind}.rankforest").summary_
        for j, name in ((0, "age"), (1, "income")):
            edges = summary.features[j].edges
            by_hand = naive_index(train[name].to_pylist(), moved[name].to_pylist(), edges)
            assert index[name] == pytest.approx(by_hand, rel=1e-9)
        for name in ("zone", "city"):
            values = [*sorted(set(train[name].to_pylist()) - {None}), None]
            by_hand = population_stability_index(
                *([table[name].to_pylist().count(value) for value in values] for table in (train, moved))
            )
            assert index[name] == pytest.approx(by_hand, rel=1e-9)


def test_without_labels_in_words(rf, files, tmp_path):
    arrow_csv.write_csv(clients(300, 1).drop_columns(["label"]), tmp_path / "a.csv")
    said = rf("evaluate", files / "tree.rankforest", tmp_path / "a.csv")
    assert said.code == 0
    assert "It has no label column 'label', so only the drift follows." in said.out
    assert "drift since training" in said.out
    said = rf("evaluate", files / "tree.rankforest", tmp_path / "a.csv", "--target", "label")
    assert said.code == 2
    assert "--target names the column 'label', which" in said.err


def test_tables_are_plain_in_a_pipe(rf, files):
    said = rf("evaluate", files / "tree.rankforest", files / "test.csv")
    assert "\x1b" not in said.out + said.err
    assert "95% interval" in said.out
    assert max(map(len, said.out.splitlines()[1:])) < 100  # the first line has the paths


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--top", "2"], "--top is '2'; give shares of the list between 0 and 1, such as 0.01,0.1."),
        (["--confidence", "3"], "confidence"),
        (["--replicates", "0"], "n_replicates"),
        (["-t", "city"], "the target 'city' is missing in row "),
        (["-t", "zone"], "the target 'zone' is '"),
    ],
)
def test_one_sentence(more, said, rf, files):
    found = rf("evaluate", files / "tree.rankforest", files / "test.csv", *more)
    assert found.code == (1 if "-t" in more else 2)
    assert said in found.err
    assert found.err.count("\n") == 1
    assert found.out == ""


def test_ordered_labels(rf, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 2))
    grades = np.array(["poor", "fair", "good"])[np.digitize(x[:, 0] + 0.3 * rng.normal(size=200), [-0.5, 0.5])]
    arrow_csv.write_csv(pa.table({"a": x[:, 0], "b": x[:, 1], "grade": grades}), tmp_path / "a.csv")
    paths = []
    place = {"poor": 0, "fair": 1, "good": 2}
    truth = np.array([place[grade] for grade in grades])
    concordance = {}
    for kind in ("ordinal", "ordinal-tree"):
        model = tmp_path / f"{kind}.rankforest"
        more = ["--set", "n_estimators=10"] if kind == "ordinal" else []
        said = rf("fit", tmp_path / "a.csv", "-t", "grade", "-m", kind, "--order", "poor,fair,good", *more, "-o", model)
        assert said.code == 0, said.err
        found = rf("evaluate", model, tmp_path / "a.csv", "--replicates", 20, "--json").json
        fitted = load_model(model)
        X = pa.table({"a": x[:, 0], "b": x[:, 1]})
        errors = [abs(place[one] - k) for one, k in zip(fitted.predict(X).tolist(), truth)]
        metrics = {one["metric"]: one for one in found["metrics"]}
        one = metrics["mean absolute error, in steps"]
        assert one["value"] == pytest.approx(np.mean(errors))
        assert one["low"] <= one["value"] <= one["high"]
        concordance[str(model)] = concordance_index(truth, fitted.score_samples(X))
        assert metrics["C-index"]["value"] == pytest.approx(concordance[str(model)])
        assert rf("score", model, tmp_path / "a.csv", "-o", tmp_path / "s.csv").code == 0
        assert rf("explain", model, tmp_path / "a.csv", "--row", "1", "--json").json["row"] == 1
        paths.append(str(model))
    arguments = ["compare", *paths, tmp_path / "a.csv", "--replicates", 50]
    found = rf(*arguments, "--json").json
    assert found["baseline"] == max(concordance, key=concordance.get)
    of_index = {row["model"]: row for row in found["comparisons"] if row["metric"] == "C-index"}
    (other,) = set(paths) - {found["baseline"]}
    gap = concordance[other] - concordance[found["baseline"]]
    assert of_index[other]["difference"] == pytest.approx(gap)
    assert of_index[other]["difference_low"] <= gap <= of_index[other]["difference_high"]
    assert 0 < of_index[other]["p_value"] <= of_index[other]["adjusted_p_value"] <= 1
    assert of_index[found["baseline"]]["difference"] is None
    said = rf(*arguments).out
    assert f"{concordance[other]:.4f}" in said
    assert f"Differences are to {found['baseline']}" in said


def test_compare(rf, files):
    paths = [str(files / "tree.rankforest"), str(files / "forest.rankforest")]
    arguments = ["compare", *paths, files / "test.csv", "--top", "0.1", "--replicates", 100]
    found = rf(*arguments, "--json").json
    table = clients(300, 1)
    X, y = table.select(FEATURES), table["label"].to_numpy()
    scores = {path: load_model(path).score_samples(X) for path in paths}
    same = compare(scores, None, y, u=[0.1], n_replicates=100)
    assert json.loads(json.dumps(same.to_dict()["p_value"])) == [one["p_value"] for one in found["comparisons"]]
    assert [one["estimate"] for one in found["comparisons"]] == same.to_dict()["estimate"]
    assert found["baseline"] == max(paths, key=lambda path: roc_auc(y, scores[path]))
    told = str(same).replace(f"{sum(y == 'yes')} positive", f"{sum(y == 'yes')} with label = yes")
    assert rf(*arguments).out.strip() == f"{told}\nrelative local AUC: 0 to 1 of the best possible list"
    assert "not among the models" in rf(*arguments, "--baseline", "x").err
    assert "Give two or more model files" in rf("compare", paths[0], files / "test.csv").err
    other = str(files / "other.rankforest")
    assert rf("fit", files / "train.csv", "-t", "label", "--positive", "no", "-m", "tree", "-o", other).code == 0
    assert "compare models of the same label." in rf("compare", paths[0], other, files / "test.csv").err
    assert rf("fit", files / "train.csv", "-t", "zone", "-m", "ordinal-tree", "-o", other).code == 0
    assert "compare models with the same labels." in rf("compare", paths[0], other, files / "test.csv").err
    assert "named twice" in rf("compare", paths[0], paths[0], files / "test.csv").err


@pytest.mark.parametrize("column", ["city", "age"])
def test_figures_by_group(column, rf, files):
    """Text is grouped by value, numbers by quarters; the best tenth of the list counts as flagged."""
    from rankforest.metrics import by_group

    found = rf("evaluate", files / "forest.rankforest", files / "test.csv", "--by", column, "--json").json["groups"]
    model, table = load_model(files / "forest.rankforest"), clients(300, 1)
    score = model.score_samples(table.select(["age", "income", "zone", "city"]))
    y = np.asarray(table["label"].to_pylist()) == model.pos_label_
    expected = by_group(y, score, table[column])
    assert found["groups"] == list(expected.groups)
    of_areas = [one for one in found["figures"] if one["measure"] == "auc"]
    assert [one["value"] for one in of_areas] == [expected["auc", name].value.estimate for name in expected.groups]
    flagged = [one["value"] for one in found["figures"] if one["measure"] == "flagged"]
    assert np.dot(flagged, found["rows"]) == pytest.approx(30)
    said = rf("evaluate", files / "forest.rankforest", files / "test.csv", "--by", column).out
    assert f"Groups of {column}; flagged: the first 10% of the list" in said
    assert "BNSP AUC" in said


def test_groups_that_cannot_be(rf, files, tmp_path):
    assert (
        "--by names the column 'towns', which"
        in rf("evaluate", files / "tree.rankforest", files / "test.csv", "--by", "towns").err
    )
    arrow_csv.write_csv(clients(50, 1).drop_columns(["label"]), tmp_path / "new.csv")
    said = rf("evaluate", files / "tree.rankforest", tmp_path / "new.csv", "--by", "city")
    assert said.code == 2
    assert "--by city needs labels" in said.err
