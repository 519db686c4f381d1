"""Constraints on features: directions, orders of categories, and which features may interact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from .. import _core
from .errors import listed
from .options import Options
from .schema import Feature, Schema, unknown_name
from .storable import storable

__all__ = ["CodedConstraints", "Constraints", "resolve_constraints"]

# Most features on one path of a tree.
_TOGETHER = {"no_interactions": 1, "pairwise": 2}


@storable
class Constraints(Options):
    """Constraints of a model, for the parameter `monotonic_cst` of all estimators that have it.

    Parameters
    ----------
    monotonic_cst : sequence with an entry per column, dict by column name, or None, default=None
        Directions: 1 if the score never falls when the feature rises and all others stay the same, -1 if it never
        rises, 0 for no constraint. For a categorical feature: the list of its categories from the worst to the best.
        The feature is then cut along this order, and the score never falls along it.
    interaction_cst : {"no_interactions", "pairwise"}, sequence of groups of columns, or None, default=None
        Which features may be combined. With groups (of names or positions) only features that share a group are
        combined; columns that are in no group form one more. "no_interactions" puts each column in a group of its own,
        "pairwise" every two of them.

    Examples
    --------
    >>> Constraints({"income": 1, "grade": ["C", "B", "A"]}, interaction_cst=[["income", "age"], ["grade"]])
    Constraints(interaction_cst=[['income', 'age'], ['grade']],
                monotonic_cst={'grade': ['C', 'B', 'A'], 'income': 1})
    """

    def __init__(self, monotonic_cst: Any = None, *, interaction_cst: Any = None) -> None:
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst


@storable
@dataclass(frozen=True)
class CodedConstraints:
    """Constraints in the codes of a schema.

    Attributes
    ----------
    monotonic_cst : tuple or None
        Of each feature: -1, 0 or 1; of a category with an order its codes, the first category being 1, from the worst
        to the best.
    interaction_cst : {"no_interactions", "pairwise"}, tuple of tuples of int, or None
    """

    monotonic_cst: tuple[int | tuple[int, ...], ...] | None = None
    interaction_cst: str | tuple[tuple[int, ...], ...] | None = None

    @property
    def directions(self) -> tuple[int, ...] | None:
        """-1, 0 or 1 for each feature, 1 for a category with an order; None if no feature has a direction."""
        if self.monotonic_cst is None:
            return None
        return tuple(1 if isinstance(entry, tuple) else entry for entry in self.monotonic_cst)

    @property
    def orders(self) -> tuple[tuple[int, ...], ...]:
        """Codes of each category with an order, from the worst to the best; empty for other features."""
        return tuple(entry if isinstance(entry, tuple) else () for entry in self.monotonic_cst or ())

    def to_core(self) -> _core.Constraints:
        """The core's record."""
        found = _core.Constraints()
        found.monotonic = self.directions or ()
        if any(self.orders):
            found.order = self.orders
        if isinstance(self.interaction_cst, str):
            found.most_together = _TOGETHER[self.interaction_cst]
        elif self.interaction_cst is not None:
            found.groups = self.interaction_cst
        return found

    def may_meet(self, features: Iterable[int]) -> bool:
        """Whether these features may interact."""
        wanted = set(features)
        if self.interaction_cst is None:
            return True
        if isinstance(self.interaction_cst, str):
            return len(wanted) <= _TOGETHER[self.interaction_cst]
        return any(wanted <= set(group) for group in self.interaction_cst)

    def has_direction(self, feature: int) -> bool:
        """Whether the feature has a direction, or an order."""
        return self.directions is not None and self.directions[feature] != 0

    def check(self, schema: Schema) -> None:
        """Raise ValueError if these are no constraints of a table with this schema."""
        entries, groups, n = self.monotonic_cst, self.interaction_cst, schema.n_features
        fits = entries is None or (isinstance(entries, tuple) and len(entries) == n)
        if fits and entries is not None:
            fits = all(_is_entry(entry, feature) for entry, feature in zip(entries, schema.features))
        if isinstance(groups, str):
            fits &= groups in _TOGETHER
        elif groups is not None:
            fits &= isinstance(groups, tuple) and all(isinstance(group, tuple) for group in groups)
            fits = fits and all(type(j) is int and 0 <= j < n for group in groups for j in group)
        if not fits:
            raise ValueError("The constraints do not fit the table.")

    def sentences(self, schema: Schema) -> list[str]:
        """What holds, in words.

        Examples
        --------
        >>> schema = Schema((Feature("age", "numeric"), Feature("income", "numeric")), named=True)
        >>> CodedConstraints((0, 1), "no_interactions").sentences(schema)
        ['The score never falls as income rises.', 'No two features interact.']
        """
        said = []
        for feature, entry in zip(schema.features, self.monotonic_cst or ()):
            if isinstance(entry, tuple):
                order = ", ".join(str((feature.categories or ())[code - 1]) for code in entry)
                said.append(f"The score never falls along the order of {feature.name}: {order}.")
            elif entry:
                said.append(f"The score never {'falls' if entry > 0 else 'rises'} as {feature.name} rises.")
        if self.interaction_cst == "no_interactions":
            said.append("No two features interact.")
        elif self.interaction_cst == "pairwise":
            said.append("At most two features interact at a time.")
        elif self.interaction_cst is not None and not isinstance(self.interaction_cst, str):
            groups = ["{" + ", ".join(schema.names[j] for j in group) + "}" for group in self.interaction_cst]
            said.append(f"Only features of one group interact: {', '.join(groups)}.")
        return said


def _is_entry(entry: Any, feature: Feature) -> bool:
    if isinstance(entry, tuple):
        return feature.categories is not None and sorted(entry) == list(range(1, len(feature.categories) + 1))
    return type(entry) is int and entry in (-1, 0, 1) and (entry == 0 or feature.categories is None)


