"""Nothing is lost in silence: identifiers, rows, lines of output, input files, the state of the terminal."""

import os
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest

from rankforest.data import atomic


def write(path, header, lines):
    path.write_text("\n".join([header, *lines]) + "\n")
    return path


@pytest.fixture
def small(tmp_path, rf):
    """Sixty rows with an identifier of 20 digits, and a tree."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=60).round(3)
    y = (x + rng.normal(size=60) > 0).astype(int)
    lines = [f"{10**19 + k},{x[k]},{'0x1F' if k % 2 else '0xA0'},{y[k]}" for k in range(60)]
    write(tmp_path / "t.csv", "id,x,hex,y", lines)
    done = rf(
        "fit",
        tmp_path / "t.csv",
        "-t",
        "y",
        "--ignore",
        "id",
        "--categorical",
        "hex",
        "-m",
        "tree",
        "-o",
        tmp_path / "m.rankforest",
    )
    assert done.code == 0, done.err
    return tmp_path


def test_identifiers_of_20_digits_pass_through(small, rf):
    assert rf("score", small / "m.rankforest", small / "t.csv", "-o", small / "s.parquet").code == 0
    assert pq.read_table(small / "s.parquet")["id"].to_pylist() == [str(10**19 + k) for k in range(60)]


@pytest.mark.parametrize("command", ["fit", "score"])
def test_an_open_quotation_mark_is_refused_with_its_line(command, small, rf):
    lines = (small / "t.csv").read_text().splitlines()
    lines[5] = lines[5].replace("0x", '"0x')
    write(small / "broken.csv", lines[0], lines[1:])
    rest = ["-t", "y"] if command == "fit" else ["-o", small / "s.csv"]
    model = [] if command == "fit" else [small / "m.rankforest"]
    found = rf(command, *model, small / "broken.csv", *rest)
    assert found.code == 1
    assert "the quotation mark in line 6 is not closed, and everything to the end of the file would" in found.err
    assert not (small / "s.csv").exists()


def test_blank_lines_of_one_column_are_rows(tmp_path, rf):
    write(tmp_path / "t.csv", "x,y", [f"{k},{int(k > 30)}" for k in range(60)])
    assert rf("fit", tmp_path / "t.csv", "-t", "y", "-m", "tree", "-o", tmp_path / "m.rankforest").code == 0
    write(tmp_path / "one.csv", "x", ["1", "", "50", ""])
    assert rf("score", tmp_path / "m.rankforest", tmp_path / "one.csv", "-o", tmp_path / "s.csv").code == 0
    assert [line.split(",")[0] for line in (tmp_path / "s.csv").read_text().splitlines()] == ["x", "1", "", "50", ""]


def test_an_output_is_never_an_input(small, rf, monkeypatch):
    monkeypatch.chdir(small)
    os.symlink("t.csv", "link.csv")
    rf("score", "m.rankforest", "t.csv", "-o", "u.csv")
    before = {name: (small / name).read_bytes() for name in os.listdir(small)}
    for arguments in (
        ["fit", "t.csv", "-t", "y", "-o", "t.csv"],
        ["fit", "t.csv", "-t", "y", "-o", "link.csv"],
        ["report", "m.rankforest", "t.csv", "-o", "t.csv"],
        ["report", "m.rankforest", "t.csv", "-o", "m.rankforest"],
        ["export", "m.rankforest", "--to", "text", "-o", "m.rankforest"],
        ["score", "m.rankforest", "t.csv", "-o", "t.csv"],
        ["score", "m.rankforest", "t.csv", "--to", "csv", "-o", "m.rankforest"],
    ):
        found = rf(*arguments)
        assert found.code == 2, arguments
        assert "is the file that is read, and would be replaced; give the output another name." in found.err
    assert {name: (small / name).read_bytes() for name in os.listdir(small)} == before


def test_control_characters_are_shown_and_not_obeyed(tmp_path, rf):
    bad = "\x1b]0;owned\x07\x9b2J"
    lines = [f"{k},{bad if k % 2 else 'plain'},{bad + '1' if k % 3 else 'a'}" for k in range(60)]
    data = write(tmp_path / "t.csv", f"x,c{bad},y", lines)
    model = tmp_path / "m.rankforest"
    for arguments in (
        ["fit", data, "-t", "y"],
        ["fit", data, "-t", "y", "--positive", "a", "-m", "tree", "-o", model],
        ["fit", data, "-t", f"c{bad}", "--positive", bad[:2], "-o", model],
        ["info", model],
        ["info", model, "--json"],
        ["export", model, "--to", "text"],
        ["explain", model, data, "--row", "2"],
        ["evaluate", model, data],
    ):
        found = rf(*arguments)
        assert found.out + found.err
        assert not any(character in found.out + found.err for character in "\x1b\x07\x9b"), arguments


SLOW_READER = """
import fcntl, os, subprocess, sys, time
read, write = os.pipe()
fcntl.fcntl(write, fcntl.F_SETFL, fcntl.fcntl(write, fcntl.F_GETFL) | os.O_NONBLOCK)
child = subprocess.Popen([sys.executable, *sys.argv[1:]], stdout=write)
os.close(write)
time.sleep(0.3)
n = 0
while some := os.read(read, 30000):
    n += some.count(b"\\n")
    time.sleep(0.001)
print(child.wait(), n)
"""


@pytest.mark.parametrize("unbuffered", [False, True])
def test_standard_output_gets_every_line(unbuffered, small):
    text = (small / "t.csv").read_text().splitlines()
    write(small / "long.csv", text[0], text[1:] * 60)
    score = ["-m", "rankforest", "score", small / "m.rankforest", small / "long.csv", "-o", "-", "--jobs", "1"]
    arguments = [*(["-u"] if unbuffered else []), *map(str, score)]
    done = subprocess.run(
        [sys.executable, "-c", SLOW_READER, *arguments], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["0", "3601"], done.stderr


def test_a_closed_standard_output_is_an_error_and_no_file_takes_its_place(small):
    program = f"import sys; from rankforest.cli import main; main({['score', 'm.rankforest', 't.csv', '-o', '-']!r})"
    for closed, code in ((">&-", 141), (">&- 2>&-", 141), (">/dev/full", 1)):
        command = f'"{sys.executable}" -c "$PROGRAM" {closed}'
        done = subprocess.run(
            ["bash", "-c", command], cwd=small, env={**os.environ, "PROGRAM": program}, capture_output=True, check=False
        )
        assert done.returncode == code, done.stderr
        assert b"Traceback" not in done.stderr


def test_what_a_killed_writer_left_is_swept_and_a_living_one_is_not(tmp_path):
    dead, alive = (tmp_path / f".a.txt.{letter * 12}.tmp" for letter in "ab")
    other = tmp_path / ".b.txt.cccccccccccc.tmp"
    for path in (dead, other):
        path.write_text("half")
    with open(alive, "w") as file:
        atomic._hold(file.fileno())
        atomic.atomic_write(tmp_path / "a.txt", "whole")
        assert {path.name for path in tmp_path.iterdir()} == {"a.txt", alive.name, other.name}
