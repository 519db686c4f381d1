"""``rankforest fit``: the model fitted to a file equals the model that the library fits to the same table."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest

from command_line import clients
from rankforest import RankingForest, TreeRank, load_model, save_model


def test_as_the_library(rf, files, tmp_path):
    found = rf("fit", files / "train.csv", "-t", "label", "--positive", "no", "--ignore", "id", "--categorical", "zone",
               "-m", "tree", "--set", "max_depth=4", "--top", "0.3", "-o", tmp_path / "m.rankforest",
               "--json").json  # fmt: skip
    model = load_model(tmp_path / "m.rankforest")
    table = clients(600, 0)
    X = table.select(["age", "income", "zone", "city"])
    same = TreeRank(max_depth=4, top=0.3, pos_label="no", random_state=0).fit(X, table["label"])
    test = clients(300, 1).select(X.column_names)
    assert np.array_equal(model.score_samples(test), same.score_samples(test))
    assert found["rows"] == 600
    assert found["features"] == 4
    assert found["positive"] == "no"
    assert found["strata"] == same.tree_.n_leaves
    assert found["labels"] == {label: table["label"].to_pylist().count(label) for label in ("no", "yes")}


def test_out_of_bag_figures_say_whose_they_are(rf, files, tmp_path):
    given = ["fit", files / "train.csv", "-t", "label", "--ignore", "id", "-m", "forest", "--set", "n_estimators=5",
             "--set", "aggregation=median_rank", "-o", tmp_path / "m.rankforest"]  # fmt: skip
    assert rf(*given, "--json").json["out_of_bag_aggregation"] == "median_rank"
    told = rf(*given)
    assert "  out-of-bag aggregation: median_rank\n" in told.out + told.err
    assert rf("info", tmp_path / "m.rankforest", "--json").json["out_of_bag_aggregation"] == "median_rank"


SMALL = {
    "tree": ["max_depth=2"],
    "pruned tree": ["pruning=cv", "pruning__n_folds=2", "max_depth=2", "splitter__max_depth=2"],
    "forest": ["n_estimators=5"],
    "sampling forest": ["n_estimators=5", "sampling__size=0.5", "sampling__replace=False"],
    "threshold-boost": ["n_estimators=5", "n_folds=2"],
    "boost": ["n_estimators=5", "n_folds=(2, 1)"],
    "consensus": ["forest__n_estimators=5", "booster__n_estimators=5", "booster__n_folds=(2, 1)"],
}


@pytest.mark.parametrize("kind", SMALL)
def test_every_kind(kind, rf, files, tmp_path):
    """From fit to scores: the model in the file is the one that was fitted, and ranks better than chance."""
    model, out = tmp_path / "m.rankforest", tmp_path / "s.parquet"
    sets = [one for setting in SMALL[kind] for one in ("--set", setting)]
    given = [files / "train.csv", "-t", "label", "--ignore", "id", "-m", kind.split()[-1], *sets, "-o", model]
    found = rf("fit", *given, "--json").json
    assert found["kind"] == type(load_model(model)).__name__
    assert rf("score", model, files / "test.csv", "-o", out).code == 0
    scored = pq.read_table(out)
    X = clients(300, 1).select(["age", "income", "zone", "city"])
    assert np.array_equal(scored["score"].to_numpy(), load_model(model).score_samples(X))
    cells, ranks = scored["cell"].to_numpy(), scored["rank"].to_numpy()
    assert cells.min() >= 1
    assert all(ranks[cells == cell].max() < ranks[cells == cell + 1].min() for cell in range(cells.min(), cells.max())
               if (cells == cell).any() and (cells == cell + 1).any())  # fmt: skip
    found = rf("evaluate", model, files / "test.csv", "--replicates", 20, "--json").json
    assert found["metrics"][0]["value"] > 0.65
    assert found["drift"]["index"] is not None
    assert rf("info", model).code == 0
    assert rf("explain", model, files / "test.csv", "--row", "3").code == 0


def test_model_of_an_array(rf, tmp_path):
    """A model fitted in Python on an array scores a file with the columns x0, x1, ... without a warning."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    model = TreeRank(max_depth=2).fit(X, X[:, 0] > 0)
    save_model(model, tmp_path / "m.rankforest")
    arrow_csv.write_csv(pa.table({"x1": X[:, 1], "x0": X[:, 0]}), tmp_path / "a.csv")
    said = rf("score", tmp_path / "m.rankforest", tmp_path / "a.csv", "-o", tmp_path / "s.parquet")
    assert (said.code, said.err) == (0, "")
    assert np.array_equal(pq.read_table(tmp_path / "s.parquet")["score"].to_numpy(), model.score_samples(X))
    said = rf("evaluate", tmp_path / "m.rankforest", tmp_path / "a.csv", "-t", "x0")
    assert said.code == 1


