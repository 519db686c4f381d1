"""Tables 1 to 6: what is printed, which models stand for it, and a small run from end to end."""

import csv
import re

import numpy as np
import pytest

from rankforest import Sampling
from rankforest.metrics import roc_auc
from rankforest.reproduce import forest_runs
from rankforest.reproduce.__main__ import main
from rankforest.reproduce.bootstrap_sizes import SizeFit, bootstrap_sheet, draw_fits
from rankforest.reproduce.forest_settings import TABLES, table_with
from rankforest.reproduce.ledger import Ledger, Outcome
from rankforest.reproduce.measures import LIST_FIGURES, delta_env, envelope, instab


def of(table, method, size):
    attribute = "n_trees" if TABLES[table].varies == "B" else "n_train"
    return next(x for x in TABLES[table].lines if x.method == method and getattr(x, attribute) == size)


def test_printed_tables():
    assert {number: len(table.lines) for number, table in TABLES.items()} == {1: 28, 2: 27, 3: 28, 4: 37, 5: 37, 6: 37}
    # single figures read off the paper
    assert of(1, "bagging", 100).published["auc"] == 0.689
    assert of(2, "case3", 100).published == {
        "auc": 0.726,
        "sd": 0.009,
        "env": -0.35,
        "instab": 0.007,
        "dcg": 2.171,
        "ave": 0.67,
        "hr10": 0.80,
        "hr20": 0.77,
    }
    assert of(3, "case2", 100).published["auc"] == 0.869
    assert of(4, "case6", 3000).published["env"] == 0.71
    assert of(5, "tree", 250).published["auc"] == 0.561
    assert of(6, "case1", 250).published["hr20"] == 0.36
    for table in TABLES.values():
        for line in table.lines:
            assert ("env" in line.published) == (line.method != "tree")
            assert len(line.published) == 7 + (line.method != "tree")
            assert 0.5 < line.published["auc"] < 0.9
            assert abs(line.published["ave"] - line.published["hr20"]) < 0.5


def test_tables_agree_where_they_overlap():
    """n = 2000 and B = 20 stand in two tables each; the paper prints the same figures there, but for four."""
    differences = []
    for by_trees, by_rows in ((1, 4), (2, 5), (3, 6)):
        both = {line.key: line for line in TABLES[by_rows].lines}
        shared = [line for line in TABLES[by_trees].lines if line.key in both]
        assert len(shared) == 8
        for line in shared:
            other = both[line.key]
            assert (line.f_t, line.f_l) == (other.f_t, other.f_l)
            for name, value in line.published.items():
                if value != other.published[name]:
                    differences.append((by_trees, line.key, name, value, other.published[name]))
    assert differences == [
        (2, "tree-n2000", "hr20", 0.64, 0.65),
        (3, "tree-n2000", "auc", 0.826, 0.827),
        (3, "case3-B20-n2000", "sd", 0.010, 0.020),
        (3, "case5-B20-n2000", "env", -0.09, 0.09),
    ]


def test_models():
    tree = of(3, "tree", None).model(8, 5)
    assert (tree.max_depth, tree.splitter.max_depth, tree.max_features) == (10, 8, None)
    bagged = of(1, "bagging", 50).model(10, 5)
    assert (bagged.n_estimators, bagged.max_features, bagged.splitter.max_features) == (50, None, None)
    forest = of(2, "case3", 100).model(10, 5)
    assert (forest.n_estimators, forest.max_features, forest.splitter.max_features) == (100, 10, 5)
    assert (forest.aggregation, forest.sampling, forest.random_state) == ("median_rank", Sampling(None, oob=False), 5)
    assert of(6, "case4", 250).model(8, 0).n_estimators == 20
    assert {table.sample.inner_depth for n, table in TABLES.items() if n in (3, 6)} == {8}


def test_bootstrap_size_is_that_of_the_forests():
    """n* is a parameter (Remark 19); bagging and the plain tree keep n, and so does the reference of Delta-Env."""
    usual, small = TABLES[3].lines, table_with(3, bootstrap_size=25).lines
    for before, after in zip(usual, small, strict=True):
        assert (before.published, before.plain_key) == (after.published, after.plain_key)
        if before.is_forest:
            assert after.key == f"{before.key}-bootstrap25"
            assert (before.model(8, 0).sampling.size, after.model(8, 0).sampling.size) == (None, 25)
        else:
            assert after.key == before.key
    with pytest.raises(ValueError, match="--bootstrap-size is 251, and table4 has forests that learn from 250 rows"):
        table_with(4, bootstrap_size=251)


