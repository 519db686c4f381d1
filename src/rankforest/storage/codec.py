"""One array as few bytes, without loss: whole numbers in the narrowest type, repeated numbers by a table, deflated.

Every array becomes whole numbers of 0, 1, 2, 4 or 8 bytes. Their lowest bytes come first, then the next ones: equal
bytes stand together, and deflate finds them. Arrays with two axes are stored column by column.
"""

from __future__ import annotations

import math
import zlib
from typing import Any

import numpy as np

from .errors import require

__all__ = ["decoded", "encoded", "size_of"]

_DTYPES = {"F64": "<f8", "I64": "<i8", "U64": "<u8", "I32": "<i4", "U32": "<u4", "U8": "|u1"}
_NAMES = {np.dtype(code): name for name, code in _DTYPES.items()}
_WIDTHS = {0: "", 1: "<u1", 2: "<u2", 4: "<u4", 8: "<u8"}
_WHOLE, _TABLE, _BITS, _STEPS, _PLAIN = "whole", "table", "bits", "steps", "plain"
_EXACT = 1 << 53  # whole numbers below it are exact in float64
_MODULUS = 1 << 64


def encoded(array: np.ndarray) -> tuple[list[Any], bytes]:
    """How an array of at most two axes is stored, as JSON, and its bytes.

    Examples
    --------
    >>> how, data = encoded(np.array([3.0, 4.0, 3.0]))
    >>> how, len(data)
    (['F64', [3], 'whole', 3, 1, 0, 3], 3)
    >>> decoded(how, data)
    array([3., 4., 3.])
    """
    flat = np.ascontiguousarray(array.T).ravel()
    kind, numbers, table = _whole_numbers(flat)
    least, words = _narrow(numbers)
    body = table.astype("<u8").tobytes() + _planes(words)
    squeezed = min((_deflated(body, how) for how in (zlib.Z_DEFAULT_STRATEGY, zlib.Z_HUFFMAN_ONLY)), key=len)
    width = 0 if words is None else words.dtype.itemsize
    data = squeezed if len(squeezed) < len(body) else body
    about = [_NAMES[array.dtype], list(array.shape), kind, least, width, len(table), len(body)]
    return about, data


def size_of(about: Any) -> int:
    """Bytes of the array that `decoded` makes; everything is checked that can be read without the bytes."""
    require(isinstance(about, list) and len(about) == 7, "an array is not described by its seven values")
    dtype, shape, kind, least, width, n_table, length = about
    require(isinstance(dtype, str) and dtype in _DTYPES, "an array has an unknown dtype")
    require(isinstance(shape, list) and 1 <= len(shape) <= 2 and all(map(_is_size, shape)), "an array has no shape")
    require(kind in (_WHOLE, _TABLE, _BITS, _STEPS, _PLAIN), "an array is stored in an unknown way")
    require((kind in (_WHOLE, _TABLE, _BITS)) == (dtype == "F64"), "an array is stored in a way of another dtype")
    require(type(least) is int and -(1 << 63) <= least < 1 << 63, "an array has no least number")
    require(type(width) is int and width in _WIDTHS, "an array has an unknown width")
    require(_is_size(n_table) and (n_table > 0) == (kind == _TABLE), "an array has a wrong table")
    require(_is_size(length) and length == 8 * n_table + math.prod(shape) * width, "an array has a wrong length")
    return max(length, math.prod(shape) * np.dtype(_DTYPES[dtype]).itemsize)


def decoded(about: list[Any], data: bytes) -> np.ndarray:
    """The array again; `size_of` has checked the description."""
    dtype, shape, kind, least, width, n_table, length = about
    body = data if len(data) == length else _inflated(data, length)
    count = math.prod(shape)
    numbers = np.full(count, least % _MODULUS, dtype=np.uint64)
    if width:
        planes = np.frombuffer(body, np.uint8, count * width, 8 * n_table).reshape(width, count)
        words = np.ascontiguousarray(planes.T).view(_WIDTHS[width]).ravel()
        numbers += words.astype(np.uint64)  # modulo 2 ** 64, as the differences were taken
    wanted = np.dtype(_DTYPES[dtype]).newbyteorder("=")
    if kind == _TABLE:
        require((numbers < n_table).all(), "a number of an array is not in its table")
        table = np.frombuffer(body, "<u8", n_table).astype(np.uint64)
        flat = table[numbers.astype(np.int64)].view(np.float64)
    elif kind == _BITS:
        flat = numbers.view(np.float64)
    elif kind == _STEPS:
        flat = np.cumsum(numbers, dtype=np.uint64).view(np.int64)
    else:
        flat = numbers.view(np.int64)
    if kind in (_STEPS, _PLAIN):
        flat = _in_type(flat, wanted)
    elif kind == _WHOLE:
        require((np.abs(flat) <= _EXACT).all(), "a whole number of an array is too large")
        flat = flat.astype(np.float64)
    return np.ascontiguousarray(flat.reshape(shape[::-1]).T)


def _in_type(flat: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Whole numbers in another type, if all of them are in its range."""
    if dtype == np.uint64:
        return flat.view(np.uint64)
    limits = np.iinfo(dtype)
    require(((flat >= limits.min) & (flat <= limits.max)).all(), "a number of an array is out of the range of its type")
    return flat.astype(dtype)


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 48


def _whole_numbers(flat: np.ndarray) -> tuple[str, np.ndarray, np.ndarray]:
    """The kind, whole numbers (64 bits) that stand for the entries, and the table of the kind that has one."""
    none = np.zeros(0, dtype=np.uint64)
    if flat.dtype != np.float64:
        wide = flat.view(np.int64) if flat.dtype == np.uint64 else flat.astype(np.int64)
        if len(wide) > 1 and wide[0] < wide[-1] and (wide[1:] >= wide[:-1]).all():
            return _STEPS, np.diff(wide, prepend=np.int64(0)), none
        return _PLAIN, wide, none
    bits = flat.view(np.uint64)
    small = np.abs(flat) < _EXACT  # False for NaN
    if small.all() and (flat == np.rint(flat)).all() and not (bits == 1 << 63).any():  # -0.0 has only this bit
        return _WHOLE, flat.astype(np.int64), none
    table, index = np.unique(bits, return_inverse=True)
    if 2 * len(table) < len(flat):
        return _TABLE, index.ravel().astype(np.int64), table
    return _BITS, bits.view(np.int64), none


def _narrow(numbers: np.ndarray) -> tuple[int, np.ndarray | None]:
    """The least number, and what the others exceed it by in the narrowest type; None if all are the same."""
    if not len(numbers):
        return 0, None
    least = int(numbers.min())
    above = (numbers - np.int64(least)).view(np.uint64)  # modulo 2 ** 64
    most = int(above.max())
    if most == 0:
        return least, None
    width = next(width for width in (1, 2, 4, 8) if most < 1 << (8 * width))
    return least, above.astype(_WIDTHS[width])


def _planes(words: np.ndarray | None) -> bytes:
    return b"" if words is None else words.view(np.uint8).reshape(len(words), -1).T.tobytes()


def _deflated(body: bytes, strategy: int) -> bytes:
    machine = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS, 9, strategy)
    return machine.compress(body) + machine.flush()


def _inflated(data: bytes, length: int) -> bytes:
    machine = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        body = machine.decompress(data, length + 1)  # never more than is described
    except zlib.error:
        body = b""
    require(len(body) == length and machine.eof and not machine.unused_data, "an array is damaged")
    return body