def resolve_constraints(constraints: Any, schema: Schema) -> CodedConstraints | None:
    """The value of `monotonic_cst`, checked against the columns; None if nothing is constrained.

    Examples
    --------
    >>> schema = Schema((Feature("age", "numeric"), Feature("grade", "categorical", ("A", "B"))), named=True)
    >>> resolve_constraints({"grade": ["B", "A"], "age": -1}, schema)
    CodedConstraints(monotonic_cst=(-1, (2, 1)), interaction_cst=None)
    """
    given = Constraints.of(constraints)
    monotonic = _resolve_monotonic(given.monotonic_cst, schema)
    interaction = _resolve_interaction(given.interaction_cst, schema)
    return None if monotonic is None and interaction is None else CodedConstraints(monotonic, interaction)


# ---- directions and orders


def _resolve_monotonic(monotonic: Any, schema: Schema) -> tuple[int | tuple[int, ...], ...] | None:
    if monotonic is None:
        return None
    if isinstance(monotonic, Mapping):
        entries = _by_name(monotonic, schema)
    elif isinstance(monotonic, Iterable) and not isinstance(monotonic, str | bytes | Set):
        entries = list(monotonic)
        if len(entries) != schema.n_features:
            raise ValueError(
                f"monotonic_cst has {len(entries)} values, but X has {schema.n_features} columns; "
                "give one of -1, 0, 1 per column, or a dict by column name."
            )
    else:
        raise ValueError(
            f"monotonic_cst is {monotonic!r}; give one of -1, 0, 1 per column, a dict by column name, or None."
        )
    found = tuple(_entry(schema, j, entry) for j, entry in enumerate(entries))
    return found if any(found) else None


def _by_name(monotonic: Mapping[Any, Any], schema: Schema) -> list[Any]:
    if not schema.named:
        raise ValueError(
            "monotonic_cst is a dict by column name, but X has no column names; give a list with one of -1, 0, 1 per "
            "column."
        )
    for name in monotonic:
        if name not in schema.names:
            raise ValueError(unknown_name("monotonic_cst", name, schema.names))
    return [monotonic.get(name, 0) for name in schema.names]


def _entry(schema: Schema, j: int, entry: Any) -> int | tuple[int, ...]:
    feature = schema.features[j]
    if isinstance(entry, Iterable) and not isinstance(entry, str | bytes | Set | Mapping):
        return _order(schema, j, list(entry))
    is_number = isinstance(entry, Real) and not isinstance(entry, bool)
    known = next((direction for direction in (-1, 0, 1) if is_number and entry == direction), None)
    if known is None:
        raise ValueError(
            f"{schema.label(j)} has {entry!r} in monotonic_cst; give 1 (the score never decreases when the "
            "feature increases), -1 (the score never increases) or 0 (no constraint)."
        )
    if known and feature.kind == "categorical":
        raise ValueError(
            f"{schema.label(j)} has {entry} in monotonic_cst, but it is categorical and its values have no "
            "order here; set it to 0, give its categories from the worst to the best (those of an ordered categorical "
            "of pandas are list(X['grade'].cat.categories)), or convert the column to numbers."
        )
    return known


def _order(schema: Schema, j: int, order: list[Any]) -> tuple[int, ...]:
    """The codes of categories in their order; categories that the training table does not have are left out."""
    categories = schema.features[j].categories
    if categories is None:
        raise ValueError(
            f"{schema.label(j)} has an order of categories in monotonic_cst, but it is numeric; give 1, -1 or 0, or "
            "name it in categorical_features."
        )
    codes = {category: code for code, category in enumerate(categories, start=1)}
    without = [category for category in categories if category not in order]
    if without:
        raise ValueError(
            f"The order of {schema.label(j)[0].lower()}{schema.label(j)[1:]} in monotonic_cst is without "
            f"{listed(without)}; name every category, from the worst to the best."
        )
    known = [codes[category] for category in order if category in codes]
    if len(set(known)) < len(known):
        raise ValueError(f"The order of {schema.label(j)[0].lower()}{schema.label(j)[1:]} names a category twice.")
    return tuple(known)


# ---- interactions


def _resolve_interaction(interaction: Any, schema: Schema) -> str | tuple[tuple[int, ...], ...] | None:
    if interaction is None or (isinstance(interaction, str) and interaction in _TOGETHER):
        return interaction
    wrong = (
        f"interaction_cst is {interaction!r}; give 'no_interactions', 'pairwise', a list of groups of columns, or None."
    )
    if isinstance(interaction, str | bytes | Mapping) or not isinstance(interaction, Iterable):
        raise ValueError(wrong)
    groups: list[tuple[int, ...]] = []
    for group in interaction:
        if isinstance(group, str | bytes | Mapping) or not isinstance(group, Iterable):
            raise ValueError(wrong)
        groups.append(tuple(sorted({_position(schema, column) for column in group})))
    rest = tuple(j for j in range(schema.n_features) if not any(j in group for group in groups))
    groups = [group for group in [*groups, rest] if group]
    return None if any(len(group) == schema.n_features for group in groups) else tuple(groups)


def _position(schema: Schema, column: Any) -> int:
    if isinstance(column, str):
        if column not in schema.names:
            raise ValueError(unknown_name("interaction_cst", column, schema.names))
        return schema.names.index(column)
    position = int(column) if isinstance(column, Integral) and not isinstance(column, bool) else -1
    if not 0 <= position < schema.n_features:
        raise ValueError(
            f"interaction_cst has the column {column!r}, but X has {schema.n_features} columns; use names, or "
            f"positions from 0 to {schema.n_features - 1}."
        )
    return position
