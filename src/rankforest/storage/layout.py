"""The arrays of a model as a file stores them: those that follow from others are left out, and the rest is squeezed.

Small arrays are stored as they are, so that a file of one tree can be read with the safetensors package alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .codec import decoded, encoded, size_of
from .errors import require
from .lean import fat, lean

__all__ = ["compact", "expand"]

Arrays = dict[str, np.ndarray]
LEAST_BYTES = 512  # smaller arrays are stored as they are
# A file may not grow without bounds when it is read: a hostile one could claim terabytes.
_FREE = 64_000_000
_MOST_TIMES = 64


def compact(arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    """How the arrays are stored, as JSON, and what is stored."""
    made, left = lean(arrays)
    packed: dict[str, Any] = {}
    stored: Arrays = {}
    for name, array in left.items():
        stored[name] = array
        if array.nbytes >= LEAST_BYTES:
            about, data = encoded(array)
            if len(data) < array.nbytes:
                packed[name], stored[name] = about, np.frombuffer(data, dtype=np.uint8)
    if sum(size_of(about) for about in packed.values()) > _limit(stored):
        return {"lean": made, "packed": {}}, left  # such arrays are as good as empty, and still must be readable
    return {"lean": made, "packed": packed}, stored


def expand(layout: Any, stored: Arrays) -> Arrays:
    """All arrays again; raises ModelFileError if they cannot be made."""
    known = isinstance(layout, dict) and layout.keys() == {"lean", "packed"} and isinstance(layout["packed"], dict)
    require(known, "the layout of its arrays cannot be read")
    packed = layout["packed"]
    for name in packed:
        found = stored.get(name)
        sound = found is not None and found.dtype == np.uint8 and found.ndim == 1
        require(sound, f"it has no bytes of the array {name!r}")
    size = sum(size_of(about) for about in packed.values())
    require(size <= _limit(stored), "its arrays are far larger than the file")
    arrays = {
        name: decoded(packed[name], array.tobytes()) if name in packed else array for name, array in stored.items()
    }
    return fat(layout["lean"], arrays)


def _limit(stored: Arrays) -> int:
    return _FREE + _MOST_TIMES * sum(array.nbytes for array in stored.values())
