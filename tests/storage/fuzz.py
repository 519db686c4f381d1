"""Many mutated model files, loaded and scored in a process of its own, so that a crash or a hang is noticed.

    python tests/storage/fuzz.py --mutants 100000

A mutant passes if it is refused as a model file, or if the model scores. Everything else is listed with the number that
makes it again, and the exit code is 1.
"""

import argparse
import multiprocessing
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

_SECONDS = 30  # that one mutant may take
_MEMORY = 4 << 30


def _work(files, first, last, connection):
    import faulthandler
    import resource

    import numpy as np

    from mutants import fresh_rows, mutant, outcome
    from rankforest import load_model
    from rankforest.storage.estimators import schema_of

    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    rows, names = fresh_rows(), sorted(files)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mutant.rankforest"
        path.write_bytes(files[names[0]])
        features = schema_of(load_model(path))
        for number in range(first, last):
            connection.send((number, "begins"))
            name = names[number % len(names)]
            data = mutant(files[name], np.random.default_rng(number))
            try:
                found = outcome(data, path, rows, features)
            except Exception:
                found = f"{name}: " + traceback.format_exc().strip()
            connection.send((number, found))
    connection.send((last, "done"))


def run(n_mutants, first=0, *, tell=print):
    """Counts of outcomes, and the failures by number."""
    from mutants import file_of, fitted, models

    with tempfile.TemporaryDirectory() as folder:
        files = {name: file_of(fitted(model), Path(folder)) for name, model in models().items()}
    counts, failures = Counter(), {}
    at, last = first, first + n_mutants
    started = time.time()
    context = multiprocessing.get_context("spawn")
    while at < last:
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(files, at, last, sender))
        process.start()
        sender.close()
        waiting = 120  # the process imports first
        while True:
            try:
                number, what = receiver.recv() if receiver.poll(waiting) else (at, "hangs")
            except EOFError:
                number, what = at, "crashes"
            waiting = _SECONDS
            if what == "begins":
                at = number
                continue
            if what == "done":
                at = last
                break
            if what in ("refused", "scores", "other table"):
                counts[what] += 1
            else:
                counts["failures"] += 1
                failures[number] = what
                tell(f"{number}: {what}")
            if what in ("hangs", "crashes"):
                process.kill()
                at = number + 1
                break
            if (number + 1) % 10_000 == 0:
                tell(f"{number + 1} mutants, {time.time() - started:.0f} s, {dict(counts)}")
        process.join()
    return counts, failures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    found, failed = run(given.mutants, given.first, tell=lambda text: print(text, flush=True))
    print(dict(found))
    sys.exit(bool(failed))
