"""A model fitted with --for-scoring scores as any other, and says what it cannot do."""

import pytest

COMMON = [
    "-t",
    "label",
    "--ignore",
    "id",
    "--categorical",
    "zone",
    "--jobs",
    "1",
    "-m",
    "forest",
    "--set",
    "n_estimators=10",
]


@pytest.fixture(scope="module")
def small(files):
    from rankforest.cli import main

    path = files / "small.rankforest"
    with pytest.raises(SystemExit) as ended:
        main(["fit", f"{files}/train.csv", *COMMON, "--for-scoring", "-o", str(path)])
    assert not ended.value.code
    return path


def test_scores_and_figures_are_the_same(rf, files, small, tmp_path):
    assert small.stat().st_size < (files / "forest.rankforest").stat().st_size
    for name, model in (("small", small), ("whole", files / "forest.rankforest")):
        assert rf("score", model, files / "test.csv", "-o", tmp_path / f"{name}.csv").code == 0
    assert (tmp_path / "small.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    figures = [
        {**rf("evaluate", model, files / "test.csv", "--json").json, "model": ""}
        for model in (small, files / "forest.rankforest")
    ]
    assert figures[0] == figures[1]
    known = rf("info", small, "--json").json
    assert [one["importance"] for one in known["features"]] == [None] * len(known["features"])


def test_what_it_cannot_do(rf, files, small, tmp_path):
    said = rf("report", small, files / "test.csv", "-o", tmp_path / "a.html")
    assert said.code == 1
    assert said.err.startswith("rankforest: The model was saved for scoring only, without ")
    assert said.err.count("\n") == 1
    assert not list(tmp_path.iterdir())
