"""The parts of a fitted model as plain data: a model returns its parts, and is rebuilt from them.

A part is a plain value, an array, a storable object, a list of trees, another fitted model, or a dict or list of parts.
Parts may come from an untrusted file, so each is checked when it is taken.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeVar, cast

import numpy as np

from .left_out import LeftOut

__all__ = ["InvalidParts", "NotStorable", "Parts", "check_bounds", "check_finite", "check_moderate", "need"]

T = TypeVar("T")

MODERATE = 1e100
_WHOLE = 1 << 62


class NotStorable(ValueError):
    """A fitted model that cannot be stored; the message gives the reason and the remedy."""


class InvalidParts(ValueError):
    """Invalid parts, which no fit produces; the message gives the reason."""


def need(condition: object, what: str) -> None:
    """Raise InvalidParts unless the condition holds."""
    if not condition:
        raise InvalidParts(what)


class Parts(Mapping[str, Any]):
    """Parts by name, each checked when it is taken.

    Parameters
    ----------
    parts : mapping

    Examples
    --------
    >>> parts = Parts({"coef": np.array([1.0, 2.0]), "rounds": 3})
    >>> parts.array("coef", np.float64, 2), parts.whole("rounds", 1)
    (array([1., 2.]), 3)
    >>> parts.array("coef", np.float64, 3)
    Traceback (most recent call last):
    rankforest.data.parts.InvalidParts: its 'coef' has the shape (2,)
    """

    def __init__(self, parts: Mapping[str, Any]) -> None:
        self._parts = dict(parts)
        self._taken: set[str] = set()
        self._below: dict[str, Parts] = {}

    def __getitem__(self, name: str) -> Any:
        need(name in self._parts, f"it has no {name!r}")
        self._taken.add(name)
        return self._parts[name]

    def __contains__(self, name: object) -> bool:
        return name in self._parts

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def check_all_taken(self) -> None:
        """Raise InvalidParts if there are parts that were not taken."""
        left = sorted(self._parts.keys() - self._taken)
        need(not left, f"it has {left[0] if left else ''!r}, which this kind of model does not have")
        for below in self._below.values():
            below.check_all_taken()

    # ---- one part

    def below(self, name: str) -> Parts:
        """Parts inside a part."""
        found = self[name]
        need(isinstance(found, Mapping), f"its {name!r} cannot be read")
        if name not in self._below:
            self._below[name] = found if isinstance(found, Parts) else Parts(found)
        return self._below[name]

    def each(self, name: str, most: int = 1 << 20) -> list[Parts]:
        """A list of parts inside a part."""
        found = self.list_of(name, Mapping, most)  # type: ignore[type-abstract]
        for i, each in enumerate(found):
            self._below.setdefault(f"{name}.{i}", each if isinstance(each, Parts) else Parts(each))
        return [self._below[f"{name}.{i}"] for i in range(len(found))]

    def array(self, name: str, dtype: type[np.generic], *shape: int | None) -> np.ndarray:
        """An array of this type and shape; None is any length. What the file was asked to leave out stays so."""
        found = self[name]
        if isinstance(found, LeftOut):
            return cast(np.ndarray, found)
        need(isinstance(found, np.ndarray), f"its {name!r} is not an array")
        need(found.dtype == dtype, f"its {name!r} has the dtype {found.dtype}, not {np.dtype(dtype)}")
        fits = found.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, found.shape))
        need(fits, f"its {name!r} has the shape {found.shape}")
        return found

    def whole(self, name: str, least: int = 0, most: int = _WHOLE) -> int:
        """A whole number in a range."""
        found = self[name]
        need(
            type(found) is int and least <= found <= most, f"its {name!r} is not a whole number from {least} to {most}"
        )
        return int(found)

    def number(self, name: str) -> float:
        """A number, NaN and infinite ones included."""
        found = self[name]
        need(type(found) is float, f"its {name!r} is not a number")
        return float(found)

    def numbers(self, name: str, known: Collection[str]) -> dict[str, float]:
        """Some of the numbers that have these names."""
        found = self.below(name)
        need(set(found) <= set(known), f"its {name!r} cannot be read")
        return {each: found.number(each) for each in found}

    def choice(self, name: str, known: Collection[str]) -> str:
        """One of several words."""
        found = self[name]
        need(isinstance(found, str) and found in known, f"its {name!r} is none of {', '.join(known)}")
        return str(found)

    def object(self, name: str, kind: type[T]) -> T:
        """An object of a class, and of no other."""
        found = self[name]
        need(type(found) is kind, f"its {name!r} is not a {kind.__name__}")
        return found

    def list_of(self, name: str, kind: type[T], most: int = 1 << 20) -> list[T]:
        """A list of objects of a class or its subclasses."""
        found = self[name]
        need(isinstance(found, list) and len(found) <= most, f"its {name!r} is not a list of at most {most}")
        need(
            all(isinstance(each, kind) for each in found), f"its {name!r} contains something other than {kind.__name__}"
        )
        return list(found)


def check_finite(array: np.ndarray, name: str, *, least: float | None = None) -> None:
    """Numbers only, none below the least."""
    if isinstance(array, LeftOut):
        return
    need(np.isfinite(array).all(), f"its {name} contains NaN or an infinite number")
    if least is not None:
        need((array >= least).all(), f"its {name} contains a number below {least:g}")


def check_moderate(array: np.ndarray, name: str) -> None:
    """Finite, and small enough that sums and products stay finite."""
    if isinstance(array, LeftOut):
        return
    check_finite(array, name)
    need((np.abs(array) <= MODERATE).all(), f"its {name} contains a number that is too large")


def check_bounds(bounds: np.ndarray, total: int, name: str, *, least: int = 0) -> None:
    """Bounds of the pieces of an array: from 0 to the total, each with at least `least` entries."""
    need(
        len(bounds) >= 1 and bounds[0] == 0 and bounds[-1] == total,
        f"its {name} do not match the length of their array",
    )
    # compared, not subtracted, because a difference of hostile numbers could overflow
    need(((bounds >= 0) & (bounds <= total)).all(), f"its {name} are out of range")
    need((np.diff(bounds) >= least).all(), f"its {name} do not increase")
