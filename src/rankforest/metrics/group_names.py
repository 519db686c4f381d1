"""Groups of rows by the values of one column."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from rankforest.words import number

__all__ = ["group_names"]

_MOST = 12
_QUARTERS = 4
MISSING = "(missing)"


def group_names(values: Any, *, most: int = _MOST, name: str = "groups") -> tuple[np.ndarray, list[str]]:
    """The group of each row, and the names of the groups; numbers with many values are cut into quarters.

    Parameters
    ----------
    values : array-like of shape (n,)
        Text, categories, booleans or numbers; missing values are a group of their own.
    most : int
        Numbers with more distinct values are cut at their quartiles. More groups of text are refused.
    name : str
        Of the column, for the error.

    Returns
    -------
    codes : ndarray of int
    names : list of str

    Examples
    --------
    >>> group_names(["Oslo", None, "Bonn", "Oslo"])
    (array([1, 2, 0, 1]), ['Bonn', 'Oslo', '(missing)'])
    >>> group_names(np.arange(20.0))[1]
    ['4.75 or less', 'above 4.75 to 9.5', 'above 9.5 to 14.25', 'above 14.25']
    """
    column = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if column.ndim != 1:
        raise ValueError(f"{name} must have one value per row, got shape {column.shape}; pass one column.")
    if column.dtype.kind in "iuf":
        missing = np.isnan(column.astype(np.float64))
        known = column[~missing].astype(np.float64)
        distinct = np.unique(known)
        texts = [number(value) for value in distinct]
        if len(distinct) > most:
            edges = np.unique(np.quantile(known, np.arange(1, _QUARTERS) / _QUARTERS))
            codes, texts = np.searchsorted(edges, known, side="left"), _between(edges)
        else:
            codes = np.searchsorted(distinct, known)
    else:
        objects = column.astype(object)
        missing = np.array([value is None or value != value for value in objects], dtype=bool)
        found, codes = np.unique(np.array([str(value) for value in objects[~missing]]), return_inverse=True)
        texts = [str(text) for text in found]
        if len(texts) > most * _QUARTERS:
            raise ValueError(
                f"{name} has {len(texts)} distinct values, such as {texts[0]!r}; give a column with at most "
                f"{most * _QUARTERS}, or join rare ones."
            )
    every = np.full(len(column), len(texts), dtype=np.int64)
    every[~missing] = codes
    present = np.unique(every)
    names = [*texts, MISSING]
    return np.searchsorted(present, every), [names[k] for k in present]


def _between(edges: np.ndarray) -> list[str]:
    ends = [number(edge, 4) for edge in edges]
    inner = [f"above {low} to {high}" for low, high in pairwise(ends)]
    return [f"{ends[0]} or less", *inner, f"above {ends[-1]}"]