def test_same_seed_same_bytes(rf, files, tmp_path):
    paths = [tmp_path / f"{k}.rankforest" for k in range(3)]
    for path, seed in zip(paths, (1, 1, 2)):
        assert (
            rf("fit", files / "train.csv", "-t", "label", "-m", "forest", "--set", "n_estimators=5", "--seed", seed,
               "-o", path).code == 0
        )  # fmt: skip
    one, two, other = (path.read_bytes() for path in paths)
    assert one == two
    assert one != other


@pytest.mark.parametrize("labels", [["0", "1"], ["false", "true"], ["2.5", "3.5"], ["a b", "c,d"]])
def test_labels_of_every_type(labels, rf, tmp_path):
    """A label is of the same type in fit and in evaluate, and --positive finds it."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    y = np.array(labels)[(x + rng.normal(size=60) > 0).astype(int)]
    (tmp_path / "a.csv").write_text("x,y\n" + "".join(f'{a},"{b}"\n' for a, b in zip(x, y)))
    model = tmp_path / "m.rankforest"
    said = rf("fit", tmp_path / "a.csv", "-t", "y", "--positive", labels[0], "-m", "tree", "-o", model)
    assert said.code == 0, said.err
    found = rf("evaluate", model, tmp_path / "a.csv", "--replicates", 50, "--json").json
    assert str(found["positive"]).lower() == labels[0]
    assert found["positives"] == (y == labels[0]).sum()


def test_weights(rf, files, tmp_path):
    table = clients(200, 0)
    weights = np.random.default_rng(0).integers(0, 3, 200).astype(float)
    pq.write_table(table.append_column("w", pa.array(weights)), tmp_path / "a.parquet")
    model = tmp_path / "m.rankforest"
    assert rf("fit", tmp_path / "a.parquet", "-t", "label", "--weight", "w", "-m", "tree", "-o", model).code == 0
    X = table.drop_columns(["label"])
    same = TreeRank(random_state=0).fit(X, table["label"], sample_weight=weights)
    assert np.array_equal(load_model(model).score_samples(X), same.score_samples(X))


def test_categories_are_text_in_every_format(rf, tmp_path):
    """Codes named with --categorical are the same categories whether they come from CSV or as integers from Parquet."""
    rng = np.random.default_rng(0)
    code = rng.integers(0, 5, 200)
    y = (np.isin(code, [1, 4]) ^ (rng.random(200) < 0.2)).astype(int)
    table = pa.table({"code": code, "x": rng.normal(size=200), "y": y})
    pq.write_table(table, tmp_path / "a.parquet")
    arrow_csv.write_csv(table, tmp_path / "a.csv")
    scores = []
    for fitted in ("a.csv", "a.parquet"):
        model = tmp_path / "m.rankforest"
        said = rf("fit", tmp_path / fitted, "-t", "y", "-m", "forest", "--categorical", "code",
                  "--set", "n_estimators=5", "-o", model)  # fmt: skip
        assert said.code == 0, said.err
        assert load_model(model).trees_[0].schema.features[0].categories == ("0", "1", "2", "3", "4")
        for scored in ("a.csv", "a.parquet"):
            out = tmp_path / "s.parquet"
            assert rf("score", model, tmp_path / scored, "-o", out).code == 0
            scores.append(pq.read_table(out)["score"].to_numpy())
    assert all(np.array_equal(scores[0], other) for other in scores)


def test_settings_of_the_splitter(rf, files, tmp_path):
    model = tmp_path / "m.rankforest"
    said = rf("fit", files / "train.csv", "-t", "label", "-m", "forest", "--set", "splitter__max_depth=2",
              "--set", "n_estimators=3", "--set", "aggregation=mean_rank", "-o", model)  # fmt: skip
    assert said.code == 0, said.err
    found = load_model(model)
    assert isinstance(found, RankingForest)
    assert (found.splitter.max_depth, found.aggregation) == (2, "mean_rank")


def test_notes(rf, tmp_path):
    """Suspicious input prints a note, but the model is fitted; numbers with a few words are refused."""
    rows = "".join(f"n{i},{'n.a.' if i % 13 == 7 else i},{i % 2}\n" for i in range(40))
    (tmp_path / "a.csv").write_text("name,x,y\n" + rows)
    said = rf("fit", tmp_path / "a.csv", "-t", "y", "-m", "tree", "-o", tmp_path / "m.rankforest")
    assert said.code == 1
    assert "column 'x' holds numbers besides 'n.a.' in row 8; if that means missing" in said.err
    said = rf("fit", tmp_path / "a.csv", "-t", "y", "-m", "tree", "--missing", "x=n.a.", "-o",
              tmp_path / "m.rankforest")  # fmt: skip
    assert said.code == 0
    assert (
        "Note: column 'name' has a different value in every row; if it is an identifier, add --ignore name." in said.err
    )
    said = rf("fit", tmp_path / "a.csv", "-t", "y", "-m", "tree", "--ignore", "name", "--missing", "n.a.",
              "-o", tmp_path / "m.rankforest")  # fmt: skip
    assert said.code == 0
    assert said.err == ""
    assert load_model(tmp_path / "m.rankforest").tree_.schema.features[0].kind == "numeric"


def test_what_is_missing(rf, tmp_path):
    """The words for missing values of `fit` hold in `score`, which accepts more; and NA can be a value."""
    rows = "".join(f"{'-' if i % 7 == 0 else i},{('NA', 'DE', 'FR')[i % 3]},{i % 2}\n" for i in range(60))
    (tmp_path / "a.csv").write_text("x,country,y\n" + rows)
    model = tmp_path / "m.rankforest"
    fit = ["fit", tmp_path / "a.csv", "-t", "y", "-m", "tree", "--missing", "-", "-o", model]
    assert rf(*fit).err == ""
    assert load_model(model).tree_.schema.features[1].categories == ("DE", "FR")
    assert rf(*fit, "--only-missing").err == ""
    assert load_model(model).tree_.schema.features[1].categories == ("DE", "FR", "NA")
    (tmp_path / "b.csv").write_text("x,country\n-,NA\n,NA\nnone,DE\n")
    score = ["score", model, tmp_path / "b.csv", "-o", tmp_path / "s.csv"]
    assert "column 'x' in row 3 is 'none', not a number" in rf(*score).err
    said = rf(*score, "--missing", "none")
    assert (said.code, said.err) == (0, "")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["-t", "nope"], "--target names the column 'nope', which {data} does not have; it has 'id', 'age', 'income'"),
        (["-t", "label", "--ignore", "age,nope"], "--ignore names the column 'nope', which"),
        (
            ["-t", "label", "--weight", "city"],
            "{data}: the weights 'city' are not numbers (string); give another column.",
        ),
        (
            ["-t", "label", "--weight", "label"],
            "The column 'label' cannot be several of target, weight, group, time and ignored",
        ),
        (
            ["-t", "label", "--model", "oak"],
            "--model is 'oak'; choose one of tree, scorecard, boost, consensus, forest, ordinal",
        ),
        (["-t", "label", "--set", "depth=3"], "TreeRank has no parameter 'depth'; did you mean 'max_depth'?"),
        (["-t", "label", "--set", "max_depth"], "--set 'max_depth' is not name=value; write for instance"),
        (["-t", "label", "--set", "max_depth=x"], "max_depth is 'x'; give a whole number of at least 1."),
        (
            ["-t", "label", "--positive", "maybe"],
            "{data}: the target 'label' is never 'maybe'; --positive must be no or",
        ),
        (["-t", "city"], "{data}: the target 'city' is missing in row "),
        (
            ["-t", "zone", "--categorical", "zone"],
            "{data}: the target 'zone' has 3 values ('01', '02', '75'); keep the rows",
        ),
        (
            ["-t", "label", "--model", "ordinal"],
            "The labels of 'label' are text, whose order is not known; add --order with all of them from the lowest",
        ),
        (["-t", "label", "--top", "2"], "top is 2.0; "),
        (["-t", "label", "--delimiter", ";;"], "--delimiter is ';;'; give one character."),
        (["-t", "label", "-o", "{folder}/nowhere/m"], "The folder '{folder}/nowhere' does not exist; make it, or"),
        (["-t", "label", "-o", "{folder}"], "'{folder}' is a folder; give the name of a file."),
    ],
)
def test_one_sentence(more, said, rf, files, tmp_path):
    data = files / "train.csv"
    place = {"data": data, "folder": tmp_path}
    found = rf("fit", data, "-o", tmp_path / "m.rankforest", *(one.format(**place) for one in more))
    assert found.code == (1 if said.startswith("{data}") and "--positive" not in more else 2)
    assert found.out == ""
    *notes, last = found.err.splitlines()
    assert last.startswith(f"rankforest: {said.format(**place)}")
    assert all(line.startswith("Note: ") for line in notes)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["tree", "boost"])
def test_in_batches(kind, rf, files, tmp_path):
    """A file, a folder and a pattern, read in batches, give the model of the file read at once."""
    table = clients(600, 0)
    (tmp_path / "parts").mkdir()
    for i in range(3):
        pq.write_table(table.slice(200 * i, 200), tmp_path / "parts" / f"part.{i}.parquet")
    pq.write_table(table, tmp_path / "all.parquet")
    given = ["-t", "label", "--positive", "no", "--ignore", "id", "--categorical", "zone", "-m", kind]
    given += ["--set", "max_depth=3"] if kind == "tree" else ["--set", "n_estimators=5"]
    whole = rf("fit", tmp_path / "all.parquet", *given, "-o", tmp_path / "whole", "--json").json
    for name, more in ((tmp_path / "all.parquet", ["--memory", "1kB"]), (tmp_path / "parts", []),
                       (f"{tmp_path}/parts/*.parquet", ["--memory", "1GB"])):  # fmt: skip
        found = rf("fit", name, *given, *more, "-o", tmp_path / "model", "--json")
        assert {**found.json, "model": 0} == {**whole, "model": 0}
        assert ("in a file without a name" in found.err) == ("1kB" in more)
        assert (tmp_path / "model").read_bytes() == (tmp_path / "whole").read_bytes()
    csv = ["-t", "label", "--ignore", "id", "--categorical", "zone", "-m", kind, *given[-2:], "--weight", "age"]
    rf("fit", files / "train.csv", *csv, "-o", tmp_path / "whole")
    rf("fit", files / "train.csv", *csv, "--memory", "1GB", "-o", tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.parametrize(
    ("rows", "options", "says"),
    [
        ("a,label\n1,yes\ninf,no\n", [], "column 'a' contains inf in row 2"),
        ("a,label\n1,yes\n2,\n", [], "input y contains NaN: the label of row 2 is missing"),
        ("a,label\n1,yes\n2,no\n", ["--positive", "ja"], "is never 'ja'; --positive must be no or yes"),
        ("a,label\n1,yes\n2,yes\n", [], "is 'yes' in all 2 rows"),
        (
            "a,label\n1,yes\n2,no\n",
            ["--weight", "label"],
            "cannot be several of target, weight, group, time and ignored",
        ),
        ("a,label\n", [], "has no rows"),
        ("a,label\n1,yes\n2,no\n", ["--memory", "much"], "memory is 'much'"),
    ],
)
def test_errors_in_batches(rows, options, says, rf, tmp_path):
    (tmp_path / "rows.csv").write_text(rows)
    found = rf("fit", tmp_path / "rows.csv", "-t", "label", "--memory", "1GB", *options, "-o", tmp_path / "m")
    assert found.code == (2 if options else 1)
    assert says in found.err
    assert not (tmp_path / "m").exists()