def test_small_bootstrap_samples_explain_the_printed_forests():
    """RF 10, case 1, B = 20 is printed with .550, whatever n; n* = n gives far more, n* = 25 about as much."""
    line, auc = of(1, "case1", 20), {}
    for size in (None, 25):
        lines = {x.key: x for x in table_with(1, bootstrap_size=size).lines if x.method == "case1"}
        key = next(key for key, x in lines.items() if x.n_trees == 20)
        found = [forest_runs.forest_outcome("rf10", lines, 0, 1000, key, r).figures["auc"] for r in range(4)]
        auc[size] = np.mean(found)
    assert auc[None] > line.published["auc"] + 0.1
    assert abs(auc[25] - line.published["auc"]) < 0.04


def test_law_of_the_sparse_set():
    shift, scale = TABLES[3], table_with(3, law="scale")
    assert table_with(3, law="shift") == shift
    assert scale.lines == shift.lines
    assert scale.title == "Ranking Forests, Table 3: RF 10 sparse, scale law, by trees B (n = 2000)"
    test = forest_runs.draw_test(scale.sample.key, 0, 4000)
    assert test.auc_star == pytest.approx(0.89)
    # equal means, and another variance in four coordinates alone
    spread = test.X[test.y == -1].var(axis=0)
    assert spread == pytest.approx([3.85] * 4 + [1.0] * 6, rel=0.15)
    # The top of the list tells the laws apart: bagging is printed with .89 among the first tenth.
    found = {
        table.sample.key: forest_runs.forest_outcome(
            table.sample.key, {x.key: x for x in table.lines}, 0, 30_000, "bagging-B20-n2000", 0
        ).figures["hr10"]
        for table in (shift, scale)
    }
    assert found["rf10_sparse"] > 0.93
    assert abs(found["rf10_sparse_scale"] - 0.89) < 0.025


def fit_by_hand(table):
    """Lines of 20 trees that are off by .01 (bagging), .02 and -.06; HR@10% is .6 in all."""
    lines = [line for line in table.lines if line.n_trees == 20 and line.method in ("bagging", "case1", "case2")]
    ledger = Ledger(None, LIST_FIGURES, {})
    for line, off in zip(lines, (0.01, 0.02, -0.06), strict=True):
        for replication, noise in enumerate((-0.1, 0.1)):
            figures = dict.fromkeys(LIST_FIGURES, 0.0) | {"auc": line.published["auc"] + off + noise, "hr10": 0.6}
            ledger.add(line.key, replication, Outcome(figures))
    test = forest_runs.draw_test(table.sample.key, 0, 100)
    return SizeFit(forest_runs.ForestResults(table, lines, test, ledger, 2), 2000)


def test_how_far_from_print():
    fit = fit_by_hand(TABLES[1])
    assert fit.gap(bagging=True) == pytest.approx(0.01)
    assert fit.gap() == fit.gap(n_trees=20) == pytest.approx(0.04)
    assert fit.gap(n_trees=50) is None
    assert fit.gap("hr10") == pytest.approx((0.03 + 0.01) / 2)  # printed .57 and .61
    head, row = bootstrap_sheet([fit]).csv().splitlines()
    assert head.startswith('set,n*,"bagging, AUC","forests, B = 20, AUC"')
    assert row.startswith("RF 10,2000,0.0")


def test_how_far_from_print_is_drawn():
    figure = draw_fits([fit_by_hand(table) for table in (TABLES[1], TABLES[2], TABLES[3], table_with(3, law="scale"))])
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == ["RF 10", "RF 20", "RF 10 sparse", "RF 10 sparse, scale law"]
    for ax in figure.axes:
        bagging, forests = ax.get_lines()
        assert bagging.get_ydata() == pytest.approx([0.01])
        assert forests.get_ydata() == pytest.approx([0.04])


@pytest.fixture(scope="module")
def small_run(tmp_path_factory):
    """Table 3, a quick look at two replications, through the command line."""
    folder = tmp_path_factory.mktemp("out")
    command = ["table3", "--quick", "--replications", "2", "--n-jobs", "1", "--out", str(folder)]
    assert main(command) == 0
    return folder, command


