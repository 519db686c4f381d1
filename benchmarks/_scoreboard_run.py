"""The fits of a scoreboard in processes, side by side; what is done is kept at once."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from itertools import chain
from math import ceil
from multiprocessing.connection import Connection

import numpy as np
from _results import Results
from _scoreboard_fit import COSTS, METRICS, Done, Task, run
from _scoreboard_stats import order_file

__all__ = ["run_all"]


def run_all(tasks: list[Task], jobs: int, results: Results) -> list[str]:
    """Run the tasks in worker processes (without jobs, in this one); store the results, report failures."""
    failures = []
    done_in_order: Iterable[Done] = chain(
        _each_alone([task for task in tasks if task.alone], jobs),
        _side_by_side([task for task in tasks if not task.alone], jobs),
    )
    if jobs == 0:
        done_in_order = map(run, tasks)
    for number, done in enumerate(done_in_order, start=1):
        name, repeat, fold, model = done.task.key
        told = f"{name}, repeat {repeat}, fold {fold}, {model}"
        if done.failure is None:
            _keep(done, results)
            outcome = _outcome(dict(zip((*METRICS, *COSTS), done.figures)))
        else:
            failures.append(f"{told}: {done.failure}")
            outcome = f"failed, {done.failure}"
        print(f"{number}/{len(tasks)} {told}: {outcome}", flush=True)
    return failures


def _outcome(figures: dict[str, str]) -> str:
    if figures["AUC"] == "nan":
        return f"ended after {figures['fit seconds']} s"
    seconds = f"{figures['fit seconds']} + {figures['score seconds']} s"
    return f"AUC {figures['AUC']}, {seconds}, {figures['peak MiB']} MiB"


def _keep(done: Done, results: Results) -> None:
    """The order first, then the row: what is in the table has its order."""
    if results.path is not None and done.rows is not None:
        path = order_file(results.path, done.task.key)
        path.parent.mkdir(exist_ok=True)
        beside = path.with_suffix(".part")
        with beside.open("wb") as file:
            np.savez_compressed(file, rows=done.rows, ranks=done.ranks)
        os.replace(beside, path)
    results.add(*done.task.key, *done.figures)


def _side_by_side(tasks: list[Task], jobs: int) -> Iterator[Done]:
    if not tasks:
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from _as_done(pool, [pool.submit(run, task) for task in tasks])


def _each_alone(tasks: list[Task], jobs: int) -> Iterator[Done]:
    """Every task in a process of its own, which one thread each waits for."""
    if not tasks:
        return
    with ThreadPoolExecutor(jobs) as pool:
        yield from _as_done(pool, [pool.submit(_in_child, task) for task in tasks])


def _as_done(pool: Executor, running: list[Future[Done]]) -> Iterator[Done]:
    try:
        for future in as_completed(running):
            yield future.result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise


def _in_child(task: Task) -> Done:
    """The last that the process says: its figures, or, if the system ended it in time, those of an unfinished fit."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(task, sender))
    child.start()
    sender.close()
    said: list[Done] = []
    try:
        while True:
            said.append(receiver.recv())
    except EOFError:
        child.join()
    if child.exitcode in (0, -signal.SIGXCPU) and said:
        return said[-1]
    return Done(task, failure=f"its process ended with exit code {child.exitcode}")


def _child(task: Task, sender: Connection) -> None:
    def starting(unfinished: Done) -> None:
        if task.rules.most_seconds is not None:
            sender.send(unfinished)
            most = ceil(time.process_time() + task.rules.most_seconds)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))

    sender.send(run(task, starting))
