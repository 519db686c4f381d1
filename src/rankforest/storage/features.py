"""The features of the training table, and the labels, as JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.categories import MAX_CATEGORIES
from ..data.reading.recipe import Reading
from ..data.schema import Feature, Schema
from .errors import ModelFileError, refuse, require
from .values import decode, encode

__all__ = ["labels_from", "labels_to", "schema_from", "schema_to"]

_KINDS = ("numeric", "categorical")


def schema_to(schema: Schema) -> dict[str, Any]:
    """A schema as JSON."""
    features = []
    for feature in schema.features:
        for category in feature.categories or ():
            if type(category) not in (bool, int, float, str):
                raise ModelFileError(
                    f"The feature {feature.name!r} has the category {category!r} of the type "
                    f"{type(category).__name__}, which a model file cannot store; convert the column to strings."
                )
        categories = None if feature.categories is None else list(feature.categories)
        features.append({"name": feature.name, "kind": feature.kind, "categories": categories})
    found = {"features": features, "named": schema.named}
    return found if schema.reading is None else {**found, "reading": schema.reading.to_dict()}


def schema_from(value: Any) -> Schema:
    """The schema again, checked."""
    known = {"features", "named", "reading"}
    sound = isinstance(value, dict) and value.keys() | {"reading"} == known and isinstance(value["named"], bool)
    require(sound and isinstance(value["features"], list) and value["features"], "its features cannot be read")
    features = tuple(_feature(each) for each in value["features"])
    require(len({feature.name for feature in features}) == len(features), "two of its features have the same name")
    return Schema(features, named=value["named"], reading=_reading(value.get("reading"), features))


def _reading(value: Any, features: tuple[Feature, ...]) -> Reading | None:
    """How the features are made of the columns of a file, checked."""
    if value is None:
        return None
    try:
        return Reading.from_dict(value, [feature.name for feature in features])
    except ValueError as error:
        refuse(str(error))


def _feature(value: Any) -> Feature:
    require(isinstance(value, dict) and value.keys() == {"name", "kind", "categories"}, "a feature cannot be read")
    name, kind, categories = value["name"], value["kind"], value["categories"]
    require(isinstance(name, str) and kind in _KINDS, "a feature has no name or kind")
    if kind == "numeric":
        require(categories is None, f"its numeric feature {name!r} has categories")
        return Feature(name, "numeric")
    require(isinstance(categories, list), f"its feature {name!r} has no categories")
    require(0 < len(categories) <= MAX_CATEGORIES, f"its feature {name!r} has an invalid number of categories")
    families = {"text" if type(c) is str else "boolean" if type(c) is bool else type(c) for c in categories}
    known = families in ({"text"}, {"boolean"}) or families <= {int, float}
    require(known, f"the categories of its feature {name!r} have different types")
    small = all(type(c) is not int or abs(c) < 1 << 53 for c in categories)
    require(small and len(set(categories)) == len(categories), f"its feature {name!r} has the same category twice")
    return Feature(name, "categorical", tuple(categories))


def labels_to(classes: np.ndarray) -> Any:
    """Labels as JSON, with their type."""
    return encode(classes, "classes_")


def labels_from(value: Any, *, least: int, most: int) -> np.ndarray:
    """The labels again, checked: the right number, all different."""
    labels = decode(value)
    require(isinstance(labels, np.ndarray) and labels.ndim == 1, "its labels cannot be read")
    require(least <= len(labels) <= most, "it has a wrong number of labels")
    plain = labels.tolist()
    known = all(isinstance(label, bool | int | float | str | np.generic) and label == label for label in plain)
    require(known, "its labels are neither numbers nor text")
    require(len(set(plain)) == len(plain), "two of its labels are the same")
    return labels
