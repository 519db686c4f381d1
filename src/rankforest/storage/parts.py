"""The parts of a fitted model: arrays, trees and nested models go on the shelf, everything else into the header.

The header stores the kind of every part, so that the reader does not depend on the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..boosting.team import Member
from ..data.left_out import LeftOut
from ..data.parts import Parts
from ..data.schema import Schema
from ..estimators.fitted_model import FittedModel
from ..tree.master_tree import MasterTree
from ..tree.ordinal_tree import OrdinalTree
from .boosted_trees import put_member, take_member
from .container import DTYPES
from .errors import require
from .master_trees import put_trees, take_trees
from .ordinal_trees import put_ordinal_trees, take_ordinal_trees
from .shelf import Shelf
from .values import MAX_DEPTH, TYPE, decode, encode

__all__ = ["put_parts", "take_parts"]

Pack = Callable[[Any, Shelf], dict[str, Any]]
Unpack = Callable[[Any, Shelf], FittedModel]


class _Forest(NamedTuple):
    """Trees of one kind, stored together."""

    put: Callable[[Shelf, Any], None]
    take: Callable[[Shelf, Schema], Any]
    kind: type


_FORESTS = {
    "ranking trees": _Forest(put_trees, take_trees, MasterTree),
    "ordinal trees": _Forest(put_ordinal_trees, take_ordinal_trees, OrdinalTree),
}


def put_parts(parts: Mapping[str, Any], shelf: Shelf, pack: Pack) -> dict[str, Any]:
    """Put the arrays of the parts on the shelf, and return everything else as JSON.

    Parameters
    ----------
    parts : mapping
    shelf : Shelf
    pack : callable
        Stores nested models.
    """
    return {name: _put(value, name, shelf, pack) for name, value in parts.items()}


def _put(value: Any, name: str, shelf: Shelf, pack: Pack) -> Any:
    if isinstance(value, LeftOut) or (isinstance(value, np.ndarray) and name in shelf.without):
        return {TYPE: "left out"}
    if isinstance(value, np.ndarray):
        assert value.dtype in DTYPES, f"{name} holds {value.dtype}, which a file does not"
        shelf.put(name, value)
        return {TYPE: "tensor"}
    if isinstance(value, FittedModel):
        return {TYPE: "model", "value": pack(value, shelf.below(name))}
    if isinstance(value, Member):
        return {TYPE: "booster", "value": put_member(shelf.below(name), value)}
    if isinstance(value, Mapping):
        return {TYPE: "parts", "value": put_parts(value, shelf.below(name), pack)}
    if isinstance(value, list):
        for of_trees, forest in _FORESTS.items():
            if value and all(isinstance(each, forest.kind) for each in value):
                forest.put(shelf.below(name), value)
                return {TYPE: of_trees}
        return [_put(each, f"{i}", shelf.below(name), pack) for i, each in enumerate(value)]
    return encode(value, name)


def take_parts(value: Any, shelf: Shelf, schema: Schema, unpack: Unpack, depth: int = 0) -> Parts:
    """The same parts. Types and arrays are checked here; the model checks their meaning."""
    require(isinstance(value, dict) and depth <= MAX_DEPTH, "its parts cannot be read")
    return Parts({name: _take(each, name, shelf, schema, unpack, depth) for name, each in value.items()})


def _take(value: Any, name: str, shelf: Shelf, schema: Schema, unpack: Unpack, depth: int) -> Any:
    if isinstance(value, list):
        require(depth <= MAX_DEPTH, "its parts cannot be read")
        below = shelf.below(name)
        return [_take(each, f"{i}", below, schema, unpack, depth + 1) for i, each in enumerate(value)]
    kind: Any = value.get(TYPE) if isinstance(value, dict) else None
    if kind == "left out":
        return LeftOut(name)
    if kind == "tensor":
        return shelf.take_any(name)
    if isinstance(kind, str) and kind in _FORESTS:
        return _FORESTS[kind].take(shelf.below(name), schema)
    if kind == "model":
        return unpack(value.get("value"), shelf.below(name))
    if kind == "booster":
        return take_member(shelf.below(name), value.get("value"), schema)
    if kind == "parts":
        return take_parts(value.get("value"), shelf.below(name), schema, unpack, depth + 1)
    return decode(value)
