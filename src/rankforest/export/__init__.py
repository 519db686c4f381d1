"""Fitted models for other programs: SQL, ONNX, a Python module, JSON, text, Excel."""

from ..program.errors import ExportError
from .excel import to_excel
from .files import FORMATS, export_model
from .json import to_json
from .onnx import to_onnx
from .python import to_python
from .sql import to_sql
from .text import to_text

__all__ = [
    "FORMATS",
    "ExportError",
    "export_model",
    "to_excel",
    "to_json",
    "to_onnx",
    "to_python",
    "to_sql",
    "to_text",
]
