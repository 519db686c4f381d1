"""What commands print: tables for people, JSON for scripts, a bar while they wait."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ._printable import printable

__all__ = ["bar", "between", "print_json", "print_table", "say", "share_of"]


def say(text: str = "") -> None:
    """A line on standard output, without control characters."""
    print(printable(text))


def print_json(found: Any) -> None:
    """Print one JSON object; NaN and infinite numbers become null."""
    text = json.dumps(plain(found), indent=2, ensure_ascii=False, allow_nan=False)
    print(re.sub("[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text))  # JSON escapes the others


def plain(value: Any) -> Any:
    """Plain Python values for JSON, from NumPy values.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"a": np.arange(2), "b": np.float64("nan")})
    {'a': [0, 1], 'b': None}
    """
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, title: str | None = None, left: int = 1) -> None:
    """A table: the first `left` columns to the left, the others, figures, to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold", pad_edge=False)
    for j, name in enumerate(head):
        table.add_column(name, justify="left" if j < left else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))  # plain text, so that brackets are not read as markup
    # A pipe has no width, so nothing is wrapped.
    console = Console(width=None if sys.stdout.isatty() else 240, highlight=False)
    lines = console.render_lines(table, pad=False)
    if console.is_terminal:
        console.print(table)
    else:
        print("\n".join("".join(part.text for part in line).rstrip() for line in lines))


@contextmanager
def bar(what: str, *, quiet: bool = False) -> Iterator[Callable[[float], None]]:
    """A progress bar on standard error; removed at the end, and not drawn in a pipe.

    Yields a function to call with the finished share. As long as it was not called, the bar moves from side to side.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda share: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda share: progress.update(task, total=1.0, completed=share)


def between(tell: Callable[[float], None], start: float, end: float) -> Callable[[int, int], None]:
    """A part of a bar as `progress` calls it, from one share to another; it never goes back.

    Examples
    --------
    >>> told = []
    >>> part = between(told.append, 0.5, 1.0)
    >>> part(1, 2), part(1, 4), part(2, 2), told
    (None, None, None, [0.75, 1.0])
    """
    furthest = start

    def tell_part(done: int, total: int) -> None:
        nonlocal furthest
        share = start + (end - start) * min(1.0, done / max(1, total))
        if share > furthest:
            furthest = share
            tell(share)

    return tell_part


def share_of(tell: Callable[[float], None]) -> Callable[[int, int], None]:
    """A bar as `progress` calls it: with what is done and the total."""
    return lambda done, total: tell(done / max(1, total))
