"""Artificial rows that are not new to each other: several rows of each customer, and a world that drifts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

__all__ = ["DatedRows", "RepeatedRows", "customers", "drift"]


@dataclass(frozen=True, eq=False)
class RepeatedRows:
    """Rows with their labels (0 and 1) and the customer of each."""

    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray


@dataclass(frozen=True, eq=False)
class DatedRows:
    """Rows with their labels (0 and 1) and the day of each."""

    X: np.ndarray
    y: np.ndarray
    time: np.ndarray


def customers(
    n_customers: int,
    rows_each: int = 5,
    *,
    n_features: int = 6,
    effect: float = 1.5,
    random_state: int | np.random.Generator | None = None,
) -> RepeatedRows:
    """Several rows of each customer, which look almost the same.

    Features are standard normal for each customer, and those of his rows differ by noise of .02. The log-odds of a
    positive label are the sum of the first two features plus an effect of the customer, which is normal with the
    standard deviation `effect` and cannot be known of a fresh customer. A model that has seen some rows of a customer
    recognises the others.

    Examples
    --------
    >>> found = customers(100, 4, random_state=0)
    >>> found.X.shape, np.unique(found.groups).size
    ((400, 6), 100)
    """
    rng = np.random.default_rng(random_state)
    centres, effects = rng.normal(size=(n_customers, n_features)), rng.normal(scale=effect, size=n_customers)
    groups = rng.permutation(np.repeat(np.arange(n_customers), rows_each))
    X = centres[groups] + rng.normal(scale=0.02, size=(len(groups), n_features))
    chance = expit(centres[:, 0] + centres[:, 1] + effects)
    return RepeatedRows(X, (rng.random(len(groups)) < chance[groups]).astype(np.int64), groups)


def drift(
    n_days: int,
    rows_each: int = 10,
    *,
    first_day: int = 0,
    effect: float = 1.5,
    random_state: int | np.random.Generator | None = None,
) -> DatedRows:
    """Rows of consecutive days, in a world that changes from week to week.

    Three features are standard normal, and the last one is the day. The log-odds of a positive label are the sum of the
    first two plus an effect of the week, which is normal with the standard deviation `effect` and cannot be known
    before. A model that has seen some rows of a week knows its effect on the others.

    Examples
    --------
    >>> int(drift(10, 3, random_state=0).time.max())
    9
    """
    rng = np.random.default_rng(random_state)
    time = first_day + np.repeat(np.arange(n_days), rows_each)
    X = rng.normal(size=(len(time), 4))
    X[:, 3] = time
    week = (time - first_day) // 7
    effects = rng.normal(scale=effect, size=week.max() + 1)
    chance = expit(X[:, 0] + X[:, 1] + effects[week])
    return DatedRows(X, (rng.random(len(time)) < chance).astype(np.int64), time)
