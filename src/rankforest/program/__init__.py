"""Fitted models as programs: what every export prints."""

from .errors import ExportError
from .program import Program

__all__ = ["ExportError", "Program"]
