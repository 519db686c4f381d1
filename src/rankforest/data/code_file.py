"""The place of the codes of all rows: memory, or a file when they are too many."""

from __future__ import annotations

import logging
import mmap
import os
import re
import shutil
import tempfile
from typing import Any

import numpy as np

__all__ = ["LOG", "bytes_of", "room_for_codes"]

LOG = logging.getLogger("rankforest.stream")

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def bytes_of(memory: Any) -> int:
    """A size such as "2GB" in bytes.

    Examples
    --------
    >>> bytes_of("2GB"), bytes_of("1.5 MiB"), bytes_of(1000)
    (2000000000, 1572864, 1000)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", str(memory))
    if isinstance(memory, bool) or found is None or found[2].upper() not in _UNITS:
        raise ValueError(f"memory is {memory!r}; give a size such as '2GB' or '500MB', or a number of bytes.")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def room_for_codes(
    shape: tuple[int, int], dtype: Any, memory: Any, folder: str | os.PathLike[str] | None
) -> np.ndarray:
    """An array for the codes of all rows.

    Parameters
    ----------
    shape : tuple of int
    dtype : dtype
    memory : size
        More than this is kept in a file.
    folder : path, optional
        Where the file is made; the place for temporary files by default. The file has no name, so that nothing is left
        of it, however the process ends; its disk space is taken at once.
    """
    n_bytes = shape[0] * shape[1] * np.dtype(dtype).itemsize
    if n_bytes <= bytes_of(memory):
        return np.empty(shape, dtype)
    place = os.fspath(tempfile.gettempdir() if folder is None else folder)
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, n_bytes)
            else:
                file.truncate(n_bytes)
            room = mmap.mmap(file.fileno(), n_bytes)
    except OSError as error:
        free = shutil.disk_usage(place).free if os.path.isdir(place) else 0
        raise OSError(
            f"The codes of {shape[0]} rows need a file of {_size(n_bytes)} in {place!r}, which has {_size(free)} left "
            f"({error.strerror}); give another folder, or more memory."
        ) from error
    LOG.info("The codes of %d rows (%s) are in a file without a name in %s.", shape[0], _size(n_bytes), place)
    return np.frombuffer(room, dtype).reshape(shape)


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 10**9:.1f} GB" if n_bytes >= 10**9 else f"{n_bytes / 10**6:.1f} MB"
