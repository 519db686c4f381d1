"""The steps of a card in words: ranges of numbers, groups of categories."""

from __future__ import annotations

from itertools import pairwise

from ..data.schema import Feature, Schema
from ..words import number
from .card import Axis, PairSteps, Steps

__all__ = ["cell_words", "step_words", "term_name"]

MISSING = "missing"
MISSING_OR_NEW = "missing or new"  # a category that was not seen in fit has no code


def step_words(feature: Feature, axis: Axis, *, most: int | None = None) -> list[str]:
    """Each step of an axis in words, missing values last.

    Parameters
    ----------
    feature : Feature
    axis : Axis
    most : int or None
        Most categories of a step that are listed; None lists all of them.

    Examples
    --------
    >>> import numpy as np
    >>> step_words(Feature("age", "numeric"), Axis(feature=0, edges=np.array([25.0, 40.5])))
    ['up to 25', 'above 25 to 40.5', 'above 40.5', 'missing']
    >>> jobs = Feature("job", "categorical", ("clerk", "nurse", "pilot"))
    >>> step_words(jobs, Axis(feature=0, groups=np.array([1, 0, 0])), most=1)
    ['nurse and 1 more', 'clerk', 'missing or new']
    """
    if axis.edges is not None:
        told = [number(edge) for edge in axis.edges]
        if not told:
            return ["any number", MISSING]
        middle = [f"above {low} to {high}" for low, high in pairwise(told)]
        return [f"up to {told[0]}", *middle, f"above {told[-1]}", MISSING]
    assert axis.groups is not None, "a step needs edges or groups"
    members: list[list[str]] = [[] for _ in range(axis.n_steps)]
    for category, step in zip(feature.categories or (), axis.groups):
        members[step].append(str(category))
    return [*(_listed(each, most) for each in members), MISSING_OR_NEW]


def _listed(names: list[str], most: int | None) -> str:
    if most is None or len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def cell_words(schema: Schema, term: Steps | PairSteps, *, most: int | None = None) -> list[str]:
    """Each code of a term in words; a cell of a pair is told by its two steps."""
    if isinstance(term, Steps):
        return step_words(schema.features[term.feature], term, most=most)
    one, other = (step_words(schema.features[axis.feature], axis, most=most) for axis in term.axes)
    return [f"{a}; {b}" for a in one for b in other]


def term_name(schema: Schema, term: Steps | PairSteps) -> str:
    """The name of the feature, or of both features of a pair."""
    return " x ".join(schema.names[j] for j in term.features)
