"""Finished replications are kept, and an interrupted run continues."""

import csv
import io
import re
import time

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_array_equal

from rankforest import progress
from rankforest.reproduce.ledger import Ledger, Outcome, writable_folder
from rankforest.reproduce.replicate import Study, replicate

SETTINGS = {"study": "toy", "seed": 3}
LINES = ["a-B1", "b-B2"]
COLUMNS = ["auc", "PRank, degree 2"]


def outcome(line, replication):
    rng = np.random.default_rng([LINES.index(line), replication])
    return Outcome({"auc": rng.random(), "PRank, degree 2": rng.random()}, rng.integers(0, 99, 5).astype(np.uint16))


def open_ledger(folder):
    return Ledger(folder, COLUMNS, SETTINGS)


def test_stopped_and_started_again(tmp_path):
    whole = open_ledger(tmp_path / "whole")
    assert replicate(Study(LINES, outcome), whole, 4, n_jobs=1) == 8

    calls = []

    def until_the_fifth(line, replication):
        calls.append((line, replication))
        if len(calls) == 6:
            raise KeyboardInterrupt
        return outcome(line, replication)

    stopped = tmp_path / "stopped"
    with pytest.raises(KeyboardInterrupt):
        replicate(Study(LINES, until_the_fifth), open_ledger(stopped), 4, n_jobs=1)
    kept = open_ledger(stopped)
    assert list(kept.figures) == calls[:5]

    again = []

    def counted(line, replication):
        again.append((line, replication))
        return outcome(line, replication)

    told = []
    with progress(lambda *count: told.append(count)):
        ran = replicate(Study(LINES, counted), kept, 4, n_jobs=1)
    assert ran == 3
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert not set(again) & set(calls[:5])
    resumed = open_ledger(stopped)
    assert resumed.figures == whole.figures
    for line in LINES:
        assert_array_equal(resumed.ranks(line, 4), whole.ranks(line, 4))
        assert_array_equal(resumed.column(line, "auc", 4), [outcome(line, r).figures["auc"] for r in range(4)])

    # all is there: nothing runs; more replications run on their own
    assert replicate(Study(LINES, counted), resumed, 4, n_jobs=1) == 0
    assert replicate(Study(LINES, counted), resumed, 5, n_jobs=1) == 2


def test_the_number_of_jobs_changes_nothing(tmp_path):
    one, two = open_ledger(tmp_path / "one"), open_ledger(tmp_path / "two")
    replicate(Study(LINES, outcome), one, 3, n_jobs=1)
    with parallel_config("threading"):
        replicate(Study(LINES, outcome), two, 3, n_jobs=2)
    assert one.figures == two.figures


def test_half_a_line_is_no_line(tmp_path):
    ledger = open_ledger(tmp_path)
    ledger.add("a-B1", 0, outcome("a-B1", 0))
    path = tmp_path / "replications.csv"
    good = path.read_text()
    with open(path, "a") as file:
        file.write("a-B1,1,0.7")  # the machine went down here
    again = open_ledger(tmp_path)
    assert list(again.figures) == [("a-B1", 0)]
    assert path.read_text() == good
    again.add("a-B1", 1, outcome("a-B1", 1))
    with open(path) as file:
        rows = list(csv.DictReader(file))
    assert [row["replication"] for row in rows] == ["0", "1"]
    assert float(rows[1]["PRank, degree 2"]) == outcome("a-B1", 1).figures["PRank, degree 2"]


def test_other_settings_are_refused(tmp_path):
    open_ledger(tmp_path)
    with pytest.raises(ValueError, match=r"holds replications with seed 3, not 4; give another folder"):
        Ledger(tmp_path, COLUMNS, {**SETTINGS, "seed": 4})
    with pytest.raises(ValueError, match="holds replications with columns"):
        Ledger(tmp_path, ["auc"], SETTINGS)


def test_without_a_folder():
    ledger = Ledger(None, COLUMNS, SETTINGS)
    replicate(Study(LINES, outcome), ledger, 2, n_jobs=1)
    assert ledger.column("b-B2", "auc", 2)[1] == outcome("b-B2", 1).figures["auc"]


def test_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"The folder '.*inside' cannot be written to \(.*\); give another one"):
        writable_folder(tmp_path / "file" / "inside")
    with pytest.raises(ValueError, match="cannot be written to"):
        writable_folder(tmp_path / "file")


def test_bar_on_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("rankforest.fitting.progress._PATIENCE", -1.0)

    def slow(line, replication):
        time.sleep(0.06)
        return outcome(line, replication)

    replicate(Study(LINES, slow), Ledger(None, COLUMNS, SETTINGS), 4, n_jobs=1)
    assert re.search(r"\[#+\.*\] \d of 8 replications, \d+ s left", terminal.getvalue())
    assert terminal.getvalue().endswith("\r\x1b[K")
