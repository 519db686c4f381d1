"""Errors of model files."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["ModelFileError", "refuse", "refuse_classifiers", "require"]


class ModelFileError(ValueError):
    """A model cannot be stored, or a file has no valid model; the message gives the reason and the remedy."""


def refuse(what: str) -> NoReturn:
    """Raise ModelFileError for the file that is being read."""
    raise ModelFileError(f"The file is not a valid model file: {what}; get a fresh copy, or save the model again.")


def require(condition: object, what: str) -> None:
    """Raise ModelFileError unless the condition holds."""
    if not condition:
        refuse(what)


def refuse_classifiers() -> NoReturn:
    """Raise ModelFileError: trees of scikit-learn classifiers cannot be stored."""
    raise ModelFileError(
        "splitter is a scikit-learn classifier, and a model file cannot store fitted classifiers; use LeafRank or "
        "Dyadic as the splitter, or pickle or joblib, whose files are only safe to load from a trusted source."
    )
