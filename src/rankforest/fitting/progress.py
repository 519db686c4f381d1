"""Progress of a long fit: reported to a function, or drawn as a bar on a terminal."""

from __future__ import annotations

import multiprocessing
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from types import TracebackType
from typing import Any

__all__ = ["Meter", "part_of_progress", "progress"]

_PATIENCE = 2.0  # seconds before a bar appears; a short fit draws none
_WIDTH = 30

# Each thread has its own setting, so fits that run in parallel do not mix their progress.
_TO: ContextVar[Any] = ContextVar("progress", default="auto")


@contextmanager
def progress(to: Any) -> Iterator[None]:
    """Report the progress of the fits in the block. Progress is a setting of a run, not of a model.

    Parameters
    ----------
    to : "auto", callable or None
        A callable is called with (done, total): trees of a forest, rounds of boosting. None is silent. "auto", the
        default outside of any block, draws a bar if a fit takes more than two seconds and runs in a terminal. Threads
        and processes that a program starts (`joblib`, `GridSearchCV(n_jobs=2)`) draw none, unless they open a block
        of their own.

    Examples
    --------
    >>> from rankforest import LeafRank, RankingForest, progress
    >>> from rankforest.data import simulate
    >>> sample, told = simulate.rf20(200, random_state=0), []
    >>> with progress(lambda done, total: told.append((done, total))):
    ...     forest = RankingForest(30, splitter=LeafRank(), random_state=0).fit(sample.X, sample.y)
    >>> told[-1]
    (30, 30)
    """
    if not (to is None or callable(to) or (isinstance(to, str) and to == "auto")):
        raise ValueError(f"progress is {to!r}; give 'auto', None or a function of (done, total).")
    token = _TO.set(to)
    try:
        yield
    finally:
        _TO.reset(token)


@contextmanager
def part_of_progress(start: float, end: float) -> Iterator[None]:
    """Report the fits in the block as a part of a longer run: from share `start` to share `end`, in thousandths."""
    tell = _TO.get()
    if not callable(tell):
        yield
        return
    with progress(lambda done, total: tell(round(1000 * (start + (end - start) * min(1.0, done / total))), 1000)):
        yield
    tell(round(1000 * end), 1000)


def _at_terminal() -> bool:
    """Whether to draw a bar: only the main thread of the main process does, and only on a terminal."""
    alone = threading.current_thread() is threading.main_thread() and multiprocessing.parent_process() is None
    return alone and sys.stderr is not None and sys.stderr.isatty()


class Meter:
    """Counts finished trees or rounds. A context manager, so that the bar is always removed at the end.

    It reports as `progress` was set where the meter is created; `tick` can be called from any thread.

    Parameters
    ----------
    total : int
    unit : str
        Name of what is counted, shown in the bar.
    """

    def __init__(self, total: int, unit: str = "trees") -> None:
        to = _TO.get()
        self.total = total
        self.unit = unit
        self.done = 0
        self._tell: Callable[[int, int], None] | None = to if callable(to) else None
        self._bar = to == "auto" and _at_terminal()
        self._drawn = False
        self._lock = Lock()

    def __enter__(self) -> Meter:
        self._start = self._last = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    @property
    def tick(self) -> Callable[[int], None] | None:
        """Callback for the growers, called after every tree; None if nothing is reported."""
        return self._tick if self._tell is not None or self._bar else None

    def _tick(self, tree: int) -> None:
        with self._lock:
            self.done += 1
            if self._tell is not None:
                self._tell(self.done, self.total)
            now = time.monotonic()
            if self._bar and now - self._start > _PATIENCE and now - self._last > 0.1:
                self._last = now
                self._draw(now)

    def _draw(self, now: float) -> None:
        share = min(1.0, self.done / self.total)
        full = round(share * _WIDTH)
        left = (now - self._start) * (1.0 - share) / share
        bar = "#" * full + "." * (_WIDTH - full)
        sys.stderr.write(f"\r[{bar}] {self.done} of {self.total} {self.unit}, {left:.0f} s left\x1b[K")
        sys.stderr.flush()
        self._drawn = True
