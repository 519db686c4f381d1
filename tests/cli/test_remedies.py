"""The remedies that errors name are options of the command, and those of `check` are in the command that it prints."""

import shlex

import numpy as np
import pytest


@pytest.fixture
def small(tmp_path, rf):
    rng = np.random.default_rng(0)
    x = rng.normal(size=200).round(3)
    y = (x + rng.normal(size=200) > 0).astype(int)
    lines = [f"{x[k]},{'ab'[k % 2]},0{k % 7},{y[k] if k % 10 else ''}" for k in range(200)]
    (tmp_path / "some.csv").write_text("\n".join(["x,c,zip,y", *lines]) + "\n")
    (tmp_path / "all.csv").write_text("\n".join(["x,c,zip,y", *(line for line in lines if line[-1] != ",")]) + "\n")
    fit = ["fit", tmp_path / "all.csv", "-t", "y", "--set", "max_depth=2", "-o"]
    assert rf(*fit, tmp_path / "m.rankforest").code == 0
    assert rf(*fit, tmp_path / "n.rankforest", "--seed", "1").code == 0
    return tmp_path


@pytest.mark.parametrize(
    "command", ["evaluate m.rankforest", "report m.rankforest", "compare m.rankforest n.rankforest"]
)
def test_rows_without_a_label_are_left_out(command, small, rf, monkeypatch):
    monkeypatch.chdir(small)
    first = command.split()
    refused = rf(*first, "some.csv")
    assert refused.code == 1
    assert "add --drop-unlabelled to leave such rows out" in refused.err
    done = rf(*first, "some.csv", "--drop-unlabelled")
    assert done.code == 0, done.err
    if first[0] == "evaluate":
        found = [rf(*first, name, "--drop-unlabelled", "--json").json for name in ("some.csv", "all.csv")]
        assert {**found[0], "data": ""} == {**found[1], "data": ""}
        assert found[0]["rows"] == 180


@pytest.mark.parametrize(
    "command", ["evaluate m.rankforest", "report m.rankforest", "compare m.rankforest n.rankforest"]
)
def test_new_categories_are_allowed(command, small, rf, monkeypatch):
    monkeypatch.chdir(small)
    text = (small / "all.csv").read_text().replace(",a,", ",k,").replace(",b,", ",l,")
    (small / "new.csv").write_text(text)
    refused = rf(*command.split(), "new.csv")
    assert refused.code == 1
    assert "--new-categories" in refused.err
    assert rf(*command.split(), "new.csv", "--new-categories").code == 0


def test_check_prints_the_options_that_it_was_given(small, rf, monkeypatch):
    monkeypatch.chdir(small)
    given = ["--numeric", "zip", "--categorical", "c", "--positive", "1", "--missing", "c=b", "--drop-unlabelled"]
    said = rf("check", "some.csv", "-t", "y", *given)
    assert said.code == 0, said.err
    command = shlex.split(said.out.splitlines()[-1].removeprefix("Fit with: "))
    assert command[:5] == ["rankforest", "fit", "some.csv", "--target", "y"]
    assert sorted(command[5:]) == sorted(given)
    assert "holds codes" not in said.out
    assert rf(*command[1:], "--set", "max_depth=2", "-o", "again.rankforest").code == 0
