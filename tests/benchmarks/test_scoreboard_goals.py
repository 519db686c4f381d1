"""What the scoreboard says of goals that are met and missed, on small tables whose answers are known."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from _score_models import _trees_of
from _scoreboard_fit import COSTS, METRICS
from _scoreboard_goals import behind_in_words, compared, goals, goals_in_words, goals_table
from _scoreboard_page import publish, read_published, write_page
from _scoreboard_parts import small_part
from _scoreboard_stats import ranking

SECONDS = {"RankBoost": 2.0, "RankConsensus": 3.0, "RankingForest": 1.0, "CatBoost": 4.0}


def fits() -> pd.DataFrame:
    """Two sets with two folds: on the second, boosting is dear and worse, and the consensus misses its member."""
    names = ("RankBoost", "RankConsensus", "RankingForest", "CatBoost")
    aucs = {
        "s0": dict(zip(names, ((0.9, 0.8), (0.9, 0.8), (0.5, 0.5), (0.8, 0.8)))),
        "s1": dict(zip(names, ((0.6, 0.6), (0.7, 0.69), (0.7, 0.7), (0.7, 0.7)))),
    }
    seconds = {"s0": SECONDS, "s1": SECONDS | {"RankBoost": 5.0, "RankConsensus": 5.0}}
    rows = [
        {"set": name, "repeat": "0", "fold": str(fold), "model": model, "AUC": auc, "fit seconds": seconds[name][model]}
        for name, models in aucs.items()
        for model, values in models.items()
        for fold, auc in enumerate(values)
    ]
    return pd.DataFrame(rows)


def test_goals_are_ratios_and_differences() -> None:
    found = goals(fits())
    assert found.loc["s0", ["boost price", "consensus price"]].tolist() == [0.5, 1.5]
    assert found.loc["s1", ["boost price", "consensus price"]].tolist() == [1.25, 1.0]
    assert found["lead"].tolist() == pytest.approx([0.05, -0.1])
    assert found["lead error"].tolist() == pytest.approx([0.05, 0.0])
    assert found["gain"].tolist() == pytest.approx([0.0, -0.005])  # to the forest on the second
    assert found.loc["s1", "gain error"] == pytest.approx(0.005)


def test_misses_are_told() -> None:
    found = goals(fits())
    assert goals_in_words(found, 1.0).split("\n") == [
        "- **RankBoost's price**, at most 1 of CatBoost's: missed on 1 of 2 sets: s1 (1.25).",
        "- **RankBoost's AUC**, at least CatBoost's: missed on 1 of 2 sets: s1 (-0.1000 ± 0.0000). "
        "1 of them by more than two standard errors.",
        "- **RankConsensus's price**, at most 1.3 of RankBoost's: missed on 1 of 2 sets: s0 (1.50).",
        "- **RankConsensus's AUC**, at most 0.0005 behind its better member: 1 of 2 sets miss it: "
        "s1 (-0.0050 ± 0.0050). None of them by more than two standard errors.",
    ]
    assert "missed on 2 of 2 sets: s0 (0.50), s1 (1.25)" in goals_in_words(found, 0.25)
    assert [cell.strip() for cell in goals_table(found).split("\n")[2].split("|")[1:3]] == ["s0", "2"]
    assert "+0.0500 ± 0.0500" in goals_table(found)


def test_one_split_has_no_errors() -> None:
    frame = fits()
    text = goals_table(goals(frame[frame["fold"] == "0"]))
    assert "+0.1000" in text
    assert "±" not in text


def test_clear_misses_are_counted() -> None:
    frame = fits()
    frame.loc[(frame["set"] == "s1") & (frame["model"] == "RankConsensus"), "AUC"] = [0.69, 0.691]
    assert "1 of them by more than two standard errors" in goals_in_words(goals(frame), 1.0)


def test_distances_from_the_best_are_told() -> None:
    frame = fits().rename(columns={"AUC": "local AUC 1%"})
    said = behind_in_words({"local AUC 1%": ranking(frame, "local AUC 1%")}, ["RankBoost", "RankConsensus"])
    assert said.split("\n") == [
        "- **local AUC 1%**, RankConsensus: missed on 1 of 2 sets: s1 (0.0050).",
        "- **local AUC 1%**, RankBoost: missed on 1 of 2 sets: s1 (0.1000).",
    ]


def test_goals_use_folds_that_other_models_have_not_been_through(tmp_path: Path) -> None:
    names = ("RankBoost", "RankConsensus", "RankingForest", "CatBoost", "other")
    rows = [
        (f"set{i}", repeat, fold, name, *["0.9"] * len(METRICS), "300", "3", "50", "10.0", "0.1", "2.0")
        for i in range(2)
        for repeat in ("0", "1", "2")
        for fold in ("0", "1")
        for name in (names if repeat == "0" else names[:4] if repeat == "1" else names[:3])
    ]
    about = {"date": "2020-01-01", "machine": {}, "versions": {}, "ours": ["RankBoost"], "metrics": list(METRICS)}
    about |= {"settings": dict.fromkeys(names, "defaults"), "instability": {}}
    path = tmp_path / "scoreboard-2020-01-01.csv"
    publish(("set", "repeat", "fold", "model", *METRICS, *COSTS), rows, about, path)
    text = "\n".join(small_part(read_published(path)))
    assert "5 models on 2 data sets with two labels by one 2-fold cross-validation" in text
    part = text.partition("### Goals on every set")[2].partition("###")[0]
    folds = [line.split("|")[2].strip() for line in part.splitlines() if line.startswith("| set")]
    assert folds == ["4", "4"]


def test_goals_need_the_models_they_speak_of() -> None:
    assert compared(["CatBoost", "RankBoost", "RankConsensus", "other"])
    assert not compared(["CatBoost", "RankBoost"])


def published(folder: Path) -> Path:
    """Three models on three sets, one of them only on two, and a fourth beside them on one; it was ended."""
    names = ("RankBoost", "LightGBM", "forest")
    rows = [
        (f"set{i}", "0", "0", name, *["0.9"] * len(METRICS), str(n), "3", "50", "10.0", "0.1", "2.0")
        for i, n in enumerate((30_000, 40_000, 1_200_000))
        for name in (names if i < 2 else names[:2])
    ]
    rows.append(("set0", "0", "0", "slow", *["nan"] * len(METRICS), "30000", "3", "50", "300.0", "nan", "nan"))
    about = {"date": "2020-01-01", "machine": {}, "versions": {}, "ours": ["RankBoost"], "metrics": list(METRICS)}
    about |= {"settings": dict.fromkeys((*names, "slow"), "defaults"), "instability": {}, "beside": ["slow"]}
    about |= {"notes": ["Measured twice."], "beside notes": ["slow was run on one set."]}
    path = folder / "scoreboard-large-2020-01-01.csv"
    publish(("set", "repeat", "fold", "model", *METRICS, *COSTS), rows, about, path)
    return path


def test_sets_and_models_without_ranks_stand_beside(tmp_path: Path) -> None:
    path, page = published(tmp_path), tmp_path / "page.md"
    board = read_published(path)
    assert set(board.common["set"]) == {"set0", "set1"}
    assert set(board.common["model"]) == {"RankBoost", "LightGBM", "forest"}
    assert set(zip(board.largest["set"], board.largest["model"])) == {("set2", "RankBoost"), ("set2", "LightGBM")}
    write_page(path, path, page, tmp_path)
    text = page.read_text().partition("## Large tables")[2]
    assert "3 models on 2 data sets" in text
    assert "Measured twice." in text
    side = text.partition("### Sets and models without ranks")[2]
    lines = {line.split("|")[1].strip(): line for line in side.splitlines() if line.startswith("| set")}
    assert [cell.strip() for cell in lines["set0"].split("|")[3:-1]] == ["0.9000 (10)"] * 3 + ["> 300 s"]
    assert [cell.strip() for cell in lines["set2"].split("|")[3:-1]] == ["0.9000 (10)"] * 2 + ["-", "-"]
    assert "set1" not in lines
    assert "slow was run on one set." in side
    assert json.loads(path.with_suffix(".json").read_text())["beside"] == ["slow"]


def test_trees_of_a_consensus_are_those_of_the_members_that_are_kept() -> None:
    members = [SimpleNamespace(trees=SimpleNamespace(n_trees=n)) for n in (3, 4)]
    booster = SimpleNamespace(team_=SimpleNamespace(members=members))
    forest = SimpleNamespace(trees_=list(np.zeros(5)))
    for kept, n_trees in (((booster, forest), 12), ((booster, None), 7), ((None, forest), 5)):
        consensus = SimpleNamespace(booster_=kept[0], forest_=kept[1])
        assert _trees_of(consensus) == n_trees  # type: ignore[arg-type]
