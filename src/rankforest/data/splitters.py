"""Splitters of scikit-learn, or lists of their splits, in place of groups or of times."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["blocks_of_splits", "is_splitter", "parts_of_splits", "splitter_name"]

Split = tuple[np.ndarray, np.ndarray]


def is_splitter(value: Any) -> bool:
    """Whether the value splits rows: an object with `split` and `get_n_splits`, or a list of pairs of arrays.

    Examples
    --------
    >>> from sklearn.model_selection import KFold
    >>> is_splitter(KFold(3)), is_splitter([(np.array([0]), np.array([1]))]), is_splitter(["a", "b"])
    (True, True, False)
    """
    if isinstance(value, list):
        return bool(value) and all(_is_pair(each) for each in value)
    return callable(getattr(value, "split", None)) and callable(getattr(value, "get_n_splits", None))


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(isinstance(part, np.ndarray) for part in value)


def splitter_name(value: Any) -> str:
    """Its name: that of its class, or "splits"."""
    return "splits" if isinstance(value, list) else type(value).__name__


def parts_of_splits(splitter: Any, n_rows: int, labels: np.ndarray | None) -> np.ndarray:
    """The part that each row is tested in, as int32: folds are made of whole parts.

    Examples
    --------
    >>> from sklearn.model_selection import KFold
    >>> parts_of_splits(KFold(2), 5, None)
    array([0, 0, 0, 1, 1], dtype=int32)
    """
    codes = np.full(n_rows, -1, dtype=np.int32)
    whole = True
    for k, (train, test) in enumerate(_splits(splitter, "groups", n_rows, labels)):
        whole &= bool((codes[test] < 0).all()) and len(np.unique(test)) == len(test)
        whole &= np.array_equal(np.sort(train), np.setdiff1d(np.arange(n_rows), test))
        codes[test] = k
    if not whole or (codes < 0).any():
        raise ValueError(
            f"groups is {_said(splitter)}, whose test rows are not each row once, beside all others as training rows; "
            "give a splitter such as KFold or StratifiedKFold, or the groups themselves."
        )
    return codes


def blocks_of_splits(splitter: Any, n_rows: int, labels: np.ndarray | None) -> np.ndarray:
    """The block of each row, as int32: rows before the first test rows are in block 0, those of test k in k + 1.

    The rows are in the order of time.

    Examples
    --------
    >>> from sklearn.model_selection import TimeSeriesSplit
    >>> blocks_of_splits(TimeSeriesSplit(2), 6, None)
    array([0, 0, 1, 1, 2, 2], dtype=int32)
    """
    codes, end = np.zeros(n_rows, dtype=np.int32), 0
    follows = True
    for k, (train, test) in enumerate(_splits(splitter, "time", n_rows, labels)):
        start = int(test.min()) if len(test) else 0
        follows &= start > 0 and (k == 0 or start == end)
        end = start + len(test)
        follows &= np.array_equal(np.sort(test), np.arange(start, end)) and np.array_equal(
            np.sort(train), np.arange(start)
        )
        codes[start:end] = k + 1
    if not follows or end != n_rows:
        raise ValueError(
            f"time is {_said(splitter)}, whose training rows are not all rows before its test rows, up to the last "
            "row; give a splitter such as TimeSeriesSplit(5), or the times themselves."
        )
    return codes


def _splits(splitter: Any, role: str, n_rows: int, labels: np.ndarray | None) -> list[Split]:
    if isinstance(splitter, list):
        found = splitter
    else:
        try:
            found = list(splitter.split(np.zeros((n_rows, 1)), labels, None))
        except (TypeError, ValueError) as error:
            # a splitter of groups has none here: what it says of their number would mislead
            reason = "" if "group" in str(error) else f" ({str(error).rstrip('.')})"
            raise ValueError(
                f"{role} is {_said(splitter)}, which cannot split the rows by itself{reason}; give "
                "the values that it splits by, such as groups=customer, or the list of its splits."
            ) from None
    for part in (part for split in found for part in split):
        whole = part.ndim == 1 and part.dtype.kind in "iu"
        if not whole or (len(part) and not 0 <= int(part.min()) <= int(part.max()) < n_rows):
            raise ValueError(f"{role} has splits that are no row numbers from 0 to {n_rows - 1}.")
    return found


def _said(splitter: Any) -> str:
    return "a list of splits" if isinstance(splitter, list) else repr(splitter)
