"""Ctrl-C stops boosting soon, and leaves the model as it was."""

import subprocess
import sys

import pytest

# in a process of its own, so that a signal that goes astray does not end the test session
SCRIPT = """
import os, signal, sys, threading
from rankforest import RankBoost
from rankforest.data import simulate

sample = simulate.rf20(2000, random_state=0)
model = RankBoost(3, n_folds=2, n_jobs=int(sys.argv[1]), random_state=0).fit(sample.X, sample.y)
before = model.score_samples(sample.X[:5]).tolist()
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in processes that run in the background
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    model.set_params(n_estimators=10**6, n_folds__n_iter_no_change=10**6).fit(sample.X, sample.y)  # would take hours
    print("never")
except KeyboardInterrupt:
    print("stopped", model.score_samples(sample.X[:5]).tolist() == before)
"""


@pytest.mark.parametrize("n_threads", [1, 2])
def test_interrupt(n_threads: int) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(n_threads)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["stopped", "True"]
