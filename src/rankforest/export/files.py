"""Exports as files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..data.atomic import atomic_write
from .excel import to_excel
from .json import to_json
from .onnx import to_onnx
from .python import to_python
from .sql import to_sql
from .text import to_text

__all__ = ["FORMATS", "export_model"]


def _onnx_bytes(model: Any) -> bytes:
    return to_onnx(model).SerializeToString()


FORMATS: dict[str, Callable[..., str | bytes]] = {
    "sql": to_sql,
    "onnx": _onnx_bytes,
    "py": to_python,
    "json": to_json,
    "txt": to_text,
    "xlsx": to_excel,
}
_OTHER_NAMES = {"python": "py", "text": "txt", "excel": "xlsx"}


def export_model(model: Any, path: str | os.PathLike[str], to: str | None = None, **options: Any) -> None:
    """Write a model to a file for other programs. The write is atomic.

    Parameters
    ----------
    model : fitted estimator
    path : path
    to : {"sql", "onnx", "py", "json", "txt", "xlsx"} or None
        None uses the extension of the path.
    options
        Of `to_sql` and `to_json`.
    """
    name = Path(path).suffix[1:].lower() if to is None else to.lower()
    write = FORMATS.get(_OTHER_NAMES.get(name, name))
    if write is None:
        what = f"to is {to!r}" if to is not None else f"The path {os.fspath(path)!r} ends with none of them"
        raise ValueError(f"{what}; give one of {', '.join(FORMATS)}.")
    atomic_write(path, write(model, **options))
