"""Input: tables, files, labels, weights, parameters (input errors are raised here), bins, simulated sets."""

import importlib as _importlib
import typing as _typing

if _typing.TYPE_CHECKING:
    from . import simulate as simulate

__all__ = ["simulate"]


def __getattr__(name: str) -> _typing.Any:
    if name in __all__:  # imported on first use: reading a table does not need it
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