def test_end_to_end(small_run, monkeypatch, capsys):
    folder, command = small_run
    with open(folder / "table3-quick.csv") as file:
        rows = list(csv.DictReader(file))
    assert [row["method"] for row in rows[:3]] == ["TreeRank", "Bagging", "Forest, case 1"]
    assert len(rows) == 14  # forests of 50 and 100 trees are left out
    # The figures of one line again, from its replications.
    lines = {line.key: line for line in TABLES[3].lines}
    test = forest_runs.draw_test("rf10_sparse", 0, 1000)
    ranks = {
        key: [np.load(folder / f"replications/rf10_sparse-quick/ranks/{key}-{r}.npy") for r in range(2)]
        for key in ("bagging-B20-n2000", "tree-n2000")
    }
    again = forest_runs.forest_outcome("rf10_sparse", lines, 0, 1000, "bagging-B20-n2000", 1)
    assert again.ranks.tolist() == ranks["bagging-B20-n2000"][1].tolist()
    auc = [roc_auc(test.y, scores) for scores in ranks["bagging-B20-n2000"]]
    bagging = rows[1]
    assert float(bagging["AUC ours"]) == pytest.approx(np.mean(auc))
    assert float(bagging["sd ours"]) == pytest.approx(np.std(auc, ddof=1))
    assert float(bagging["Instab ours"]) == pytest.approx(instab(ranks["bagging-B20-n2000"]))
    bands = (envelope(test.y, ranks[key]) for key in ranks)
    assert float(bagging["ΔEnv ours"]) == pytest.approx(delta_env(*bands))
    assert (bagging["AUC published"], bagging["ΔEnv published"], rows[0]["ΔEnv ours"]) == ("0.865", "-0.3", "")
    assert 0.80 < float(rows[0]["AUC ours"]) < 0.84 < float(bagging["AUC ours"]) < 0.89

    said = (folder / "table3-quick.md").read_text()
    assert re.search(r"\| Bagging \| \| \| 20 \| 0.865 \| 0.8\d\d \|", said)
    assert "- Mean over 2 replications" in said
    assert "Assumed (the paper does not say): no pruning" in said
    assert (folder / "table3-quick.png").read_bytes().startswith(b"\x89PNG")

    # Once more: nothing is learned again, and all is the same.
    monkeypatch.setattr(forest_runs, "forest_outcome", lambda *_: pytest.fail("learned again"))
    capsys.readouterr()
    assert main(command) == 0
    assert capsys.readouterr().out == said

    # Table 6 shares its lines with B = 20 and n = 2000.
    monkeypatch.undo()
    ran = []
    monkeypatch.setattr(
        forest_runs,
        "replicate",
        lambda study, ledger, n, **_: ran.extend(line for line in study.lines if (line, 0) not in ledger.figures),
    )
    with pytest.raises(KeyError):  # the lines that were not run are missing
        main(["table6", *command[1:]])
    assert "case3-B20-n1000" in ran
    assert not any(line.endswith("n2000") for line in ran)


def test_another_seed_needs_another_folder(small_run, capsys):
    _, command = small_run
    assert main([*command, "--seed", "1"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("The folder '")
    assert "holds replications with seed 0, not 1" in said
    assert said.count("\n") == 1


def test_envelope_of_two_sizes_is_drawn(small_run):
    from rankforest.reproduce.forest_figures import draw_forest_figure
    from rankforest.reproduce.options import RunOptions

    folder, _ = small_run
    options = RunOptions(folder, quick=True, replications=2, n_jobs=1)
    figure = draw_forest_figure(forest_runs.forest_results(3, options))
    left, right = figure.axes
    names = [text.get_text() for ax in (left, right) for text in ax.get_legend().get_texts()]
    assert [name.split(" (")[0] for name in names] == [
        "Forest, case 3, B = 1",
        "Forest, case 3, B = 20",
        "optimal curve",
        "chance",
        "Bagging, B = 20",
        "Forest, case 3, B = 20",
        "TreeRank",
        "optimal curve",
        "chance",
    ]
    for ax in (left, right):
        optimal = next(line for line in ax.get_lines() if line.get_label() == "optimal curve")
        assert np.trapezoid(optimal.get_ydata(), optimal.get_xdata()) == pytest.approx(0.89, abs=1e-3)
