"""The real sets of the TreeRank paper (2011, section 7): as codes for trees, as dummy columns for the others."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .files import table_path

__all__ = ["RealSet", "breast_cancer", "german_credit"]


@dataclass(frozen=True)
class RealSet:
    """A table and its labels.

    Attributes
    ----------
    X : array
        Numbers; categories are coded 0, 1, 2, ...
    categories : list of int
        Columns of `X` that are categories.
    dummies : array
        Numbers as they are, and a column for each category but the first of each feature.
    groups : list of lists of int
        Columns of `dummies` that belong to each column of `X`.
    y : array of 0 and 1
    """

    X: NDArray[np.float64]
    categories: list[int]
    dummies: NDArray[np.float64]
    groups: list[list[int]]
    y: NDArray[np.int64]


def breast_cancer() -> RealSet:
    """Breast Cancer (569 x 30), which comes with scikit-learn; benign is positive, 63% as in the paper.

    Examples
    --------
    >>> found = breast_cancer()
    >>> found.X.shape, round(found.y.mean(), 2)
    ((569, 30), np.float64(0.63))
    """
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return RealSet(X, [], X, [[j] for j in range(X.shape[1])], y.astype(np.int64))


def german_credit(folder: str | Path) -> RealSet:
    """German credit (1000 x 20), from german_credit.csv.gz or .csv; where "target" is 2, bad, it is positive."""
    path = table_path(folder, "german_credit")
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as file:
        names, *rows = list(csv.reader(file))
    if "target" not in names:
        raise ValueError(f"{path.name} has no column 'target' (it has {', '.join(names)}); give the right file.")
    columns = dict(zip(names, zip(*rows), strict=True))
    y = np.array(columns.pop("target")) == "2"
    X: list[NDArray[np.float64]] = []
    dummies: list[NDArray[np.float64]] = []
    groups: list[list[int]] = []
    categories: list[int] = []
    for j, texts in enumerate(columns.values()):
        try:
            values = np.array(texts, dtype=np.float64)
            parts = [values]
        except ValueError:
            kinds, codes = np.unique(texts, return_inverse=True)
            values = codes.astype(np.float64)
            parts = [(codes == kind).astype(np.float64) for kind in range(1, len(kinds))]
            categories.append(j)
        groups.append(list(range(len(dummies), len(dummies) + len(parts))))
        X.append(values)
        dummies += parts
    return RealSet(np.column_stack(X), categories, np.column_stack(dummies), groups, y.astype(np.int64))
