"""Every benchmark runs: each script of the folder with `--quick`, so that a new one is covered by being there."""

from __future__ import annotations

import runpy
import sys
import warnings
from pathlib import Path

import pandas as pd
import pytest
from _sets import SETS
from _stand_ins import STAND_INS, data_folder
from _timing import peer

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
# run_all.py starts the others in processes of their own
SCRIPTS = sorted(path.stem for path in BENCHMARKS.glob("[!_]*.py") if path.stem != "run_all")


def run(name: str, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    """A script as the command line runs it, in this process: the libraries are loaded once for all of them."""
    pytest.importorskip("matplotlib").use("agg")
    path = BENCHMARKS / f"{name}.py"
    monkeypatch.setattr(sys, "argv", [str(path), *arguments])
    peer.cache_clear()  # each says on its own which peers are absent
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what peers say of small tables
        runpy.run_path(str(path), run_name="__main__")


@pytest.mark.parametrize("command", [*SCRIPTS, "scoreboard --large"])
def test_runs(command: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    name, *arguments = command.split()
    run(name, monkeypatch, *arguments, "--quick")
    said = capfd.readouterr().out
    lines = said.splitlines()
    assert "rankforest" in lines[0], "the machine and the versions come first"
    ruled = [i for i, line in enumerate(lines) if line.startswith("|-")]
    assert ruled, "a benchmark prints tables"
    for i in ruled:
        assert lines[i - 1].count("|") == lines[i].count("|") == lines[i + 1].count("|"), lines[i - 1]


def test_all_are_run_together(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """run_all.py knows every script but the scoreboard, which takes many hours, and goes on where one fails."""
    started = []

    def start(command: list[str], **_: object) -> object:
        started.append(command)
        return type("Done", (), {"returncode": int("grow.py" in command[1])})

    monkeypatch.setattr("subprocess.run", start)
    with pytest.raises(SystemExit, match=r"These benchmarks did not finish: grow\."):
        run("run_all", monkeypatch, "--quick", "--no-header")
    assert sorted(Path(command[1]).stem for command in started) == [name for name in SCRIPTS if name != "scoreboard"]
    assert all(command[-1] == "--quick" for command in started)
    capsys.readouterr()


def test_absent_peers_are_left_out(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)  # as if it were not installed
    peer.cache_clear()
    assert peer("lightgbm") is None
    assert peer("lightgbm") is None
    assert capsys.readouterr().out == (
        'lightgbm is not installed and is left out: pip install "rankforest[bench]" brings it.\n\n'
    )
    run("binning", monkeypatch, "--quick", "--no-header")
    said = capsys.readouterr().out
    assert "rankforest, NumPy array" in said
    assert "LightGBM Dataset" not in said
    peer.cache_clear()


def test_stand_ins_have_the_form_of_the_sets(capsys: pytest.CaptureFixture[str]) -> None:
    with data_folder(None, quick=True) as folder:
        assert folder is not None
        for name in STAND_INS:
            X, y = SETS[name].table(folder)
            assert 0.05 < y.mean() < 0.95
            assert len(X) == len(y)
        assert X.dtypes.map(lambda dtype: isinstance(dtype, pd.CategoricalDtype)).all()  # car
    assert not folder.exists()
    assert capsys.readouterr().out.startswith("No --data folder: small artificial tables stand in for sonar, ")


def test_where_the_real_sets_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with data_folder(tmp_path, quick=True) as given, data_folder(None, quick=False, beside=tmp_path) as beside:
        assert given == beside == tmp_path
    assert capsys.readouterr().out == ""
    with data_folder(tmp_path / "nowhere", quick=True) as absent, data_folder(None, quick=False) as none:
        assert absent is none is None
    assert capsys.readouterr().out == (
        f"There is no folder {tmp_path / 'nowhere'}: the real sets are left out.\n\n"
        "No --data folder was given: the real sets are left out.\n\n"
    )
