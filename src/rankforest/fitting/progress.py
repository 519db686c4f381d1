"""How far a long fit has come: told to a function, or drawn as a bar where somebody sits at a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from threading import Lock
from types import TracebackType
from typing import Any

__all__ = ["Meter", "check_progress"]

_PATIENCE = 2.0  # seconds before a bar appears: a short fit needs none
_WIDTH = 30


def check_progress(progress: Any) -> None:
    """Say what is wrong with the parameter."""
    if not (progress is None or progress == "auto" or callable(progress)):
        raise ValueError(f"progress is {progress!r}; give 'auto', None or a function of (done, total).")


class Meter:
    """Counts trees, or what else takes long; a context manager, so that the bar is wiped however the work ends.

    Parameters
    ----------
    progress : "auto", callable or None
        "auto" draws a bar on a terminal; a callable is given (trees grown, trees in all); None is silent.
    total : int
    unit : str
        What is counted, as the bar says it.
    """

    def __init__(self, progress: Any, total: int, unit: str = "trees") -> None:
        check_progress(progress)
        self.total = total
        self.unit = unit
        self.done = 0
        self._tell: Callable[[int, int], None] | None = progress if callable(progress) else None
        self._bar = progress == "auto" and sys.stderr is not None and sys.stderr.isatty()
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
        """What the growers call after every tree; None where nobody listens."""
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
