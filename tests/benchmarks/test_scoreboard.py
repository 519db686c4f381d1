"""What the scoreboard makes of its figures, on small tables whose answers are known."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from _scoreboard_stats import common, costs, critical_difference, instability, order_file, ranking, wins
from _sets import RealSet, found_in, table_of
from scipy.stats import kendalltau


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
    X, y = table_of(tmp_path, RealSet("numbers", at_least=5, drop=("id",), categories=("code",)))
    assert [str(kind) for kind in X.dtypes] == ["category", "category", "float64"]
    assert y.tolist() == [0, 0, 1, 1]
    assert table_of(tmp_path, RealSet("numbers", top=0.25))[1].tolist() == [0, 0, 0, 1]
    assert table_of(tmp_path, RealSet("numbers", positive=(3, 9)))[1].tolist() == [1, 0, 0, 1]


def test_other_files_with_two_labels_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.DataFrame({"x": [1, 2, 3], "target": ["no", "yes", "no"]})
    frame.to_csv(tmp_path / "one.csv", index=False)
    frame.to_parquet(tmp_path / "two.parquet")
    frame[["target", "x"]].to_csv(tmp_path / "three.csv.gz", index=False)
    found = found_in(tmp_path)
    assert {name: real.positive for name, real in found.items()} == {"one": "yes", "two": "yes"}
    assert "three.csv.gz is left out" in capsys.readouterr().out
    for real in found.values():
        assert table_of(tmp_path, real)[1].tolist() == [0, 1, 0]
