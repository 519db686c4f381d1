"""Loads and scores many mutated model files in a separate process, which detects crashes and hangs.

    python tests/storage/fuzz.py --mutants 100000

A mutant passes if it is refused as a model file, or if the model scores. Everything else is listed with the number that
makes it again, and the exit code is 1.
"""

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

_SECONDS = 60  # that one mutant may take; the first one waits for the imports
_MEMORY = 4 << 30
_REPORT = 1000  # mutants between two reports


def _work(files, first, last, at, connection):
    """Mutants `first` to `last` - 1; `at` always holds the number of the present one."""
    import faulthandler
    import resource

    import numpy as np

    from mutants import fresh_rows, mutant, outcome
    from rankforest import load_model

    faulthandler.enable()
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # a sanitizer maps terabytes of addresses
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    rows, names, counts = fresh_rows(), sorted(files), Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mutant.rankforest"
        path.write_bytes(files[names[0]])
        features = load_model(path).schema_
        for number in range(first, last):
            at.value = number
            name = names[number % len(names)]
            data = mutant(files[name], np.random.default_rng(number))
            try:
                counts[outcome(data, path, rows, features)] += 1
            except Exception:
                connection.send((number, f"{name}: {traceback.format_exc().strip()}"))
            if (number + 1) % _REPORT == 0 or number + 1 == last:
                connection.send((number, counts))
                counts = Counter()
    at.value = last


def run(n_mutants, first=0, *, tell=print):
    """Counts of outcomes, and the failures by number."""
    from mutants import file_of, fitted, models

    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for name, model in models().items():
            files[name] = file_of(fitted(model), Path(folder))
            files[f"{name}, squeezed"] = file_of(fitted(model), Path(folder), squeezed=True)
    context = multiprocessing.get_context("spawn")
    counts, failures, started = Counter(), {}, time.time()
    last = first + n_mutants

    def take(number, found):
        if isinstance(found, Counter):
            counts.update(found)
            tell(f"up to {number + 1}: {time.time() - started:.0f} s, {dict(counts)}, {len(failures)} failures")
        else:
            failures[number] = found
            tell(f"{number}: {found}")

    while first < last:
        receiver, sender = context.Pipe(duplex=False)
        at = context.Value("q", first, lock=False)
        process = context.Process(target=_work, args=(files, first, last, at, sender))
        process.start()
        sender.close()
        before, since = first, time.time()
        while process.is_alive():
            if receiver.poll(0.5):
                try:
                    take(*receiver.recv())
                except EOFError:
                    process.join()
            if at.value != before:
                before, since = at.value, time.time()
            elif time.time() - since > _SECONDS:
                process.kill()
                process.join()
                take(before, "hangs")
        try:
            while receiver.poll():
                take(*receiver.recv())
        except EOFError:
            pass
        if at.value < last and at.value not in failures:
            take(at.value, f"crashes with code {process.exitcode}")
        first = at.value + 1 if at.value < last else last
    return counts, failures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    found, failed = run(given.mutants, given.first, tell=lambda text: print(text, flush=True))
    print(dict(found), f"{len(failed)} failures")
    sys.exit(bool(failed))
