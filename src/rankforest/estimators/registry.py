"""Registry of the estimators: each registers once, and files, the command line and exports find it here."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TypeVar

from ..data.storable import storable
from .fitted_model import FittedModel

__all__ = ["model_classes", "register"]

M = TypeVar("M", bound=type[FittedModel])

_CLASSES: dict[str, type[FittedModel]] = {}


def register(command: str | None = None) -> Callable[[M], M]:
    """Register an estimator for files, the command line, reports and exports.

    Parameters
    ----------
    command : str or None
        Its name in ``rankforest fit --model``; None leaves it out there.
    """

    def registered(cls: M) -> M:
        storable(cls)  # it may be a parameter of another estimator
        cls.command = command
        _CLASSES[cls.__name__] = cls
        return cls

    return registered


def model_classes() -> Mapping[str, type[FittedModel]]:
    """All registered estimators by name, of this library and of other packages."""
    _import_own()
    return MappingProxyType(_CLASSES)


@cache
def _import_own() -> None:
    """An estimator registers when its module is imported."""
    package = import_module(__package__)
    for module in pkgutil.iter_modules(package.__path__):
        if not module.name.startswith("_"):
            import_module(f"{__package__}.{module.name}")
