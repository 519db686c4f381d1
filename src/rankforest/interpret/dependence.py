"""Partial dependence of the score on one or two features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..data.schema import Schema
from ..data.table import read_table
from ._coded import coded_scoring

__all__ = ["PartialDependence", "dependence_of", "partial_dependence"]


@dataclass(frozen=True, eq=False, repr=False)
class PartialDependence:
    """Mean score of the rows when one or two features are set to the values of a grid.

    Attributes
    ----------
    names : tuple of str
        The features, one or two.
    is_categorical : tuple of bool
    grids : tuple of arrays
        Values of each feature: numbers in increasing order, or all categories of the training sample.
    values : array
        Mean score at each point of the grid, one axis per feature.
    observed : tuple of arrays
        Distribution in the rows: the nine deciles of a numeric feature, the share of each category of a categorical
        one.

    Examples
    --------
    >>> grid, deciles = np.array([20.0, 30.0]), np.arange(21.0, 30.0)
    >>> PartialDependence(("age",), (False,), (grid,), np.array([0.2, 0.7]), (deciles,))
    PartialDependence on age: 2 points, mean score 0.200 to 0.700
    """

    names: tuple[str, ...]
    is_categorical: tuple[bool, ...]
    grids: tuple[np.ndarray, ...]
    values: np.ndarray
    observed: tuple[np.ndarray, ...]

    @property
    def strength(self) -> float:
        """Largest minus smallest mean score: the effect of the features alone."""
        return float(np.ptp(self.values))

    def __str__(self) -> str:
        shape = " x ".join(str(len(grid)) for grid in self.grids)
        return (
            f"PartialDependence on {' and '.join(self.names)}: {shape} points, "
            f"mean score {self.values.min():.3f} to {self.values.max():.3f}"
        )

    __repr__ = __str__


def partial_dependence(
    model: Any,
    X: Any,
    features: Any,
    *,
    grid_size: int = 50,
    sample: int | None = 1000,
    random_state: Any = 0,
) -> PartialDependence:
    """Partial dependence of the score on one feature or a pair.

    Parameters
    ----------
    model : FittedModel or RankingTree
        A fitted model of rankforest, or a tree of one.
    X : array, data frame or sparse matrix of shape (n, q)
        Rows to average over.
    features : str, int, or a pair of them
        Names or positions.
    grid_size : int
        Most points of the grid of a numeric feature: its distinct values, or quantiles if there are more. A pair
        uses four times the square root of this number for each feature, so that the cost is near that of one feature.
    sample : int or None
        Most rows to average over, drawn without replacement; None takes all.
    random_state : int, RandomState or None
        Seed of the draw.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> from rankforest.data import simulate
    >>> data = simulate.rf10_sparse(500, random_state=0)
    >>> model = TreeRank(max_depth=3).fit(data.X, data.y)
    >>> partial_dependence(model, data.X, ["x0", 1], grid_size=25).values.shape
    (20, 20)
    """
    if grid_size < 2:
        raise ValueError(f"grid_size is {grid_size}; give at least 2 points.")
    schema, score = coded_scoring(model)
    chosen = _positions(features, schema)
    table = read_table(X, schema=schema, estimator_name=type(model).__name__)
    if sample is not None and table.n_rows > sample:
        rows = check_random_state(random_state).choice(table.n_rows, size=sample, replace=False)
        table = table.take(np.sort(rows))
    return dependence_of(score, np.vstack(list(table.blocks())), chosen, schema, grid_size)


def dependence_of(
    score: Callable[[np.ndarray], np.ndarray], block: np.ndarray, chosen: Sequence[int], schema: Schema, grid_size: int
) -> PartialDependence:
    """The same for rows that are coded already, features by position, and the score of such rows."""
    most = grid_size if len(chosen) == 1 else int(np.ceil(4 * np.sqrt(grid_size)))
    coded = [_grid(schema, block[:, j], j, most) for j in chosen]
    mesh = np.meshgrid(*coded, indexing="ij")
    values = np.empty(mesh[0].shape)
    changed = block.copy()
    for point in np.ndindex(values.shape):
        for j, axis in zip(chosen, mesh):
            changed[:, j] = axis[point]
        values[point] = score(changed).mean()

    kinds = [schema.features[j] for j in chosen]
    return PartialDependence(
        names=tuple(kind.name for kind in kinds),
        is_categorical=tuple(kind.categories is not None for kind in kinds),
        grids=tuple(grid if kind.categories is None else _objects(kind.categories) for kind, grid in zip(kinds, coded)),
        values=values,
        observed=tuple(_observed(block[:, j], schema, j) for j in chosen),
    )


def _positions(features: Any, schema: Schema) -> list[int]:
    entries = [features] if isinstance(features, (str, int, np.integer)) else list(features)
    if len(entries) not in (1, 2):
        raise ValueError(f"features names {len(entries)} features; give one or a pair.")
    found = []
    for entry in entries:
        if isinstance(entry, str):
            if entry not in schema.names:
                raise ValueError(f"features names {entry!r}, which is not a feature of the model.")
            found.append(schema.names.index(entry))
        elif 0 <= entry < schema.n_features:
            found.append(int(entry))
        else:
            raise ValueError(f"features names position {entry}; use positions from 0 to {schema.n_features - 1}.")
    if len(set(found)) < len(found):
        raise ValueError(f"features names {schema.names[found[0]]!r} twice; give two different features.")
    return found


def _grid(schema: Schema, column: np.ndarray, j: int, most: int) -> np.ndarray:
    """Values of a feature at which the score is averaged, coded as in the schema."""
    categories = schema.features[j].categories
    if categories is not None:
        return np.arange(len(categories), dtype=np.float64)
    distinct = np.unique(column[~np.isnan(column)])
    if len(distinct) == 0:
        raise ValueError(f"{schema.label(j)} has no value in the rows given; give rows where it is observed.")
    if len(distinct) <= most:
        return distinct
    return np.unique(np.nanquantile(column, np.linspace(0, 1, most), method="inverted_cdf"))


def _observed(column: np.ndarray, schema: Schema, j: int) -> np.ndarray:
    categories = schema.features[j].categories
    if categories is None:
        return np.nanquantile(column, np.arange(1, 10) / 10)
    seen = column[~np.isnan(column)].astype(np.intp)
    return np.bincount(seen, minlength=len(categories)) / len(column)


def _objects(categories: tuple[Any, ...]) -> np.ndarray:
    array = np.empty(len(categories), dtype=object)
    array[:] = categories
    return array
