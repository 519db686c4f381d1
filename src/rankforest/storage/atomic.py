"""A file is there as a whole or not at all: it is written beside, and then takes the name in one step."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

__all__ = ["atomic_write"]


def atomic_write(path: str | os.PathLike[str], content: bytes | str | Callable[[BinaryIO], object]) -> None:
    """Write a file in one step; whatever goes wrong, the old file stays as it was and nothing is left beside it.

    Parameters
    ----------
    path : path
        Where the file is to be. A symbolic link is followed: what it points at is replaced.
    content : bytes, str or callable
        What is in the file; text is written as UTF-8. A callable is given the open binary file and writes to it.

    Raises
    ------
    ValueError
        Where the path is a folder, or its folder does not exist.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     atomic_write(f"{folder}/a.txt", "whole")
    ...     Path(folder, "a.txt").read_text(), len(os.listdir(folder))
    ('whole', 1)
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise ValueError(f"{os.fspath(path)!r} is a folder; give the name of a file.")
    if not target.parent.is_dir():
        raise ValueError(f"The folder {str(target.parent)!r} does not exist; make it, or give another path.")
    if target.exists() and not target.is_file():  # a pipe or a device cannot be replaced
        with open(target, "wb") as file:
            _write(file, content)
        return
    number, name = tempfile.mkstemp(prefix=f".{target.name[:64]}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(number, "wb") as file:
            _write(file, content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode(target))
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise
    _sync_folder(target.parent)


def _write(file: BinaryIO, content: bytes | str | Callable[[BinaryIO], object]) -> None:
    if callable(content):
        content(file)
    else:
        file.write(content.encode() if isinstance(content, str) else content)


def _mode(target: Path) -> int:
    """Permissions of the file that is replaced, or those that a new file would have."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """Let the new name survive a power cut, where the system can promise that."""
    if os.name != "posix":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    except OSError:  # some file systems cannot
        pass
    finally:
        os.close(number)
