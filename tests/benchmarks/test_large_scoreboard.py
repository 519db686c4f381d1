"""The scoreboard of large tables: its sets, its splits, fits that are ended, its page and the picture of prices."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from _large_models import MANY_ROWS, MOST_CATEGORIES, Forest, HistGB, SlowLightGBM, large_entries
from _large_sets import LargeSet, category_pairs, movie_ratings
from _price_picture import place_labels
from _results import Results
from _scoreboard_boards import large_board
from _scoreboard_fit import COSTS, METRICS, MOST_TEST_ROWS, Rules, Task, learned_rows, thirds
from _scoreboard_page import newest, publish, write_page
from _scoreboard_run import run_all
from _scoreboard_stats import behind, prices, ranking
from scoreboard import report
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from rankforest.metrics import roc_auc


def table_of(folder: Path, name: str, last: str = "target") -> None:
    pd.DataFrame({"x": range(6), "c": list("ababab"), last: [0, 1] * 3}).to_csv(folder / f"{name}.csv.gz", index=False)


def test_tables_of_another_folder_can_be_the_sets(tmp_path: Path) -> None:
    for name in ("one", "two"):
        table_of(tmp_path, name)
    table_of(tmp_path, "three", last="label")
    board = large_board(quick=False, most_seconds=9.0, others=True)
    assert [one.name for one in board.sets(tmp_path, None)] == ["one", "two"]
    (two,) = board.sets(tmp_path, ["two"])
    X, y = two.table(tmp_path)
    assert [str(dtype) for dtype in X.dtypes] == ["int64", "category"]
    assert y.tolist() == [0, 1] * 3
    with pytest.raises(SystemExit, match="There is no set 'three'; choose among one, two"):
        board.sets(tmp_path, ["three"])


def test_a_model_beside_the_ranks_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    results = Results(None, METRICS, COSTS)
    names = ("LightGBM", "XGBoost", "CatBoost")
    figures = [*[0.9] * len(METRICS), 30_000, 3, 50, 1.0, 0.1, 2.0]
    for name in ("one", "two"):
        for model in names:
            results.add(name, 0, 0, model, *figures)
    results.add("one", 0, 0, "EBM", *figures)
    report(large_board(quick=False, most_seconds=9.0), results, [*names, "EBM"], ["EBM"])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| EBM")]
    assert len(lines) == 1
    assert "ExplainableBoostingClassifier" in lines[0]


def test_a_third_is_tested_on() -> None:
    y = np.repeat([0, 1], [240, 60])
    train, test = thirds(y, repeat=0, fold=0)
    assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(300))
    assert (len(test), y[test].sum()) == (100, 20)
    assert not np.array_equal(test, thirds(y, repeat=1, fold=0)[1])
    assert learned_rows(1_200_000, n_folds=1) == 1_200_000 - MOST_TEST_ROWS
    assert learned_rows(300, n_folds=1) == len(train)


def test_ratings_are_joined_with_users_and_films(tmp_path: Path) -> None:
    tables = {
        "ratings": {"user_id": [1, 2, 1], "movie_id": [7, 7, 8], "timestamp": [10, 11, 12], "target": [5, 3, 4]},
        "users": {"user_id": [2, 1], "age": [30, 40], "gender": ["M", "F"], "occupation": ["o", "p"]}
        | {"zip_code": ["0a", "1b"]},
        "items": {"movie_id": [8, 7], "movie_title": ["e", "s"], "release_date": ["01-Jan-1995", "03-Feb-1990"]}
        | {"video_release_date": [np.nan] * 2, "IMDb_URL": ["u", "v"], "Drama": [0, 1]},
    }
    for name, table in tables.items():
        pd.DataFrame(table).to_csv(tmp_path / f"ml100k_{name}.csv.gz", index=False)
    X, y = movie_ratings(tmp_path)
    assert y.tolist() == [1, 0, 1]
    values = [list(X[name]) for name in X]
    assert values == [
        [1, 2, 1], [7, 7, 8], [10, 11, 12], [40, 30, 40], ["F", "M", "F"], ["p", "o", "p"], ["1b", "0a", "1b"],
        [1, 1, 0], [1990, 1990, 1995],
    ]  # fmt: skip
    assert [j for j, name in enumerate(X) if X[name].dtype == "category"] == [0, 1, 4, 5, 6]


def test_pairs_of_categories_have_signal_of_their_own() -> None:
    """An additive model of the categories ranks worse than one that knows their pairs."""
    X, y = category_pairs(None, n=12_000)
    assert X.equals(category_pairs(None, n=12_000)[0])
    codes = X[["c2", "c3"]].astype(str)
    pairs = codes.assign(both=codes["c2"] + codes["c3"])
    aucs = []
    for table in (codes, pairs):
        model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression(C=0.3))
        fitted = model.fit(table[:8000], y[:8000])
        aucs.append(roc_auc(y[8000:], fitted.decision_function(table[8000:])))
    assert 0.55 < aucs[0] < aucs[1] - 0.01


def test_forests_have_fewer_trees_on_many_rows() -> None:
    stumps = partial(RandomForestClassifier, max_depth=1)
    for n, n_trees in ((MANY_ROWS, 10), (MANY_ROWS + 1, 2)):
        fitted = Forest(stumps, 10).fit(pd.DataFrame({"x": np.arange(n) % 7}), np.arange(n) % 2)
        assert len(fitted.model[-1].estimators_) == n_trees


def test_histgb_takes_more_categories_than_it_knows() -> None:
    X, y = category_pairs(None, n=4_000)
    assert X["c0"].cat.categories.size > MOST_CATEGORIES
    fitted = HistGB().fit(X[:3000], y[:3000])
    assert fitted.coded == ["c0"]
    assert roc_auc(y[3000:], fitted.predict_proba(X[3000:])[:, 1]) > 0.6


@pytest.mark.filterwarnings("ignore:The argument 'eval_set'")  # its successor is not in older versions
def test_slow_lightgbm_stops_early() -> None:
    """It holds rows out by itself: on labels that nothing tells apart it stops long before its last round."""
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.normal(size=(600, 3))).add_prefix("x"), rng.integers(2, size=600)
    assert SlowLightGBM(1000).fit(X, y).model.best_iteration_ < 200


def test_a_fit_that_takes_too_long_is_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = Rules(large_entries, thirds, n_trees=500, n_folds=1, most_seconds=1)
    sets = [LargeSet("many", partial(category_pairs, n=30_000)), LargeSet("few", partial(category_pairs, n=90))]
    results = Results(tmp_path / "results.csv", METRICS, COSTS)
    models = {"many": "RandomForest", "few": "TreeRank"}
    assert run_all([Task(one, 0, 0, models[one.name], tmp_path, rules) for one in sets], 1, results) == []
    frame = results.frame().set_index("set")
    assert frame.loc["many", list(METRICS)].isna().all()
    assert frame.loc["many", ["rows", "fit seconds"]].tolist() == [30_000, 1.0]
    assert 0 <= frame.loc["few", "AUC"] <= 1
    assert "many, repeat 0, fold 0, RandomForest: ended after 1.0000 s" in capsys.readouterr().out


def test_large_sets_have_one_split_each_and_small_ones_several(tmp_path: Path) -> None:
    board = large_board(quick=False, most_seconds=1.0)
    sets = [LargeSet("many", partial(category_pairs, n=9)), LargeSet("few", partial(category_pairs, n=9), several=True)]
    keys = [task.key for task in board.tasks(sets, ["TreeRank"], 2, tmp_path)]
    assert keys == [(name, repeat, "0", "TreeRank") for name, repeat in (("many", "0"), ("few", "0"), ("few", "1"))]


def published(folder: Path) -> Path:
    """Ours leads on every set but the last, and a peer was ended on the first."""
    names, rows = ("RankBoost", "LightGBM", "slow"), []
    for i, n in enumerate((18_000, 30_000, 90_000, 1_200_000)):
        for k, name in enumerate(names):
            ended = (i, name) == (0, "slow")
            auc = "nan" if ended else f"{0.9 - 0.01 * (k if i < 3 else -k):.6f}"
            costs = ("900.0000", "nan", "nan") if ended else (f"{10.0 ** (i + k - 2):.4f}", "0.1000", "2.00")
            rows.append((f"set{i}", "0", "0", name, *[auc] * len(METRICS), str(n), "3", "50", *costs))
    about = {
        "date": "2020-01-01",
        "machine": {"cores": "2"},
        "versions": {"python": "3"},
        "ours": ["RankBoost"],
        "metrics": list(METRICS),
        "settings": dict.fromkeys(names, "defaults"),
        "instability": {},
    }
    path = folder / "scoreboard-large-2020-01-01.csv"
    publish(("set", "repeat", "fold", "model", *METRICS, *COSTS), rows, about, path)
    return path


def test_page_has_ranks_distances_and_seconds(tmp_path: Path) -> None:
    large, page = published(tmp_path), tmp_path / "page.md"
    write_page(large, large, page, tmp_path)
    text = page.read_text().partition("## Large tables")[2]
    assert "3 models on 4 data sets with two labels, of 18,000 to 1,200,000 rows." in text
    assert "they share the last rank of the set" in text
    for line in (
        "| set0 |   18000 x 3 |       0% |    **0.9000** |   0.8900 |    > 900 s |",  # AUC
        "| set3 |        0.0200 |   0.0100 | 0.0000 |",  # behind the best
        "| most |        0.0200 |   0.0100 |      - |",
        "| set0 |   18000 x 3 |          0.01 |     0.10 | > 900 s |",  # seconds of the fit
        "| set0 |   18000 x 3 |          0.10 |     0.10 |    - |",  # of scoring
    ):
        assert line in text, line


def test_ended_fits_share_the_last_rank(tmp_path: Path) -> None:
    frame = pd.read_csv(published(tmp_path))
    found = ranking(frame, "AUC")
    assert found.ranks.to_dict() == {"RankBoost": 1.5, "LightGBM": 2.0, "slow": 2.5}
    assert behind(found)["RankBoost"].tolist() == pytest.approx([0, 0, 0, 0.02])


def test_prices_are_ranks_and_seconds_by_size(tmp_path: Path) -> None:
    frame = pd.read_csv(published(tmp_path))
    frame["learned"] = [learned_rows(rows, n_folds=1) for rows in frame["rows"]]
    small, large = prices([frame])
    assert (small.least_rows, small.most_rows, small.n_sets) == (12_000, 20_000, 2)
    assert (large.least_rows, large.most_rows, large.n_sets) == (60_000, 1_000_000, 2)
    assert small.ranks.to_dict() == {"RankBoost": 1.0, "LightGBM": 2.0, "slow": 3.0}
    assert large.ranks.to_dict() == {"RankBoost": 2.0, "LightGBM": 2.0, "slow": 2.0}
    assert large.seconds.to_dict() == pytest.approx({"RankBoost": 10**0.5, "LightGBM": 10**1.5, "slow": 10**2.5})


def test_the_newest_file_of_each_scoreboard_is_found(tmp_path: Path) -> None:
    for name in ("scoreboard-2020-01-02", "scoreboard-2019-12-31", "scoreboard-large-2021-05-05"):
        (tmp_path / f"{name}.csv").touch()
    assert newest(tmp_path, "scoreboard") == tmp_path / "scoreboard-2020-01-02.csv"
    assert newest(tmp_path, "scoreboard-large") == tmp_path / "scoreboard-large-2021-05-05.csv"
    assert newest(tmp_path, "other") is None


@pytest.mark.parametrize("seed", range(5))
def test_labels_cover_neither_each_other_nor_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.uniform([100, 50], [700, 550], size=(14, 2))
    points[1] = points[0] + 3.0  # two models that are nearly level
    sizes = [(90.0, 14.0)] * 14
    centres = place_labels(points, sizes, (0.0, 0.0, 800.0, 600.0))
    for one, other in combinations(centres, 2):
        assert (np.abs(one - other) >= np.array([90.0, 14.0]) - 1e-9).any()
    for centre in centres:
        assert (np.abs(points - centre) >= np.array([45.0, 7.0])).any(axis=1).all()
        assert (np.abs(centre - [400, 300]) <= [400 - 45, 300 - 7]).all()
