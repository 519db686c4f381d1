"""The column of the labels in a file; where there is none of that name, where it may be instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from ..data.errors import listed
from ..data.reading.amounts import looks_like_number
from ..data.reading.apply import as_text, is_text
from ._errors import WrongUsage
from ._options import names_in

__all__ = ["target_in"]

_FIRST_ROWS = 5  # that may have the header


def target_in(target: str, columns: Sequence[str], file: Any) -> str:
    """The column of the labels.

    Parameters
    ----------
    target : str
    columns : sequence of str
        Of the file.
    file : DataFile or FileSource

    Raises
    ------
    WrongUsage
        A second sentence says why it may not be there: another sheet, lines above the header, no header at all, or
        spaces between the columns.
    """
    try:
        return names_in([target], columns, "--target", file.path)[0]
    except WrongUsage as error:
        raise WrongUsage(f"{error}{_elsewhere(target, columns, file)}") from None


def _elsewhere(target: str, columns: Sequence[str], file: Any) -> str:
    layout = getattr(file, "layout", None)
    if layout is None:
        return ""
    sheets = [title for title, words in getattr(file, "sheets", {}).items() if target in words and title != file.sheet]
    if sheets:
        several = len(sheets) > 1
        return (
            f" The sheet{'s' * several} {listed(sheets)} {'have' if several else 'has'} it; add --sheet {sheets[0]!r}."
        )
    below = _row_with(target, file)
    if below is not None:
        return f" Row {below} below has it: if that is the header, add --skip {layout.skip + below}."
    if len(columns) == 1 and target in columns[0].split(" "):
        return " If spaces are between the columns, add --delimiter ' '."
    if any(looks_like_number(pa.array(list(columns))).to_pylist()):
        return " These are no names; if the file has no header, write one in its first line."
    return ""


def _row_with(word: str, file: Any) -> int | None:
    """The first row with the word among those below the header, counted from 1."""
    for batch in file.batches():
        rows = [as_text(column.slice(0, _FIRST_ROWS)).to_pylist() for column in batch.columns if is_text(column.type)]
        found = [k for k, row in enumerate(zip(*rows), 1) if word in row]
        return found[0] if found else None
    return None
