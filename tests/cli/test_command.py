"""The command itself: help, versions, exit codes and error messages."""

import subprocess
import sys

import pytest

from rankforest import __version__

COMMANDS = ["fit", "score", "evaluate", "compare", "explain", "report", "info", "export", "reproduce", "demo"]


def test_help(rf):
    said = rf("--help")
    assert said.code == 0
    for name in COMMANDS:
        assert name in said.out
        of_command = rf(name, "--help")
        assert of_command.code == 0
        assert "sage: rankforest" in of_command.out
    assert rf().code in (0, 2)  # nothing asked for: the help, with the exit code of the installed typer
    assert rf("--version").out == f"rankforest {__version__}\n"


def test_help_is_light():
    """The help text imports no heavy library."""
    code = (
        "import sys\n"
        "from rankforest.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pyarrow', 'pandas'} & set(sys.modules)\n"
        "print('heavy:', *sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "heavy:"


@pytest.mark.parametrize("arguments", [["fit"], ["nonsense"], ["fit", "a.csv"], ["score", "m"], ["fit", "--nonsense"]])
def test_wrong_usage(arguments, rf):
    said = rf(*arguments)
    assert said.code == 2
    assert said.out == ""
    assert "Try 'rankforest" in said.err


def test_not_a_model(rf, files, tmp_path):
    for command in (
        ["score", files / "test.csv", files / "test.csv", "-o", tmp_path / "s.csv"],
        ["info", files / "test.csv"],
    ):
        said = rf(*command)
        assert said.code == 2
        assert said.err.startswith("rankforest: ")
        assert "test.csv is a CSV file, not a model;" in said.err
        assert said.err.count("\n") == 1
    assert rf("info", tmp_path / "nowhere.rankforest").err.count("\n") == 1


def test_debug_shows_where(rf, files):
    from rankforest.data.data_file import DataFileError

    with pytest.raises(DataFileError, match="There is no file"):
        rf("--debug", "evaluate", files / "tree.rankforest", "nowhere.csv")
    assert rf("evaluate", files / "tree.rankforest", "nowhere.csv").code == 2
    assert rf("info", files / "nowhere.rankforest").code == 2


def test_unexpected_errors(rf, files, monkeypatch):
    """An unexpected error prints one line, and says how to get the traceback."""
    from rankforest import TreeRank

    def fail(self, X):
        raise KeyError("x")

    monkeypatch.setattr(TreeRank, "apply", fail)
    said = rf("evaluate", files / "tree.rankforest", files / "test.csv")
    assert said.code == 1
    assert said.err == "rankforest: KeyError: 'x'; run rankforest --debug for the traceback.\n"


def test_reproduce(rf):
    said = rf("reproduce", "list")
    assert said.code == 0
    assert said.out.startswith("table1 ")
    assert rf("reproduce", "table99").code == 2
    assert rf("reproduce", "--help").out.startswith("usage: rankforest reproduce")


def test_ctrl_c(rf, files, tmp_path, monkeypatch):
    """Exit code 130, one line, and no file."""
    from rankforest import RankingForest

    def stop(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(RankingForest, "fit", stop)
    said = rf("fit", files / "train.csv", "-t", "label", "-m", "forest", "-o", tmp_path / "m.rankforest")
    assert said.code == 130
    assert said.err.splitlines()[-1] == "Stopped; nothing was written."
    assert list(tmp_path.iterdir()) == []


def test_without_typer(monkeypatch, capsys):
    from rankforest.cli import main

    monkeypatch.setitem(sys.modules, "typer", None)
    for name in [name for name in sys.modules if name.startswith("rankforest.cli.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 1
    assert capsys.readouterr().err == 'The command line needs typer and rich; run pip install "rankforest[cli]".\n'


def test_progress_bar_only_on_a_terminal(capsys, monkeypatch):
    """A terminal shows a bar while the command runs and clears it afterwards; a pipe gets none."""
    import io

    from rankforest.cli._say import bar

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for stream, drawn in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr("sys.stderr", stream)
        with bar("Working") as tell:
            tell(0.5)
        assert ("Working" in stream.getvalue()) == drawn
        assert not drawn or stream.getvalue().rstrip().endswith("\x1b[2K")


def test_demo(rf, tmp_path, monkeypatch):
    """Every command runs, and the report is where it says."""
    monkeypatch.chdir(tmp_path)
    said = rf("demo", "--trees", "5")
    assert said.code == 0, said.err
    for name in ("fit", "score", "evaluate", "compare", "explain", "export", "report"):
        assert f"\n$ rankforest {name} demo/" in said.out
    *_, reports, card = said.out.splitlines()
    folder = tmp_path / "demo"
    assert card == "In card.html points can be changed, and the figures and the ROC curve follow."
    assert reports == f"The reports are in {folder}; open tree.html, card.html and forest.html in a browser."
    for name in ("tree", "card", "forest"):
        assert "<title>Breast cancer</title>" in (folder / f"{name}.html").read_text()
    assert {path.name for path in folder.iterdir()} == {
        "train.csv", "test.csv", "tree.rankforest", "card.rankforest", "forest.rankforest", "scored.parquet",
        "tree.sql", "tree.html", "card.html", "forest.html",
    }  # fmt: skip
