"""Save a fitted model in a file, and load it again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from .. import __version__
from ..data.atomic import atomic_write
from ..data.parts import InvalidParts
from .container import MAX_ARRAYS, parse_json, read_container, read_file, read_text, write_container
from .errors import ModelFileError, refuse, require
from .layout import compact, expand
from .packing import pack, unpack
from .shelf import Shelf

__all__ = ["FORMAT", "VERSION", "load_model", "read_header", "save_model"]

FORMAT = "rankforest"
VERSION = 2

# Migrations of the header and the arrays from each version to the next.
Migration = Callable[[dict[str, Any], dict[str, Any]], tuple[dict[str, Any], dict[str, Any]]]
_MIGRATIONS: dict[int, Migration] = {
    1: lambda header, arrays: (header, arrays),  # version 2 has a layout; without one, arrays are stored as they are
}


# What no score needs: the figures of nodes, for explanations, rules and importances, and one score per training row.
_NOT_FOR_SCORING = frozenset({
    "node_mass", "left_mass", "node_count", "left_count", "terminal_count", "cell_gain", "digits", "node_gain", "gain",
    "oob_scores", "oob_proba", "held_out_scores", "held_out", "held_out_blocks", "drawn_groups",
})  # fmt: skip


def save_model(
    model: Any, path: str | os.PathLike[str], *, for_scoring: bool = False, notes: dict[str, Any] | None = None
) -> None:
    """Store a fitted model in a file. The write is atomic: there is never a half-written file.

    The file contains arrays and a JSON header, and no code. Training rows are not stored. Two fits of the same data
    with one seed write the same bytes.

    Parameters
    ----------
    model : fitted estimator of this library
        Trees whose cells are cut by scikit-learn classifiers, and models with a kernel function, are refused.
    path : path
        The file; the usual extension is ``.rankforest``.
    for_scoring : bool, default=False
        Leave out what no score needs. The loaded model gives the same scores, probabilities, flags and exports. It has
        no rules, importances, reports and out-of-bag scores, and says so when it is asked for them.
    notes : dict, optional
        Additional information in plain JSON values; `read_header` returns it as ``notes``.

    Raises
    ------
    ModelFileError
        If the model is not fitted, or cannot be stored.

    Examples
    --------
    >>> import tempfile
    >>> from rankforest import TreeRank, load_model, save_model
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(300, random_state=0)
    >>> model = TreeRank(max_depth=2).fit(sample.X, sample.y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/tree.rankforest")
    ...     load_model(f"{folder}/tree.rankforest").apply(sample.X[:3])
    array([2, 0, 0], dtype=int32)
    """
    shelf = Shelf(without=_NOT_FOR_SCORING if for_scoring else frozenset())
    header = {"format": FORMAT, "version": VERSION, "library": __version__, **pack(model, shelf)}
    if notes is not None:
        header["notes"] = _plain(notes)
    if shelf.left_out:
        header["left_out"] = sorted(shelf.left_out)
    header["layout"], stored = compact(shelf.arrays)
    text = json.dumps(header, sort_keys=True, separators=(",", ":"), allow_nan=False)
    atomic_write(path, write_container(text, stored))


def _plain(notes: Any) -> dict[str, Any]:
    try:
        found = json.loads(json.dumps(notes, allow_nan=False))
    except (TypeError, ValueError):
        found = None
    if not isinstance(notes, dict) or found != notes:
        raise ModelFileError(f"notes is {str(notes)[:100]}; give a dict of plain JSON values, with strings as keys.")
    return notes


def load_model(path: str | os.PathLike[str]) -> Any:
    """Load a model stored by `save_model`; its scores are the same bit for bit.

    Nothing in the file is executed, and every index, size and number is checked before it is used.

    Raises
    ------
    ModelFileError
        If the file has no model, is damaged, or has a newer version.
    """
    text, arrays = read_container(read_file(path))
    header = _checked_header(text)
    while header["version"] < VERSION:
        version = header["version"]
        header, arrays = _MIGRATIONS[version](header, arrays)
        header["version"] = version + 1
    about = ("format", "version", "library", "notes", "layout", "left_out")
    try:
        arrays = expand(header["layout"], arrays) if "layout" in header else arrays
        shelf = Shelf(arrays, left_out=_left_out(header))
        model = unpack({name: value for name, value in header.items() if name not in about}, shelf)
    except InvalidParts as error:
        refuse(str(error))
    shelf.check_empty()
    target = (header.get("notes") or {}).get("target")
    if isinstance(target, str) and not model.ordered:
        model.name_target(target)
    return model


def _left_out(header: dict[str, Any]) -> set[str]:
    names = header.get("left_out", [])
    sound = isinstance(names, list) and all(isinstance(name, str) for name in names)
    require(sound and all(name.rpartition(".")[2] in _NOT_FOR_SCORING for name in names), "it leaves out what it needs")
    return set(names)


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The header of a model file, as plain JSON: kind, parameters, features, labels, training summary.

    The arrays are not read.
    """
    return _checked_header(read_text(read_file(path, header_only=True)))


def _checked_header(text: str) -> dict[str, Any]:
    # each may take a megabyte, because short labels may have a wide dtype
    require(text.count('"array"') <= MAX_ARRAYS, f"its header has more than {MAX_ARRAYS} arrays")
    header = parse_json(text)
    require(isinstance(header, dict) and header.get("format") == FORMAT, "its header does not describe a model")
    version, library = header.get("version"), header.get("library")
    require(type(version) is int and isinstance(library, str) and len(library) < 100, "its version is missing")
    if version > VERSION:
        raise ModelFileError(
            f"The file has version {version} of the format, and rankforest {__version__} reads versions up to "
            f"{VERSION}; install rankforest {library!r}, which wrote the file, or a later version."
        )
    known = version == VERSION or all(older in _MIGRATIONS for older in range(version, VERSION))
    require(version >= 0 and known, f"version {version} of the format does not exist")
    require(isinstance(header.get("notes", {}), dict), "its notes cannot be read")
    return header
