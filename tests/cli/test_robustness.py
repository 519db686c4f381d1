"""Failures outside the program: it is killed, the disk is full, or files are invalid.

No partial file is left, existing files are unchanged, and the error is one sentence.
"""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest

from command_line import clients
from rankforest.data import atomic
from rankforest.data.load import open_data

KILLING = Path(__file__).with_name("killing.py")


def commands(files, output):
    """Commands that take long enough to be killed in the middle, by name."""
    fit = ["fit", f"{files}/train.csv", "-t", "label", "-m", "forest", "--set", "n_estimators=20", "--jobs", "1"]
    fit += ["-o", output]
    score = ["score", f"{files}/forest.rankforest", f"{files}/test.csv", "-o", output, "--jobs", "1"]
    report = ["report", f"{files}/tree.rankforest", f"{files}/test.csv", "-o", output]
    return {"fit": fit, "score": score, "report": report}


@pytest.mark.parametrize(("name", "output"), [("fit", "m.rankforest"), ("score", "s.parquet"), ("report", "r.html")])
def test_kill_9(name, output, files, tmp_path):
    number = atomic._open_nameless(tmp_path, 0o600)
    if number is None:
        pytest.skip("without nameless files a killed process leaves a hidden one")
    os.close(number)
    path = str(tmp_path / output)
    arguments = [sys.executable, str(KILLING), path, "4", *commands(files, path)[name]]
    done = subprocess.run(arguments, capture_output=True, check=True, text=True)
    found = json.loads(done.stdout)
    whole = found["whole"]
    assert whole["status"] == 0, done.stderr
    assert whole["content"] != "old"
    assert whole["files"] == [output]
    for killed in found["killed"]:
        assert killed["files"] == [output], killed
        assert killed["content"] in ("old", whole["content"]), killed
    half, written, *timed = found["killed"]
    for killed in (half, written):  # these two kill themselves, just before the file gets its name
        assert killed["status"] == 9
        assert killed["content"] == "old"
    assert timed[0]["content"] == "old"


@pytest.mark.parametrize(("name", "output"), [("fit", "m.rankforest"), ("score", "s.csv"), ("report", "r.html")])
def test_disk_full(name, output, rf, files, tmp_path):
    """A limit on the file size simulates a full disk: writing fails in the middle."""
    path = tmp_path / output
    path.write_text("what was there before")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        found = rf(*commands(files, str(path))[name])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert found.code == 1
    assert found.err.endswith("rankforest: File too large; nothing was written.\n")
    assert path.read_text() == "what was there before"
    assert os.listdir(tmp_path) == [output]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_standard_output_full(files):
    arguments = [sys.executable, "-m", "rankforest", *commands(files, "-")["score"]]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "rankforest: No space left on device; nothing was written."
    assert "Traceback" not in done.stderr


def test_reader_goes_away(files):
    """`rankforest score ... | head -1` ends without a word."""
    command = f"{sys.executable} -m rankforest score {files}/tree.rankforest {files}/test.csv -o - | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == "id,age,income,zone,city,label,score,rank,cell,probability\n"
    assert done.stderr == ""


