"""Text of the user's files for a terminal: control characters are shown, not obeyed."""

from __future__ import annotations

import re

__all__ = ["printable"]

# Control characters but for the line end and the tab, and the marks that turn the direction of writing around.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    r"""The text with control characters as Python writes them.

    Examples
    --------
    >>> print(printable("col\x1b[2J"))
    col\x1b[2J
    """
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
