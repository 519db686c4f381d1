"""Detection of the type of CSV columns without a schema, while the file is read."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["TypeGuess"]


class TypeGuess:
    """The narrowest of whole number, number, true-or-false and text that all values of a column have.

    Examples
    --------
    >>> guess = TypeGuess()
    >>> for values in (["1", None], ["2.5"], ["3"]):
    ...     guess.see(pa.array(values, pa.string()))
    >>> guess.type
    DataType(double)
    """

    def __init__(self) -> None:
        self._candidates: list[Any] = [pa.int64(), pa.float64(), pa.bool_()]
        self._seen = False

    def see(self, column: Any) -> None:
        """Update with more values, given as text."""
        if column.null_count == len(column):
            return
        self._candidates = [kind for kind in self._candidates if _fits(column, kind)]
        self._seen = True

    @property
    def type(self) -> pa.DataType:
        """The detected type."""
        return self._candidates[0] if self._seen and self._candidates else pa.string()


def _fits(column: Any, kind: pa.DataType) -> bool:
    if kind == pa.bool_() and not set(column.unique().to_pylist()) <= {"true", "false", "True", "False", None}:
        return False
    try:
        column.cast(kind)
    except pa.ArrowInvalid:
        return False
    if kind == pa.int64():  # 007 is text, not a number
        text = column.drop_null()
        return bool(pc.all(pc.match_substring_regex(text, r"^-?(0|[1-9]\d*)$")).as_py())
    return True
