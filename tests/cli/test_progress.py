"""The bar of a long command moves while rows are explained."""

from contextlib import contextmanager

import pytest

from command_line import clients, run
from rankforest.data.sink import write_batches
from rankforest.shapley import explain


@pytest.fixture
def told(monkeypatch):
    """The shares that bars were told; 64 rows are several blocks."""
    shares = []

    @contextmanager
    def bar(what, *, quiet=False):
        yield shares.append

    monkeypatch.setattr("rankforest.cli._say.bar", bar)
    monkeypatch.setattr(explain, "_ROWS_AT_ONCE", 8)
    return shares


def test_explanations_and_reports_move_it(told, capsys, tmp_path):
    table = clients(120, 0)
    data, model = tmp_path / "a.parquet", tmp_path / "m.rankforest"
    write_batches(str(data), "parquet", table.schema, table.to_batches())
    fit = ["fit", data, "-t", "label", "--ignore", "id", "-m", "forest", "--set", "n_estimators=5", "--jobs", "1"]
    assert run(capsys, [*fit, "-o", model]).code == 0
    for command in (
        ["explain", model, data, "-o", tmp_path / "e.csv"],
        ["report", model, data, "-o", tmp_path / "r.html"],
    ):
        told.clear()
        done = run(capsys, command)
        assert done.code == 0, done.err
        assert told == sorted(told), command
        assert len({share for share in told if 0.1 < share < 1.0}) >= 4, command
        assert max(told) <= 1.0
