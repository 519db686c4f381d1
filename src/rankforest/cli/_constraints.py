"""The constraints of `rankforest fit`, from its options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._errors import WrongUsage
from ._options import names_in

__all__ = ["constraints_of"]

_WORDS = {"none": "no_interactions", "pairs": "pairwise"}


def constraints_of(
    increasing: Sequence[str] | None,
    decreasing: Sequence[str] | None,
    worst_to_best: Sequence[str] | None,
    interactions: Sequence[str] | None,
    *,
    columns: Sequence[str],
    path: str,
) -> Any:
    """The value of `monotonic_cst`; None if no option is given.

    Examples
    --------
    >>> constraints_of(["age"], None, ["grade=C,B,A"], ["none"], columns=["age", "grade"], path="x.csv")
    Constraints(interaction_cst='no_interactions',
                monotonic_cst={'age': 1, 'grade': ['C', 'B', 'A']})
    """
    from ..data.constraints import Constraints

    directions: dict[str, Any] = {}
    for option, given, direction in (("--increasing", increasing, 1), ("--decreasing", decreasing, -1)):
        for name in names_in(given, columns, option, path):
            directions[name] = _once(directions, name, direction)
    for entry in worst_to_best or ():
        name, equals, categories = entry.partition("=")
        if not equals or not categories:
            raise WrongUsage(f"--worst-to-best is {entry!r}; give a column and its categories, as in grade=C,B,A.")
        (name,) = names_in([name.strip()], columns, "--worst-to-best", path)
        directions[name] = _once(directions, name, [category.strip() for category in categories.split(",")])
    groups = _groups(interactions, columns, path)
    if not directions and groups is None:
        return None
    return Constraints(directions or None, interaction_cst=groups)


def _once(directions: dict[str, Any], name: str, entry: Any) -> Any:
    if name in directions:
        raise WrongUsage(
            f"The column {name!r} has more than one direction; name it once, in --increasing, --decreasing or "
            "--worst-to-best."
        )
    return entry


def _groups(interactions: Sequence[str] | None, columns: Sequence[str], path: str) -> Any:
    if not interactions:
        return None
    words = [entry for entry in interactions if entry in _WORDS and entry not in columns]
    if not words:
        return [names_in([entry], columns, "--interactions", path) for entry in interactions]
    if len(interactions) > 1:
        raise WrongUsage(f"--interactions {words[0]} stands alone; leave the other groups out.")
    return _WORDS[words[0]]
