"""Fitted models for other programs: SQL, ONNX, a Python module, JSON, text."""

from ..program.errors import ExportError
from .files import FORMATS, export_model
from .json import to_json
from .onnx import to_onnx
from .python import to_python
from .sql import to_sql
from .text import to_text

__all__ = ["FORMATS", "ExportError", "export_model", "to_json", "to_onnx", "to_python", "to_sql", "to_text"]
