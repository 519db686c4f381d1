"""The models of `fit`, by their names on the command line."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from ..data.storable import names_of
from ._errors import WrongUsage
from ._suggest import did_you_mean, near

if TYPE_CHECKING:
    from ..estimators.fitted_model import FittedModel

__all__ = ["build", "kinds", "nearest_kind", "set_known", "settings"]

TO_READ = ("tree", "scorecard")


def kinds() -> dict[str, type[FittedModel]]:
    """The estimators that can be fitted, by the name they have on the command line; those to read come first."""
    from ..estimators.registry import model_classes

    found = {cls.command: cls for cls in model_classes().values() if cls.command is not None}
    return {name: found[name] for name in sorted(found, key=lambda name: (_rank(name), name))}


def _rank(name: str) -> int:
    return TO_READ.index(name) if name in TO_READ else len(TO_READ)


def nearest_kind(name: str) -> str | None:
    """The model that may be meant, by its name or that of its class; None if no name is near.

    Examples
    --------
    >>> nearest_kind("Trees"), nearest_kind("RankingForest"), nearest_kind("x")
    ('tree', 'forest', None)
    """
    names = {word: kind for kind, cls in kinds().items() for word in (kind, cls.__name__)}
    found = near(name, names)
    return names[found[0]] if found else None


def build(kind: str, given: dict[str, Any], usual: dict[str, Any] | None = None) -> FittedModel:
    """The model with these parameters; raises an error for a parameter that it does not have.

    Parameters
    ----------
    kind : str
        One of `kinds`.
    given : dict
        Parameters by name; ``splitter__max_depth``, ``forest__n_estimators`` and the like are parameters of its parts.
    usual : dict, optional
        Parameters that are not given; those that the model does not have are left out.
    """
    from ..data.options import Options

    maker = kinds()[kind]
    known = maker().get_params(deep=False)
    kind_of_part: Any
    for part, kind_of_part in maker.parameter_parts.items():
        inner = {name.removeprefix(f"{part}__"): v for name, v in given.items() if name.startswith(f"{part}__")}
        if inner:
            for name in inner:
                _check(name.partition("__")[0], names_of(kind_of_part), f"{kind_of_part.__name__}, the {part},")
            has_short_form = issubclass(kind_of_part, Options)
            made = kind_of_part.of(given.get(part, known[part])) if has_short_form else kind_of_part()
            given = {name: v for name, v in given.items() if not name.startswith(f"{part}__")}
            given[part] = made.set_params(**inner)
    for name in given:
        _check(name, known, maker.__name__)
    return maker(**{name: value for name, value in (usual or {}).items() if name in known} | given)


def set_known(model: FittedModel, **values: Any) -> None:
    """Set the parameters that the model has, and leave out the others."""
    known = model.get_params(deep=False)
    model.set_params(**{name: value for name, value in values.items() if name in known})


def settings(given: Sequence[str] | None) -> dict[str, Any]:
    """The parameters of `--set name=value`; values are Python numbers, lists, None and so on, or else text.

    Examples
    --------
    >>> settings(["max_depth=3", "aggregation=proba", "top=None"])
    {'max_depth': 3, 'aggregation': 'proba', 'top': None}
    """
    found: dict[str, Any] = {}
    for entry in given or ():
        name, equals, text = entry.partition("=")
        if not equals or not name.strip():
            raise WrongUsage(f"--set {entry!r} is not name=value; write for instance --set max_depth=3.")
        try:
            value = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError):
            value = {"true": True, "false": False, "none": None}.get(text.strip().lower(), text.strip())
        found[name.strip()] = value
    return found


def _check(name: str, known: Collection[str], whose: str) -> None:
    if name not in known:
        raise WrongUsage(f"{whose} has no parameter {name!r}; {_of_others(name, known) or did_you_mean(name, known)}")


def _of_others(name: str, known: Collection[str]) -> str | None:
    """Models that have the parameter, if this one has none of a similar name."""
    if near(name, known):
        return None
    have = {kind: found[0] for kind, cls in kinds().items() if (found := near(name, names_of(cls)))}
    if not have:
        return None
    ours = next(iter(have.values()))
    return f"{ours!r} is a parameter of --model {' and '.join(kind for kind, word in have.items() if word == ours)}."
