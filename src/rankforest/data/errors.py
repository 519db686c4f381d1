"""Input errors that keep their facts, so that the message can be formatted later.

The code that finds an error knows the row in the current array, which may be one batch of a long file. So the error
keeps the row as a fact, and the message is formatted by the caller: rows count from 0 in Python, and from 1 over all
batches of a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

__all__ = ["MOST_LISTED", "InputError", "Row", "counted_from", "listed"]

MOST_LISTED = 5  # longer lists end with "..."


class Row(int):
    """Position of a row, counted from 0; the message shows it in the numbering of the user."""


class InputError(ValueError):
    """An error of the features, labels or weights.

    Parameters
    ----------
    template : str
        The message, with the facts in braces. It is text of the library; values from users go into the facts.
    **facts
        Column, value and whatever else the sentence names. Rows are given as `Row`.

    Examples
    --------
    >>> error = InputError("{column} is {value!r} in row {row}.", column="Column 'a'", value="row 7", row=Row(2))
    >>> print(error)
    Column 'a' is 'row 7' in row 2.
    >>> error.sentence(first_row=101)
    "Column 'a' is 'row 7' in row 103."
    """

    def __init__(self, template: str, /, **facts: Any) -> None:
        self.template = template
        self.facts = facts
        super().__init__(self.sentence())

    def sentence(self, first_row: int = 0) -> str:
        """The message, if the first row of the array has this number."""
        shown = {name: fact + first_row if isinstance(fact, Row) else fact for name, fact in self.facts.items()}
        return self.template.format(**shown)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (type(self), self.template, self.facts)


@contextmanager
def counted_from(first_row: int) -> Iterator[None]:
    """Errors about rows 0, 1, ... of a batch become errors about rows of the whole table.

    Parameters
    ----------
    first_row : int
        Number of the first row of the batch.

    Examples
    --------
    >>> with counted_from(100):
    ...     raise InputError("The label of row {row} is missing.", row=Row(2))
    Traceback (most recent call last):
    rankforest.data.errors.InputError: The label of row 102 is missing.
    """
    try:
        yield
    except InputError as error:
        if not first_row:
            raise
        facts = {name: Row(fact + first_row) if isinstance(fact, Row) else fact for name, fact in error.facts.items()}
        raise type(error)(error.template, **facts) from None


def _made_again(cls: type[InputError], template: str, facts: dict[str, Any]) -> InputError:
    return cls(template, **facts)


def listed(values: Sequence[Any]) -> str:
    """The first few names or labels, as a sentence names them.

    Examples
    --------
    >>> listed(["a", "b"]), listed(range(9))
    ("'a', 'b'", '0, 1, 2, 3, 4, ...')
    """
    return ", ".join(map(repr, values[:MOST_LISTED])) + (", ..." if len(values) > MOST_LISTED else "")
