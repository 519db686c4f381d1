"""``rankforest fit`` judges itself: --test, --cv, --test-file and --tune, and evaluate knows the rows of the fit."""

import numpy as np
import pyarrow.csv as arrow_csv
import pytest

from command_line import clients
from rankforest import TreeRank, load_model
from rankforest.data.hold_out import ANY_ROWS
from rankforest.judging import hold_out_share
from rankforest.metrics import auc_interval, ks_statistic, relative_local_auc

SMALL = ("--set", "max_depth=3", "--set", "size=None")
COMMON = ("-t", "label", "--ignore", "id", "--categorical", "zone", "--jobs", "1")


@pytest.fixture
def out(tmp_path):
    return tmp_path / "m.rankforest"


def metrics(found):
    return {one["metric"]: one for one in found["judged"]["metrics"]}


def test_the_figures_are_those_of_a_model_of_the_other_rows(rf, files, out):
    said = rf("fit", files / "train.csv", *COMMON, *SMALL, "--test", "0.3", "-o", out, "--json").json
    table = clients(600, 0)
    X, y = table.select(["age", "income", "zone", "city"]), np.array(table["label"].to_pylist())
    folds = hold_out_share((y == "yes").astype(int), 0.3, ANY_ROWS, seed=0)
    seen, held_out = folds.seen(0), folds.held_out(0)
    model = TreeRank(max_depth=3, size=None, random_state=0, categorical_features=["zone"], pos_label="yes")
    scores = model.fit(X.take(seen), y[seen]).score_samples(X.take(held_out))
    found, auc = metrics(said), auc_interval(y[held_out], scores, pos_label="yes")
    assert (found["AUC"]["value"], found["AUC"]["low"]) == pytest.approx((auc.estimate, auc.low))
    assert found["Gini"]["value"] == pytest.approx(2 * auc.estimate - 1)
    assert found["KS"]["value"] == pytest.approx(ks_statistic(y[held_out], scores, pos_label="yes"))
    best = relative_local_auc(y[held_out], scores, 0.05, pos_label="yes")
    assert found["relative local AUC, top 5%"]["value"] == pytest.approx(best)
    # the model in the file is fitted to all rows
    assert np.array_equal(load_model(out).score_samples(X), model.fit(X, y).score_samples(X))


def test_what_a_person_reads(rf, files, out):
    said = rf("fit", files / "train.csv", *COMMON, *SMALL, "--test", "0.25", "-o", out).out
    assert "Judged on 150 rows held out (25%), by a model of the other 450:" in said
    assert "relative local AUC: 0 to 1 of the best possible list" in said
    assert "The model in the file is fitted to all 600 rows, also those that judged." in said
    assert "A forest of the same rows has an AUC of 0." in said  # the table is small
    assert said.splitlines()[-1].startswith(f"  rankforest fit {files}/train.csv -t label --ignore id ")
    assert said.splitlines()[-1].endswith("--test 0.25 --model forest -o forest.rankforest")
    plain = rf("fit", files / "train.csv", *COMMON, *SMALL, "-o", out).out
    assert "Judged" not in plain
    assert "A forest may order the rows better, without rules to read. To fit it:" in plain
    assert "A forest" not in rf("fit", files / "train.csv", *COMMON, "-m", "threshold-boost", "-o", out).out


def test_folds(rf, files, out):
    said = rf("fit", files / "train.csv", *COMMON, *SMALL, "--cv", "3", "--top", "0.2", "-o", out, "--json").json
    found = metrics(said)
    assert said["judged"]["rows"] == 600
    assert len(said["judged"]["of_folds"]) == 3
    assert found["AUC"]["value"] == pytest.approx(np.mean(said["judged"]["of_folds"]))
    assert "relative local AUC, top 20%" in found
    text = rf("fit", files / "train.csv", *COMMON, *SMALL, "--cv", "3", "-o", out).out
    assert "Judged by 3-fold cross-validation, each row by a model that has not seen it; means of the folds:" in text
    assert "AUC of the folds: 0." in text


def test_groups_and_times(rf, files, out):
    by_group = rf("fit", files / "train.csv", "-t", "label", "--ignore", "id", *SMALL, "--group", "city",
                  "--drop-unlabelled", "--missing", "x", "--test", "0.3", "-o", out)  # fmt: skip
    assert by_group.code == 1  # a city is missing
    assert "is missing in row" in by_group.err
    arguments = ("fit", files / "train.csv", "-t", "label", "--ignore", "city", *SMALL, "--test", "0.25", "-o", out)
    assert "(whole groups of 'zone', " in rf(*arguments, "--ignore", "id", "--group", "zone").out
    text = rf(*arguments, "--time", "id").out
    assert "150 rows held out (the latest rows by 'id', 25%), by a model of the other 450" in text
    forward = rf(*arguments[:-4], "--cv", "2", "-o", out, "--time", "id").out
    assert "forward in time by 'id': each fold by a model of the rows before it" in forward


