"""The page of a fitted model in a notebook: estimators get it here, and `report` creates it.

`report` imports the estimators, so these cannot import `report`. The package connects the two when it is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["make_views_with", "view_of"]

_make: Callable[[Any], str | None] | None = None


def make_views_with(make: Callable[[Any], str | None]) -> None:
    """Set the function that creates the HTML of a model (None if it has none)."""
    global _make
    _make = make


def view_of(model: Any) -> str | None:
    """HTML of a fitted model; None if there is none, and scikit-learn's HTML is used.

    Examples
    --------
    >>> view_of("no model") is None
    True
    """
    return None if _make is None else _make(model)
