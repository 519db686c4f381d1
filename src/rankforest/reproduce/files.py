"""Paths of the data files."""

from __future__ import annotations

from pathlib import Path

__all__ = ["table_path"]


def table_path(folder: str | Path, name: str) -> Path:
    """The file of a set in the user's folder, as .csv.gz or .csv."""
    for path in (Path(folder) / f"{name}.csv.gz", Path(folder) / f"{name}.csv"):
        if path.exists():
            return path
    raise FileNotFoundError(
        f"There is no {name}.csv.gz (or .csv) in {str(folder)!r}; put the file there, or give the folder that has it."
    )
