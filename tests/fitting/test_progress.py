"""Progress: reported to a function, or drawn on a terminal."""

from __future__ import annotations

import io
import sys
import threading
from typing import Any

import pytest

from rankforest.fitting.progress import Meter, part_of_progress, progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that advances by one second at every call."""
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
    with progress(lambda done, total: told.append((done, total))):
        meter = Meter(5)
    run(meter, 5)  # who is told was settled when the meter was made
    assert told == [(k, 5) for k in range(1, 6)]
    assert capsys.readouterr() == ("", "")


def test_a_bar_on_a_terminal(no_patience: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    run(Meter(4), 4)
    said = terminal.getvalue()
    assert "of 4 trees" in said
    assert "[##############################] 4 of 4 trees, 0 s left" in said
    assert said.endswith("\r\x1b[K")  # wiped


def test_the_bar_is_wiped_after_an_error(no_patience: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    meter = Meter(9)

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
    run(Meter(4), 4)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("stream", [io.StringIO(), None])
def test_nobody_at_a_terminal_no_bar(stream: Any, no_patience: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    assert Meter(4).tick is None
    with progress(None):
        assert Meter(4).tick is None


@pytest.mark.parametrize("to", [True, "bar", 3])
def test_other_ways_are_refused(to: Any) -> None:
    message = r"^progress is .*; give 'auto', None or a function of \(done, total\)\.$"
    with pytest.raises(ValueError, match=message), progress(to):
        pass


def test_blocks_end_with_what_held_before() -> None:
    outer: list[tuple[int, int]] = []

    def enough() -> None:
        with progress(None):
            raise RuntimeError

    with progress(lambda *count: outer.append(count)):
        with pytest.raises(RuntimeError):
            enough()
        run(Meter(1), 1)
    assert outer == [(1, 1)]
    assert Meter(1).tick is None


def test_progress_is_separate_in_each_thread() -> None:
    """Two fits side by side, each in a block of its own, while the main thread is in a third."""
    told: dict[str, list[tuple[int, int]]] = {name: [] for name in ("main", "one", "two")}
    both = threading.Barrier(2)

    def work(name: str, total: int) -> None:
        with progress(lambda *count: told[name].append(count)):
            both.wait()
            run(Meter(total), total)

    with progress(lambda *count: told["main"].append(count)):
        threads = [threading.Thread(target=work, args=given) for given in (("one", 2), ("two", 3))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert told == {"main": [], "one": [(1, 2), (2, 2)], "two": [(1, 3), (2, 3), (3, 3)]}


def test_only_the_main_thread_draws_a_bar(no_patience: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(Meter(4).tick))
    thread.start()
    thread.join()
    assert found == [None]
    assert Meter(4).tick is not None
    monkeypatch.setattr("rankforest.fitting.progress.multiprocessing.parent_process", lambda: "a program")
    assert Meter(4).tick is None


def test_a_part_is_told_in_thousandths_of_the_whole() -> None:
    told: list[tuple[int, int]] = []
    with progress(lambda *count: told.append(count)):
        with part_of_progress(0.0, 0.2):
            run(Meter(2), 2)
        with part_of_progress(0.2, 1.0):
            run(Meter(4), 4)
    shares = [100, 200, 200, 400, 600, 800, 1000, 1000]  # the end of a part is told once more, with or without a meter
    assert told == [(share, 1000) for share in shares]
    with progress(None), part_of_progress(0.0, 0.5):
        assert Meter(2).tick is None
