"""A spreadsheet program of a few functions: enough to evaluate the formulas of an exported scorecard."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

_REFERENCE = re.compile(r"(\w+!)?\$([A-Z]+)\$(\d+)(?::\$([A-Z]+)\$(\d+))?")


class Sheets:
    """A workbook with values, and formulas that are evaluated when asked for.

    Parameters
    ----------
    book : openpyxl workbook
    typed : dict from cell, such as "B7", of the first sheet to value
    """

    def __init__(self, book: Any, typed: dict[str, Any] | None = None) -> None:
        self.book = book
        self.first = book.sheetnames[0]
        self.typed = {(self.first, cell): value for cell, value in (typed or {}).items()}
        self.known: dict[tuple[str, str], Any] = {}

    def value(self, sheet: str, cell: str) -> Any:
        if (sheet, cell) in self.typed:
            return self.typed[sheet, cell]
        if (sheet, cell) not in self.known:
            found = self.book[sheet][cell]
            formula = found.data_type == "f"
            self.known[sheet, cell] = self._evaluate(sheet, found.value[1:]) if formula else found.value
        return self.known[sheet, cell]

    def _evaluate(self, sheet: str, formula: str) -> Any:
        def reference(match: re.Match[str]) -> str:
            name = match[1][:-1] if match[1] else sheet
            if match[4] is None:
                return f"CELL({name!r}, '{match[2]}{match[3]}')"
            assert match[2] == match[4], "a range is one column"
            return f"RANGE({name!r}, '{match[2]}', {match[3]}, {match[5]})"

        text = _REFERENCE.sub(reference, formula)
        text = re.sub(r"(?<![<>=])=(?!=)", "==", text)
        text = re.sub(r"\bIF\(", "IF(lambda: ", text)
        text = _lazily(text)
        return eval(text, {"CELL": self.value, "RANGE": self._range, **_FUNCTIONS})

    def _range(self, sheet: str, column: str, first: int, last: int) -> np.ndarray:
        found = np.empty(last - first + 1, dtype=object)
        found[:] = [self.value(sheet, f"{column}{row}") for row in range(first, last + 1)]
        return found


def _lazily(text: str) -> str:
    """The parts of every IF become functions, so that only one of them is evaluated."""
    out, depth, of_if = [], 0, []
    for i, letter in enumerate(text):
        if letter == "(":
            depth += 1
            if text[:i].endswith("IF"):
                of_if.append(depth)
        elif letter == ")":
            if of_if and of_if[-1] == depth:
                of_if.pop()
            depth -= 1
        out.append(letter)
        if letter == "," and of_if and of_if[-1] == depth:
            out.append(" lambda:")
    return "".join(out)


def _match(value: float, values: np.ndarray, kind: int) -> int:
    assert kind == 1
    return int(np.searchsorted(values.astype(float), value, side="right"))


def _exact(values: np.ndarray, value: Any) -> np.ndarray:
    return np.array([isinstance(value, str) and each == value for each in values])


_FUNCTIONS = {
    "IF": lambda condition, then, other: then() if condition() else other(),
    "ISNUMBER": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "ISBLANK": lambda value: value is None,
    "INDEX": lambda values, place: values[int(place) - 1],
    "SUMPRODUCT": lambda one, other=1: float(np.sum(one * other)),
    "SUM": lambda values: float(sum(value for value in values if isinstance(value, int | float))),
    "MAX": max,
    "MATCH": _match,
    "EXACT": _exact,
}