def test_another_file(rf, files, out, tmp_path):
    arguments = ("fit", files / "train.csv", *COMMON, *SMALL, "-o", out, "--test-file")
    said = rf(*arguments, files / "test.csv", "--json").json
    evaluated = rf("evaluate", out, files / "test.csv", "--json").json
    auc = next(one for one in evaluated["metrics"] if one["metric"] == "AUC")
    assert metrics(said)["AUC"] == auc
    assert "Judged on 300 rows of " in rf(*arguments, files / "test.csv").out
    assert "was fitted on these rows, so that the figures are too good" in rf(*arguments, files / "train.csv").err
    arrow_csv.write_csv(clients(20, 3).drop_columns(["age", "label"]), tmp_path / "short.csv")
    out.unlink()
    refused = rf(*arguments, tmp_path / "short.csv")
    assert (refused.code, out.exists()) == (1, False)  # before any work
    assert "has no columns 'age', 'label'; add it" in refused.err


def test_tuning(rf, files, out):
    arguments = ("fit", files / "train.csv", *COMMON, "-m", "threshold-boost", "--tune", "-o", out)
    said = rf(*arguments, "--json")
    assert "--tune compares 3 settings on 5 folds: 15 fits.\n" in said.err
    trials = said.json["tuning"]
    assert {trial["name"] for trial in trials} == {"automatic", "100 rounds", "1000 rounds"}
    assert trials[0]["mean"] == max(trial["mean"] for trial in trials)
    assert all(len(trial["values"]) == 5 for trial in trials)
    kept = load_model(out).get_params()
    assert all(kept[name] == value for name, value in trials[0]["parameters"].items())
    for more, words in (
        (("--set", "n_estimators=5"), "--tune: --set n_estimators leaves no settings to choose from"),
        (("-m", "consensus"), "--tune: --model consensus has no settings to choose from"),
    ):
        refused = rf(*arguments, *more)
        assert refused.code == 2
        assert words in refused.err


def test_tuning_is_judged_without_the_held_out_rows(rf, files, out):
    arguments = ("fit", files / "train.csv", *COMMON, "-m", "threshold-boost", "--set", "n_estimators=5", "-o", out)
    said = rf(*arguments[:-4], "--tune", "--test", "0.5", "-o", out)
    assert "15 fits, and as many more for the held-out rows, which the choice must not see." in said.err
    assert said.out.count(" chosen") == 1


def test_ordered_labels(rf, files, out):
    said = rf("fit", files / "train.csv", "-t", "zone", "--ignore", "id", "-m", "ordinal-tree", "--cv", "2", "-o", out)
    assert "C-index" in said.out
    assert "quadratic kappa" in said.out
    assert "local AUC" not in said.out


def test_evaluate_knows_the_rows_of_the_fit(rf, files, tmp_path):
    """In-sample, the forest orders its own rows far too well."""
    model = files / "forest.rankforest"
    found = rf("evaluate", model, files / "train.csv", "--json").json
    assert found["source"] == "held-out"
    held_out = load_model(model).held_out_scores().auc
    assert found["metrics"][0]["value"] == pytest.approx(held_out)
    assert found["rows"] == 600
    said = rf("evaluate", model, files / "train.csv").out
    assert "was fitted on these rows. All figures are of its out-of-bag scores" in said
    tree = rf("evaluate", files / "tree.rankforest", files / "train.csv", "--json").json
    assert tree["source"] == "training"
    assert "so that the figures are too good" in tree["said"]
    assert rf("evaluate", model, files / "test.csv", "--json").json["source"] == "given"
    # in another order each row is known by its print, and has its own held-out score
    table = clients(600, 0)
    arrow_csv.write_csv(table.take(np.random.default_rng(0).permutation(600)), tmp_path / "turned.csv")
    turned = rf("evaluate", model, tmp_path / "turned.csv", "--json").json
    assert turned["source"] == "held-out"
    assert turned["metrics"][0]["value"] == pytest.approx(found["metrics"][0]["value"], abs=1e-12)
    noted = rf("compare", model, files / "tree.rankforest", files / "train.csv", "--replicates", "5").err
    assert noted.count("was fitted on these rows, so that its figures are too good") == 2


def test_scores_come_with_probabilities(rf, files, tmp_path):
    for kind in ("tree", "forest"):
        model = load_model(files / f"{kind}.rankforest")
        assert rf("score", files / f"{kind}.rankforest", files / "test.csv", "-o", tmp_path / "s.parquet").code == 0
        import pyarrow.parquet as pq

        scored = pq.read_table(tmp_path / "s.parquet")
        X = clients(300, 1).select(["age", "income", "zone", "city"])
        assert np.array_equal(scored["probability"].to_numpy(), model.positive_probability(X))
        assert scored["id"].to_pylist() == [str(k) for k in range(1, 301)]
