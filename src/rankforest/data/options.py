"""Groups of parameters: small objects that estimators accept in place of a short form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator

__all__ = ["Former", "Options", "TakesOptions"]


class Options(BaseEstimator):
    """Base of objects with a few parameters of an estimator.

    They are cloned with the estimator, are equal if their parameters are equal, and their `repr` shows what was
    changed.
    """

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return bool(self.get_params(deep=False) == other.get_params(deep=False))

    __hash__ = None  # type: ignore[assignment]  # it can be changed by set_params

    @classmethod
    def of(cls, value: Any) -> Self:
        """The object of a parameter: itself, or the object of its short form."""
        return value if isinstance(value, cls) else cls(value)


@dataclass(frozen=True)
class Former:
    """A parameter that models of older files have, and this version has elsewhere or not at all.

    Attributes
    ----------
    now : str or None
        Its name in `set_params`; None if it is gone.
    usual : object
        Its default, which needs no word.
    """

    now: str | None = None
    usual: Any = None


class TakesOptions(BaseEstimator):
    """Base of estimators with parameters that are `Options` objects, or short forms of them.

    ``set_params(pruning__n_folds=5)``, and so `GridSearchCV`, works for the short form as well.
    """

    parameter_parts: ClassVar[Mapping[str, type]] = {}  # the class of each nested parameter
    former_parameters: ClassVar[Mapping[str, Former]] = {}

    @classmethod
    def of_former(cls, params: Mapping[str, Any]) -> Self:
        """An object with the parameters of an older file."""
        former = {name: value for name, value in params.items() if name in cls.former_parameters}
        made = cls(**{name: value for name, value in params.items() if name not in former})
        moved = {name: (cls.former_parameters[name], value) for name, value in former.items()}
        return made.set_params(**{to.now: value for to, value in moved.values() if to.now and value != to.usual})

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also those of its parts: ``set_params(pruning="cv", pruning__n_folds=5)``."""
        for name, kind in self.parameter_parts.items():
            if issubclass(kind, Options) and any(key.startswith(f"{name}__") for key in params):
                params[name] = kind.of(params.get(name, getattr(self, name)))
        return super().set_params(**params)
