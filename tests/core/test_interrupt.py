"""Ctrl-C stops long work soon, with KeyboardInterrupt, and leaves a process that can go on."""

import subprocess
import sys

import pytest

# Run in a process of its own, so that a signal that goes astray does not end the test session. The table has a bin for
# every row, so that one tree alone takes much longer than the tenth of a second after which it is interrupted.
SCRIPT = """
import os, signal, sys, threading, time
import numpy as np
from rankforest import _core
from rankforest.data.binning import BinnedTable, Bins

n, q, n_trees, n_threads = 40_000, 8, int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(0)
codes = np.column_stack([rng.permutation(n) + 1 for _ in range(q)]).astype(np.uint16)
values = (np.arange(1.0, n + 1),) * q
table = BinnedTable(codes, Bins(tuple(v[:-1] for v in values), values, np.zeros(q, dtype=bool))).core
labels = rng.integers(0, 2, n).astype(np.uint8)
params = _core.MasterParams()
pressed = []

def grow(n_trees):
    if sys.argv[3] == "two classes":
        return _core.grow(table, labels, None, 1.0, params, 0, True, n_trees, 0, n_threads)
    if sys.argv[3] == "held-out":
        rows = np.arange(n, dtype=np.int32)
        samples = [(rows, None, 1.0, params)] * n_trees
        return _core.grow_held_out(table, labels, samples, _core.HeldOutParams(), 0, n_threads)
    inner = params.inner
    inner.criterion, inner.levels = 2, [0.0, 1.0]
    return _core.grow_ordinal(table, labels, None, 1.0, inner, 0, 0, True, n_trees, 0, n_threads)

signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in processes that run in the background

def press():
    pressed.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(0.1, press).start()
try:
    grow(n_trees)
    print("never")
except KeyboardInterrupt:
    print(time.monotonic() - pressed[0])
params.max_depth, inner = 2, params.inner
inner.max_depth = 2
params.inner = inner
print(len(grow(2)))
"""


@pytest.mark.parametrize(
    ("n_trees", "n_threads", "labels"),
    [
        (1, 1, "two classes"),
        (1, 2, "two classes"),
        (10_000, 1, "two classes"),
        (10_000, 2, "two classes"),
        (1, 1, "ordered"),
        (10_000, 2, "ordered"),
        (1, 1, "held-out"),
        (3, 2, "held-out"),
    ],
)
def test_interrupt(n_trees: int, n_threads: int, labels: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(n_trees), str(n_threads), labels],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    seconds, trees_grown_later = done.stdout.split()
    assert seconds != "never"
    assert float(seconds) < 5.0
    assert trees_grown_later == "2"
