"""Packages that only parts of the library need: where one is missing, the error names the extra that brings it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["needed"]


def needed(module: str, what: str, extra: str | None = None, instead: str = "") -> Any:
    """Import a module that the base install does not bring.

    Parameters
    ----------
    module : str
    what : str
        Subject and verb of the error message.
    extra : str, optional
        The extra of rankforest that brings the package; without one, the package itself is to be installed.
    instead : str
        Another way out.

    Raises
    ------
    ImportError
        If it is not installed.

    Examples
    --------
    >>> needed("no_such_package.pyplot", "Drawing needs", "plot")
    Traceback (most recent call last):
    ImportError: Drawing needs no_such_package, which is not installed; run pip install "rankforest[plot]".
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise  # it is installed, and something that it needs is not
        install = package if extra is None else f'"rankforest[{extra}]"'
        way_out = f"pip install {install}{f', or {instead}' if instead else ''}"
        raise ImportError(f"{what} {package}, which is not installed; run {way_out}.", name=package) from None
