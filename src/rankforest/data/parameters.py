"""Parameters that trees and splitting rules share: what they may be, and what they mean to the core."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from .. import _core

__all__ = ["MISSING", "ROUTING", "at_least", "bound", "chosen", "feature_count", "share", "top_share"]

MISSING = ("learned", "cell_mean")
ROUTING = ("in-sample", "held-out")


def at_least(name: str, value: Any, least: int) -> int:
    """A whole number >= least."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} is {value!r}; give a whole number of at least {least}.")
    return int(value)


def bound(name: str, value: Any, least: int = 1) -> int:
    """A whole number >= least, or None for no bound."""
    return _core.UNLIMITED if value is None else min(at_least(name, value, least), _core.UNLIMITED)


def share(name: str, value: Any, most: float) -> float:
    """A number in [0, most)."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 <= float(value) < most:
        raise ValueError(f"{name} is {value!r}; give a number from 0 up to, but not including, {most:g}.")
    return float(value)


def top_share(value: Any) -> float:
    """The best share of the list that matters; None is the whole list."""
    if value is None:
        return 1.0
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 < float(value) <= 1.0:
        raise ValueError(
            f"top is {value!r}; give the share of the list that matters, in (0, 1], or None for all of it."
        )
    return float(value)


def chosen(name: str, value: Any, choices: tuple[str, ...]) -> int:
    """Position of a named choice, as the core counts them."""
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; choose one of {', '.join(map(repr, choices))}.")
    return choices.index(value)


def feature_count(name: str, value: Any, n_features: int) -> int:
    """Number of features to draw; 0 means all of them, without a draw."""
    if value is None:
        return 0
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if value == "sqrt":
        count = int(math.sqrt(n_features))
    elif value == "log2":
        count = int(math.log2(n_features))
    elif whole and value >= 1:
        count = int(value)
    elif isinstance(value, Real) and not isinstance(value, Integral) and 0.0 < float(value) <= 1.0:
        count = int(float(value) * n_features)
    else:
        raise ValueError(
            f"{name} is {value!r}; give None, 'sqrt', 'log2', a whole number of at least 1 or a share in (0, 1]."
        )
    count = max(1, count)
    return 0 if count >= n_features else count
