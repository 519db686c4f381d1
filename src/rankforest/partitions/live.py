"""States that a worker keeps with its rows, so that a question need not bring its whole history."""

from __future__ import annotations

from collections.abc import Collection
from threading import Lock
from typing import Any

__all__ = ["Live"]


class Live:
    """States of running fits, by key. They are never sent: whoever misses one makes it again from its history.

    A task that changes a state takes it out and puts it back, so that a task that runs twice cannot spoil it.
    """

    def __init__(self) -> None:
        self._states: dict[tuple[str, int], Any] = {}
        self._lock = Lock()

    def __reduce__(self) -> tuple[type[Live], tuple[()]]:
        return Live, ()

    def take(self, key: tuple[str, int]) -> Any | None:
        """The state, which then belongs to the caller; None if there is none."""
        with self._lock:
            return self._states.pop(key, None)

    def put(self, key: tuple[str, int], state: Any) -> None:
        """Keep a state."""
        with self._lock:
            self._states[key] = state

    @property
    def fits(self) -> set[str]:
        """Names of what is fitted, of the states that are kept."""
        with self._lock:
            return {name for name, _ in self._states}

    def keep_only(self, fits: Collection[str]) -> None:
        """Forget the states of all others; the first part of a key is the name of what is fitted."""
        with self._lock:
            self._states = {key: state for key, state in self._states.items() if key[0] in fits}
