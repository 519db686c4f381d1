"""Counts the bytes that travel between the client and the partitions."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from threading import Lock
from types import FunctionType
from typing import Any

import numpy as np

__all__ = ["Traffic", "n_bytes"]


def n_bytes(something: Any) -> int:
    """Size of an object when it is sent, to within the bytes that describe its parts.

    Arrays and lists of them, the answers of partitions, are measured without being pickled.

    Examples
    --------
    >>> import numpy as np
    >>> 8000 < n_bytes(np.zeros(1000)) < 8500
    True
    """
    plain = _plain_bytes(something)
    if plain is not None:
        return plain
    buffers: list[pickle.PickleBuffer] = []
    stream = pickle.dumps(something, protocol=5, buffer_callback=buffers.append)
    return len(stream) + sum(buffer.raw().nbytes for buffer in buffers)


_HEADER = 128  # what pickle writes about an array
_NUMBER = 8
_MESSAGES = f"{__package__}."
_NUMBERS = (int, float, bool, type(None))


def _plain_bytes(something: Any) -> int | None:
    """Size of arrays, numbers, text, functions, lists and messages of this package; None if anything else is inside."""
    kind = type(something)
    if kind is FunctionType:
        return len(something.__module__) + len(something.__qualname__)
    if kind.__module__.startswith(_MESSAGES):
        something, kind = list(vars(something).values()), list
    if kind is np.ndarray:
        return None if something.dtype.hasobject else something.nbytes + _HEADER
    if kind is list or kind is tuple:
        total = _NUMBER
        for one in something:
            size = _plain_bytes(one)
            if size is None:
                return None
            total += size
        return total
    if kind is str or kind is bytes:
        return len(something) + _NUMBER
    return _NUMBER if kind in _NUMBERS or isinstance(something, np.generic) else None


@dataclass
class Traffic:
    """What travelled so far.

    Attributes
    ----------
    sent : int
        Bytes of arguments, from the client to the partitions.
    received : int
        Bytes of results; of a sum up a tree, those of one partition.
    calls : int
        Number of rounds: calls that wait for all partitions.
    """

    sent: int = 0
    received: int = 0
    calls: int = 0

    def __post_init__(self) -> None:
        self._lock = Lock()

    def count(self, sent: int, received: int, calls: int = 1) -> None:
        with self._lock:
            self.sent += sent
            self.received += received
            self.calls += calls
