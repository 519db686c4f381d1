"""Work is completed even if the system starts only one thread or none."""

import subprocess
import sys

import pytest

resource = pytest.importorskip("resource")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the address space is limited on Linux")

STACK = 1 << 28  # bytes that a new thread asks for

# The limit is set late: what has been loaded stays, and the heap may grow, but not by a stack more than wanted.
SCRIPT = """
import os, pickle, resource, signal, sys, threading, time
import numpy as np
from rankforest import _core
from rankforest.data.binning import BinnedTable, Bins

what, room = sys.argv[1], int(sys.argv[2])
n, q = 40_000, 8
rng = np.random.default_rng(0)
codes = np.column_stack([rng.permutation(n) % 200 + 1 for _ in range(q)]).astype(np.uint8)
values = (np.arange(1.0, 201.0),) * q
table = BinnedTable(codes, Bins(tuple(v[:-1] for v in values), values, np.zeros(q, dtype=bool))).core
labels = rng.integers(0, 2, n).astype(np.uint8)
params = _core.MasterParams()

def grow(n_trees, depth):
    params.max_depth = depth
    return pickle.dumps(_core.grow(table, labels, None, 1.0, params, 0, True, n_trees, 0, 4))

def limit():
    used = int(open("/proc/self/statm").read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + room, used + room))

def threads_that_start():
    done, threads = threading.Event(), []
    try:
        for _ in range(3):
            thread = threading.Thread(target=done.wait)
            thread.start()
            threads.append(thread)
    except RuntimeError:
        pass
    done.set()
    for thread in threads:
        thread.join()
    return len(threads)

if what == "interrupt":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    limit()
    try:
        grow(10_000, 20)
        print("never")
    except KeyboardInterrupt:
        print("stopped")
else:
    n_trees, free = int(what), grow(int(what), 3)
    limit()
    print(threads_that_start(), grow(n_trees, 3) == free)
"""


def run(what: str, room: int) -> list[str]:
    def large_stacks() -> None:
        _, most = resource.getrlimit(resource.RLIMIT_STACK)
        resource.setrlimit(resource.RLIMIT_STACK, (STACK, most))

    try:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, what, str(room)],
            capture_output=True,
            text=True,
            timeout=120,
            preexec_fn=large_stacks,
        )
    except subprocess.SubprocessError:
        pytest.skip("the size of a stack may not be raised here")
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("n_trees", ["1", "20"])
@pytest.mark.parametrize("n_threads", [0, 1])
def test_fewer_threads_give_the_same_trees(n_trees: str, n_threads: int) -> None:
    assert run(n_trees, STACK * (2 * n_threads + 1) // 2) == [str(n_threads), "True"]


def test_the_calling_thread_can_be_interrupted() -> None:
    assert run("interrupt", STACK // 2) == ["stopped"]
