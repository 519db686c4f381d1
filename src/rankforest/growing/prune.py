"""Pruning of a grown tree, by the method that the user chose."""

from __future__ import annotations

from typing import Any

from ..data.parameters import at_least, chosen
from ..data.parts import Parts
from ..data.sample import Sample
from ..splitting.cell import SplittingRule
from ..tree.master_tree import MasterTree
from .right_size import CrossValidated, Grow, cross_validate
from .structural import Structural, check_penalty, structural
from .treerank import Growth

__all__ = ["PRUNING", "check_pruning", "pruning_from_parts", "right_sized"]

PRUNING = ("cv", "cv-1se", "structural")


def check_pruning(pruning: Any, n_folds: Any, penalty: Any, rule: SplittingRule, top: float = 1.0) -> None:
    """Raise ValueError if a parameter of the pruning is invalid."""
    if pruning is not None:
        chosen("pruning", pruning, PRUNING)
    if pruning == "structural" and top < 1.0:
        raise ValueError(
            f"top is {top:g} and pruning is 'structural', but the structural penalty is for the AUC of the whole "
            "list; set pruning to 'cv', or top to None."
        )
    if pruning == "structural":
        check_penalty(rule)
    at_least("n_folds", n_folds, 2)
    if penalty != "auto" and not (isinstance(penalty, (int, float)) and penalty >= 0):
        raise ValueError(f"penalty is {penalty!r}; give 'auto' or a number of at least 0.")


def pruning_from_parts(parts: Parts, grown: MasterTree) -> CrossValidated | Structural:
    """How the size of a tree was chosen, from its parts."""
    kind = parts.choice("kind", ("cross-validated", "structural"))
    return (CrossValidated if kind == "cross-validated" else Structural).from_parts(parts, grown)


def right_sized(
    tree: MasterTree,
    grow: Grow,
    sample: Sample,
    growth: Growth,
    *,
    pruning: str | None,
    n_folds: int,
    penalty: float | str,
    seed: int,
    top: float = 1.0,
) -> tuple[MasterTree, CrossValidated | Structural | None]:
    """The chosen subtree, and the result of the choice."""
    if pruning is None:
        return tree, None
    if pruning == "structural":
        by_penalty = structural(tree, grow, sample, growth, constant=penalty, seed=seed)
        return by_penalty.prune(), by_penalty
    found = cross_validate(tree, grow, sample, n_folds=n_folds, seed=seed, top=top)
    return found.prune(one_standard_error=pruning == "cv-1se"), found
