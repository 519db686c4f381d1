"""A file gets its name only when it is complete, so a killed process leaves nothing behind."""

import os
import subprocess
import sys
import tempfile

import pytest

from rankforest.data import atomic
from rankforest.data.atomic import atomic_write


def has_nameless(folder):
    number = atomic._open_nameless(folder, None)
    if number is not None:
        os.close(number)
    return number is not None


LINUX = pytest.mark.skipif(not has_nameless(tempfile.gettempdir()), reason="no files without a name in this folder")


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize("nameless", [pytest.param(True, marks=LINUX), False])
def test_both_ways(nameless, tmp_path, monkeypatch):
    if not nameless:
        monkeypatch.setattr(atomic, "_open_nameless", lambda folder, mode: None)
    path = tmp_path / "a.txt"
    seen = []

    def write(file):
        seen.append(names(tmp_path))
        file.write(b"new")

    atomic_write(path, write)
    path.chmod(0o640)
    atomic_write(path, write)
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640  # as it was before
    assert names(tmp_path) == ["a.txt"]
    if nameless:
        assert seen == [[], ["a.txt"]]

    def fail(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        atomic_write(path, fail)
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["a.txt"]


@LINUX
def test_killed(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    code = (
        "import os, signal, sys\n"
        "from rankforest.data.atomic import atomic_write\n"
        "def write(file):\n"
        "    file.write(b'x' * 10**6); file.flush(); os.kill(os.getpid(), signal.SIGKILL)\n"
        "atomic_write(sys.argv[1], write)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert done.returncode == -9
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


@LINUX
def test_new_file_appears_meanwhile(tmp_path):
    """Another process was quicker: its file is replaced, as it would have been a moment later."""
    path = tmp_path / "a.txt"

    def write(file):
        path.write_text("theirs")
        file.write(b"ours")

    atomic_write(path, write)
    assert path.read_text() == "ours"
    assert names(tmp_path) == ["a.txt"]


@LINUX
@pytest.mark.parametrize("there_before", [True, False])
def test_no_name_to_be_had(there_before, tmp_path, monkeypatch):
    """If the file system cannot link a nameless file to a name, its content is copied."""
    path = tmp_path / "a.txt"
    if there_before:
        path.write_text("old")

    def refuse(*arguments, **options):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    atomic_write(path, b"new" * 10**6)
    assert path.read_bytes() == b"new" * 10**6
    assert names(tmp_path) == ["a.txt"]


def test_through_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "a.txt"
    target.write_text("old")
    link = tmp_path / "a.txt"
    link.symlink_to(target)
    atomic_write(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_device():
    atomic_write(os.devnull, "anything")
    if os.path.exists("/dev/full"):
        with pytest.raises(OSError, match="No space"):
            atomic_write("/dev/full", "anything")
