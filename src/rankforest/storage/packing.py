"""From any fitted model to arrays and a header, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ..data.parts import NotStorable
from ..estimators.fitted_model import FittedModel
from ..estimators.registry import model_classes
from .errors import ModelFileError, require
from .features import labels_from, labels_to, schema_from, schema_to
from .parts import put_parts, take_parts
from .shelf import Shelf
from .summary import summary_from, summary_to
from .values import decode, values_to

__all__ = ["pack", "unpack"]

_MOST_LABELS = 100
_MOST_JOBS = 1024  # a larger number of threads is not plausible
_MOST_NESTED = 4  # models within a model


def pack(model: Any, shelf: Shelf) -> dict[str, Any]:
    """Put the arrays of a fitted model on the shelf, and return everything else as JSON."""
    if isinstance(model, FittedModel):
        model = model.to_local()
    name = type(model).__name__
    if model_classes().get(name) is not type(model):
        raise ModelFileError(
            f"The model is a {name}, which a model file cannot store; give one of {', '.join(sorted(model_classes()))}."
        )
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise ModelFileError(f"The {name} is not fitted yet; call fit before it is saved.") from None
    try:
        parts = model.to_parts()
    except NotStorable as error:
        raise ModelFileError(str(error)) from None
    found: dict[str, Any] = {
        "model": name,
        "fitted": put_parts(parts, shelf, pack),
        "params": values_to(model),
        "schema": schema_to(model.schema_),
        "classes": labels_to(model.classes_),
        "summary": summary_to(model.summary_),
    }
    if not model.ordered:
        found["positive"] = int(np.flatnonzero(model.classes_ == model.pos_label_)[0])
    return found


def unpack(header: Any, shelf: Shelf, depth: int = 0) -> FittedModel:
    """The model again, checked; `depth` is the number of enclosing models."""
    require(depth < _MOST_NESTED and isinstance(header, dict), "a model inside it cannot be read")
    name = header.get("model")
    cls = model_classes().get(name) if isinstance(name, str) else None
    if cls is None:
        raise ModelFileError(
            f"The file has a model of the class {str(name)[:60]!r}, which this version of rankforest does not have; "
            "install a later version."
        )
    names = {"model", "params", "schema", "classes", "summary", "fitted"} | (set() if cls.ordered else {"positive"})
    require(header.keys() == names, "its header cannot be read")
    schema = schema_from(header["schema"])
    model = _made(cls, header["params"])
    classes = labels_from(header["classes"], least=2, most=_MOST_LABELS if cls.ordered else 2)
    summary = summary_from(header["summary"], schema, len(classes))
    pos_label = None
    if not cls.ordered:
        positive: Any = header["positive"]
        require(type(positive) is int and positive in (0, 1), "its positive label is missing")
        pos_label = classes[positive]
        summary = None if summary is None else summary.with_positives(pos_label, summary.class_counts[positive])
    parts = take_parts(header["fitted"], shelf, schema, lambda inner, below: unpack(inner, below, depth + 1))
    model.restore(parts, schema=schema, classes=classes, pos_label=pos_label, summary=summary)
    return model


def _made(cls: Any, params: Any) -> FittedModel:
    """An unfitted estimator. Parameters that an older file does not have get their defaults; former ones are moved."""
    require(isinstance(params, dict), "its parameters cannot be read")
    unknown = sorted(params.keys() - set(cls._get_param_names()) - cls.former_parameters.keys())
    if unknown:
        raise ModelFileError(
            f"The model has the parameter {unknown[0]!r}, which {cls.__name__} of this version does not have; "
            "install the version of rankforest that wrote the file."
        )
    decoded = {name: decode(value) for name, value in params.items()}
    n_jobs, seed = decoded.get("n_jobs"), decoded.get("random_state")
    few = n_jobs is None or (type(n_jobs) is int and n_jobs != 0 and abs(n_jobs) <= _MOST_JOBS)
    require(few, "its n_jobs is not a valid number of threads")
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool) and 0 <= seed < 1 << 32
    require(seed is None or whole, "its random_state is not a seed")
    made: FittedModel = cls.of_former(decoded)
    return made
