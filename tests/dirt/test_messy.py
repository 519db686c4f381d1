"""Every messy file is fitted with a note, or refused in one sentence; and what was fitted scores the same file."""

import pytest

from command_line import run
from dirt.messy import FILES, N, write


@pytest.mark.parametrize("name", FILES)
def test_outcome(name, capsys, tmp_path):
    messy = FILES[name]
    path, model = write(tmp_path, name), tmp_path / "m.rankforest"
    fit = ["fit", path, "-t", "y", "-m", "tree", "--set", "max_depth=2", "--jobs", "1", "-o", model, *messy.options]
    found = run(capsys, fit)
    assert found.code == int(messy.refused), found.err
    assert messy.says in found.err
    if messy.refused:
        assert found.err.count("\n") == 1
        assert not model.exists()
        return
    if not messy.says:
        assert found.err == ""
    scored = tmp_path / "s.csv"
    skip = messy.options if "--skip" in messy.options else []
    assert run(capsys, ["score", model, path, "--new-categories", *skip, "-o", scored]).code == 0
    assert len(scored.read_text().splitlines()) == N + 1
