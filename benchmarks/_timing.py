"""Helpers of all benchmarks: interleaved minimum times, tables, and one line about the machine.

The speed of a shared machine varies from second to second. So the competitors take turns in one process, the minimum
of several times is kept, and ratios are reported.
"""

from __future__ import annotations

import argparse
import functools
import gc
import importlib
import importlib.metadata
import json
import math
import multiprocessing
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = [
    "in_child",
    "interleaved",
    "parser",
    "peer",
    "per_extra",
    "print_header",
    "print_table",
    "processor",
    "ratio",
    "table",
    "version",
]


def interleaved(
    tasks: Mapping[str, Callable[[], Any]], repeats: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """Least seconds of each task; the tasks take turns.

    On a busy machine `time.process_time` is the better clock, for tasks of one thread.
    """
    best = dict.fromkeys(tasks, math.inf)
    gc.collect()
    gc.disable()
    try:
        for _ in range(repeats):
            for name, task in tasks.items():
                start = clock()
                result = task()
                best[name] = min(best[name], clock() - start)
                del result  # freeing is not timed
    finally:
        gc.enable()
    return best


def per_extra(
    tasks: Mapping[str, Callable[[int], Any]],
    few: int,
    many: int,
    repeats: int,
    whole: Mapping[str, Callable[[], Any]] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Seconds per extra unit (tree, round): what `many` cost beyond `few`, so that the set-up cancels out.

    The tasks of `whole` take turns with the others and are timed as they are.
    """
    turns: dict[str, Callable[[], Any]] = dict(whole or {})
    turns |= {f"{name}|{count}": partial(task, count) for name, task in tasks.items() for count in (few, many)}
    best = interleaved(turns, repeats, clock)
    extra = {name: (best[f"{name}|{many}"] - best[f"{name}|{few}"]) / (many - few) for name in tasks}
    return extra | {name: best[name] for name in whole or {}}


def in_child(script: str, *arguments: str) -> dict[str, Any]:
    """What a script prints as JSON, in its last line, when it is run in a process of its own."""
    done = subprocess.run([sys.executable, script, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def ratio(value: float, target: float | None = None) -> str:
    """A ratio as text, with its target.

    >>> ratio(3.14159, 2)
    '3.1 (target >= 2)'
    """
    text = f"{value:.1f}" if abs(value) < 20 else f"{value:.0f}"
    return text if target is None else f"{text} (target >= {target:g})"


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table with aligned columns; the first column is text, the others are numbers."""
    cells = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells)]

    def line(row: Sequence[str]) -> str:
        padded = [cell.rjust(width) if j else cell.ljust(width) for j, (cell, width) in enumerate(zip(row, widths))]
        return "| " + " | ".join(padded) + " |"

    rule = "|" + "|".join("-" * (width + 1) + (":" if j else "-") for j, width in enumerate(widths)) + "|"
    return "\n".join([line(cells[0]), rule, *map(line, cells[1:])]) + "\n"


def print_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """The table and an empty line."""
    print(table(header, rows), flush=True)


def print_header() -> None:
    """Processor, load and versions: a figure without them cannot be compared."""
    packages = ("rankforest", "numpy", "scikit-learn", "lightgbm", "catboost", "pandas")
    versions = ", ".join(f"{name} {version(name)}" for name in ("python", *packages))
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{processor()}, {os.cpu_count()} cores{load}; {platform.system()} {platform.machine()}; {versions}\n")


def version(package: str) -> str:
    if package == "python":
        return platform.python_version()
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"


def parser(description: str | None) -> argparse.ArgumentParser:
    """The options that all benchmarks have."""
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="small sizes: a look, not a result")
    options.add_argument("--no-header", action="store_true", help="leave out the line about machine and versions")
    return options


@functools.cache
def peer(package: str) -> ModuleType | None:
    """A package to compare with; if it is not installed, it is skipped with a message."""
    try:
        return importlib.import_module(package)
    except (ImportError, OSError):  # LightGBM raises OSError where the system has no libgomp
        if multiprocessing.parent_process() is None:  # printed once, not by every worker process
            print(
                f'{package} is not installed and is left out: pip install "rankforest[bench]" brings it.\n', flush=True
            )
        return None
