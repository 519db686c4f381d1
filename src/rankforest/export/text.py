"""Export to text: the rules of a tree, or what there is to say of a model of many."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..words import area, number
from ..program.errors import ExportError
from .from_model import program_of
from ..program.program import Linear

__all__ = ["to_text"]


def to_text(model: Any) -> str:
    """A tree as its rules, a forest as its description, boosting by its kinds of trees, a direction by its weights.

    Parameters
    ----------
    model : fitted estimator

    Examples
    --------
    >>> from rankforest import LeafRank, TreeRank
    >>> model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0)).fit([[1.0], [2.0], [3.0]], [0, 0, 1])
    >>> print(to_text(model), end="")
    3 rows, 33.3% positive; split adds 0.5000 to the AUC
      better if x0 > 2.5
    [+] stratum 1: 1 row, 100.0% positive
    [-] stratum 2: 2 rows, 0.0% positive
    """
    if not type(model).__module__.startswith("rankforest."):
        raise ExportError(f"model is a {type(model).__name__}, and not a model of rankforest.")
    check_is_fitted(model)
    if hasattr(model, "export_text"):
        text = model.export_text()
    elif hasattr(model, "describe"):
        text = str(model.describe())
    elif hasattr(model, "team_"):
        text = _boosting(model)
    else:
        text = _program(model)
    return f"{text}\n"


def _boosting(model: Any) -> str:
    lines = [f"RankBoost: {model.n_iter_} rounds"]
    if hasattr(model, "held_out_auc_"):
        lines[0] += f", held-out AUC {area(model.held_out_auc_)}"
    for trial in model.trials_:
        figures = f"weight {area(trial.weight, 3)}, {trial.n_rounds} rounds, AUC {area(trial.auc)}"
        lines.append(f"  {figures}: {trial.boosting}")
    names = model.team_.members[0].trees.schema.names
    return "\n".join([*lines, *_importance(names, model.feature_importances_)])


def _importance(names: tuple[str, ...], shares: np.ndarray) -> list[str]:
    order = np.argsort(-shares, kind="stable")
    return ["Importance", *(f"  {area(shares[j])}  {names[j]}" for j in order)]


def _term(value: float) -> str:
    """A summand, with its sign."""
    return f"{'' if value < 0 else '+'}{number(value, 6)}"


def _program(model: Any) -> str:
    """What is left: a direction, or a model of many trees that has no description of its own."""
    program = program_of(model)
    score = program.outputs["score"]
    if isinstance(score, Linear):
        lines = [f"{program.model}: the score is a sum over"]
        for j, centre, weight, _ in score.numbers:
            lines.append(f"  {_term(weight)} * ({program.features[j].name} - {number(centre, 6)})")
        for j, of_code, missing in score.categories:
            named = zip(program.features[j].categories or (), of_code)
            lines += [f"  {_term(value)} where {program.features[j].name} is {category}" for category, value in named]
            lines.append(f"  {_term(missing)} where {program.features[j].name} is missing")
        return "\n".join(lines)
    names = tuple(feature.name for feature in program.features)
    lines = [f"{program.model}: {len(program.graphs)} trees, {program.n_nodes} nodes"]
    if hasattr(model, "estimator_"):
        flagged = f"Rows with a score above {number(model.threshold_, 6)} are flagged."
        return "\n".join([*lines, flagged, to_text(model.estimator_)])
    return "\n".join([*lines, *_importance(names, model.feature_importances_)])
