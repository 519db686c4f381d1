"""Atomic writes: a file is written under a temporary name, and then renamed in one step."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["atomic_write", "check_output", "check_target"]


def atomic_write(path: str | os.PathLike[str], content: bytes | str | Callable[[BinaryIO], object]) -> None:
    """Write a file atomically; if anything fails, the old file is unchanged and no temporary file is left.

    On Linux the new file has no name while it is written, so that a killed process leaves nothing, or a complete hidden
    file if it dies while an old file is replaced. On other systems it leaves a hidden file. The next write to the same
    path removes it.

    Parameters
    ----------
    path : path
        The file. A symbolic link is followed: its target is replaced.
    content : bytes, str or callable
        Content of the file; text is written as UTF-8. A callable gets the open binary file and writes to it.

    Raises
    ------
    ValueError
        If the path is a folder, or its folder does not exist.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     atomic_write(f"{folder}/a.txt", "whole")
    ...     Path(folder, "a.txt").read_text(), len(os.listdir(folder))
    ('whole', 1)
    """
    target = check_target(path)
    if target.exists() and not target.is_file():  # a pipe or a device cannot be replaced
        with open(target, "wb") as file:
            _write(file, content)
        return
    _sweep(target)
    mode = _old_mode(target)
    nameless = _open_nameless(target.parent, mode)
    if nameless is None:
        _write_named(target, mode, content)
    else:
        with os.fdopen(nameless, "w+b") as file:
            _hold(file.fileno())
            _write(file, content)
            _settle(file, mode)
            if not _give_name(file.fileno(), target):
                file.seek(0)
                _write_named(target, mode, lambda named: shutil.copyfileobj(file, named))
    _sync_folder(target.parent)


def check_target(path: str | os.PathLike[str]) -> Path:
    """The checked path of a file; it must not be a folder, and its folder must exist and be writable."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise ValueError(f"{os.fspath(path)!r} is a folder; give the name of a file.")
    if not target.parent.is_dir():
        raise ValueError(f"The folder {str(target.parent)!r} does not exist; make it, or give another path.")
    if not os.access(target.parent, os.W_OK) and not (target.exists() and not target.is_file()):
        raise ValueError(f"The folder {str(target.parent)!r} may not be written to; give another path.")
    return target


def check_output(path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]]) -> Path:
    """The checked path of a file to write, which must not be one of the files that are read.

    Parameters
    ----------
    path : path
    inputs : iterable of path
        Files that are read; ``"-"`` is standard input.

    Raises
    ------
    ValueError
        As `check_target`, and if the file would replace an input.
    """
    target = check_target(path)
    for one in inputs:
        if os.fspath(one) != "-" and os.path.exists(one) and target.exists() and os.path.samefile(one, target):
            raise ValueError(
                f"{os.fspath(path)!r} is the file that is read, and would be replaced; give the output another name."
            )
    return target


def _open_nameless(folder: Path, mode: int | None) -> int | None:
    """A new file without a name in the folder; None if the system does not support it."""
    flag = getattr(os, "O_TMPFILE", None)
    if flag is None or not os.path.isdir("/proc/self/fd"):
        return None
    try:
        return os.open(folder, flag | os.O_RDWR | os.O_CLOEXEC, _first_mode(mode))
    except OSError:
        return None


def _give_name(number: int, target: Path) -> bool:
    """Link a nameless file to its path; False if the file system does not support it."""
    source = f"/proc/self/fd/{number}"
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        # with src_dir_fd Python calls linkat, which can follow the link in /proc; plain link cannot
        if not target.exists():
            try:
                os.link(source, target.name, src_dir_fd=folder, dst_dir_fd=folder)
                return True
            except FileExistsError:
                pass
        # A link cannot replace a file, so the complete file first gets a temporary name, which is then renamed.
        beside = _name_beside(target)
        os.link(source, beside, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        return False
    finally:
        os.close(folder)
    try:
        os.replace(target.parent / beside, target)
    except BaseException:
        os.unlink(target.parent / beside)
        raise
    return True


def _write_named(target: Path, mode: int | None, content: bytes | str | Callable[[BinaryIO], object]) -> None:
    name = target.parent / _name_beside(target)
    number = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), _first_mode(mode))
    try:
        with os.fdopen(number, "wb") as file:
            _hold(number)
            _write(file, content)
            _settle(file, mode)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _name_beside(target: Path) -> str:
    return f".{target.name[:64]}.{secrets.token_hex(6)}.tmp"


def _sweep(target: Path) -> None:
    """Remove the hidden files of writers of this path that were killed: nobody holds them any more."""
    if fcntl is None:
        return
    pattern = re.compile(re.escape(f".{target.name[:64]}.") + r"[0-9a-f]{12}\.tmp")
    for entry in os.scandir(target.parent):
        if not pattern.fullmatch(entry.name) or not entry.is_file(follow_symlinks=False):
            continue
        try:
            number = os.open(entry.path, os.O_RDONLY)
        except OSError:  # it belongs to somebody else, or is gone
            continue
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(entry.path)
        except OSError:  # somebody is writing it
            continue
        finally:
            os.close(number)


def _hold(number: int) -> None:
    """Lock the file as long as it is open, which tells `_sweep` that its writer is alive."""
    if fcntl is not None:
        with contextlib.suppress(OSError):  # some file systems cannot
            fcntl.flock(number, fcntl.LOCK_EX)


def _settle(file: BinaryIO, mode: int | None) -> None:
    """Flush the file to disk, and set its permissions."""
    file.flush()
    if mode is not None and os.name == "posix":
        os.fchmod(file.fileno(), mode)
    os.fsync(file.fileno())


def _write(file: BinaryIO, content: bytes | str | Callable[[BinaryIO], object]) -> None:
    if callable(content):
        content(file)
    else:
        file.write(content.encode() if isinstance(content, str) else content)


def _old_mode(target: Path) -> int | None:
    """Permissions of the file that is replaced; None if there is none."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return None


def _first_mode(mode: int | None) -> int:
    """Initial permissions of a file: for a new file those of open(), from which the kernel removes the umask.

    (A process can only read the umask by changing it, for all of its threads.) A file that replaces another is private
    until it gets the permissions of the old one.
    """
    return 0o666 if mode is None else 0o600


def _sync_folder(folder: Path) -> None:
    """Sync the folder, so that the new name survives a power cut, if the system supports it."""
    if os.name != "posix":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    except OSError:  # some file systems cannot
        pass
    finally:
        os.close(number)
