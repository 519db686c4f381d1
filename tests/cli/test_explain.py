"""``rankforest explain`` and ``info``."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from command_line import clients
from rankforest import load_model

FEATURES = ["age", "income", "zone", "city"]


def added_up(found, start):
    return start + sum(each["contribution"] for each in found["contributions"])


@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_row(kind, rf, files):
    """Contributions lead from the mean of the rows to compare with to the score, and from its place to the row's."""
    path, rows = files / f"{kind}.rankforest", clients(300, 1).select(FEATURES)
    model = load_model(path)
    scores = model.score_samples(rows)
    found = rf("explain", path, files / "test.csv", "--row", 2, "--json").json
    assert found["score"] == scores[1]
    assert added_up(found, found["base"]) == pytest.approx(scores[1], abs=1e-9)
    assert found["base"] == pytest.approx(scores.mean(), abs=0.01)
    place = 1 + (scores > scores[1]).sum() + ((scores == scores[1]).sum() - 1) / 2
    assert (found["place"], found["of"]) == (place, 300)
    assert found["place_of_base"] - sum(each["places"] for each in found["contributions"]) == place
    assert {each["feature"]: each["value"] for each in found["contributions"]} == rows.slice(1, 1).to_pylist()[0]
    sizes = [abs(each["contribution"]) for each in found["contributions"]]
    assert sizes == sorted(sizes, reverse=True)
    side = "above" if scores[1] > found["base"] else "below"
    lines = rf("explain", path, files / "test.csv", "--row", 2).out.splitlines()
    assert lines[0].startswith(f"Row 2: score {scores[1]:.4f}, {abs(scores[1] - found['base']):.4f} {side} the mean of")
    assert lines[0].endswith(f"place {place:g} of 300.")
    first = found["contributions"][0]
    assert lines[5].split()[0] == first["feature"]
    assert f"{first['contribution']:+.4f}" in lines[5]
    if kind == "tree":
        assert found["words"]["stratum"] == model.apply(rows)[1] + 1
        assert "\n".join(lines).endswith(str(model.path_of(rows.slice(1, 1))))


@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_pairs_of_features(kind, rf, files, tmp_path):
    """Pairs in the terminal, as JSON, and as lines of a file; with the features alone they add up to the score."""
    path, rows = files / f"{kind}.rankforest", clients(300, 1).select(FEATURES)
    model = load_model(path)
    expected = model.why(rows.slice(1, 1), rows.slice(4, 1), interactions=True).interaction_values
    given = [path, files / "test.csv", "--interactions"]
    found = rf("explain", *given, "--row", 2, "--against", 5, "--json").json["interactions"]
    by_pair = {tuple(each["features"]): each["contribution"] for each in found}
    for i, one in enumerate(FEATURES):
        for j, other in enumerate(FEATURES[:i]):
            assert by_pair.get((other, one), 0.0) == pytest.approx(2 * expected[i, j], abs=1e-12)
    first = max(found, key=lambda each: abs(each["contribution"]))
    assert found[0] == first
    told = rf("explain", *given, "--row", 2, "--against", 5).out
    assert f"{first['contribution']:+.4f}" in told
    assert "with" in told
    written = rf("explain", *given, "--keep", "id", "-o", tmp_path / "pairs.parquet", "--json").json
    assert written["columns"] == ["row", "id", "feature", "with", "contribution"]
    lines = pq.read_table(tmp_path / "pairs.parquet").to_pandas()
    assert len(lines) == 300 * 10
    assert lines["with"].isna().sum() == 300 * 4
    assert (lines.groupby("row")["id"].nunique() == 1).all()
    scores = model.score_samples(rows)
    base = scores - lines.groupby("row")["contribution"].sum().to_numpy()
    np.testing.assert_allclose(base, base[0], atol=1e-9)


def test_given_background(rf, files):
    """All rows of a short file are compared with; their mean is the base."""
    from pyarrow.csv import write_csv

    model, rows = load_model(files / "forest.rankforest"), clients(300, 1).select(FEATURES)
    write_csv(clients(40, 2), files / "others.csv")
    given = ["--background", files / "others.csv", "--json"]
    found = rf("explain", files / "forest.rankforest", files / "test.csv", "--row", 2, *given).json
    others = clients(40, 2).select(FEATURES)
    assert found["base"] == pytest.approx(model.score_samples(others).mean())
    expected = model.explain(rows.slice(1, 1), others)
    by_name = {each["feature"]: each["contribution"] for each in found["contributions"]}
    np.testing.assert_allclose([by_name[name] for name in FEATURES], expected.values[0], atol=1e-12)


@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_pair(kind, rf, files):
    path, rows = files / f"{kind}.rankforest", clients(300, 1).select(FEATURES)
    model = load_model(path)
    scores = model.score_samples(rows)
    other = int(np.flatnonzero(scores < scores[0])[0]) + 1
    against = ["explain", path, files / "test.csv", "--row", other, "--against", 1]
    found = rf(*against, "--json").json
    assert found["order"] == -1
    assert found["scores"] == [scores[other - 1], scores[0]]
    assert added_up(found, scores[0]) == pytest.approx(scores[other - 1], abs=1e-9)
    said = rf(*against).out
    above, below = (
        f"score {scores[k]:.4f}, place {place:g}" for k, place in zip((0, other - 1), found["places"][::-1])
    )
    assert said.startswith(f"Row 1 ({above} of 300) is above row {other} ({below}).\n")
    assert "first row" not in said
    assert "second" not in said
    if kind == "tree":
        cells = model.apply(rows)
        assert found["words"]["strata"] == [cells[other - 1] + 1, cells[0] + 1]
        assert f"what row {other} lacks: " in said
    equal = rf("explain", path, files / "test.csv", "--row", 1, "--against", 1)
    assert equal.code == 2
    assert "--row and --against are both 1; give two rows." in equal.err