FILES = {
    "nothing": (b"", "{path} is empty; give a file with a header and rows."),
    "header alone": (b"id,age,income,zone,city,label\n", "{path} has a header but no rows; give rows"),
    "encoding": (
        "id,age,income,zone,city,label\n1,30,2.5,01,Orléans,no\n".encode("latin-1"),
        "{path}: column 'city' in row 1 is not UTF-8 text; give the encoding of the file, for instance with --encoding",
    ),
    "ragged": (
        b"id,age,income,zone,city,label\n1,30,2.5,01,Lyon,no\n2,30,2.5,01,Lyon\n",
        "{path}: row 2 has 5 values, and the header has 6 columns; correct the row, or give another --delimiter.",
    ),
    "duplicates": (b"id,age,income,zone,city,age\n1,30,2.5,01,Lyon,no\n", "{path} has 2 columns named 'age'; rename"),
    "not text": (b"\x7fELF\x00\x00\x00", "{path} is not a text file; give CSV, Excel, Parquet or Arrow."),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("command", ["fit", "score", "evaluate"])
def test_broken_files(name, command, rf, files, tmp_path):
    content, said = FILES[name]
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    out = tmp_path / "out.parquet"
    arguments = {
        "fit": ["fit", path, "-t", "label", "-o", out],
        "score": ["score", files / "tree.rankforest", path, "-o", out],
        "evaluate": ["evaluate", files / "tree.rankforest", path],
    }
    found = rf(*arguments[command])
    assert found.code == 1
    assert found.err.startswith("rankforest: " + said.format(path=path))
    assert found.err.count("\n") == 1
    assert os.listdir(tmp_path) == ["a.csv"]


def test_unreadable(rf, files, tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_bytes((files / "test.csv").read_bytes())
    path.chmod(0)
    if os.access(path, os.R_OK):  # root may read anything
        monkeypatch.setattr(os, "access", lambda place, mode, **kwargs: Path(place) != path)
    found = rf("score", files / "tree.rankforest", path, "-o", tmp_path / "s.csv")
    assert found.code == 1
    assert found.err == f"rankforest: '{path}' may not be read; change its permissions.\n"


def test_one_row(rf, files, tmp_path):
    """One row can be scored, but not used for fitting or evaluation."""
    path = tmp_path / "a.csv"
    arrow_csv.write_csv(clients(1, 0), path)
    assert rf("score", files / "tree.rankforest", path, "-o", tmp_path / "s.csv").code == 0
    assert open_data(tmp_path / "s.csv").table()["rank"].to_pylist() == ["1"]
    found = rf("fit", path, "-t", "label", "-o", tmp_path / "m.rankforest")
    assert found.code == 1
    assert "the target 'label' is 'yes' in its only row; a ranking needs two labels." in found.err
    found = rf("evaluate", files / "tree.rankforest", path)
    assert found.code == 1
    assert "holds one class only" in found.err


def test_three_labels(rf, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n1,low\n2,high\n3,middle\n")
    found = rf("fit", path, "-t", "y", "-o", tmp_path / "m.rankforest")
    assert found.code == 1
    assert found.err == (
        f"rankforest: {path}: the target 'y' has 3 values ('high', 'low', 'middle'); keep the rows of two of them, or "
        "use --model ordinal if they are ordered.\n"
    )


def test_ten_thousand_columns(rf, tmp_path):
    n, q = 60, 10_000
    rng = np.random.default_rng(0)
    X = rng.integers(0, 10, (n, q))
    y = np.where(X[:, 1234] > 4, "yes", "no")
    lines = [",".join([*(f"x{j}" for j in range(q)), "y"])]
    lines += [",".join([*map(str, row), label]) for row, label in zip(X.tolist(), y)]
    path, model = tmp_path / "a.csv", tmp_path / "m.rankforest"
    path.write_text("\n".join(lines) + "\n")
    assert rf("fit", path, "-t", "y", "-m", "tree", "-o", model).code == 0
    assert rf("score", model, path, "-o", tmp_path / "s.parquet").code == 0
    scored = open_data(tmp_path / "s.parquet").table()
    assert scored.num_columns == q + 5
    scores = scored["score"].to_numpy()
    assert scores[y == "yes"].min() > scores[y == "no"].max()
    found = rf("info", model).out
    assert "x1234" in found
    assert "and 9980 more features; --json has all of them." in found


def test_memory_does_not_grow_with_the_file(files, tmp_path):
    """A file of 60 MB takes little more than one of 40 kB; benchmarks/cli_memory.py has the one of 2 GB."""
    text = "x" * 2000
    small = clients(20, 0).append_column("text", pa.array([text] * 20))
    arrow_csv.write_csv(small, tmp_path / "small.csv")
    header, *rows = (tmp_path / "small.csv").read_bytes().splitlines(keepends=True)
    with (tmp_path / "large.csv").open("wb") as file:
        file.write(header)
        for _ in range(1500):
            file.writelines(rows)
    peaks = []
    for name in ("small", "large"):
        out = tmp_path / "s.csv"
        arguments = ["score", f"{files}/tree.rankforest", f"{tmp_path}/{name}.csv", "-o", str(out), "--jobs", "1"]
        child = subprocess.Popen([sys.executable, "-m", "rankforest", *arguments], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        assert status == 0
        peaks.append(usage.ru_maxrss / 1024)
    assert (tmp_path / "large.csv").stat().st_size > 60e6
    assert peaks[1] - peaks[0] < 40
