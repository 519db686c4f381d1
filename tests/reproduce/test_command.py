"""The command line: list of experiments, and one-sentence errors."""

import pytest

from rankforest.reproduce.__main__ import main
from rankforest.reproduce.experiments import EXPERIMENTS


def test_list(capsys):
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines]
    expected = [f"table{k}" for k in range(1, 7)] + ["bootstrap"] + [f"fig{k}" for k in (6, *range(9, 15))]
    expected += ["ordinal"] + [f"ordinal-fig{k}" for k in (2, 3, 4)]
    assert names == expected == list(EXPERIMENTS)
    assert "Ranking Forests, Table 3: RF 10 sparse, by trees B (n = 2000)" in lines[2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["table7"], "There is no table 'table7'; choose one of table1, table2,"),
        (["fig14", "--data", "{folder}/nowhere"], "There is no folder '{folder}/nowhere'; give the one"),
        (["fig14", "--data", "{folder}"], "There is no german_credit.csv.gz (or .csv) in '{folder}'; put"),
        (["ordinal", "--data", "{folder}"], "There is no cystic_fibrosis_judgments.csv.gz (or .csv) in '{folder}'"),
        (["table3", "--out", "{folder}/file/out"], "The folder '{folder}/file/out' cannot be written to ("),
        (["table3", "--replications", "0"], "--replications is 0; give at least 1."),
        (["table3", "--seed", "-1"], "--seed is -1; give a whole number of at least 0."),
        (["table3", "--n-jobs", "0"], "--n-jobs is 0; give how many"),
        (["table3", "--law", "mean"], "--law is 'mean'; choose shift or scale."),
        (["table1", "--law", "scale"], "table1 does not use --law; leave it out, or choose table3, table6."),
        (["fig9", "--bootstrap-size", "25"], "fig9 does not use --bootstrap-size; leave it out, or choose table1, t"),
        (["table3", "--bootstrap-size", "1"], "--bootstrap-size is 1; give at least 2 rows."),
        (["table6", "--bootstrap-size", "251"], "--bootstrap-size is 251, and table6 has forests that learn from 250"),
        (["ordinal", "--replications", "1"], "1 trial has no interval; ask for two at least."),
    ],
)
def test_one_sentence(arguments, said, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    absent = said.startswith(("There is no folder", "There is no german", "There is no cystic"))  # data
    assert main([argument.format(folder=tmp_path) for argument in arguments]) == (1 if absent else 2)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(said.format(folder=tmp_path))
    assert captured.err.count("\n") == 1


def test_stopped(monkeypatch, tmp_path, capsys):
    from rankforest.reproduce import forest_runs

    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(forest_runs, "replicate", stop)
    assert main(["table1", "--quick", "--out", str(tmp_path)]) == 130
    assert "run the same command to continue" in capsys.readouterr().err


def test_without_matplotlib(monkeypatch, tmp_path, capsys):
    """The table is there all the same."""
    from rankforest.reproduce import __main__ as command
    from rankforest.reproduce.options import Experiment, Report
    from rankforest.reproduce.sheet import Sheet, SheetColumn

    def absent():
        raise ImportError("Drawing needs matplotlib")

    report = Report(Sheet("Toy", [SheetColumn("AUC", ".2f")], [[0.75]]), lambda: None)
    monkeypatch.setitem(EXPERIMENTS, "toy", Experiment("toy", "Toy", lambda options: report))
    monkeypatch.setattr("rankforest.plots._figure.pyplot", absent)
    assert command.main(["toy", "--out", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert said.out == (tmp_path / "toy.md").read_text()
    assert said.err == "Drawing needs matplotlib\n"
