"""A file is there as a whole or not at all."""

import os
import stat

import pytest

from rankforest.storage.atomic import atomic_write


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
