"""The ordinal paper's experiments: what is read, how trials are drawn, what the table says."""

import csv
import gzip
import re

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_array_equal
from scipy import stats
from sklearn.tree import DecisionTreeClassifier

from rankforest import OrdinalRankingTree, progress
from rankforest.data import simulate
from rankforest.reproduce import ordinal_growth as growth
from rankforest.reproduce import ordinal_growth_tables
from rankforest.reproduce import ordinal_tables as tables
from rankforest.reproduce.__main__ import main
from rankforest.reproduce.experiments import EXPERIMENTS
from rankforest.reproduce.options import RunOptions
from rankforest.reproduce.ordinal_data import (
    NOT_SEEN,
    cystic_fibrosis_trial,
    load_cystic_fibrosis,
    load_movie_ratings,
    movie_trial,
    square_trial,
)

PERCEPTRONS = ["PRank", "OAP-BPM"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Small files of the same form: 900 pairs; three people with 310, 300 and 299 ratings."""
    path = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    true = rng.integers(0, 3, 900)
    raters = np.clip(true[:, None] + rng.integers(-1, 2, (900, 4)), 0, 2)
    lines = ["query,rn,rew,colleagues,postdoc,jbw,target"]
    lines += [f"1,{i},{','.join(map(str, row))},{row.sum()}" for i, row in enumerate(raters)]
    with gzip.open(path / "cystic_fibrosis_judgments.csv.gz", "wt") as file:
        file.write("\n".join(lines))
    rows = []
    for who, count in ((7, 310), (8, 300), (9, 299)):
        movies = rng.permutation(400)[:count] + 1
        rows += [(who, movie, 1000 - i // 2, 1 + (movie + who) % 5) for i, movie in enumerate(movies)]
    lines = [",".join(map(str, rows[i])) for i in rng.permutation(len(rows))]
    (path / "ml100k_ratings.csv").write_text("user_id,movie_id,timestamp,target\n" + "\n".join(lines))
    return path, raters, rows


def test_square():
    trial = square_trial(np.random.default_rng(3), n_train=200, n_test=50)
    sample = simulate.ordinal_square(250, np.random.default_rng(3))
    assert_array_equal(np.vstack([trial.X_train, trial.X_test]), sample.X)
    assert_array_equal(np.append(trial.y_train, trial.y_test), sample.y)
    assert len(trial.y_test) == 50


def test_cystic_fibrosis(folder):
    path, raters, _ = folder
    ratings = load_cystic_fibrosis(path)
    assert_array_equal(ratings, raters + 1)
    targets = set()
    for seed in range(20):
        trial = cystic_fibrosis_trial(ratings, np.random.default_rng(seed))
        assert trial.X_train.shape == (900 - 572, 3)
        assert trial.X_test.shape == (572, 3)
        X, y = np.vstack([trial.X_train, trial.X_test]), np.append(trial.y_train, trial.y_test)
        for target in range(4):
            whole = np.column_stack([np.delete(ratings, target, axis=1), ratings[:, target]])
            if sorted(whole.tolist()) == sorted(np.column_stack([X, y]).tolist()):
                targets.add(target)
                break
        else:
            pytest.fail("a trial is not made of the pairs")
    assert targets == {0, 1, 2, 3}


def test_movies(folder):
    path, _, rows = folder
    movies = load_movie_ratings(path)
    assert movies.ratings.shape[0] == 2  # 300 ratings are enough, 299 are not
    for i, who in enumerate((7, 8)):
        own = {movie: rating for person, movie, _, rating in rows if person == who}
        for movie in range(1, 401):
            assert movies.ratings[i, movie] == own.get(movie, NOT_SEEN)
        by_time = sorted((time, movie) for person, movie, time, _ in rows if person == who)
        assert movies.first[i].tolist() == [movie for _, movie in by_time[:300]]
    trial = movie_trial(movies, np.random.default_rng(0))
    assert trial.X_train.shape == (210, 1)
    assert trial.X_test.shape == (90, 1)
    X, y = np.vstack([trial.X_train, trial.X_test])[:, 0], np.append(trial.y_train, trial.y_test)
    found = [
        sorted(zip(movies.ratings[1 - who, movies.first[who]], movies.ratings[who, movies.first[who]]))
        for who in (0, 1)
    ]
    assert sorted(zip(X, y)) in found


def test_absent_files(tmp_path, capsys):
    with pytest.raises(FileNotFoundError, match=r"There is no cystic_fibrosis_judgments.csv.gz \(or .csv\) in .*put"):
        load_cystic_fibrosis(tmp_path)
    with pytest.raises(FileNotFoundError, match="There is no ml100k_ratings"):
        load_movie_ratings(tmp_path)
    (tmp_path / "ml100k_ratings.csv").write_text("user,movie\n1,2\n")
    with pytest.raises(ValueError, match=r"ml100k_ratings.csv has no column 'user_id' \(it has user, movie\)"):
        load_movie_ratings(tmp_path)
    (tmp_path / "ml100k_ratings.csv").write_text("user_id,movie_id,timestamp,target\n1,2,3,4\n")
    with pytest.raises(ValueError, match="has 0 people with 300 ratings or more"):
        load_movie_ratings(tmp_path)
    assert main(["ordinal", "--data", str(tmp_path), "--quick", "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("There is no cystic_fibrosis_judgments.csv.gz")


def test_table(folder, monkeypatch):
    path, _, _ = folder
    monkeypatch.setattr(tables, "METHODS", {name: tables.METHODS[name] for name in PERCEPTRONS})
    told = []
    with progress(lambda done, total: told.append((done, total))):
        results = tables.ordinal_tables(path, quick=True, n_jobs=1)
    assert list(results.errors) == ["synthetic", "Cystic Fibrosis", "MovieLens"]
    assert [len(errors["PRank"]) for errors in results.errors.values()] == [5, 50, 50]
    assert told[-1] == (50, 50)
    assert len(told) == 105
    lines = results.markdown().splitlines()
    assert lines[0].count("|") == lines[1].count("|") == 5
    for line, method in zip(lines[2:], PERCEPTRONS, strict=True):
        errors = results.errors["Cystic Fibrosis"][method]
        low, high = stats.t.interval(0.95, 49, errors.mean(), stats.sem(errors))
        shown = re.search(r"([\d.]+) ± ([\d.]+)", line.split("|")[3])
        assert float(shown[1]) == pytest.approx(errors.mean(), abs=6e-5)
        assert float(shown[2]) == pytest.approx((high - low) / 2, abs=6e-5)
    best = min(PERCEPTRONS, key=lambda method: results.errors["MovieLens"][method].mean())
    assert lines[2 + PERCEPTRONS.index(best)].split("|")[4].startswith(" **")


def test_the_result_depends_on_the_seed_alone():
    with parallel_config("threading"):  # processes would take seconds to start
        one, two, other = (
            tables.ordinal_tables(quick=True, methods=["PRank"], n_jobs=jobs, seed=seed).errors["synthetic"]["PRank"]
            for jobs, seed in ((1, 0), (2, 0), (1, 1))
        )
    assert_array_equal(one, two)
    assert not np.array_equal(one, other)


def test_every_method_learns():
    trial = square_trial(np.random.default_rng(0), n_train=600, n_test=200)
    errors = dict(zip(tables.METHODS, tables.trial_errors(trial, (4, 6), list(tables.METHODS), 0), strict=True))
    assert max(errors["Ranking Tree"], errors["Classification Tree"]) < 0.45
    assert max(errors["PRank, degree 2"], errors["OAP-BPM, degree 2"]) < 0.45
    assert min(errors["PRank"], errors["OAP-BPM"]) > 0.8  # a line does not follow the saddle


def test_unknown_method():
    with pytest.raises(ValueError, match="methods names 'SVM'; choose some of 'Ranking Tree', "):
        tables.ordinal_tables(methods=["SVM"])


def test_command(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(tables, "METHODS", {"PRank": tables.METHODS["PRank"]})
    command = ["ordinal", "--quick", "--jobs", "1", "--out", str(tmp_path)]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert (tmp_path / "ordinal-quick.md").read_text() == said
    head, first = (tmp_path / "ordinal-quick.csv").read_text().splitlines()
    assert head == "set,method,trials,mean rank error,half width"
    assert first.startswith("synthetic,PRank,5,1.")
    monkeypatch.setattr(tables, "trial_errors", None)  # finished trials are not run again
    assert main(command) == 0
    assert capsys.readouterr().out == said
    assert said.startswith("| mean rank error | synthetic (5 trials) |\n|---|---|\n| PRank | **1.")


# Figures 2 to 4


def test_every_depth_is_the_tree_of_that_depth():
    """The classification tree beside scikit-learn's; the ranking tree beside one that may not grow deeper."""
    trial = square_trial(np.random.default_rng(1), n_train=200, n_test=300)
    for criterion in ("gini", "ranking"):
        for depth, tree in enumerate(growth.trees_by_depth(criterion, trial, 4), start=1):
            assert tree.max_depth == depth
            peer = (
                DecisionTreeClassifier(max_depth=depth, random_state=0)
                if criterion == "gini"
                else OrdinalRankingTree(criterion, max_depth=depth, pruning=None)
            ).fit(trial.X_train, trial.y_train)
            found = growth.predictions(criterion, tree, trial.X_train)
            assert np.mean(found == peer.predict(trial.X_train)) > 0.98  # equal cuts may be drawn either way


def test_cuts_part_the_cells():
    """Lines and counts of all cuts, against the rows of the cells that their ends tell."""
    trial = square_trial(np.random.default_rng(2), n_train=300, n_test=10)
    tree = growth.trees_by_depth("ordinal_gini", trial, 3)[-1]
    cuts = growth.cuts_of(tree)
    assert len(cuts) == tree.n_leaves - 1
    boxes = {((0.0, 1.0), (0.0, 1.0))}
    for cut in cuts:
        axis = 0 if cut.x[0] == cut.x[1] else 1
        at, across = (cut.x[0], cut.y) if axis == 0 else (cut.y[0], cut.x)
        box = next(b for b in boxes if b[1 - axis] == across and b[axis][0] < at < b[axis][1])
        inside = np.all([(low < x) & (x <= high) for x, (low, high) in zip(trial.X_train.T, box)], axis=0)
        left = np.mean(trial.X_train[inside, axis] <= at)
        assert cut.smaller_side == pytest.approx(min(left, 1 - left))
        halves = ((box[axis][0], at), (at, box[axis][1]))
        boxes.remove(box)
        boxes |= {(half, box[1]) if axis == 0 else (box[0], half) for half in halves}
    assert sorted(cut.depth for cut in cuts) == [0, 1, 1, 2, 2, 2, 2]


def test_the_paper_s_claim_on_growth(tmp_path, capsys):
    """First cuts in the middle and at the border, and the error after two levels (Figs. 2 to 4)."""
    for number in (3, 4):
        command = [f"ordinal-fig{number}", "--quick", "--n-jobs", "1", "--out", str(tmp_path)]
        assert main(command) == 0
        assert (tmp_path / f"ordinal-fig{number}-quick.png").read_bytes().startswith(b"\x89PNG")
    capsys.readouterr()
    rows = {}
    for number in (3, 4):
        with open(tmp_path / f"ordinal-fig{number}-quick.csv") as file:
            rows[number] = [[float(value) for value in row] for row in list(csv.reader(file))[1:]]
    assert [row[0] for row in rows[3]] == [1, 2, 3, 4]
    classification, ranking = (np.array(rows[number])[:, [1, 4]] for number in (3, 4))
    assert classification[0, 1] < 0.3 < 0.45 < ranking[0, 1]
    assert ranking[1, 0] < 0.6 < classification[1, 0] - 0.2
    # one ledger for both: the second command ran nothing
    assert {line.split(",")[0] for line in _lines(tmp_path)[1:]} == set(growth.TREES)


def _lines(folder):
    return (folder / "replications/ordinal-cuts-quick/replications.csv").read_text().splitlines()


def test_error_by_depth(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(ordinal_growth_tables, "QUICK_CURVE", 300)
    monkeypatch.setattr(ordinal_growth_tables, "CURVE_DEPTH", 3)
    options = RunOptions(tmp_path, quick=True, n_jobs=1)
    report = EXPERIMENTS["ordinal-fig2"].run(options)
    again = growth.growth_outcome(0, 300, 3, "gini", 1).figures
    ledger = growth.grow("ordinal-curve", 300, 3, options)
    assert ledger.trials("gini", "error")[1].tolist() == [again[f"error-{d}"] for d in (1, 2, 3)]
    curves = {line.get_label(): line for line in report.draw().axes[0].get_lines()}
    assert_array_equal(curves["Ranking Tree"].get_ydata(), ledger.trials("ranking", "error").mean(axis=0))
    assert curves["best possible rule"].get_ydata()[0] == pytest.approx(0.1526, abs=1e-4)
    assert report.sheet.rows[2][1] == pytest.approx(ledger.trials("ranking", "error")[:, 2].mean())
    assert main(["ordinal-fig2", "--replications", "1", "--out", str(tmp_path / "one")]) == 2
    assert capsys.readouterr().err.startswith("1 trial has no interval")
