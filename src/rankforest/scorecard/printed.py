"""Tables of texts, printed in columns or as HTML, and columns as a data frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ..extras import needed

__all__ = ["frame_of", "html_table", "text_table"]


def text_table(cells: Sequence[Sequence[str]], *, left: int = 0) -> str:
    """Rows of texts in columns; the first `left` columns are aligned on the left.

    Examples
    --------
    >>> print(text_table([("step", "points"), ("up to 25", "3")], left=1))
    step      points
    up to 25       3
    """
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = (
        "  ".join(cell.ljust(w) if k < left else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths)))
        for row in cells
    )
    return "\n".join(line.rstrip() for line in lines)


def html_table(cells: Sequence[Sequence[str]], *, left: int = 0, notes: Sequence[str] = ()) -> str:
    """The same as HTML, the first row as its head, with notes as the caption."""
    head, *body = cells
    rows = ["<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
    for row in body:
        aligned = (("left" if k < left else "right", escape(cell)) for k, cell in enumerate(row))
        rows.append("<tr>" + "".join(f'<td style="text-align:{side}">{cell}</td>' for side, cell in aligned) + "</tr>")
    caption = f"<caption>{escape(' '.join(notes))}</caption>\n" if notes else ""
    return f"<table>\n{caption}" + "\n".join(rows) + "\n</table>"


def frame_of(columns: Mapping[str, Any], name: str) -> Any:
    """Columns as a pandas data frame; `name` is the class in the error message."""
    return needed("pandas", f"{name}.to_frame needs", instead="use to_dict()").DataFrame(columns)
