"""``rankforest refresh``: the model is that of the library, the file keeps the history, and refusals write nothing."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest

from command_line import clients
from rankforest import load_model

FEATURES = ["age", "income", "zone", "city"]


def turned(n, seed):
    """Clients after a change: the old are now good, the young are not."""
    table = clients(n, seed)
    age = pa.array([None if age is None else 108 - age for age in table["age"].to_pylist()])
    return table.set_column(table.column_names.index("age"), "age", age)


def test_the_model_of_the_library_and_its_history(rf, files, tmp_path):
    arrow_csv.write_csv(turned(500, 7), tmp_path / "new.csv")
    out = tmp_path / "later.rankforest"
    found = rf("refresh", files / "forest.rankforest", tmp_path / "new.csv", "-o", out, "--json").json
    table = turned(500, 7)
    expected = load_model(files / "forest.rankforest").refresh(table.select(FEATURES), table["label"].to_numpy())
    later, fresh = load_model(out), turned(200, 8).select(FEATURES)
    assert np.array_equal(later.score_samples(fresh), expected.score_samples(fresh))
    assert found["accepted"]
    assert found["said"] == str(expected.refreshes_[-1])
    assert found["auc_after"] > found["auc_before"] + 0.05
    assert found["said"] in rf("info", out).out
    assert rf("info", out, "--json").json["history"] == [found["said"]]
    again = rf("refresh", out, files / "test.csv", "-o", out)  # a file may be replaced by its own refresh
    assert again.code == 0
    assert len(load_model(out).refreshes_) == 2


def test_without_a_change_the_old_model_is_written(rf, files, tmp_path):
    out = tmp_path / "later.rankforest"
    said = rf("refresh", files / "forest.rankforest", files / "train.csv", "-o", out)
    assert said.code == 0
    assert said.out.startswith("the old model is kept: on 600 rows")
    fresh = clients(200, 8).select(FEATURES)
    old, new = (load_model(path) for path in (files / "forest.rankforest", out))
    assert np.array_equal(old.score_samples(fresh), new.score_samples(fresh))


def test_groups_are_held_out_together(rf, files, tmp_path):
    table = turned(120, 7)
    table = pa.concat_tables([table] * 3)
    arrow_csv.write_csv(table, tmp_path / "new.csv")
    options = ("-o", tmp_path / "later.rankforest", "--json")
    asked = [
        rf("refresh", files / "forest.rankforest", tmp_path / "new.csv", *options, *more)
        for more in ((), ("--group", "id"))
    ]
    leaky, honest = (one.json["auc_after"] for one in asked)
    old = load_model(files / "forest.rankforest")
    expected = old.refresh(table.select(FEATURES), table["label"].to_numpy(), groups=table["id"].to_numpy())
    assert honest == expected.refreshes_[-1].auc_after < leaky
    said = rf("refresh", files / "forest.rankforest", tmp_path / "new.csv", *options, "--time", "when")
    assert "--time names the column 'when', which" in said.err


@pytest.mark.parametrize("case", ["tree", "no labels", "too far"])
def test_refusals_write_nothing(case, rf, files, tmp_path):
    table = clients(200, 9)
    if case == "no labels":
        table = table.drop_columns(["label"])
    if case == "too far":
        table = table.set_column(table.column_names.index("income"), "income", pa.array(np.full(200, 900.0)))
    arrow_csv.write_csv(table, tmp_path / "new.csv")
    model = files / ("tree.rankforest" if case == "tree" else "forest.rankforest")
    said = rf("refresh", model, tmp_path / "new.csv", "-o", tmp_path / "later.rankforest")
    assert said.code == 1
    assert {
        "tree": "is a TreeRank, which cannot be refreshed; fit it again",
        "no labels": "has no label column 'label'",
        "too far": "100% of the new rows have values of 'income' above",
    }[case] in said.err
    assert not (tmp_path / "later.rankforest").exists()
