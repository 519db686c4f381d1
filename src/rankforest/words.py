"""Formatting of numbers for all tables, rules, pictures and the command line.

Numbers of five digits or more are grouped by spaces (77 040), powers of ten are used only for very many zeros, and
decimals have no trailing zeros.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

import numpy as np

__all__ = [
    "area",
    "count",
    "counts",
    "features",
    "figure_name",
    "importance_lines",
    "more_features",
    "number",
    "percent",
    "rows",
    "signed",
]

_EXACT = 17  # digits that identify every double
_PLAIN = (-5, 15)  # range of powers of ten without an exponent


def number(value: float, digits: int | None = None) -> str:
    """A number with the given digits, as short as possible; without `digits`, the shortest text of the same double.

    Examples
    --------
    >>> number(77040.0), number(0.30000000000000004, 6), number(-1234.5), number(2e-9), number(1600000000.5)
    ('77 040', '0.3', '-1234.5', '2e-9', '1 600 000 000.5')
    """
    value = float(value)
    if not np.isfinite(value):
        return str(value)
    rounded = repr(value) if digits is None or digits >= _EXACT else f"{value:.{digits - 1}e}"
    exact = Decimal(rounded).normalize()
    if exact == 0:
        return "0"
    sign, power = "-" if exact < 0 else "", exact.adjusted()
    if not _PLAIN[0] <= power < _PLAIN[1]:
        first, *others = map(str, exact.as_tuple().digits)
        return f"{sign}{first}{'.' if others else ''}{''.join(others)}e{power}"
    whole, point, rest = f"{abs(exact):f}".partition(".")
    return f"{sign}{_grouped(whole)}{point}{rest}"


def count(value: float) -> str:
    """A number of rows, or a weight: whole numbers in full, others with about three digits.

    Examples
    --------
    >>> count(77040), count(12.0), count(0.4567), count(1234.56)
    ('77 040', '12', '0.457', '1234.6')
    """
    return counts([value])[0]


def counts(values: Iterable[float]) -> list[str]:
    """A column of counts, all with the same number of decimals.

    Examples
    --------
    >>> counts([3138, 12]), counts([0.5, 12.25])
    (['3138', '12'], ['0.5', '12.2'])
    """
    listed = np.asarray(list(values), dtype=np.float64)
    largest = float(np.abs(listed).max(initial=0.0))
    if largest and not 1e-6 <= largest < 1e15:
        return [number(value, 4) for value in listed]
    most = max(1, 2 - int(np.floor(np.log10(largest)))) if largest else 0
    told = np.round(listed, most) if not np.allclose(listed, np.round(listed), rtol=0, atol=1e-9) else np.round(listed)
    decimals = next(d for d in range(most + 1) if (np.round(told, d) == told).all())
    return [_fixed(value, decimals) for value in listed]


def rows(value: float) -> str:
    """A number of rows, with its unit.

    Examples
    --------
    >>> rows(1), rows(77040.0)
    ('1 row', '77 040 rows')
    """
    return f"{count(value)} {'row' if value == 1 else 'rows'}"


def features(value: int) -> str:
    """A number of features, with its unit.

    Examples
    --------
    >>> features(1), features(8)
    ('1 feature', '8 features')
    """
    return f"{count(value)} {_features(value)}"


def more_features(value: int) -> str:
    """That a list of features goes on.

    Examples
    --------
    >>> more_features(1), more_features(12)
    ('and 1 more feature', 'and 12 more features')
    """
    return f"and {count(value)} more {_features(value)}"


def _features(n: int) -> str:
    return "feature" if n == 1 else "features"


def percent(share: float, decimals: int = 1) -> str:
    """A share in percent.

    Examples
    --------
    >>> percent(0.1234), percent(1.0, 0)
    ('12.3%', '100%')
    """
    return f"{100 * share:.{decimals}f}%"


def area(value: float, decimals: int = 4) -> str:
    """An AUC, a score or another number between 0 and 1.

    Examples
    --------
    >>> area(0.87654), area(0.5, 3)
    ('0.8765', '0.500')
    """
    return f"{value:.{decimals}f}"


def signed(value: float, decimals: int = 4) -> str:
    """A difference, with its sign.

    Examples
    --------
    >>> signed(0.01), signed(-0.25, 2)
    ('+0.0100', '-0.25')
    """
    return f"{value:+.{decimals}f}"


def _fixed(value: float, decimals: int) -> str:
    whole, point, rest = f"{abs(value):.{decimals}f}".partition(".")
    return f"{'-' if value < 0 else ''}{_grouped(whole)}{point}{rest}"


def _grouped(digits: str) -> str:
    """Groups of three from five digits on, so that a year is not grouped."""
    return f"{int(digits):,}".replace(",", " ") if len(digits) > 4 else digits


_FIGURES = {"out of bag": "out-of-bag", "held out": "held-out", "c index": "C-index", " auc": " AUC"}


def figure_name(key: str) -> str:
    """The key of a figure as people write it.

    Examples
    --------
    >>> figure_name("held_out_routing_auc"), figure_name("out_of_bag_c_index"), figure_name("auc_lost_to_steps")
    ('held-out AUC', 'out-of-bag C-index', 'AUC lost to steps')
    """
    words = key.replace("_routing", "").replace("_", " ")
    for plain, written in _FIGURES.items():
        words = words.replace(plain, written)
    return words.replace("auc ", "AUC ", 1) if words.startswith("auc ") else words


def importance_lines(names: Sequence[str], shares: np.ndarray) -> list[str]:
    """The features, the most important ones first, one line each below a title.

    Examples
    --------
    >>> importance_lines(["age", "debt"], np.array([0.25, 0.75]))
    ['Importance', '  0.7500  debt', '  0.2500  age']
    """
    order = np.argsort(-shares, kind="stable")
    return ["Importance", *(f"  {area(shares[j])}  {names[j]}" for j in order)]
