"""The scorecard itself: features cut into steps, the points of each step, and the total of a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.parts import Parts, check_finite, check_moderate, need
from ..data.schema import Schema
from .history import NO_EDITS, Edit, History

__all__ = ["Axis", "PairSteps", "Scorecard", "Steps", "average_points"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Axis:
    """One feature cut into steps; a missing value, or a category that was not seen in fit, has a step of its own.

    Attributes
    ----------
    feature : int
        Position in the schema.
    edges : array or None
        Of a numeric feature, increasing: step k holds ``edges[k - 1] < x <= edges[k]``, as the cuts of trees do.
    groups : array of int32 or None
        Of a categorical feature: the step of each category, by code.

    Examples
    --------
    >>> axis = Axis(feature=0, edges=np.array([10.0, 20.0]))
    >>> axis.codes(np.array([[5.0], [10.0], [10.5], [99.0], [np.nan]]))
    array([0, 0, 1, 2, 3], dtype=int32)
    """

    feature: int
    edges: np.ndarray | None = None
    groups: np.ndarray | None = None

    @property
    def n_steps(self) -> int:
        """Number of steps, without that of missing values, whose code it is."""
        if self.edges is not None:
            return len(self.edges) + 1
        assert self.groups is not None, "a step needs edges or groups"
        return int(self.groups.max()) + 1

    def codes(self, block: np.ndarray) -> np.ndarray:
        """The step of each row of a float64 block, categories coded as in the schema."""
        column = block[:, self.feature]
        if self.edges is not None:
            found = np.searchsorted(self.edges, column, side="left").astype(np.int32)
            found[np.isnan(column)] = self.n_steps
            return found
        assert self.groups is not None, "a step needs edges or groups"
        table = np.append(self.groups, np.int32(self.n_steps)).astype(np.int32)
        return table[np.where(np.isnan(column), len(self.groups), column).astype(np.intp)]

    def _cuts(self) -> dict[str, Any]:
        """The axis as plain data."""
        cuts = {"edges": self.edges} if self.edges is not None else {"groups": self.groups}
        return {"feature": int(self.feature), **cuts}


@dataclass(frozen=True, eq=False, kw_only=True)
class Steps(Axis):
    """The points of one feature.

    Attributes
    ----------
    feature, edges, groups
        As in `Axis`.
    points : array of shape (n_steps,)
        Whole numbers once they are rounded.
    missing : float
        Points of a missing value.
    spread : array of shape (n_steps + 1,)
        Standard error of the points over the bags, that of missing values last.
    mass : array of shape (n_steps + 1, 2)
        Weight of the negatives and of the positives among the training rows, missing values last.

    Examples
    --------
    >>> steps = Steps(feature=0, edges=np.array([30.0]), points=np.array([2.0, 7.0]), missing=1.0,
    ...               spread=np.zeros(3), mass=np.array([[8.0, 2.0], [5.0, 5.0], [1.0, 0.0]]))
    >>> steps.table[steps.codes(np.array([[18.0], [31.0], [np.nan]]))]
    array([2., 7., 1.])
    """

    points: np.ndarray
    missing: float
    spread: np.ndarray
    mass: np.ndarray

    @property
    def table(self) -> np.ndarray:
        """Points by code: those of the steps, then those of a missing value."""
        return np.append(self.points, self.missing)

    @property
    def features(self) -> tuple[int, ...]:
        """The feature, as `PairSteps` has two."""
        return (self.feature,)

    def to_parts(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            **self._cuts(), "points": self.points, "missing": float(self.missing), "spread": self.spread,
            "mass": self.mass,
        }  # fmt: skip

    @classmethod
    def from_parts(cls, parts: Parts, schema: Schema) -> Steps:
        """The same again, checked."""
        axis = _axis_from(parts, schema)
        n = axis.n_steps
        points, missing = parts.array("points", np.float64, n), parts.number("missing")
        check_moderate(np.append(points, missing), "points")
        spread, mass = _spread_and_mass(parts, n + 1)
        return cls(
            feature=axis.feature, edges=axis.edges, groups=axis.groups, points=points, missing=missing, spread=spread,
            mass=mass,
        )  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class PairSteps:
    """The points of two features together: a table with a row for each step of the one, a column for each of the other.

    Attributes
    ----------
    axes : pair of Axis
    points : array of shape (n_steps + 1 of the first axis, n_steps + 1 of the second)
        Missing values last.
    spread : array of the same shape
        Standard error of the points over the bags.
    mass : array of that shape and 2
        Weight of the negatives and of the positives.
    """

    axes: tuple[Axis, Axis]
    points: np.ndarray
    spread: np.ndarray
    mass: np.ndarray

    @property
    def features(self) -> tuple[int, int]:
        """Positions of the features in the schema."""
        return self.axes[0].feature, self.axes[1].feature

    @property
    def table(self) -> np.ndarray:
        """Points by code."""
        return self.points.ravel()

    def codes(self, block: np.ndarray) -> np.ndarray:
        """The cell of each row: that of the table read row by row."""
        one, other = self.axes
        return one.codes(block) * np.int32(other.n_steps + 1) + other.codes(block)

    def to_parts(self) -> dict[str, Any]:
        """All of it as plain data."""
        axes = [axis._cuts() for axis in self.axes]
        return {"axes": axes, "points": self.points, "spread": self.spread, "mass": self.mass}

    @classmethod
    def from_parts(cls, parts: Parts, schema: Schema) -> PairSteps:
        """The same again, checked."""
        found = [_axis_from(each, schema) for each in parts.each("axes", most=2)]
        need(len(found) == 2 and found[0].feature != found[1].feature, "a pair of its card is not of two features")
        shape = (found[0].n_steps + 1, found[1].n_steps + 1)
        points = parts.array("points", np.float64, *shape)
        check_moderate(points, "points")
        spread, mass = _spread_and_mass(parts, *shape)
        return cls(axes=(found[0], found[1]), points=points, spread=spread, mass=mass)


@dataclass(frozen=True, eq=False, kw_only=True)
class Scorecard:
    """A card of points: the total of a row is the offset plus the points of its steps.

    Attributes
    ----------
    schema : Schema
    steps : tuple of Steps
        At most one for each feature; a feature without steps has no points.
    pairs : tuple of PairSteps
    offset : float
    edits : History
        What was changed by hand.

    Examples
    --------
    >>> from rankforest.data.schema import Feature
    >>> age = Steps(feature=0, edges=np.array([30.0]), points=np.array([2.0, 7.0]), missing=1.0,
    ...             spread=np.zeros(3), mass=np.ones((3, 2)))
    >>> card = Scorecard(schema=Schema((Feature("age", "numeric"),), named=True), steps=(age,), offset=10.0)
    >>> card.total(np.array([[18.0], [31.0], [np.nan]]))
    array([12., 17., 11.])
    """

    schema: Schema
    steps: tuple[Steps, ...]
    pairs: tuple[PairSteps, ...] = ()
    offset: float = 0.0
    edits: History = NO_EDITS

    @property
    def terms(self) -> tuple[Steps | PairSteps, ...]:
        """What is added up: the steps, then the pairs."""
        return (*self.steps, *self.pairs)

    def codes_of(self, block: np.ndarray) -> np.ndarray:
        """The code of each term: array of int32 of shape (n, terms)."""
        codes = np.empty((len(block), len(self.terms)), dtype=np.int32)
        for t, term in enumerate(self.terms):
            codes[:, t] = term.codes(block)
        return codes

    def points_of(self, block: np.ndarray) -> np.ndarray:
        """The points of each term: array of shape (n, terms)."""
        points = np.empty((len(block), len(self.terms)))
        for t, term in enumerate(self.terms):
            points[:, t] = term.table[term.codes(block)]
        return points

    def total(self, block: np.ndarray) -> np.ndarray:
        """The total of each row; whole points and a whole offset give a whole total."""
        total = np.full(len(block), float(self.offset))
        for term in self.terms:  # one after the other, as every export adds them
            total += term.table[term.codes(block)]
        return total

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest total that a row can have."""
        tables = [term.table for term in self.terms]
        low, high = (self.offset + sum(float(pick(table)) for table in tables) for pick in (np.min, np.max))
        return low, high

    def to_parts(self) -> dict[str, Any]:
        """All but the schema, as plain data."""
        return {
            "steps": [steps.to_parts() for steps in self.steps],
            "pairs": [pair.to_parts() for pair in self.pairs],
            "offset": float(self.offset),
            "edits": list(self.edits),
        }

    @classmethod
    def from_parts(cls, parts: Parts, schema: Schema) -> Scorecard:
        """The same again, checked."""
        steps = tuple(Steps.from_parts(each, schema) for each in parts.each("steps", most=schema.n_features))
        pairs = tuple(PairSteps.from_parts(each, schema) for each in parts.each("pairs"))
        need(len({each.feature for each in steps}) == len(steps), "a feature of its card has steps twice")
        offset = parts.number("offset")
        check_moderate(np.array([offset]), "offset")
        edits = parts.list_of("edits", Edit, most=10_000)
        for edit in edits:
            edit.check()
        return cls(schema=schema, steps=steps, pairs=pairs, offset=offset, edits=History(edits))


