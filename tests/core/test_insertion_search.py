"""The local search ends at a local optimum of single insertions, and never gets worse."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_consensus as naive
import rankings
from rankforest import _core


def search(
    margin: np.ndarray,
    tied: np.ndarray,
    start: list[int],
    strict: bool,
    n_restarts: int = 1,
    n_kicks: int = 0,
    seed: int = 0,
    n_threads: int = 1,
) -> list[int]:
    levels, _ = _core.insertion_search(
        margin, tied, np.array(start, dtype=np.int32), strict, n_restarts, n_kicks, seed, n_threads
    )
    return levels.tolist()


@settings(max_examples=150, deadline=None)
@given(rankings.profiles(most_items=6, most_rankings=5), st.booleans(), st.booleans(), st.integers(0, 20), st.data())
def test_no_insertion_helps(
    profile: rankings.Rows, strict: bool, weighted: bool, n_kicks: int, data: st.DataObject
) -> None:
    n = len(profile[0])
    weights = data.draw(rankings.weights(n)) if weighted else None
    start = data.draw(rankings.ranking(n))
    w = None if weights is None else np.array(weights, dtype=np.float64)
    margin, tied = _core.pair_gains(np.array(profile, dtype=np.float64), None, w, 1)
    found = search(margin, tied, start, strict, n_restarts=2, n_kicks=n_kicks)
    assert set(found) == set(range(max(found) + 1))
    reached = naive.cost(profile, found, weights)
    if strict:
        assert len(set(found)) == n
    begun = [(level, k) for k, level in enumerate(start)] if strict else [(level, 0) for level in start]
    assert reached <= naive.cost(profile, [sorted(begun).index(x) for x in begun], weights)
    for other in naive.insertions(found):
        if not strict or len(set(other)) == n:
            assert naive.cost(profile, other, weights) >= reached


@pytest.mark.parametrize("weighted", [False, True])
def test_the_number_of_threads_does_not_matter(weighted: bool) -> None:
    rng = np.random.default_rng(0)
    profile = rng.integers(0, 20, (6, 60)).astype(float)
    margin, tied = _core.pair_gains(profile, None, rng.random(60) if weighted else None, 1)
    runs = [search(margin, tied, [0] * 60, False, 5, 50, seed=3, n_threads=t) for t in (1, 2, 5)]
    assert runs[0] == runs[1] == runs[2]
    assert runs[0] != search(margin, tied, [0] * 60, False, 5, 50, seed=4)


SCRIPT = """
import os, signal, threading, time
import numpy as np
from rankforest import _core

profile = np.random.default_rng(0).random((5, 1500))
margin, tied = _core.pair_gains(profile, None, None, 2)
signal.signal(signal.SIGINT, signal.default_int_handler)
pressed = []

def press():
    pressed.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(0.3, press).start()
try:
    _core.insertion_search(margin, tied, np.zeros(1500, dtype=np.int32), False, 4, 100_000_000, 0, 2)
    print("never")
except KeyboardInterrupt:
    print(time.monotonic() - pressed[0])
"""


def test_interrupt() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 5.0
