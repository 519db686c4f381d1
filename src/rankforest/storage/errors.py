"""What is wrong with a model file, in one sentence."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["ModelFileError", "refuse", "refuse_classifiers", "require"]


class ModelFileError(ValueError):
    """A model that cannot be stored, or a file that does not hold a model; the message says why and what to do."""


def refuse(what: str) -> NoReturn:
    """Say what is wrong with the file that is being read."""
    raise ModelFileError(f"The file is not a valid model file: {what}; get a fresh copy, or save the model again.")


def require(condition: object, what: str) -> None:
    """Refuse the file unless the condition holds."""
    if not condition:
        refuse(what)


def refuse_classifiers() -> NoReturn:
    """Say that trees of scikit-learn classifiers are not stored, and what else to do."""
    raise ModelFileError(
        "splitter is a scikit-learn classifier, and a model file cannot store fitted classifiers; use LeafRank or "
        "Dyadic as the splitter, or pickle or joblib, whose files are only safe to load from a trusted source."
    )
