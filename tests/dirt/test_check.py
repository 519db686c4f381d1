"""``rankforest check``: the same findings as fit, and a command that runs."""

import shlex

from command_line import run
from dirt.messy import write


def test_the_command_that_it_prints_has_the_remedies_and_runs(capsys, tmp_path):
    path = write(tmp_path, "minus 999")
    found = run(capsys, ["check", path, "-t", "y", "--json"]).json
    assert found["options"] == ["--missing", "c=-999"]
    assert [one["kind"] for one in found["findings"]] == ["sentinel"]
    said = run(capsys, ["check", path, "-t", "y"])
    last = said.out.splitlines()[-1].removeprefix("Fit with: rankforest ")
    model = tmp_path / "m.rankforest"
    done = run(capsys, [*shlex.split(last), "-m", "tree", "--jobs", "1", "-o", model])
    assert done.code == 0
    assert done.err == ""


def test_rows_without_a_label_are_counted(capsys, tmp_path):
    found = run(capsys, ["check", write(tmp_path, "no label"), "-t", "y", "--json"]).json
    assert found["options"][0] == "--drop-unlabelled"
