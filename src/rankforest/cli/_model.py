"""A model file for the commands: the model, its columns, and the options of its fit."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # heavy imports are made when a command runs
    from ..data.schema import Schema
    from ..estimators.fitted_model import FittedModel

__all__ = ["Loaded", "load"]


@dataclass(frozen=True)
class Loaded:
    """A fitted model with its notes and its path.

    Attributes
    ----------
    model : FittedModel
    notes : dict
        Notes of `rankforest fit`: "target", "weight", "ignored", "missing".
    path : str
    """

    model: FittedModel
    notes: dict[str, Any]
    path: str

    @property
    def schema(self) -> Schema:
        """Of the training table."""
        return self.model.schema_

    def known_columns(self) -> list[str]:
        """Columns of the training file besides the features."""
        roles = ("target", "weight", "group", "time")
        named = [*(self.notes.get(role) for role in roles), *self.notes.get("ignored", ())]
        return [name for name in named if name is not None]


def load(path: str, *, jobs: int = -1) -> Loaded:
    """Read a model file."""
    from ..storage import ModelFileError, load_model, read_header
    from ._errors import WrongUsage
    from ._kinds import set_known

    try:
        model = load_model(path)
        notes = read_header(path).get("notes") or {}
    except ModelFileError as error:
        if not os.path.exists(path):
            raise WrongUsage(str(error)) from None
        _refuse_data(path)
        said = str(error)
        raise ModelFileError(said if path in said else f"{path}: {said[0].lower()}{said[1:]}") from error
    set_known(model, n_jobs=jobs)
    return Loaded(model, notes, path)


def _refuse_data(path: str) -> None:
    """Say so if a file of data was given as a model."""
    from ..data.load import looks_like
    from ._errors import WrongUsage

    kind = looks_like(path)
    if kind is not None:
        raise WrongUsage(f"{path} is {kind}, not a model; give the file that rankforest fit wrote, and then the data.")
