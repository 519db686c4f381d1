"""Small files and models for the command line."""

from __future__ import annotations

import pyarrow.csv as arrow_csv
import pytest

from command_line import clients, run
from rankforest.cli import main


@pytest.fixture
def rf(capsys):
    return lambda *arguments: run(capsys, arguments)


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Training and test rows, a tree and a forest."""
    folder = tmp_path_factory.mktemp("cli")
    for name, table in (("train", clients(600, 0)), ("test", clients(300, 1))):
        arrow_csv.write_csv(table, folder / f"{name}.csv")
    common = ["fit", f"{folder}/train.csv", "-t", "label", "--ignore", "id", "--categorical", "zone", "--jobs", "1"]
    for kind, more in (("tree", ["max_depth=3"]), ("forest", ["n_estimators=10"])):
        with pytest.raises(SystemExit) as ended:
            main([*common, "--model", kind, "--set", *more, "-o", f"{folder}/{kind}.rankforest"])
        assert not ended.value.code
    return folder
