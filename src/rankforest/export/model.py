"""What can be exported: any fitted model that has a program."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..estimators.fitted_model import FittedModel
from ..estimators.registry import model_classes
from ..program import ExportError, Program

__all__ = ["exported", "program_of"]


def exported(model: Any) -> FittedModel:
    """The model, if it is a fitted one of rankforest."""
    if not isinstance(model, FittedModel):
        known = ", ".join(sorted(model_classes()))
        raise ExportError(f"model is a {type(model).__name__}, which cannot be exported; give one of {known}.")
    check_is_fitted(model)
    return model


def program_of(model: Any) -> Program:
    """The program of a fitted model, with the constraints that it keeps.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> list(program_of(TreeRank().fit([[1.0], [2.0], [3.0]], [0, 0, 1])).outputs)
    ['score', 'stratum', 'probability']
    """
    found = exported(model)
    return replace(found.program(), constraints=tuple(_printable(said) for said in found.constraints()))


def _printable(text: str) -> str:
    """The text in one line, fit for a comment of any language: names may have line breaks."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
