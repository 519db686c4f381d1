"""Rows of the fit are recognised in any file, a part of them and in any order; their figures are honest, or say so."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest

from command_line import clients
from rankforest import read_header
from rankforest.data.row_prints import PrintsOfRows, RowPrints


def _write(path, table):
    arrow_csv.write_csv(table, path)
    return path


@pytest.fixture(scope="module")
def rows():
    """Rows of the fit, and others."""
    return clients(600, 0), clients(300, 1)


def _auc(found):
    return found["metrics"][0]["value"]


def test_a_part_of_the_fit_has_held_out_figures(files, rows, rf, tmp_path):
    part = _write(tmp_path / "part.csv", rows[0].take(np.random.default_rng(0).permutation(600)[:200]))
    found = rf("evaluate", files / "forest.rankforest", part, "--json").json
    assert found["source"] == "held-out"
    assert "was fitted on these rows. All figures are of its out-of-bag scores" in found["said"]
    assert _auc(found) < 0.9
    tree = rf("evaluate", files / "tree.rankforest", part, "--json").json
    assert tree["source"] == "training"
    assert "was fitted on these rows, so that the figures are too good" in tree["said"]


@pytest.mark.parametrize(("kind", "n_known"), [("tree", 100), ("forest", 100), ("tree", 500)])
def test_the_fresh_rows_are_judged_alone(kind, n_known, files, rows, rf, tmp_path):
    model = files / f"{kind}.rankforest"
    mixed = pa.concat_tables([rows[0].slice(0, n_known), rows[1].cast(rows[0].schema)])
    mixed = mixed.take(np.random.default_rng(0).permutation(mixed.num_rows))
    found = rf("evaluate", model, _write(tmp_path / "mixed.csv", mixed), "--json").json
    assert found["source"] == "fresh"
    assert f"{n_known} of {n_known + 300} rows were in the fit of" in found["said"]
    assert "are left out. All figures are of the other 300." in found["said"]
    alone = rf("evaluate", model, files / "test.csv", "--json").json
    assert alone["source"] == "given"
    assert "said" not in alone
    assert _auc(found) == pytest.approx(_auc(alone), abs=1e-12)


def test_many_rows_of_the_fit_with_few_others(files, rows, rf, tmp_path):
    mixed = pa.concat_tables([rows[0].slice(0, 180), rows[1].cast(rows[0].schema).slice(0, 20)])
    path = _write(tmp_path / "mixed.csv", mixed)
    found = rf("evaluate", files / "forest.rankforest", path, "--json").json
    assert found["source"] == "held-out"
    assert "180 of 200 rows were in the fit of" in found["said"]
    assert "22 rows have none and are left out." in found["said"]
    compared = rf("compare", files / "forest.rankforest", files / "tree.rankforest", path, "--replicates", "50")
    assert compared.err.count("180 of 200 rows were in the fit of") == 2


def test_a_report_judges_fresh_rows(files, rows, rf, tmp_path):
    mixed = pa.concat_tables([rows[0].slice(0, 100), rows[1].cast(rows[0].schema)])
    path = _write(tmp_path / "mixed.csv", mixed)
    found = rf("report", files / "tree.rankforest", path, "-o", tmp_path / "r.html", "--by", "city")
    assert found.code == 0, found.err
    assert "100 of 400 rows were in the fit of" in found.err
    page = (tmp_path / "r.html").read_text()
    assert "are left out. All figures are of the others." in page
    turned = _write(tmp_path / "turned.csv", rows[0].take(np.random.default_rng(0).permutation(600)))
    assert rf("report", files / "forest.rankforest", turned, "-o", tmp_path / "t.html").code == 0
    assert "out-of-bag" in (tmp_path / "t.html").read_text()


def test_prints_do_not_depend_on_the_format_or_the_batches(files, rows, rf, tmp_path):
    pq.write_table(rows[0], tmp_path / "train.parquet")
    made = []
    for data, more in (("train.csv", []), ("train.csv", ["--memory", "1GB"]), ("train.parquet", [])):
        source = tmp_path / data if data.endswith("parquet") else files / data
        common = ["-t", "label", "--ignore", "id", "--set", "max_depth=2", "--categorical", "zone"]
        done = rf("fit", source, *common, *more, "-o", tmp_path / "m.rankforest")
        assert done.code == 0, done.err
        made.append(read_header(tmp_path / "m.rankforest")["notes"]["rows"])
    assert made[0] == made[1] == made[2]
    done = rf("fit", files / "train.csv", "-t", "label", "--for-scoring", "-o", tmp_path / "s.rankforest")
    assert done.code == 0
    assert "rows" not in read_header(tmp_path / "s.rankforest")["notes"]


def test_equal_rows_of_a_small_table_are_no_rows_of_the_fit(rf, tmp_path):
    rng = np.random.default_rng(0)
    for name in ("train", "fresh"):
        a, b = rng.integers(0, 4, (2, 400))
        y = (a + b + rng.normal(0, 2, 400) > 3).astype(int)
        _write(tmp_path / f"{name}.csv", pa.table({"a": a, "b": b, "y": y}))
    model = tmp_path / "m.rankforest"
    assert rf("fit", tmp_path / "train.csv", "-t", "y", "--set", "max_depth=2", "-o", model).code == 0
    assert rf("evaluate", model, tmp_path / "fresh.csv", "--json").json["source"] == "given"


def test_of_many_rows_a_sample_tells_the_share(monkeypatch):
    monkeypatch.setattr("rankforest.data.row_prints._KEPT", 1000)
    rng = np.random.default_rng(0)
    old, new = rng.normal(size=(2, 20_000))

    def prints(values):
        found = PrintsOfRows()
        found.see(pa.table({"x": values}))
        return found.of(np.zeros(len(values)))

    kept = RowPrints.from_dict(json.loads(json.dumps(RowPrints.of(prints(old)).to_dict())))
    assert not kept.is_whole
    assert len(kept.prints) == 1000
    known, judged = kept.among(prints(np.concatenate([old[:5000], new[:5000]])))
    assert 350 < judged < 650
    assert abs(known / judged - 0.5) < 0.1
    assert kept.among(prints(new))[0] == 0


@pytest.mark.parametrize(
    "damaged", [None, {}, {"prints": "%", "rows": 1, "copies": 0}, {"prints": "", "rows": 0, "copies": 0}]
)
def test_damaged_prints_are_no_prints(damaged):
    assert RowPrints.from_dict(damaged) is None
