"""A model file as the commands use it: the model, its columns, and what was said when it was fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Loaded", "load", "schema_of"]


@dataclass(frozen=True)
class Loaded:
    """A fitted model and what belongs to it.

    Attributes
    ----------
    model : estimator
    schema : Schema
        Of the training table.
    notes : dict
        What `rankforest fit` wrote down: "target", "weight", "ignored", "missing".
    path : str
    """

    model: Any
    schema: Any
    notes: dict[str, Any]
    path: str

    @property
    def is_ordinal(self) -> bool:
        """Whether the labels are ordered classes rather than two."""
        return not hasattr(self.model, "pos_label_")

    @property
    def is_tree(self) -> bool:
        """Whether there is one tree, whose cells are strata."""
        return hasattr(self.model, "tree_")

    def known_columns(self) -> list[str]:
        """Columns of the training file besides the features."""
        named = [self.notes.get("target"), self.notes.get("weight"), *self.notes.get("ignored", ())]
        return [name for name in named if name is not None]


def load(path: str, *, jobs: int = -1) -> Loaded:
    """Read a model file."""
    from ..storage import ModelFileError, load_model, read_header

    try:
        model = load_model(path)
        notes = read_header(path).get("notes") or {}
    except ModelFileError as error:
        said = str(error)
        raise ModelFileError(said if path in said else f"{path}: {said[0].lower()}{said[1:]}") from error
    if "n_jobs" in model.get_params(deep=False):
        model.set_params(n_jobs=jobs)
    return Loaded(model, schema_of(model), notes, path)


def schema_of(model: Any) -> Any:
    """The schema of the training table of any fitted model."""
    for name in ("tree_", "standardization_"):
        if hasattr(model, name):
            return getattr(model, name).schema
    if hasattr(model, "team_"):
        return model.team_.members[0].trees.schema
    if hasattr(model, "trees_"):
        return model.trees_[0].schema
    for name in ("forest_", "estimator_"):
        if hasattr(model, name):
            return schema_of(getattr(model, name))
    raise ValueError(f"{type(model).__name__} does not store the columns it was fitted on; fit it with rankforest.")
