"""What the scoreboard makes of its figures, on small tables whose answers are known."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from _results import Results
from _scoreboard_fit import COSTS, METRICS, Rules, Task, halves, run
from _scoreboard_models import entries
from _scoreboard_page import publish, write_page
from _scoreboard_stats import common, costs, critical_difference, instability, order_file, prices, ranking, wins
from _sets import RealSet, found_in
from scipy.stats import kendalltau
from sklearn.model_selection import StratifiedKFold

from rankforest import TreeRank
from rankforest.data import simulate
from rankforest.metrics import hit_ratio, local_auc, roc_auc


def fits(aucs: dict[str, list[float]]) -> pd.DataFrame:
    """One fold of as many sets as there are values."""
    rows = [
        {"set": f"s{i}", "repeat": "0", "fold": "0", "model": model, "AUC": value}
        | {"fit seconds": 10.0**i * len(model), "score seconds": 0.5, "peak MiB": 2.0}
        for model, values in aucs.items()
        for i, value in enumerate(values)
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(("n_models", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_critical_values_are_those_of_demsar(n_models: int, q: float) -> None:
    """Table 5 of his paper, at 5%, made from a table of the studentised range with three decimals."""
    found = critical_difference(n_models, 14) / np.sqrt(n_models * (n_models + 1) / (6 * 14))
    assert found == pytest.approx(q, abs=1e-3)


def test_average_ranks_share_ties() -> None:
    found = ranking(fits({"a": [0.9, 0.8, 0.9], "bb": [0.8, 0.8, 0.7], "ccc": [0.7, 0.6, 0.8]}), "AUC")
    assert found.ranks.to_dict() == pytest.approx({"a": (1 + 1.5 + 1) / 3, "bb": (2 + 1.5 + 3) / 3, "ccc": 8 / 3})
    assert list(found.means) == ["a", "bb", "ccc"]
    assert wins(found, ["a"]).to_dict("index") == {"a": {"bb": "2 : 0", "ccc": "3 : 0"}}


def test_level_models_are_not_told_apart() -> None:
    found = ranking(fits({"a": [0.9, 0.8], "bb": [0.9, 0.8], "ccc": [0.9, 0.8]}), "AUC")
    assert found.p_value == 1.0
    assert found.groups() == [("a", "bb", "ccc")]


@pytest.mark.parametrize("seed", range(5))
def test_groups_hold_all_pairs_that_are_not_told_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = ranking(fits({f"m{k}": list(rng.normal(size=12) - 0.4 * k) for k in range(9)}), "AUC")
    joined = {pair for group in found.groups() for pair in combinations(group, 2)}
    alike = {
        (a, b)
        for a, b in combinations(found.ranks.index, 2)
        if found.ranks[b] - found.ranks[a] < found.critical_difference
    }
    assert joined == alike
    assert 0 < len(alike) < 36
    groups = [set(group) for group in found.groups()]
    assert not any(one < other for one in groups for other in groups)


def test_folds_that_a_model_lacks_are_left_out() -> None:
    frame = fits({"a": [0.9, 0.8, 0.9], "bb": [0.8, 0.8]})
    assert set(common(frame, ["a", "bb"])["set"]) == {"s0", "s1"}
    assert set(common(frame, ["a"])["set"]) == {"s0", "s1", "s2"}


def test_times_are_multiples_of_the_reference() -> None:
    found = costs(fits({"a": [0.9, 0.8], "bb": [0.8, 0.8]}), "a")
    assert found["fit seconds"].to_dict() == pytest.approx({"a": 1.0, "bb": 2.0})
    assert found["peak MiB"].to_dict() == {"a": 2.0, "bb": 2.0}


def test_a_model_that_was_not_timed_everywhere_has_no_price() -> None:
    frame = fits({"a": [0.9, 0.8], "bb": [0.8, 0.8], "ccc": [0.7, 0.9]})
    frame.loc[(frame["model"] == "bb") & (frame["set"] == "s1"), "fit seconds"] = np.nan
    found = costs(frame, "a")
    assert found.loc["bb"].isna().all()
    assert found.loc["ccc"].notna().all()
    (panel,) = prices([frame.assign(learned=500)])
    assert panel.ranks.to_dict() == pytest.approx({"a": 1.75, "ccc": 2.0})
    assert set(panel.seconds.index) == {"a", "ccc"}


def test_instability_is_kendalls_distance_on_common_rows(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    results, rows, expected, orders = tmp_path / "results.csv", [], [], {}
    for repeat in "012":
        halves = np.split(rng.permutation(40), 2)
        for fold, half in zip("01", halves):
            orders[repeat, fold] = dict(zip(half, rng.permutation(20) + 1))
            path = order_file(results, ("a set", repeat, fold, "a model"))
            path.parent.mkdir(exist_ok=True)
            np.savez(path, rows=half, ranks=list(orders[repeat, fold].values()))
            rows.append({"set": "a set", "repeat": repeat, "fold": fold, "model": "a model"})
    for (one, first), (other, second) in combinations(orders.items(), 2):
        both = sorted(first.keys() & second.keys())
        if one[0] != other[0]:
            tau = kendalltau([first[row] for row in both], [second[row] for row in both]).statistic
            expected.append((1 - tau) / 2)
    found = instability(pd.DataFrame(rows), results)
    assert found == {"a set": {"a model": pytest.approx(np.mean(expected))}}
    assert instability(pd.DataFrame(rows[:2]), results) == {}


def test_sets_are_read_as_declared(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": [1, 2, 3, 4], "code": [7, 8, 7, 8], "text": list("uvuv"), "n": [0.5, 1, 2, 3]})
    frame.assign(target=[3, 4, 5, 9]).to_csv(tmp_path / "numbers.csv.gz", index=False)
    X, y = RealSet("numbers", at_least=5, drop=("id",), categories=("code",)).table(tmp_path)
    assert [str(kind) for kind in X.dtypes] == ["category", "category", "float64"]
    assert y.tolist() == [0, 0, 1, 1]
    assert RealSet("numbers", top=0.25).table(tmp_path)[1].tolist() == [0, 0, 0, 1]
    assert RealSet("numbers", positive=(3, 9)).table(tmp_path)[1].tolist() == [1, 0, 0, 1]


def test_other_files_with_two_labels_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.DataFrame({"x": [1, 2, 3], "target": ["no", "yes", "no"]})
    frame.to_csv(tmp_path / "one.csv", index=False)
    frame.to_parquet(tmp_path / "two.parquet")
    frame[["target", "x"]].to_csv(tmp_path / "three.csv.gz", index=False)
    found = found_in(tmp_path)
    assert {name: real.positive for name, real in found.items()} == {"one": "yes", "two": "yes"}
    assert "three.csv.gz is left out" in capsys.readouterr().out
    for real in found.values():
        assert real.table(tmp_path)[1].tolist() == [0, 1, 0]


def published(folder: Path) -> Path:
    """A dated file in which ours is the best on all sets but the last, where it is the worst."""
    names = ("TreeRank", "LightGBM", "other")
    rows = [
        (f"set{i}", "0", str(fold), name, *[f"{0.9 - 0.1 * (k if i < 5 else -k):.6f}"] * len(METRICS))
        + ("200", "3", "50", "1.0", "0.1", "2.00" if fold == 0 else "nan")
        for i in range(6)
        for fold in range(2)
        for k, name in enumerate(names)
    ]
    about = {
        "date": "2020-01-01",
        "machine": {"cores": "2"},
        "versions": {"python": "3"},
        "ours": ["TreeRank"],
        "metrics": list(METRICS),
        "settings": dict.fromkeys(names, "defaults"),
        "instability": {"set0": {"TreeRank": 0.25}},
    }
    columns = ("set", "repeat", "fold", "model", *METRICS, *COSTS)
    publish(columns, rows, about, folder / "scoreboard-2020-01-01.csv")
    return folder / "scoreboard-2020-01-01.csv"


def test_page_says_where_we_win_and_where_we_lose(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    write_page(published(tmp_path), None, page, tmp_path)
    text = page.read_text()
    assert (
        "- **AUC**: TreeRank has the best average rank (1.33), the best of the others is LightGBM (2.00), not" in text
    )
    assert (
        "TreeRank is ahead of every model of the other libraries on 5 of 6 sets and behind at least one on 1." in text
    )
    assert "its best result is on set0 (+0.1000 to LightGBM), and its worst on set5 (-0.2000 to other)" in text
    assert "| **TreeRank** |            1.00 |              1.00 |      2.0 |       0.250 |" in text
    assert "## Large tables" not in text
    for picture in ("scoreboard.png", "scoreboard-price.png"):
        assert f"]({picture})" in text
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".csv", ".json", ".md", ".png", ".png"]


RULES = Rules(entries, halves, n_trees=10, n_folds=2, most_rows=250, orders=True)


def test_one_fit_has_the_figures_of_its_half(tmp_path: Path) -> None:
    data = simulate.rf10_sparse(300, random_state=0)
    frame = pd.DataFrame(data.X).assign(target=np.where(data.y == 1, "good", "bad"))
    frame.to_csv(tmp_path / "simulated.csv.gz", index=False)
    task = Task(RealSet("simulated", positive="good"), 1, 1, "TreeRank", tmp_path, RULES)
    done = run(task)
    assert done.failure is None
    X, y = task.source.table(tmp_path)
    kept = np.sort(np.random.default_rng(0).permutation(300)[:250])
    X, y = X.iloc[kept], y[kept]
    (_, _), (train, test) = StratifiedKFold(2, shuffle=True, random_state=1).split(X, y)
    scores = TreeRank(random_state=0).fit(X.iloc[train], y[train]).score_samples(X.iloc[test])
    figures = dict(zip((*METRICS, *COSTS), done.figures))
    assert float(figures["AUC"]) == pytest.approx(roc_auc(y[test], scores), abs=1e-6)
    assert float(figures["local AUC 5%"]) == pytest.approx(local_auc(y[test], scores, 0.05), abs=1e-6)
    assert float(figures["hit ratio 10%"]) == pytest.approx(hit_ratio(y[test], scores, 0.1), abs=1e-6)
    assert (figures["rows"], figures["features"], figures["positives"]) == ("250", "10", str(y.sum()))
    assert np.array_equal(done.rows, test)
    assert np.array_equal(np.argsort(done.ranks, kind="stable"), np.argsort(scores, kind="stable"))


def test_a_failure_is_told(tmp_path: Path) -> None:
    done = run(Task(RealSet("absent"), 0, 0, "TreeRank", tmp_path, RULES))
    assert done.failure is not None
    assert "There is no absent.csv.gz" in done.failure


def test_a_model_is_fitted_again(tmp_path: Path) -> None:
    """What is dropped is dropped from the file, and nothing else is."""
    results = Results(tmp_path / "results.csv", ["AUC"])
    for name in ("s0", "s1"):
        for model in ("a", "b"):
            results.add(name, 0, 0, model, 0.5, 1.0)
    results.drop(["a"], sets=["s1"])
    left = {("s0", "0", "0", "a"), ("s0", "0", "0", "b"), ("s1", "0", "0", "b")}
    assert results.done == Results(results.path, ["AUC"]).done == left
    results.drop(["b"])
    assert Results(results.path, ["AUC"]).rows == [("s0", "0", "0", "a", "0.5", "1.0")]
