"""Counts the bytes that travel between the client and the partitions."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from threading import Lock
from typing import Any

__all__ = ["Traffic", "n_bytes"]


def n_bytes(something: Any) -> int:
    """Size of an object when it is sent.

    Examples
    --------
    >>> import numpy as np
    >>> 8000 < n_bytes(np.zeros(1000)) < 8500
    True
    """
    buffers: list[pickle.PickleBuffer] = []
    stream = pickle.dumps(something, protocol=5, buffer_callback=buffers.append)
    return len(stream) + sum(buffer.raw().nbytes for buffer in buffers)


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
