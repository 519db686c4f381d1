"""Pruning of a grown tree, by the method that the user chose."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.hold_out import HoldOut
from ..data.parts import Parts
from ..data.sample import Sample
from ..splitting.cell import SplittingRule
from ..tree.master_tree import MasterTree
from ..tree.pruning_options import Pruning
from .chosen_size import ChosenSize
from .right_size import CrossValidated, Grow, cross_validate
from .structural import Structural, check_penalty, structural
from .treerank import Growth

__all__ = ["METHODS", "check_folds", "check_pruning", "pruning_from_parts", "right_sized"]

METHODS = ("cv", "cv-1se", "structural")
_FOLDS = 10


def check_pruning(pruning: Pruning, rule: SplittingRule, top: float = 1.0) -> None:
    """Raise ValueError if a parameter of the pruning is invalid."""
    pruning.check(METHODS)
    if pruning.method == "structural" and top < 1.0:
        raise ValueError(
            f"top is {top:g} and pruning is 'structural', but the structural penalty is for the AUC of the whole "
            "list; set pruning to 'cv', or top to None."
        )
    if pruning.method == "structural":
        check_penalty(rule)


def check_folds(pruning: Pruning, hold_out: HoldOut, labels: np.ndarray) -> None:
    """Raise ValueError if the pruning needs more folds than the rows can have."""
    if pruning.method in ("cv", "cv-1se"):
        hold_out.check_folds(labels, pruning.folds(_FOLDS))


def pruning_from_parts(parts: Parts, grown: MasterTree) -> ChosenSize | CrossValidated | Structural:
    """How the size of a tree was chosen, from its parts."""
    kinds: dict[str, Any] = {"chosen-size": ChosenSize, "cross-validated": CrossValidated, "structural": Structural}
    found: ChosenSize | CrossValidated | Structural = kinds[parts.choice("kind", tuple(kinds))].from_parts(parts, grown)
    return found


def right_sized(
    tree: MasterTree,
    grow: Grow,
    sample: Sample,
    growth: Growth,
    pruning: Pruning,
    *,
    seed: int,
    top: float = 1.0,
) -> tuple[MasterTree, CrossValidated | Structural | None]:
    """The chosen subtree, and the result of the choice."""
    if pruning.method is None:
        return tree, None
    if pruning.method == "structural":
        by_penalty = structural(tree, grow, sample, growth, constant=pruning.penalty, seed=seed)
        return by_penalty.prune(), by_penalty
    found = cross_validate(tree, grow, sample, n_folds=pruning.folds(_FOLDS), seed=seed, top=top)
    return found.prune(one_standard_error=pruning.method == "cv-1se"), found
