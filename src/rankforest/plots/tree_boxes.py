"""Where the boxes of a drawn ranking tree are, how large they are, and what they say. Lengths are in inches."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankforest.data.positive_words import PositiveWords
from rankforest.words import percent, rows

__all__ = ["DROP", "FONT", "LETTER", "LINE", "MARGIN", "PAD", "Box", "TreeNode", "free_place", "lay_out", "that_are"]

# For a figure of default size.
_COLUMN = 1.06  # width given to a leaf
_GAP = 0.12  # least space between boxes side by side
DROP = 0.46  # space between a box and the row below it
MARGIN = 0.2
PAD = 0.07  # between the frame of a box and its text
_INSETS = (1.8, 1.4)  # sizes of the ROC curve, the larger one if there is room
_WIDEST = 2.9  # box of a split
FONT = 7.5  # points
LINE = 1.28 * FONT / 72
LETTER = 0.58 * FONT / 72  # mean width of a letter, rounded up


@dataclass(frozen=True)
class TreeNode:
    """A box of the picture.

    Attributes
    ----------
    cell : int
        Master node.
    parent : int
        Its parent, -1 for the root.
    better : bool
        Whether it is the left child.
    depth : int
    column : float
        Horizontal position: leaves are at 0, 1, 2, ..., a split is midway between its children.
    rows, rate, lift : float
    strata : tuple of int
        First and last stratum inside, from 0.
    is_split : bool
        Whether its split is drawn.
    rule : tuple of str
        Lines on the left side of the split, where positives are more likely; empty for a leaf.
    """

    cell: int
    parent: int
    better: bool
    depth: int
    column: float
    rows: float
    rate: float
    lift: float
    strata: tuple[int, int]
    is_split: bool
    rule: tuple[str, ...]


@dataclass(frozen=True)
class Box:
    """A box: centre and top in inches, size, and the lines of its text (the first one in bold)."""

    node: TreeNode
    x: float
    top: float
    width: float
    height: float
    lines: tuple[str, ...]


def lay_out(nodes: tuple[TreeNode, ...], positive: PositiveWords) -> tuple[list[Box], float, float]:
    """Boxes, and width and height of the figure; y grows downwards. Each level is as high as its highest box."""
    levels: dict[int, list[TreeNode]] = {}
    for node in sorted(nodes, key=lambda node: node.column):
        levels.setdefault(node.depth, []).append(node)
    n_columns = sum(not node.is_split for node in nodes)
    width = max(n_columns * _COLUMN, _WIDEST) + 2 * MARGIN
    left = (width - n_columns * _COLUMN) / 2
    leaf_width = _COLUMN - _GAP
    boxes: list[Box] = []
    top = MARGIN
    for depth in sorted(levels):
        level = levels[depth]
        places = [left + (node.column + 0.5) * _COLUMN for node in level]
        row: list[Box] = []
        for i, node in enumerate(level):
            room = 2 * min(places[i], width - places[i]) - 2 * MARGIN
            for k in (i - 1, i + 1):
                if 0 <= k < len(level):
                    apart = abs(places[k] - places[i]) - _GAP
                    # two splits share the space between them; a leaf has its own width
                    room = min(room, apart if level[k].is_split else 2 * apart - leaf_width)
            widest = max(min(room, _WIDEST), leaf_width) if node.is_split else leaf_width
            lines = tuple(_wrapped(node, positive, int((widest - 2 * PAD) / LETTER)))
            longest = max(_text_width(line, bold=k == 0) for k, line in enumerate(lines)) + 2.6 * PAD
            size = min(widest, max(longest, leaf_width)) if node.is_split else leaf_width
            row.append(Box(node, places[i], top, size, len(lines) * LINE + 2 * PAD, lines))
        boxes += row
        top += max(box.height for box in row) + DROP
    by_cell = {box.node.cell: box for box in boxes}
    return [by_cell[node.cell] for node in nodes], width, top - DROP + MARGIN


def that_are(positive: PositiveWords) -> str:
    return positive.of_rows if positive.of_rows.startswith("with ") else f"that are {positive.of_rows}"


def _wrapped(node: TreeNode, positive: PositiveWords, letters: int) -> Iterator[str]:
    """Wrap the text of a box at this number of letters."""
    first, last = node.strata
    if node.is_split:
        yield f"{rows(node.rows)}, {percent(node.rate)}"
        for i, line in enumerate(node.rule):
            lead = f"{positive.more_likely_if} " if i == 0 else ""
            whole = re.sub(r"(?<=\d) (?=\d{3})", "\u00a0", lead + line)  # do not break a line inside a number
            yield from textwrap.wrap(whole, letters, subsequent_indent="      ")
    else:
        yield f"stratum {first + 1}" if first == last else f"strata {first + 1}–{last + 1}"
        yield rows(node.rows)
        yield percent(node.rate)
        yield f"lift {node.lift:.2f}"


def _text_width(line: str, *, bold: bool) -> float:
    """Width of a line in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=FONT, weight="bold" if bold else "normal")
    return text_to_path.get_text_width_height_descent(line, font, False)[0] / 72


def free_place(boxes: list[Box], width: float, height: float) -> tuple[tuple[float, float, float, float], float, float]:
    """Position of the ROC curve: in free space above or below the branches, else to the right of a widened figure.

    Returns its bounds, and the size of the picture.
    """
    taken = [(b.x - b.width / 2, b.x + b.width / 2, b.top, b.top + b.height) for b in boxes]
    by_cell = {box.node.cell: box for box in boxes}
    for child in boxes:
        if child.node.parent >= 0:
            parent = by_cell[child.node.parent]
            low, high = sorted((parent.x, child.x))
            taken.append((low - 0.15, high + 0.15, parent.top + parent.height, child.top))
    labels = 0.55  # title, ticks and a margin
    for inset in _INSETS:
        size = inset + labels
        for y in (0.0, height - size):
            for x in np.linspace(width - size, 0.0, 60) if width >= size and height >= size else ():
                if not any(x0 < x + size and x1 > x and y0 < y + size and y1 > y for x0, x1, y0, y1 in taken):
                    return (float(x) + 0.35, y + 0.3, inset, inset), width, height
    inset = _INSETS[-1]
    return (width + 0.1, 0.3, inset, inset), width + inset + 0.1 + MARGIN, max(height, inset + labels)
