"""Reader and writer of named arrays and a text in the safetensors format; every size is checked.

A file consists of the length of the header (8 bytes, little-endian), the header (JSON: name -> dtype, shape, offsets)
and the bytes of the arrays. The format is simple, so it is implemented here: the same arrays and text always give the
same bytes, and reading a model needs no package.
"""

from __future__ import annotations

import json
import math
import os
import stat
from typing import Any

import numpy as np

from .errors import ModelFileError, refuse, require

__all__ = ["DTYPES", "parse_json", "read_container", "read_file", "write_container"]

KEY = "rankforest"  # key of our text in the metadata of the header
# Limits of the header, checked before it is parsed. An entry of JSON takes at most about 250 bytes of memory, so these
# two limits bound the memory to about half a gigabyte, even for a hostile file. They leave room for a million
# categories or 370 000 features.
MAX_HEADER = 32_000_000  # bytes
MAX_ENTRIES = 1_500_000
MAX_ARRAYS = 1000
MAX_DIGITS = 400  # of a number in JSON; no float64 or 64-bit integer needs more
_DTYPES = {"F64": "<f8", "I64": "<i8", "U64": "<u8", "I32": "<i4", "U32": "<u4", "U8": "|u1"}
_NAMES = {np.dtype(code): name for name, code in _DTYPES.items()}
DTYPES = frozenset(_NAMES)  # dtypes that a file can store


def write_container(text: str, arrays: dict[str, np.ndarray]) -> bytes:
    """The bytes of a file; wide dtypes come first, so that every array is aligned.

    Examples
    --------
    >>> data = write_container("{}", {"a": np.arange(3)})
    >>> read_container(data)
    ('{}', {'a': array([0, 1, 2])})
    """
    header: dict[str, Any] = {"__metadata__": {KEY: text}}
    parts, place = [], 0
    for name in sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name)):
        array = arrays[name]
        part = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()
        header[name] = {
            "dtype": _NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [place, place + len(part)],
        }
        parts.append(part)
        place += len(part)
    encoded = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    encoded += b" " * (-len(encoded) % 8)
    for size, most, unit in (
        (len(encoded), MAX_HEADER, "bytes"),
        (_most_entries(encoded), MAX_ENTRIES, "entries"),
    ):
        if size > most:
            raise ModelFileError(
                f"The header of the model file would have {size} {unit}, and the limit is {most}; group rare "
                "categories, or drop features that are identifiers."
            )
    return b"".join([len(encoded).to_bytes(8, "little"), encoded, *parts])


def read_file(path: str | os.PathLike[str], *, header_only: bool = False) -> bytes:
    """The bytes of a file; raises ModelFileError if it cannot be read."""
    name = os.fspath(path)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # not a folder, and not a device, which may never end
            raise ModelFileError(f"{name!r} is not a file; give the path of a model file.")
        with open(path, "rb") as file:
            size = file.read(8)
            length = int.from_bytes(size, "little")
            if length > MAX_HEADER:  # too large, so the rest is not read
                return size
            return size + file.read(length if header_only else -1)
    except FileNotFoundError:
        raise ModelFileError(f"There is no file {name!r}; give the path of a model file.") from None
    except OSError as error:
        raise ModelFileError(f"The file {name!r} cannot be read ({error.strerror}); check its permissions.") from None


def read_text(data: bytes) -> str:
    """The text only; the arrays may be missing."""
    return _text(_header(data)[0])


def read_container(data: bytes) -> tuple[str, dict[str, np.ndarray]]:
    """The text and the arrays of a file; the arrays are copies."""
    header, begin = _header(data)
    text = _text(header)
    require(len(header) <= MAX_ARRAYS, f"it has more than {MAX_ARRAYS} arrays")
    size, total, arrays = len(data) - begin, 0, {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        known = isinstance(entry, dict) and entry.keys() == {"dtype", "shape", "data_offsets"}
        require(known, f"its array {name!r} is not described by dtype, shape and data_offsets")
        require(
            isinstance(entry["dtype"], str) and entry["dtype"] in _DTYPES, f"its array {name!r} has an unknown dtype"
        )
        dtype = np.dtype(_DTYPES[entry["dtype"]])
        shape, offsets = entry["shape"], entry["data_offsets"]
        require(_sizes(shape) and len(shape) <= 2, f"its array {name!r} has an invalid shape")
        require(_sizes(offsets) and len(offsets) == 2, f"its array {name!r} has invalid data_offsets")
        start, end = offsets
        fits = start <= end <= size and end - start == math.prod(shape) * dtype.itemsize
        require(fits, f"the size of its array {name!r} does not match its data_offsets")
        total += end - start
        require(total <= size, "its arrays overlap")
        count = math.prod(shape)
        array = np.frombuffer(data, dtype=dtype, count=count, offset=begin + start) if count else np.empty(0, dtype)
        arrays[name] = array.astype(dtype.newbyteorder("="), copy=True).reshape(shape)
    require(total == size, "its arrays do not fill it")
    return text, arrays


def _sizes(values: object) -> bool:
    """Whether it is a list of sizes within the limits."""
    if not isinstance(values, list):
        return False
    return all(type(value) is int and 0 <= value < 1 << 48 for value in values)


def _header(data: bytes) -> tuple[dict[str, Any], int]:
    require(len(data) >= 8, "it is shorter than 8 bytes")
    length = int.from_bytes(data[:8], "little")
    require(length <= MAX_HEADER, f"its header is longer than {MAX_HEADER} bytes, or it is not a model file")
    require(length <= len(data) - 8, "it ends before its header is complete")
    try:
        text = data[8 : 8 + length].decode()
    except UnicodeDecodeError:
        refuse("its header is not text")
    header = parse_json(text)
    require(isinstance(header, dict), "its header is not a JSON object")
    return header, 8 + length


def _text(header: dict[str, Any]) -> str:
    metadata = header.get("__metadata__")
    text = metadata.get(KEY) if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        raise ModelFileError("The file has arrays, but no model of rankforest; give a file written by save_model.")
    return text


def parse_json(text: str) -> Any:
    """Strict JSON: no repeated names, no NaN, no very long numbers, no deep nesting."""
    require(_most_entries(text) <= MAX_ENTRIES, f"its JSON has more than {MAX_ENTRIES} entries")
    try:
        return json.loads(
            text, object_pairs_hook=_pairs, parse_constant=_constant, parse_int=_integer, parse_float=_number
        )
    except RecursionError:
        refuse("its JSON is nested too deeply")
    except ModelFileError:
        raise
    except ValueError:
        refuse("its header is not JSON")


def _most_entries(text: str | bytes) -> int:
    """Upper bound of the number of JSON entries: each follows a comma or opens a list or an object."""
    marks: tuple[Any, ...] = (",", "[", "{") if isinstance(text, str) else (b",", b"[", b"{")
    return sum(text.count(mark) for mark in marks)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    require(len(found) == len(pairs), "its JSON has a name twice")
    return found


def _constant(name: str) -> float:
    refuse(f"its JSON contains {name}, which is not a JSON number")


def _integer(digits: str) -> int:
    require(len(digits) <= MAX_DIGITS, "its JSON contains a number with too many digits")
    return int(digits)


def _number(digits: str) -> float:
    require(len(digits) <= MAX_DIGITS, "its JSON contains a number with too many digits")
    value = float(digits)
    require(math.isfinite(value), "its JSON contains a number that is too large")
    return value
