"""Conditions of a path through a tree: on features, or verdicts of other rules, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.schema import Feature
from ..words import number

__all__ = ["Condition", "Said", "Threshold", "Verdict", "bracketed", "conjunction", "in_words", "narrow"]


class Threshold(float):
    """A threshold, and the number of digits that separate its neighbours in the training data.

    Rounded to this many digits or more it still lies between them, so every training row stays on the same side.

    Examples
    --------
    >>> second = Threshold(1600000000.5, digits=11)
    >>> second > 7, second.words(6), Threshold(0.123456789, digits=3).words(6)
    (True, '1 600 000 000.5', '0.123457')
    """

    digits: int

    def __new__(cls, value: float, digits: int) -> Threshold:
        made = super().__new__(cls, value)
        made.digits = digits
        return made

    def __getnewargs__(self) -> tuple[float, int]:  # type: ignore[override]
        return float(self), self.digits

    def words(self, digits: int) -> str:
        """The threshold with the given number of digits, or more if the training data need them."""
        return number(float(self), max(digits, self.digits))


@dataclass(frozen=True)
class Condition:
    """The condition of a path through inner nodes on one feature."""

    feature: Feature
    above: float = -math.inf  # numeric: above < x <= up_to; a bound that is a `Threshold` knows its digits
    up_to: float = math.inf
    categories: frozenset[Any] | None = None  # categorical: one of these
    missing: bool = True  # whether a missing value fulfils it

    def __str__(self) -> str:
        return self.words()

    def words(self, digits: int = 6) -> str:
        """The condition in words; bounds have the given number of digits, or more if the training data need them.

        Examples
        --------
        >>> age = Condition(Feature("age", "numeric"), up_to=Threshold(30.125, digits=4), missing=False)
        >>> age.words(3), age.words()
        ('age <= 30.12', 'age <= 30.125')
        """
        name = self.feature.name

        def written(bound: float) -> str:  # all digits if their number is unknown
            return bound.words(digits) if isinstance(bound, Threshold) else number(bound)

        if self.feature.categories is not None:
            listed = [str(c) for c in self.feature.categories if self.categories is not None and c in self.categories]
            if not listed:
                return f"{name} is missing"
            words = f"{name} is {listed[0]}" if len(listed) == 1 else f"{name} in {{{', '.join(listed)}}}"
        elif self.above == math.inf:
            return f"{name} is missing"
        elif self.above == -math.inf and self.up_to == math.inf:
            return f"{name} is anything" if self.missing else f"{name} is not missing"
        elif self.above == -math.inf:
            words = f"{name} <= {written(self.up_to)}"
        elif self.up_to == math.inf:
            words = f"{name} > {written(self.above)}"
        else:
            words = f"{written(self.above)} < {name} <= {written(self.up_to)}"
        return f"{words} or missing" if self.missing else words

    def holds(self, value: float) -> bool:
        """Whether a value, coded as in the schema, fulfils the condition; a code of no category is a missing value.

        Examples
        --------
        >>> Condition(Feature("age", "numeric"), up_to=30.0, missing=False).holds(25.0)
        True
        """
        categories = self.feature.categories
        if math.isnan(value) or (categories is not None and not 0 <= value < len(categories)):
            return self.missing
        if categories is None:
            return self.above < value <= self.up_to
        return self.categories is not None and categories[int(value)] in self.categories

    def meet(self, other: Condition) -> Condition | None:
        """The intersection of both conditions; None if it is empty.

        Examples
        --------
        >>> age = Feature("age", "numeric")
        >>> print(Condition(age, above=20.0, missing=False).meet(Condition(age, up_to=30.0)))
        20 < age <= 30
        """
        missing = self.missing and other.missing
        if self.feature.categories is not None:
            both = (self.categories or frozenset()) & (other.categories or frozenset())
            return Condition(self.feature, categories=both, missing=missing) if both or missing else None
        above, up_to = max(self.above, other.above), min(self.up_to, other.up_to)
        if above < up_to:
            return Condition(self.feature, above, up_to, missing=missing)
        return Condition(self.feature, above=math.inf) if missing else None

    def is_anything(self, may_miss: bool) -> bool:
        """Whether every value fulfils it; missing ones too if there are any."""
        if self.missing < may_miss:
            return False
        if self.feature.categories is not None:
            return self.categories is not None and len(self.categories) == len(self.feature.categories)
        return self.above == -math.inf and self.up_to == math.inf


@dataclass(frozen=True)
class Verdict:
    """The condition of a rule that is not axis-parallel: one side of its division."""

    division: Any
    cell: int
    better: bool

    def __str__(self) -> str:
        return self.words()

    def words(self, digits: int = 6) -> str:
        """The verdict in words; there are no numbers to round."""
        return f"{self.division.words(self.better)} at node {self.cell}"

    def holds(self, row: np.ndarray) -> bool:
        """Whether a coded row is on this side."""
        return bool(self.division.goes_left(row[None, :])[0]) == self.better


Said = Condition | Verdict


def narrow(
    tree: Any, node: int, goes_left: bool, path: dict[int, Condition], may_miss: np.ndarray
) -> dict[int, Condition]:
    """The conditions of a path after one more node of an axis-parallel tree."""
    j = int(tree.feature[node])
    feature = tree.schema.features[j]
    everything = None if feature.categories is None else frozenset(feature.categories)
    before = path.get(j, Condition(feature, categories=everything, missing=bool(may_miss[j])))
    missing = before.missing and bool(tree.missing_left[node]) == goes_left
    if feature.categories is not None:
        words = tree.sets[tree.set_offset[node] :]
        chosen = frozenset(
            c for i, c in enumerate(feature.categories)
            if bool(int(words[(i + 1) >> 6]) >> ((i + 1) & 63) & 1) == goes_left
        )  # fmt: skip
        after = Condition(feature, categories=(before.categories or frozenset()) & chosen, missing=missing)
    else:
        cut = Threshold(float(tree.threshold[node]), int(tree.digits[node]))
        above, up_to = before.above, before.up_to
        above, up_to = (above, min(up_to, cut)) if goes_left else (max(above, cut), up_to)
        after = Condition(feature, above, up_to, missing=missing)
    return {**path, j: after}


def in_words(rule: Sequence[Sequence[Said]], *, max_alternatives: int | None = None, others: bool = False) -> str:
    """A rule in one line.

    Parameters
    ----------
    rule : list of lists of Condition
        Alternatives.
    max_alternatives : int or None
        Most alternatives in the text; the others are counted.
    others : bool
        Whether there are more alternatives than those in `rule`, an unknown number.

    Examples
    --------
    >>> age = Feature("age", "numeric")
    >>> in_words([[Condition(age, up_to=30.0, missing=False)], [Condition(age, above=50.0, missing=False)]])
    'age <= 30; or age > 50'
    """
    most = len(rule) if max_alternatives is None else max_alternatives
    told = [conjunction(alternative) for alternative in rule[:most]]
    if others:
        told.append("others")
    elif len(rule) > most:
        told.append(f"{len(rule) - most} more")
    return "; or ".join(told)


def bracketed(words: str) -> str:
    """The words of a condition, in brackets if they have an "or" and others may follow.

    Examples
    --------
    >>> bracketed("age <= 30 or missing"), bracketed("age <= 30")
    ('(age <= 30 or missing)', 'age <= 30')
    """
    return f"({words})" if words.endswith(" or missing") else words


def conjunction(conditions: Sequence[Said]) -> str:
    """Conditions joined by "and"; among several, one that ends with "or missing" stands in brackets."""
    words = [str(condition) for condition in conditions]
    if len(words) > 1:
        words = [bracketed(one) for one in words]
    return " and ".join(words) or "all rows"