def test_all_rows(rf, files, tmp_path):
    """The columns of the file add up to the score, in Parquet and CSV."""
    path, rows = files / "forest.rankforest", clients(300, 1)
    model = load_model(path)
    said = rf(
        "explain", path, files / "test.csv", "-o", tmp_path / "all.parquet", "--prefix", "by_", "--keep", "id,city"
    )
    assert said.out == f"300 rows explained: {tmp_path / 'all.parquet'}\n"
    found = pq.read_table(tmp_path / "all.parquet")
    assert found.column_names == ["row", "id", "city", "base", *(f"by_{name}" for name in FEATURES), "score"]
    assert found["row"].to_pylist() == list(range(1, 301))
    assert found["city"].to_pylist() == rows["city"].to_pylist()
    scores = model.score_samples(rows.select(FEATURES))
    np.testing.assert_allclose(found["score"], scores, atol=1e-12)
    values = np.column_stack([found[f"by_{name}"] for name in FEATURES])
    np.testing.assert_allclose(values.sum(axis=1) + found["base"].to_numpy(), scores, atol=1e-9)
    one = rf("explain", path, files / "test.csv", "--row", 7, "--json").json
    by_name = {each["feature"]: each["contribution"] for each in one["contributions"]}
    np.testing.assert_allclose([by_name[name] for name in FEATURES], values[6], atol=1e-12)
    lines = rf("explain", path, files / "test.csv", "-o", "-").out.splitlines()
    assert lines[0] == ",".join(["row", "base", *FEATURES, "score"])
    np.testing.assert_allclose(float(lines[7].split(",")[-1]), scores[6])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "Give --row N to explain one row, or -o FILE to explain all rows."),
        (["--row", "1", "-o", "x.csv"], "Give --row N to explain one row or -o FILE."),
        (["-o", "x.csv", "--against", "2"], "--against compares two rows, so -o has no meaning;"),
        (["--row", "1", "--against", "2", "--background", "x.csv"], "so --background has no meaning;"),
        (["-o", "-", "--json"], "--json and -o - both write to standard output;"),
        (["-o", "x.csv", "--keep", "age"], "The output would have two columns 'age'; rename those of the features"),
    ],
)
def test_options_that_do_not_belong_together(more, said, rf, files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = rf("explain", files / "forest.rankforest", files / "test.csv", *more)
    assert found.code == 2
    assert said in found.err
    assert not list(tmp_path.iterdir())


def test_background_is_of_the_whole_file(files, monkeypatch):
    from rankforest.cli._model import load
    from rankforest.cli._rows import explained_scores, some_rows
    from rankforest.data import csv_file
    from rankforest.data.load import open_data

    monkeypatch.setattr(csv_file, "_BLOCK_BYTES", 512)
    loaded, data = load(str(files / "forest.rankforest")), open_data(files / "test.csv")
    scores = explained_scores(loaded, data, lambda share: None)
    some = some_rows(loaded, data, scores)
    np.testing.assert_allclose(np.sort(loaded.model.score_samples(some)), np.sort(scores)[1::3])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--row", "301"], "test.csv has 300 rows, so there is no row 301; give a number from 1 to 300."),
        (["--row", "1", "--against", "999"], "so there is no row 999;"),
        (["--row", "0"], "Rows are numbered from 1, the first one below the header; give --row"),
    ],
)
def test_no_such_row(more, said, rf, files):
    for kind in ("tree", "forest"):
        found = rf("explain", files / f"{kind}.rankforest", files / "test.csv", *more)
        assert found.code == 2
        assert said in found.err


def test_info(rf, files):
    found = rf("info", files / "forest.rankforest", "--json").json
    assert found["kind"] == "RankingForest"
    assert found["target"] == "label"
    assert found["ignored"] == ["id"]
    assert found["labels"] == ["no", "yes"]
    assert found["parameters"]["n_estimators"] == 10
    features = {one["name"]: one for one in found["features"]}
    assert features["zone"]["categories"] == ["01", "02", "75"]
    assert features["age"]["kind"] == "numeric"
    assert sum(one["importance"] for one in found["features"]) == pytest.approx(1.0)
    said = rf("info", files / "forest.rankforest").out
    assert "target: label" in said
    assert "Lyon, Nice, Paris" in said


def test_a_report_contains_as_many_rows_as_allowed(rf, files, tmp_path):
    import json

    for rows, expected in ((0, None), (5, 5)):
        out = tmp_path / f"{rows}.html"
        assert rf("report", files / "forest.rankforest", files / "test.csv", "-o", out, "--rows", rows).code == 0
        stored = out.read_text(encoding="utf-8").partition('id="facts">')[2].partition("</script>")[0]
        found = json.loads(stored)["reasons"]["rows"]
        assert found is None if expected is None else len(found["row"]) == expected
    assert rf("report", files / "forest.rankforest", files / "test.csv", "--rows", -1).code == 2