def average_points(term: Steps | PairSteps) -> float:
    """Mean points of a term over the training rows; over its steps, if they have no rows."""
    rows = term.mass.reshape(-1, 2).sum(axis=1)
    return float(np.average(term.table, weights=rows if rows.any() else None))


def _axis_from(parts: Mapping[str, Any], schema: Schema) -> Axis:
    """An axis from plain data, checked against the features."""
    assert isinstance(parts, Parts)
    feature = parts.whole("feature", most=schema.n_features - 1)
    categories = schema.features[feature].categories
    if categories is None:
        edges = parts.array("edges", np.float64, None)
        check_finite(edges, "edges")
        need((edges[1:] > edges[:-1]).all(), "the edges of its card do not increase")
        return Axis(feature=feature, edges=edges)
    groups = parts.array("groups", np.int32, len(categories))
    used = np.unique(groups)
    need(np.array_equal(used, np.arange(len(used))), "the groups of its card are not numbered from 0")
    return Axis(feature=feature, groups=groups)


def _spread_and_mass(parts: Parts, *shape: int) -> tuple[np.ndarray, np.ndarray]:
    spread, mass = parts.array("spread", np.float64, *shape), parts.array("mass", np.float64, *shape, 2)
    for name, found in (("spread", spread), ("mass", mass)):
        check_moderate(found, name)
        check_finite(found, name, least=0.0)
    return spread, mass
