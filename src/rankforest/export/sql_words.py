"""Names, texts and numbers as SQL writes them."""

from __future__ import annotations

from collections.abc import Sequence

from ..program.errors import ExportError

__all__ = ["identifier", "literal", "quoted_text", "table_name"]

# SQLite rounds decimals wrongly below 1e-290; a product with a power of two is exact
_TINY, _SHIFT = 1e-280, 600


def identifier(name: str) -> str:
    """A name in double quotes.

    Examples
    --------
    >>> print(identifier('height "cm"'))
    "height ""cm\"""
    """
    if not name:
        raise ExportError("A column has the empty name, which SQL does not allow; rename it.")
    return '"' + _printable(name).replace('"', '""') + '"'


def table_name(table: str | Sequence[str]) -> str:
    """The name of a table, or of its schema and itself."""
    return ".".join(identifier(part) for part in ([table] if isinstance(table, str) else table))


def quoted_text(text: str) -> str:
    """A text in single quotes.

    Examples
    --------
    >>> print(quoted_text("Côte d'Ivoire"))
    'Côte d''Ivoire'
    """
    return "'" + _printable(text).replace("'", "''") + "'"


def _printable(text: str) -> str:
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ExportError(f"{text!r} contains a character that SQL text cannot have; replace it in the table.")
    return text


def literal(value: float) -> str:
    """A number with 17 digits, which every database reads as the same double; a negative one in brackets.

    Examples
    --------
    >>> literal(0.1), literal(-2)
    ('1.0000000000000001e-01', '(-2e0)')
    """
    value = float(value)
    if value < 0.0:
        return f"(-{literal(-value)})"
    if 0.0 < value < _TINY:
        return f"({literal(value * 2.0**_SHIFT)} * {literal(2.0**-_SHIFT)})"
    return f"{value:.0f}e0" if value.is_integer() and value < 1e6 else f"{value:.16e}"
