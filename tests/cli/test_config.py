"""Options of fit in a TOML file: what --print-config prints gives the same model."""

import tomllib

import pytest

ARGUMENTS = (
    "-t", "label", "--ignore", "id", "--categorical", "zone", "--categorical", "city", "--positive", "no",
    "--jobs", "1", "--set", "max_depth=3", "--set", "size=None", "--set", "min_samples_leaf=2",
    "--drop-unlabelled", "--missing", 'a\tb"',
)  # fmt: skip


def test_a_printed_command_is_the_same_command(rf, files, tmp_path):
    one, two = tmp_path / "one.rankforest", tmp_path / "two.rankforest"
    assert rf("fit", files / "train.csv", *ARGUMENTS, "-o", one).code == 0
    printed = rf("fit", files / "train.csv", *ARGUMENTS, "-o", two, "--print-config")
    assert printed.code == 0
    assert not two.exists()  # nothing was fitted
    found = tomllib.loads(printed.out)
    assert found["set"] == {"max_depth": 3, "size": "None", "min_samples_leaf": 2}
    assert found["missing"] == ['a\tb"']
    assert (found["model"], found["seed"]) == ("tree", 0)  # also if the defaults change one day
    (tmp_path / "fit.toml").write_text(printed.out)
    assert rf("fit", "--config", tmp_path / "fit.toml").code == 0
    assert two.read_bytes() == one.read_bytes()
    again = rf("fit", "--config", tmp_path / "fit.toml", "--print-config")
    assert again.out == printed.out


def test_the_command_line_comes_first(rf, files, tmp_path):
    (tmp_path / "a.toml").write_text(
        f'data = "{files}/train.csv"\ntarget = "label"\nignore = "id"\nmodel = "forest"\ndrop_unlabelled = true\n'
    )
    printed = rf("fit", "--config", tmp_path / "a.toml", "--model", "boost", "--print-config").out
    found = tomllib.loads(printed)
    assert (found["model"], found["target"], found["drop-unlabelled"]) == ("boost", "label", True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tagret = 'x'", "has the key 'tagret', which is no option of fit; did you mean 'target'?"),
        ("n_trees = 3", "has the key 'n_trees', which is no option of fit; it has "),
        ("target = ", "is not a TOML file: Invalid value"),
        ("target = ['a', 'b']", "target is a list; give one value."),
        ("drop-unlabelled = 'yes'", "drop-unlabelled is 'yes'; give true or false."),
        ("[target]\na = 1", "target is a table; only [set] is one."),
        ("[set]\nn_trees = 3", "has no parameter 'n_trees'; 'n_estimators' is a parameter of --model "),
    ],
)
def test_one_sentence(rf, files, tmp_path, text, said):
    (tmp_path / "a.toml").write_text(text)
    more = [] if "target" in text else ["-t", "label"]
    found = rf("fit", files / "train.csv", *more, "--config", tmp_path / "a.toml", "-o", tmp_path / "m")
    assert found.code == 2
    assert said in found.err
    assert found.err.startswith("rankforest: ")


def test_a_file_that_is_not_there(rf, tmp_path):
    found = rf("fit", "a.csv", "--config", tmp_path / "none.toml")
    assert found.code == 2
    assert "--config: No such file or directory" in found.err
