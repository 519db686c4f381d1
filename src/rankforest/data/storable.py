"""Classes whose objects a model file can store: nested parameters, and records of a fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any, TypeVar

__all__ = ["names_of", "storable", "storable_classes", "values_of"]

C = TypeVar("C", bound=type)

_CLASSES: dict[str, type] = {}


def storable(cls: C) -> C:
    """Allow model files to store objects of this class: a dataclass, or a class with scikit-learn's `get_params`.

    An object is stored as its fields or parameters and rebuilt from them. Files may be untrusted, so the constructor
    must only store its arguments.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @storable
    ... @dataclass(frozen=True)
    ... class Span:
    ...     low: float
    ...     high: float
    >>> names_of(Span), values_of(Span(0.0, 1.0))
    (('low', 'high'), {'low': 0.0, 'high': 1.0})
    """
    known = _CLASSES.get(cls.__name__)
    if known is not None and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
        raise TypeError(f"{known.__module__} has a storable {cls.__name__} already; give the new class another name.")
    names_of(cls)
    _CLASSES[cls.__name__] = cls
    return cls


def storable_classes() -> Mapping[str, type]:
    """The classes by name."""
    return MappingProxyType(_CLASSES)


def names_of(cls: Any) -> tuple[str, ...]:
    """Names of the fields or parameters that an object of the class is made of."""
    if is_dataclass(cls):
        return tuple(field.name for field in fields(cls))
    return tuple(cls._get_param_names())


def values_of(value: Any) -> dict[str, Any]:
    """The fields or parameters of an object."""
    return {name: getattr(value, name) for name in names_of(type(value))}
