"""A file is written completely or not at all."""

import os
import stat
import subprocess
import sys

import pytest

from rankforest.data.atomic import atomic_write


@pytest.mark.parametrize("content", [b"new", "new", lambda file: file.write(b"new")])
def test_the_content_replaces_the_old_one_and_nothing_is_left_beside(tmp_path, content):
    path = tmp_path / "a.bin"
    path.write_bytes(b"something longer than that")
    atomic_write(path, content)
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a.bin"]


def test_a_failure_while_writing_leaves_the_old_file_and_nothing_beside(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")

    def half(file):
        file.write(b"ne")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        atomic_write(path, half)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.bin"]


def test_a_failure_while_replacing_leaves_the_old_file_and_nothing_beside(tmp_path, monkeypatch):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")

    def refuse(source, target):
        raise PermissionError("no")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError):
        atomic_write(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.bin"]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_permissions_are_those_of_the_old_file_or_of_a_new_one(tmp_path):
    path, plain = tmp_path / "a.bin", tmp_path / "plain.bin"
    plain.write_bytes(b"")
    atomic_write(path, b"new")
    assert path.stat().st_mode == plain.stat().st_mode
    path.chmod(0o640)
    atomic_write(path, b"newer")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("nameless", [True, False])
@pytest.mark.parametrize("mask", [0o022, 0o077, 0o000])
def test_a_new_file_has_the_mode_that_open_gives(mask, nameless, tmp_path):
    """In a process of its own, since the umask belongs to all threads."""
    script = f"""
import os, stat, sys
from rankforest.data import atomic
if not {nameless}:
    atomic._open_nameless = lambda folder, mode: None
os.umask({mask})
os.chdir(sys.argv[1])
def looks(file):
    # before it replaces a private file, the new one is private too
    seen.append(stat.S_IMODE(os.fstat(file.fileno()).st_mode))
    file.write(b"new")
seen = []
open("plain", "w").close()
atomic.atomic_write("a", looks)
os.chmod("a", 0o640)
atomic.atomic_write("a", looks)
print(*map(oct, (stat.S_IMODE(os.stat("plain").st_mode), *seen, stat.S_IMODE(os.stat("a").st_mode))))
"""
    done = subprocess.run([sys.executable, "-c", script, tmp_path], check=True, capture_output=True, text=True)
    assert done.stdout.split() == [oct(0o666 & ~mask), oct(0o666 & ~mask), oct(0o600), oct(0o640)]
    assert sorted(os.listdir(tmp_path)) == ["a", "plain"]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("nameless", [True, False])
def test_files_of_other_threads_keep_their_mode(nameless, tmp_path):
    """The umask belongs to all threads: another makes a file whenever it is set, and during the write."""
    script = f"""
import os, stat, sys, threading
from rankforest.data import atomic
if not {nameless}:
    atomic._open_nameless = lambda folder, mode: None
os.chdir(sys.argv[1])
umask, modes = os.umask, set()
umask(0o027)

def make():
    os.close(os.open("other", os.O_CREAT | os.O_WRONLY, 0o666))
    modes.add(oct(stat.S_IMODE(os.stat("other").st_mode)))
    os.unlink("other")

def in_another_thread():
    thread = threading.Thread(target=make)
    thread.start()
    thread.join()

def watched(mask):
    old = umask(mask)
    in_another_thread()
    return old

os.umask = watched
atomic.atomic_write("mine", lambda file: in_another_thread())
print(*sorted(modes))
"""
    done = subprocess.run([sys.executable, "-c", script, tmp_path], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["0o640"]


@pytest.mark.skipif(os.name != "posix", reason="links need a privilege elsewhere")
def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path):
    path, link = tmp_path / "a.bin", tmp_path / "link"
    path.write_bytes(b"old")
    link.symlink_to(path)
    atomic_write(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"


def test_a_folder_and_a_missing_folder_are_refused_in_a_sentence(tmp_path):
    with pytest.raises(ValueError, match="is a folder; give the name of a file"):
        atomic_write(tmp_path, b"")
    with pytest.raises(ValueError, match="does not exist; make it"):
        atomic_write(tmp_path / "nowhere" / "a.bin", b"")
