"""Model files: a fitted model as arrays and a JSON header, without code."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import ModelFileError as ModelFileError
    from .model import load_model as load_model
    from .model import read_header as read_header
    from .model import save_model as save_model

# Imported on first use, so that atomic writes do not import the estimators.
_PUBLIC = {"ModelFileError": "errors", "load_model": "model", "read_header": "model", "save_model": "model"}

__all__ = ["ModelFileError", "load_model", "read_header", "save_model"]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
