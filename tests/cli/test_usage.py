"""Wrong usage has exit code 2 in every command, and says what was probably meant."""

import pytest

TREE, FOREST, DATA = "{d}/tree.rankforest", "{d}/forest.rankforest", "{d}/test.csv"
FIT = ("fit", "{d}/train.csv", "-o", "{t}/m.rankforest")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*FIT, "-t", "Label"), "--target names the column 'Label', which {d}/train.csv does not have; did"),
        ((*FIT, "-t", "label", "--ignore", "ID"), "did you mean 'id'?"),
        ((*FIT, "-t", "label", "-m", "forest", "--set", "n_trees=5"), "did you mean 'n_estimators'?"),
        ((*FIT, "-t", "label", "--set", "n_trees=5"), "'n_estimators' is a parameter of --model scorecard and"),
        ((*FIT, "-t", "label", "--set", "num_leaves=5"), "did you mean 'max_leaf_nodes'?"),
        ((*FIT, "-t", "label", "--set", "max_depth=-1"), "max_depth is -1; give a whole number of at least 1"),
        ((*FIT, "-t", "label", "--set", "size=big"), "size is 'big'; choose 'readable', 'best', 'auto' or None"),
        ((*FIT, "-t", "label", "--set", "max_depth"), "--set 'max_depth' is not name=value"),
        ((*FIT, "-t", "label", "-m", "RankingForest"), "--model is 'RankingForest'; did you mean forest?"),
        ((*FIT, "-t", "label", "--top", "3"), "top is 3.0; give the share of the list that matters"),
        ((*FIT, "-t", "label", "--positive", "maybe"), "is never 'maybe'; --positive must be no or yes."),
        ((*FIT, "-t", "label", "--dates", "ymd"), "--dates is 'ymd'"),
        ((*FIT, "-t", "label", "--group", "zone", "--time", "id"), "--group and --time are both given"),
        ((*FIT, "-t", "label", "-m", "forest", "--set", "pruning=cv", "--time", "id"), "Trees that are pruned are not"),
        ((*FIT, "-t", "label", "--test", "1.5"), "--test is 1.5; give the share of the rows to hold out"),
        ((*FIT, "-t", "label", "--cv", "1"), "--cv is 1; give the number of folds"),
        ((*FIT, "-t", "label", "--cv", "5000"), "5000 folds need 5000 rows of each label"),
        ((*FIT, "-t", "label", "--cv", "3", "--test", "0.3"), "--test and --cv are different ways to judge"),
        ((*FIT, "-t", "label", "--cv", "3", "--memory", "1GB"), "--cv fits several models, and the rows are read in"),
        (("fit", "{d}/train.csv", "-t", "label", "-o", "{d}/train.csv"), "is the file that is read"),
        (("fit", "-t", "label"), "There is no DATA"),
        (("fit", "{d}/train.csv"), "Missing option"),
        (("score", TREE, DATA), "give --output or --to-table"),
        (("score", TREE, DATA, "-o", "{t}/s.txt"), "is not a known format"),
        (("score", TREE, DATA, "-o", DATA), "is the file that is read"),
        (("score", TREE, DATA, "-o", "{t}/s.csv", "--keep", "Age"), "did you mean 'age'?"),
        (("score", TREE, DATA, "-o", "{t}/s.csv", "--budget", "0"), "--budget is 0"),
        (("score", TREE, DATA, "-o", "{t}/s.csv", "--precision", "0.9"), "--precision needs labelled rows"),
        (("score", DATA, TREE, "-o", "{t}/s.csv"), "{d}/test.csv is a CSV file, not a model; give the file that"),
        (("evaluate", TREE, DATA, "--top", "2"), "--top is '2'; give shares of the list"),
        (("evaluate", TREE, DATA, "--confidence", "2"), "confidence must lie between 0 and 1"),
        (("evaluate", TREE, DATA, "--replicates", "0"), "n_replicates must be an integer of at least 2"),
        (("evaluate", TREE, DATA, "-t", "LABEL"), "did you mean 'label'?"),
        (("evaluate", TREE, DATA, "--by", "City"), "did you mean 'city'?"),
        (("compare", TREE, DATA), "Give two or more model files and then the data file"),
        (("compare", TREE, TREE, DATA), "A model file is named twice"),
        (("compare", TREE, FOREST, DATA, "--baseline", "x"), "--baseline is 'x'"),
        (("compare", TREE, FOREST, DATA, "--top", "0"), "--top is '0'"),
        (("refresh", FOREST, DATA, "-o", DATA), "is the file that is read"),
        (("refresh", FOREST, DATA, "-o", "{t}/m", "--group", "ZONE"), "did you mean 'zone'?"),
        (("explain", TREE, DATA), "--row"),
        (("explain", TREE, DATA, "--row", "0"), "Rows are numbered from 1, the first one below the header"),
        (("explain", TREE, DATA, "--row", "301"), "so there is no row 301; give a number from 1 to 300."),
        (("report", TREE, DATA, "-o", DATA), "is the file that is read"),
        (("report", TREE, DATA, "-t", "lable"), "did you mean 'label'?"),
        (("info", DATA), "is a CSV file, not a model"),
        (("info", "--jsn", TREE), "No such option"),
        (("export", TREE, "--to", "word"), "--to is 'word'; choose one of"),
        (("export", TREE, "--to", "json", "--table", "x"), "--table is only for --to sql"),
        (("check", "{d}/train.csv", "--target", "Label"), "did you mean 'label'?"),
        (("demo", "--trees", "many"), "--trees"),
        (("fitt",), "No such command"),
    ],
)  # fmt: skip
def test_exit_code(rf, files, tmp_path, arguments, said):
    given = [one.format(d=files, t=tmp_path) for one in arguments]
    found = rf(*given)
    words = " ".join(found.err.replace("│", " ").split())
    assert said.format(d=files, t=tmp_path) in words
    assert found.code == 2


def test_data_in_the_place_of_a_model_and_the_reverse(rf, files, tmp_path):
    found = rf("score", files / "tree.rankforest", files / "forest.rankforest", "-o", tmp_path / "s.csv")
    assert "forest.rankforest is a model of rankforest, not data; give a file of rows." in found.err
    (tmp_path / "words.txt").write_text("no table at all")
    assert "not a valid model file" in rf("info", tmp_path / "words.txt").err
