"""The models that `fit` can make, by the name they have on the command line."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ..data.match import listed

__all__ = ["KINDS", "build", "settings"]

KINDS = {
    "tree": "TreeRank",
    "forest": "RankingForest",
    "boost": "RankBoost",
    "consensus": "RankConsensus",
    "ordinal": "OrdinalRankingForest",
    "ordinal-tree": "OrdinalRankingTree",
}
# Parameters that are themselves made of parameters.
_PARTS = {"splitter": "LeafRank", "forest": "RankingForest", "booster": "RankBoost"}


def build(kind: str, given: dict[str, Any]) -> Any:
    """The model with these parameters; a parameter that it does not have is named.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    given : dict
        Parameters by name; ``splitter__max_depth``, ``forest__n_estimators`` and the like are parameters of its parts.
    """
    import rankforest

    if kind not in KINDS:
        raise ValueError(f"--model is {kind!r}; choose one of {', '.join(KINDS)}.")
    maker = getattr(rankforest, KINDS[kind])
    known = maker().get_params(deep=False)
    for part, kind_of_part in _PARTS.items():
        inner = {name.removeprefix(f"{part}__"): v for name, v in given.items() if name.startswith(f"{part}__")}
        if inner and part in known:
            make_part = getattr(rankforest, kind_of_part)
            for name in inner:
                _check(name, make_part().get_params(deep=False), f"{kind_of_part}, the {part},")
            given = {name: v for name, v in given.items() if not name.startswith(f"{part}__")}
            given[part] = make_part(**inner)
    for name in given:
        _check(name, known, KINDS[kind])
    return maker(**given)


def settings(given: Sequence[str] | None) -> dict[str, Any]:
    """What `--set name=value` says; values are read as Python numbers, lists, None and so on, or else as text.

    Examples
    --------
    >>> settings(["max_depth=3", "aggregation=proba", "top=None"])
    {'max_depth': 3, 'aggregation': 'proba', 'top': None}
    """
    found: dict[str, Any] = {}
    for entry in given or ():
        name, equals, text = entry.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"--set {entry!r} is not name=value; write for instance --set max_depth=3.")
        try:
            value = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError):
            value = {"true": True, "false": False, "none": None}.get(text.strip().lower(), text.strip())
        found[name.strip()] = value
    return found


def _check(name: str, known: dict[str, Any], whose: str) -> None:
    if name not in known:
        from difflib import get_close_matches

        near = get_close_matches(name, known, 3) or sorted(known)
        raise ValueError(f"{whose} has no parameter {name!r}; did you mean {listed(near)}?")
