"""Quotation marks of a CSV file that are never closed, found before they swallow rows.

A reader takes everything after an opening mark as one value, line ends included. So a mark that was forgotten makes one
row of many, or loses all rows to the end of the file, and nothing looks wrong. Values of several lines are allowed, and
only these are looked at closely: the marks are counted first, and a file with line ends between marks is read field by
field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

__all__ = ["OpenQuote", "find_open_quote"]

_QUOTE, _LINE_END = 34, 10


@dataclass(frozen=True)
class OpenQuote:
    """A quotation mark that is not closed where it should be.

    Attributes
    ----------
    line : int
        The line of the mark, counted from 1 with the header.
    until : int or None
        The line in which the value ends; None if it is the end of the file.
    """

    line: int
    until: int | None


def find_open_quote(blocks: Iterable[bytes], again: Iterable[bytes], delimiter: str, skip: int = 0) -> OpenQuote | None:
    """The first quotation mark that swallows rows; None if all are closed.

    Parameters
    ----------
    blocks : iterable of bytes
        The file, as ASCII or an extension of it.
    again : iterable of bytes
        The same once more; it is only asked for if a value has several lines, or a mark is left over.
    delimiter : str
    skip : int
        Lines above the header.

    Examples
    --------
    >>> sound, broken = b'a,b\\n1,"x\\ny"\\n2,z\\n', b'a,b\\n1,"x\\n2,z\\n'
    >>> find_open_quote([sound], [sound], ",") is None
    True
    >>> find_open_quote([broken], [broken], ",")
    OpenQuote(line=2, until=None)
    """
    return _first_open(_lines(again), delimiter, skip) if _has_long_values(blocks) else None


def _has_long_values(blocks: Iterable[bytes]) -> bool:
    """Whether a line end lies between two marks, or the number of marks is odd."""
    odd = False
    for block in blocks:
        n_marks = block.count(b'"')
        if not n_marks:
            if odd and b"\n" in block:
                return True
            continue
        array = np.frombuffer(block, np.uint8)
        marks = np.flatnonzero(array == _QUOTE)
        ends = np.flatnonzero(array == _LINE_END)
        if ((np.searchsorted(marks, ends) + odd) % 2).any():
            return True
        odd = bool((n_marks + odd) % 2)
    return odd


def _first_open(lines: Iterator[str], delimiter: str, skip: int) -> OpenQuote | None:
    opened: int | None = None  # the line in which the value that is being read has begun
    inside: list[int] = []  # delimiters of the whole lines within it
    number, n_delimiters = 0, 0
    for number, line in enumerate(lines, 1):
        if number <= skip:
            continue
        if opened is not None and '"' not in line:
            inside.append(line.count(delimiter))
            continue
        at = 0 if opened is not None else _opening(line, 0, delimiter)
        if number == skip + 1:
            n_delimiters = _outside(line, delimiter)
        while at is not None:
            closing = _closing(line, at)
            if closing is None:
                opened = number if opened is None else opened
                break
            if opened is not None:
                after = line[closing + 1 : closing + 2]
                if after not in ("", delimiter) or _looks_like_rows(inside, n_delimiters):
                    return OpenQuote(opened, number)
                opened, inside = None, []
            at = _opening(line, closing + 1, delimiter)
    return None if opened is None else OpenQuote(opened, None)


def _looks_like_rows(inside: list[int], n_delimiters: int) -> bool:
    """Whether the lines within a value are rows: all of them have the columns of the header, at least three."""
    return len(inside) >= 2 and n_delimiters >= 2 and all(n == n_delimiters for n in inside)


def _opening(line: str, start: int, delimiter: str) -> int | None:
    """Position after the next mark that opens a value: a mark elsewhere, as in 5" pipe, is a character."""
    if start == 0 and line.startswith('"'):
        return 1
    at = line.find(f'{delimiter}"', start)
    return None if at < 0 else at + 1 + len(delimiter)


def _closing(line: str, start: int) -> int | None:
    """Position of the mark that closes the value; two marks are one character."""
    at = line.find('"', start)
    while at >= 0 and line[at + 1 : at + 2] == '"':
        at = line.find('"', at + 2)
    return None if at < 0 else at


def _outside(line: str, delimiter: str) -> int:
    """Delimiters of a line that are not in a value in quotation marks."""
    return sum(part.count(delimiter) for part in line.split('"')[::2])


def _lines(blocks: Iterable[bytes]) -> Iterator[str]:
    rest = b""
    for block in blocks:
        *whole, rest = (rest + block).split(b"\n")
        for line in whole:
            yield line.decode("latin-1").removesuffix("\r")
    if rest:
        yield rest.decode("latin-1").removesuffix("\r")
