"""A program as text to read."""

from __future__ import annotations

import numpy as np

from ..words import importance_lines, number
from .program import Linear, Program, Squash

__all__ = ["text_of"]


def text_of(program: Program, importance: np.ndarray | None) -> str:
    """A linear score by its weights; any other program by its size and the importance of its features.

    Parameters
    ----------
    program : Program
    importance : array or None
        Of each feature.
    """
    score = program.outputs["score"]
    told, score = ("rises with", score.of) if isinstance(score, Squash) else ("is", score)
    if isinstance(score, Linear):
        return "\n".join([f"{program.model}: the score {told} a sum over", *_weights(program, score)])
    names = [feature.name for feature in program.features]
    lines = [f"{program.model}: {len(program.graphs)} trees, {program.n_nodes} nodes"]
    return "\n".join([*lines, *([] if importance is None else importance_lines(names, importance))])


def _weights(program: Program, score: Linear) -> list[str]:
    lines = []
    for j, centre, weight, _ in score.numbers:
        lines.append(f"  {_term(weight)} * ({program.features[j].name} - {number(centre, 6)})")
    for j, of_code, missing in score.categories:
        named = zip(program.features[j].categories or (), of_code)
        lines += [f"  {_term(value)} where {program.features[j].name} is {category}" for category, value in named]
        lines.append(f"  {_term(missing)} where {program.features[j].name} is missing")
    return lines


def _term(value: float) -> str:
    """A summand, with its sign."""
    return f"{'' if value < 0 else '+'}{number(value, 6)}"
