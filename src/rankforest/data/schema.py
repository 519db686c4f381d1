"""The schema of the training table: names, kinds and categories of the features.

A schema is learned in fit, stored with the model, and checked against every table that is scored later.
It contains plain Python values only, so that it can be pickled and read without a data frame library.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .errors import MOST_LISTED, listed

if TYPE_CHECKING:
    from .reading.recipe import Reading

__all__ = ["Feature", "Schema"]


@dataclass(frozen=True)
class Feature:
    """One column of the training table.

    Attributes
    ----------
    name : str
        Column name, or ``"x0"``, ``"x1"``, ... where the table had no names.
    kind : {"numeric", "categorical"}
        How the column is split: at a threshold or into sets of categories.
    categories : tuple or None
        The categories seen in fit, in the order of their codes; None for a numeric feature.

    Examples
    --------
    >>> Feature("colour", "categorical", ("blue", "red")).categories
    ('blue', 'red')
    """

    name: str
    kind: Literal["numeric", "categorical"]
    categories: tuple[Any, ...] | None = None


@dataclass(frozen=True)
class Schema:
    """The features of the training table, in order.

    Attributes
    ----------
    features : tuple of Feature
        One entry per column.
    named : bool
        Whether the training table carried column names, all of them strings.
    reading : Reading or None
        How the columns of a file become these features; None if they are taken as they are.

    Examples
    --------
    >>> schema = Schema((Feature("age", "numeric"), Feature("city", "categorical", ("Lyon", "Paris"))), named=True)
    >>> schema.names
    ('age', 'city')
    >>> schema.is_categorical
    array([False,  True])
    """

    features: tuple[Feature, ...]
    named: bool
    reading: Reading | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the features, in order."""
        return tuple(feature.name for feature in self.features)

    @cached_property
    def codes_of_values(self) -> tuple[dict[Any, float] | None, ...]:
        """For each feature the code of each of its categories; None for a numeric feature."""
        return tuple(
            None if feature.categories is None else {value: float(k) for k, value in enumerate(feature.categories)}
            for feature in self.features
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("features", "named", "reading")}  # nothing that was cached

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.features)

    @property
    def is_categorical(self) -> np.ndarray:
        """Boolean array: True where the feature is categorical."""
        return np.array([feature.kind == "categorical" for feature in self.features], dtype=bool)

    def label(self, j: int) -> str:
        """Name of feature `j` in error messages; its position if there are no names."""
        return column_label(j, self.names if self.named else None)


def column_label(j: int, names: Sequence[str] | None) -> str:
    """Name of column `j` in error messages."""
    return f"Column {j}" if names is None else f"Column {names[j]!r}"


def check_names(native: Iterable[object]) -> tuple[str, ...] | None:
    """Check the column names of a data frame; None when they are not strings (then columns go by position)."""
    names = list(native)
    types = sorted({type(name).__qualname__ for name in names})
    strings = [name for name in names if isinstance(name, str)]
    if 0 < len(strings) < len(names):
        raise TypeError(  # the type and the first half of the sentence are scikit-learn's
            "Feature names are only supported if all input features have string names, but X has column names of the "
            f"types {', '.join(types)}; convert them all to strings, say with X.columns = X.columns.astype(str)."
        )
    repeated = [(name, count) for name, count in Counter(names).items() if count > 1]
    if repeated:
        name, count = repeated[0]
        raise ValueError(f"X has {count} columns named {name!r}; rename them so that each column has its own name.")
    return tuple(strings) if strings else None


def check_width(n_columns: int, names: Sequence[str] | None, schema: Schema, estimator_name: str) -> None:
    """Check names and number of columns of a table against the schema, in scikit-learn's words."""
    if schema.named and names is not None:
        if tuple(names) != schema.names:
            raise ValueError(_names_differ(names, schema.names))
    elif names is not None:
        _warn(f"X has feature names, but {estimator_name} was fitted without feature names")
    elif schema.named:
        _warn(f"X does not have valid feature names, but {estimator_name} was fitted with feature names")
    if n_columns != schema.n_features:
        raise ValueError(
            f"X has {n_columns} features, but {estimator_name} is expecting {schema.n_features} features as input; "
            "pass the columns that were there in fit."
        )


def _warn(message: str) -> None:
    # The levels: this function, check_width, read_table, the estimator's method, and then the user's line.
    warnings.warn(message, UserWarning, stacklevel=5)


def _names_differ(names: Sequence[str], fitted: Sequence[str]) -> str:
    unexpected = sorted(set(names) - set(fitted))
    missing = sorted(set(fitted) - set(names))
    # The layout is the one scikit-learn's users know, and the one its estimator checks look for.
    message = "The feature names should match those that were passed during fit.\n"
    for title, found in (
        ("Feature names unseen at fit time:\n", unexpected),
        ("Feature names seen at fit time, yet now missing:\n", missing),
    ):
        if found:
            shown = [f"- {name}\n" for name in found[:MOST_LISTED]]
            message += title + "".join(shown) + ("- ...\n" if len(found) > MOST_LISTED else "")
    if not unexpected and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


def resolve_categorical(categorical: Any, names: Sequence[str] | None, n_columns: int) -> np.ndarray:
    """Turn the user's list of names, list of positions or boolean mask into a boolean array over the columns."""
    chosen = np.zeros(n_columns, dtype=bool)
    if categorical is None:
        return chosen
    entries: list[Any] = [categorical] if isinstance(categorical, str | int) else list(categorical)
    if entries and all(isinstance(entry, bool | np.bool_) for entry in entries):
        if len(entries) != n_columns:
            raise ValueError(
                f"categorical is a mask of {len(entries)} values, but X has {n_columns} columns; "
                "give one value per column, or a list of column names."
            )
        return np.array(entries, dtype=bool)
    known = names if names is not None else [f"x{j}" for j in range(n_columns)]
    position = {name: j for j, name in enumerate(known)}
    for entry in entries:
        if isinstance(entry, str):
            if entry not in position:
                raise ValueError(unknown_name("categorical", entry, known))
            chosen[position[entry]] = True
        elif isinstance(entry, int | np.integer) and not isinstance(entry, bool):
            if not 0 <= entry < n_columns:
                raise ValueError(
                    f"categorical names column {entry}, but X has {n_columns} columns; "
                    f"use positions from 0 to {n_columns - 1}."
                )
            chosen[entry] = True
        else:
            raise ValueError(
                f"categorical holds {entry!r} of type {type(entry).__name__}; "
                "use column names, positions or one boolean per column."
            )
    return chosen


def unknown_name(parameter: str, name: object, known: Sequence[str]) -> str:
    return f"{parameter} names the column {name!r}, which X does not have; its columns are {listed(known)}."
