"""The cost model of a fit on a cluster finds the constants that made the runs, and predicts a size new to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from _cluster_cost import Cost, Sent, Shape, cost_of, n_results, print_cost, sent_of
from _cluster_reading import Asked, print_reading, read_at

TRUE = Cost(start=0.5, coding=4e-9, work=2e-8, row=1e-7, dispatch=3e-3)
SENT = Sent(row=3.0, value=0.5, tree=30.0, tree_row=1e-5)
SIZES = [(n, q) for n in (10_000, 100_000, 1_000_000) for q in (10, 40)]


def run(n: int, q: int, workers: int, way: str = "histograms", trees: int = 3) -> dict[str, object]:
    made: dict[str, object] = {"model": "RankingForest", "way": way, "n": n, "q": q, "trees": trees}
    made |= {"workers": workers, "parts": 10, "rounds": 40, "tasks": 40 * workers + n // 10_000}
    shape = Shape.of(made)
    return {**made, "seconds": TRUE.seconds(shape, made["tasks"]), "bytes": SENT.bytes(shape)}


def test_constants_are_found() -> None:
    runs = [run(*size, workers, trees=trees) for size in SIZES for workers in (1, 2, 4) for trees in (3, 5)]
    assert vars(cost_of(runs)) == pytest.approx(vars(TRUE))
    assert vars(sent_of(runs)) == pytest.approx(vars(SENT))


def test_a_booster_runs_on_one_worker_unless_its_histograms_are_summed() -> None:
    shape = {"n": 100, "q": 2, "trees": 50, "workers": 4, "way": "trees", "parts": 10}
    assert Shape.of({**shape, "model": "RankingForest"}).growing == 4
    assert Shape.of({**shape, "model": "RankBoost"}).growing == 1
    assert Shape.of({**shape, "model": "RankBoost", "way": "bags"}).growing == 4
    assert Shape.of({**shape, "model": "RankBoost"}).parts == 10


def test_results_of_a_sum() -> None:
    assert [n_results(parts) for parts in (1, 2, 8, 9, 64, 65, 256)] == [1, 3, 9, 12, 73, 77, 293]


def test_the_largest_size_is_predicted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [run(*size, workers, trees=trees) for trees in (5, 3) for size in SIZES for workers in (1, 2, 4)]
    for each in runs:
        if each["n"] == 1_000_000 and each["q"] == 40:
            each["seconds"] *= 2  # type: ignore[operator]
            each["bytes"] *= 4  # type: ignore[operator]
    (tmp_path / "runs").write_text("\n".join(map(json.dumps, runs)))
    costs = print_cost(tmp_path / "runs")
    said = capsys.readouterr().out
    checked = [line for line in said.splitlines() if "1,000,000 x 40" in line]
    assert [line.split("|")[-2].strip() for line in checked] == ["0.50"] * 6 + ["0.25"] * 6
    cost, _, last = costs["RankingForest, histograms"]
    assert cost.start == 0
    assert last == runs[-1]


def test_the_model_is_read_at_another_size(capsys: pytest.CaptureFixture[str]) -> None:
    last = run(1_000_000, 40, 2)
    asked = Asked(10**9, 40, 64, {"RankingForest": 200}, 1e9)
    found = read_at(asked, TRUE, SENT, last)
    assert found.rows == pytest.approx(0.5 + 4e10 / 64 * 4e-9 + 2e11 / 64 * (40 * 2e-8 + 1e-7))
    assert found.n_rounds == 40 * 200 / 3
    assert found.tasks == pytest.approx(found.n_rounds * 293 * 3e-3)
    summed = 200 * (30 + 1e-5 * 1e9) * 40 * 256 * 16
    assert found.network == pytest.approx((summed * 8 * 3 + 2e11 * (3 + 40 * 0.5)) / 1e9)
    print_reading(asked, {"RankingForest, histograms": (TRUE, SENT, last)})
    assert f"{found.together / 60:,.1f}" in capsys.readouterr().out


def test_a_bag_goes_to_one_worker() -> None:
    asked = Asked(10**9, 40, 64, {"RankingForest": 200}, 1e9)
    found = read_at(asked, TRUE, SENT, run(1_000_000, 40, 2, "bags"))
    values = SENT.to_read(Shape(10**9, 40, 200, 64, "bags"))
    assert found.network == pytest.approx((values + 2e11 * (3 + 40 * 0.5) + 200 * 30) / 1e9 / 64)
