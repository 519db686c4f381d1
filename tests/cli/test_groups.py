"""``--group`` and ``--time``: columns that hold rows out together, or in their order, and are no features."""

import numpy as np
import pandas as pd
import pytest

from rankforest import RankBoost, RankingForest, load_model
from rankforest.data.customers import customers, drift


@pytest.fixture
def loans(tmp_path):
    rows = customers(120, 4, random_state=0)
    frame = pd.DataFrame(rows.X, columns=list("abcdef")).assign(customer=[f"c{g}" for g in rows.groups], label=rows.y)
    frame.to_csv(tmp_path / "loans.csv", index=False)
    return tmp_path / "loans.csv"


@pytest.mark.parametrize("memory", [[], ["--memory", "1GB"]])
def test_groups_of_a_file(memory, rf, loans, tmp_path):
    model = tmp_path / "m.rankforest"
    given = [
        "fit",
        loans,
        "-t",
        "label",
        "-m",
        "forest",
        "--set",
        "n_estimators=20",
        "--group",
        "customer",
        *memory,
        "-o",
        model,
    ]
    told = rf(*given)
    said = told.out + told.err
    assert "  holding out: 120 groups of customer kept together\n" in said
    assert "  column 'customer' is not a feature\n" in said
    frame = pd.read_csv(loans)
    same = RankingForest(20, random_state=0).fit(frame[list("abcdef")], frame["label"], groups=frame["customer"])
    loaded = load_model(model)
    assert loaded.oob_auc_ == same.oob_auc_
    assert list(loaded.feature_names_in_) == list("abcdef")
    info = rf("info", model, "--json").json
    assert info["holding_out"] == "120 groups of customer kept together"
    scored = rf("score", model, loans, "-o", tmp_path / "s.csv")
    assert scored.code == 0
    assert "customer" not in scored.err  # it is known, and not a strange column


def test_times_of_a_file(rf, tmp_path):
    rows = drift(60, 8, random_state=0)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rows.time, unit="D")
    frame = pd.DataFrame(rows.X, columns=list("abcd")).assign(day=days.strftime("%Y-%m-%d"), label=rows.y)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    given = ["fit", tmp_path / "rows.csv", "-t", "label", "-m", "boost", "--set", "n_estimators=20", "--time", "day"]
    found = rf(*given, "-o", tmp_path / "m.rankforest", "--json").json
    assert found["holding_out"] == "each row after those learned from, by day"
    same = RankBoost(20, random_state=0).fit(frame[list("abcd")], rows.y, time=rows.time)
    np.testing.assert_array_equal(load_model(tmp_path / "m.rankforest").held_out_scores_, same.held_out_scores_)
    assert rf("report", tmp_path / "m.rankforest", tmp_path / "rows.csv", "-o", tmp_path / "r.html").code == 0
    page = (tmp_path / "r.html").read_text()
    assert "each row after those learned from, by day" in page
    assert "held_out" in page  # its rows are recognised


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--group", "client"], "--group names the column 'client', which"),
        (["--group", "label"], "The column 'label' cannot be several of target, weight, group, time and ignored"),
        (["--group", "customer", "--time", "a"], "--group and --time are both given; choose one of them"),
        (
            ["-m", "forest", "--set", "pruning=cv", "--time", "a"],
            "Trees that are pruned are not judged forward in time",
        ),
        (["-m", "boost", "--time", "customer"], "time is 'c"),
    ],
)
def test_mistakes_are_said_in_one_sentence(options, said, rf, loans, tmp_path):
    found = rf("fit", loans, "-t", "label", *options, "-o", tmp_path / "m.rankforest")
    assert found.code == 2
    assert said in found.err
    assert not (tmp_path / "m.rankforest").exists()


def test_intervals_draw_whole_groups(rf, loans, tmp_path):
    for name in ("tree", "boost"):
        sets = ["--set", "max_depth=3"] if name == "tree" else ["--set", "n_estimators=10"]
        rf(
            "fit",
            loans,
            "-t",
            "label",
            "--ignore",
            "customer",
            "-m",
            name,
            *sets,
            "-o",
            tmp_path / f"{name}.rankforest",
        )
    one, other = tmp_path / "tree.rankforest", tmp_path / "boost.rankforest"
    given = [one, loans, "--replicates", "50", "--json"]
    apart, together = rf("evaluate", *given).json, rf("evaluate", *given, "--group", "customer").json
    assert apart["metrics"][0]["value"] == pytest.approx(together["metrics"][0]["value"])
    assert [row["method"] for row in together["metrics"][:2]] == ["groups", "groups"]
    widths = [found["metrics"][0]["high"] - found["metrics"][0]["low"] for found in (apart, together)]
    assert widths[1] > 1.05 * widths[0]
    assert (
        "Bootstrap of whole groups."
        in rf("compare", one, other, loans, "--replicates", "50", "--group", "customer").out
    )
    assert "--group names the column 'x'" in rf("evaluate", one, loans, "--group", "x").err
