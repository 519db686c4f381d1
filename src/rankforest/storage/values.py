"""Parameters and labels as JSON: plain values unchanged, all others with their type. Nothing is executed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from ..data.options import TakesOptions
from ..data.storable import names_of, storable_classes, values_of
from ..splitting.cell import SplittingRule
from .errors import ModelFileError, refuse, refuse_classifiers, require

__all__ = ["MAX_DEPTH", "TYPE", "decode", "encode", "values_to"]

TYPE = "type"  # the key that marks an encoded value
MAX_DEPTH = 20
_MOST_BYTES = 1 << 20  # largest array of labels or of a parameter


def values_to(value: Any) -> dict[str, Any]:
    """The parameters or fields of an object as JSON, by name."""
    return {name: encode(each, name) for name, each in values_of(value).items()}


def encode(value: Any, name: str) -> Any:
    """A value as JSON.

    Parameters
    ----------
    value : None, bool, int, float, str, NumPy scalar or array, list, tuple, dict, or an object of a storable class
    name : str
        Its name in error messages.

    Examples
    --------
    >>> encode((1, float("inf"), np.int64(3)), "x")
    {'type': 'tuple', 'value': [1, {'type': 'float', 'value': 'inf'}, {'type': 'int64', 'value': 3}]}
    """
    if value is None or type(value) in (bool, str):
        return value
    if type(value) is int and abs(value) < 1 << 64:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else _tagged("float", repr(value))
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return None
    if isinstance(value, np.generic) and value.dtype.kind in "biuf" and value.dtype.itemsize <= 8:
        return _tagged(value.dtype.name, encode(value.item(), name))
    if isinstance(value, np.str_):
        return _tagged("str_", str(value))
    if type(value) is list:
        return [encode(each, name) for each in value]
    if type(value) is tuple:
        return _tagged("tuple", [encode(each, name) for each in value])
    if isinstance(value, dict):
        return _tagged("dict", [[encode(key, name), encode(each, name)] for key, each in value.items()])
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufUO":
        if value.nbytes > _MOST_BYTES:
            raise ModelFileError(
                f"{name} is an array of {value.nbytes} bytes, and the header of a model file stores at most "
                f"{_MOST_BYTES} bytes of an array; use shorter labels, or a smaller array."
            )
        flat = [encode(each, name) for each in value.ravel().tolist()]
        return {**_tagged("array", flat), "dtype": _dtype_name(value.dtype), "shape": list(value.shape)}
    kind = type(value).__name__
    if storable_classes().get(kind) is type(value):
        return _tagged(kind, {part: encode(each, f"{name}.{part}") for part, each in values_of(value).items()})
    if "splitter" in name.split(".") and (isinstance(value, SplittingRule) or is_classifier(value)):
        refuse_classifiers()
    raise ModelFileError(
        f"{name} is {value!r:.80} of the type {kind}, which a model file cannot store; set it to "
        "plain values, or use pickle or joblib, whose files are only safe to load from a trusted source."
    )


def _tagged(kind: str, value: Any) -> dict[str, Any]:
    return {TYPE: kind, "value": value}


def _dtype_name(dtype: np.dtype) -> str:
    return "object" if dtype.kind == "O" else dtype.name


def decode(value: Any, depth: int = 0) -> Any:
    """The value from the JSON of `encode`; raises ModelFileError for anything else."""
    require(depth <= MAX_DEPTH, "a value in its header is nested too deeply")
    if isinstance(value, list):
        return [decode(each, depth + 1) for each in value]
    if not isinstance(value, dict):
        require(type(value) is not int or abs(value) < 1 << 64, "a number in its header is too large")
        return value
    kind: Any = value.get(TYPE)
    content: Any = value.get("value")
    names = {TYPE, "value", "dtype", "shape"} if kind == "array" else {TYPE, "value"}
    require(isinstance(kind, str) and value.keys() == names, "a value in its header has no type")
    if kind == "array":
        return _array(value, depth)
    if kind == "float":
        require(content in ("nan", "inf", "-inf"), "a number in its header cannot be read")
        return float(content)
    if kind == "tuple":
        require(isinstance(content, list), "a value in its header is not a list")
        return tuple(decode(each, depth + 1) for each in content)
    if kind == "dict":
        pairs = isinstance(content, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in content)
        require(pairs, "a value in its header is not a list of pairs")
        return {_key(decode(key, depth + 1)): decode(each, depth + 1) for key, each in content}
    if kind in storable_classes():
        return _object(storable_classes()[kind], content, depth)
    return _scalar(kind, decode(content, depth + 1))


def _key(key: Any) -> Any:
    require(key is None or isinstance(key, bool | int | float | str | np.generic), "a key in its header cannot be read")
    return key


def _object(cls: type, content: Any, depth: int) -> Any:
    require(isinstance(content, dict), f"a {cls.__name__} in its header has no parameters")
    parts = {name: decode(each, depth + 1) for name, each in content.items()}
    former = cls.former_parameters if issubclass(cls, TakesOptions) else {}
    require(parts.keys() <= {*names_of(cls), *former}, f"a {cls.__name__} in its header has an unknown parameter")
    try:
        return cls.of_former(parts) if issubclass(cls, TakesOptions) else cls(**parts)
    except (TypeError, ValueError):
        refuse(f"a {cls.__name__} in its header has invalid parameters")


def _dtype(name: Any) -> np.dtype:
    plain = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    if name in (*plain, "float16", "float32", "float64", "object"):
        return np.dtype(name)
    # text of a fixed width: "str96" is three characters
    bits = name[3:] if isinstance(name, str) and name.startswith("str") else ""
    require(bits.isascii() and bits.isdigit() and len(bits) <= 7, "an array in its header has an unknown type")
    require(int(bits) % 32 == 0, "an array in its header has an unknown type")
    return np.dtype(f"<U{int(bits) // 32}")


def _array(value: dict[str, Any], depth: int) -> np.ndarray:
    shape, content = value["shape"], value["value"]
    sizes = isinstance(shape, list) and len(shape) <= 2 and all(type(n) is int and 0 <= n < 1 << 32 for n in shape)
    require(sizes and isinstance(content, list), "an array in its header has an invalid shape")
    require(len(content) == math.prod(shape), "an array in its header has an invalid shape")
    dtype = _dtype(value["dtype"])
    require(dtype.itemsize * len(content) <= _MOST_BYTES, "an array in its header is too large")
    found = np.empty(len(content), dtype=dtype)
    for i, each in enumerate(content):
        entry = decode(each, depth + 1)
        require(dtype.kind == "O" or not isinstance(entry, list | tuple | dict), "an array in its header is nested")
        found[i] = entry if dtype.kind == "O" else _cast(dtype, entry)
    return found.reshape(shape)


def _scalar(name: str, content: Any) -> Any:
    if name == "str_":
        require(isinstance(content, str), "a text in its header is not a string")
        return np.str_(content)
    dtype = _dtype(name)
    require(dtype.kind in "biuf", "a value in its header has an unknown type")
    return _cast(dtype, content)


def _cast(dtype: np.dtype, value: Any) -> Any:
    """The value in a type that represents it exactly."""
    wanted = {"b": (bool,), "i": (int,), "u": (int,), "f": (int, float), "U": (str,)}[dtype.kind]
    require(type(value) in wanted, "a value in its header does not match its type")
    try:
        found = dtype.type(value)
    except (OverflowError, ValueError):
        refuse("a value in its header does not match its type")
    if dtype.kind == "U":
        require(len(value) * 4 <= dtype.itemsize, "a text in its header does not match its type")
    else:
        same = found.item() == value or value != value
        require(same, "a value in its header does not match its type")
    return found
