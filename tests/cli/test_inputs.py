"""No command replaces a file that it reads: the data, and any other file of an option, by any of its names."""

import inspect
import os
import typing

import duckdb
import pytest

import rankforest.cli as command_line
from command_line import clients
from rankforest.cli._app import app
from rankforest.cli._inputs import READ_FILES

# Command, its arguments, and the file that it reads and is asked to write.
READS = [
    ("fit t.csv -t label --ignore id", "t.csv"),
    ("fit t.csv -t label --test-file h.csv", "h.csv"),
    ("fit t.csv -t label --config c.toml", "c.toml"),
    ("fit --database b.duckdb --table rows -t label", "b.duckdb"),
    ("fit --database duckdb:b.duckdb --table rows -t label", "b.duckdb"),
    ("fit parts -t label", "parts/one.csv"),
    ("check t.csv -t label", "t.csv"),
    ("check --database b.duckdb --table rows -t label", "b.duckdb"),
    ("score m.rankforest t.csv --to csv", "t.csv"),
    ("score m.rankforest t.csv --to csv", "m.rankforest"),
    ("score m.rankforest t.csv --to csv --precision 0.5 --held-out h.csv", "h.csv"),
    ("score m.rankforest --database b.duckdb --table rows --to csv", "b.duckdb"),
    ("report m.rankforest t.csv", "t.csv"),
    ("report m.rankforest t.csv", "m.rankforest"),
    ("report m.rankforest t.csv --train h.csv", "h.csv"),
    ("explain m.rankforest t.csv --to csv", "t.csv"),
    ("explain m.rankforest t.csv --to csv", "m.rankforest"),
    ("explain m.rankforest t.csv --to csv --background h.csv", "h.csv"),
    ("export m.rankforest --to text", "m.rankforest"),
    ("refresh m.rankforest t.csv", "t.csv"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, files):
    made = tmp_path_factory.mktemp("inputs")
    for name in ("t.csv", "h.csv"):
        (made / name).write_bytes((files / "train.csv").read_bytes())
    (made / "m.rankforest").write_bytes((files / "tree.rankforest").read_bytes())
    (made / "c.toml").write_text('ignore = ["id"]\n')
    (made / "parts").mkdir()
    (made / "parts" / "one.csv").write_bytes((files / "train.csv").read_bytes())
    with duckdb.connect(str(made / "b.duckdb")) as bank:
        bank.register("given", clients(100, 0))
        bank.execute("CREATE TABLE rows AS SELECT * FROM given")
    return made


@pytest.mark.parametrize("name", ["itself", "a link", "a hard link"])
@pytest.mark.parametrize(("command", "read"), READS)
def test_no_output_replaces_an_input(command, read, name, folder, rf, monkeypatch):
    monkeypatch.chdir(folder)
    output = read if name == "itself" else "other"
    if name == "a link":
        os.symlink(read, output)
    elif name == "a hard link":
        os.link(read, output)
    before = (folder / read).read_bytes()
    try:
        found = rf(*command.split(), "-o", output)
        assert found.code == 2, found.err
        assert "is the file that is read, and would be replaced; give the output another name." in found.err
        assert (folder / read).read_bytes() == before
    finally:
        if output == "other":
            os.unlink(output)


def test_every_option_that_takes_a_file_to_read_is_known():
    known = set(READ_FILES) | {"output"}
    for command in app.registered_commands:
        hints = typing.get_type_hints(inspect.unwrap(command.callback), include_extras=True)
        for name, hint in hints.items():
            of_option = getattr(hint, "__metadata__", (None,))[0]
            if getattr(of_option, "metavar", None) in ("FILE", "URL", "DATA", "[DATA]"):
                assert name in known, (command.callback.__name__, name)
    assert command_line.main is not None


@pytest.mark.parametrize(
    "command", ["fit {m} -t label", "score {m} {m} -o s.csv", "evaluate {m} {m}", "check {m} -t y"]
)
def test_a_model_given_as_data_is_named(command, folder, rf, monkeypatch):
    monkeypatch.chdir(folder)
    found = rf(*command.format(m="m.rankforest").split())
    assert found.code == 2
    assert "m.rankforest is a model of rankforest, not data; give a file of rows." in found.err
