"""The cost model of a fit on a cluster finds the constants that made the runs, and predicts a size new to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from _cluster_cost import Cost, fit_cost, print_cost

TRUE = Cost(start=0.5, work=2e-8, dispatch=3e-3)


def run(n: int, workers: int) -> dict[str, object]:
    made = {"model": "TreeRank", "way": "histograms", "n": n, "q": 20, "trees": 3, "workers": workers, "bytes": 10**6}
    return {**made, "tasks": 40 * workers, "seconds": TRUE.seconds(n, 20, 3, workers, 40 * workers)}


def test_constants_are_found() -> None:
    runs = [run(n, workers) for n in (10_000, 100_000, 1_000_000) for workers in (1, 2, 4)]
    found = fit_cost(runs)
    assert (found.start, found.work, found.dispatch) == pytest.approx((0.5, 2e-8, 3e-3))


def test_the_largest_size_is_predicted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [run(n, workers) for n in (10_000, 100_000, 1_000_000) for workers in (1, 2, 4)]
    (tmp_path / "runs").write_text("\n".join(map(json.dumps, runs)))
    print_cost(tmp_path / "runs")
    said = capsys.readouterr().out
    checked = [line for line in said.splitlines() if "1,000,000" in line]
    assert len(checked) == 3
    assert all(line.split("|")[-2].strip() == "1.00" for line in checked)
    # 10^9 x 20 x 3 values on 64 threads, 16 times the tasks and bytes of four
    hours = TRUE.seconds(10**9, 20, 3, 64, 40 * 4 * 16, 16e6, 1e9) / 3600
    assert f"{hours:.2f}" in said
