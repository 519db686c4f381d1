"""The scoreboard's page and its pictures, made of the newest dated file of each scoreboard."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from _price_picture import draw_prices
from _scoreboard_parts import DRAWN, Published, large_part, small_part
from _scoreboard_picture import draw
from _scoreboard_stats import prices

__all__ = ["in_markdown", "newest", "publish", "read_published", "write_page"]

_INTRO = """\
Two scoreboards compare our models, which are in bold, with those of other libraries: one on tables of [up to 10 000
rows](#up-to-10-000-rows), one on [large tables](#large-tables). The other models are named by their library; [a
table](#models) has the setting of each. Words such as local AUC are in the [glossary](glossary.md). In one picture,
the average rank by AUC against the processor seconds of a fit (the geometric mean over the sets), by the number of
rows to learn from:"""
_HOW = """\
This page is generated from these files. To generate it again, and to run the benchmarks:

```
python benchmarks/scoreboard.py --page
python benchmarks/scoreboard.py --data FOLDER --results FILE --jobs 2
python benchmarks/scoreboard.py --results FILE --repeats 0 --publish
python benchmarks/scoreboard.py --large --data FOLDER --results LARGE_FILE
python benchmarks/scoreboard.py --large --results LARGE_FILE --repeats 0 --publish
```"""


def publish(columns: Sequence[str], rows: Iterable[Sequence[str]], about: dict[str, Any], path: Path) -> None:
    """Write the figures as CSV, and versions and machine as JSON next to it."""
    path.parent.mkdir(exist_ok=True)
    _replace(path.with_suffix(".json"), json.dumps(about, indent=1) + "\n")
    _replace(path, "".join(",".join(row) + "\n" for row in (columns, *rows)))


def read_published(path: Path) -> Published:
    return Published(pd.read_csv(path), json.loads(path.with_suffix(".json").read_text()), path.name)


def newest(folder: Path, stem: str) -> Path | None:
    """The last dated file of a scoreboard; None if there is none yet."""
    return max(folder.glob(f"{stem}-[0-9]*.csv"), default=None)


def write_page(small: Path, large: Path | None, page: Path, images: Path) -> None:
    """Page and pictures of published files."""
    boards = [read_published(path) for path in (small, large) if path is not None]
    rankings = boards[0].rankings()
    ranks, price = images / "scoreboard.png", images / "scoreboard-price.png"
    _picture(ranks, lambda path: draw([rankings[metric] for metric in DRAWN], boards[0].about["ours"], path))
    _picture(price, lambda path: draw_prices(prices(_panels(boards)), boards[0].about["ours"], path))
    shown = {path: os.path.relpath(path, page.parent) for path in (ranks, price)}
    parts = [
        "# Scoreboard",
        _INTRO,
        f"![Average rank by AUC against processor seconds of a fit]({shown[price]})",
        "## Up to 10 000 rows",
        f"![Average ranks and critical differences]({shown[ranks]})",
        *small_part(boards[0]),
        *(["## Large tables", *large_part(boards[1])] if len(boards) > 1 else []),
        "## Run it",
        _HOW,
    ]
    _replace(page, in_markdown(parts))


def _panels(boards: Iterable[Published]) -> list[pd.DataFrame]:
    """The fits of the ranks, and those of the sets that only some of the ranked models have been through."""
    frames = [frame for board in boards for frame in (board.common, board.largest)]
    return [frame for frame in frames if frame["model"].nunique() > 2]


def in_markdown(parts: Iterable[str]) -> str:
    return "\n\n".join(part.rstrip("\n") for part in parts if part) + "\n"


def _picture(path: Path, drawn: Callable[[Path], None]) -> None:
    beside = path.with_name(f"part-{path.name}")
    drawn(beside)
    os.replace(beside, path)


def _replace(path: Path, text: str) -> None:
    beside = path.with_name(f"{path.name}.part")
    beside.write_text(text)
    os.replace(beside, path)
