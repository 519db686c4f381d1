"""Progress: told to a function, or drawn where somebody sits at a terminal."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

from rankforest.fitting.progress import Meter


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that goes one second further at every look."""
    seconds = [0.0]

    def now() -> float:
        seconds[0] += 1.0
        return seconds[0]

    monkeypatch.setattr("rankforest.fitting.progress.time.monotonic", now)
    return seconds


def run(meter: Meter, trees: int) -> None:
    with meter:
        for tree in range(trees):
            assert meter.tick is not None
            meter.tick(tree)


def test_a_function_is_told_every_tree(no_patience: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[int, int]] = []
    run(Meter(lambda done, total: told.append((done, total)), 5), 5)
    assert told == [(k, 5) for k in range(1, 6)]
    assert capsys.readouterr() == ("", "")


def test_a_bar_on_a_terminal(no_patience: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    run(Meter("auto", 4), 4)
    said = terminal.getvalue()
    assert "of 4 trees" in said
    assert "[##############################] 4 of 4 trees, 0 s left" in said
    assert said.endswith("\r\x1b[K")  # wiped


def test_the_bar_is_wiped_after_an_error(no_patience: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    meter = Meter("auto", 9)

    def interrupted() -> None:
        with meter:
            for tree in range(4):
                assert meter.tick is not None
                meter.tick(tree)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert "4 of 9 trees" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_a_short_fit_needs_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    run(Meter("auto", 4), 4)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("stream", [io.StringIO(), None])
def test_nobody_at_a_terminal_no_bar(stream: Any, no_patience: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    assert Meter("auto", 4).tick is None
    assert Meter(None, 4).tick is None


@pytest.mark.parametrize("progress", [True, "bar", 3])
def test_other_ways_are_refused(progress: Any) -> None:
    with pytest.raises(ValueError, match=r"^progress is .*; give 'auto', None or a function of \(done, total\)\.$"):
        Meter(progress, 4)
