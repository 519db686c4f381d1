"""Figure 14: the real sets, logistic regression by BIC, and the bootstrap."""

import gzip
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer

from rankforest.metrics import roc_auc
from rankforest.reproduce import real_tables
from rankforest.reproduce.__main__ import main
from rankforest.reproduce.bic_logistic import BicLogistic
from rankforest.reproduce.real_sets import RealSet, breast_cancer, german_credit

CREDIT = "age,purpose,amount,target\n30,car,5,1\n40,tv,6,2\n50,car,7,2\n60,boat,8,1\n"


def test_german_credit(tmp_path):
    with gzip.open(tmp_path / "german_credit.csv.gz", "wt") as file:
        file.write(CREDIT)
    found = german_credit(tmp_path)
    assert found.X.tolist() == [[30, 1, 5], [40, 2, 6], [50, 1, 7], [60, 0, 8]]
    assert found.categories == [1]
    assert found.dummies.tolist() == [[30, 1, 0, 5], [40, 0, 1, 6], [50, 1, 0, 7], [60, 0, 0, 8]]
    assert found.groups == [[0], [1, 2], [3]]
    assert found.y.tolist() == [0, 1, 1, 0]
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "german_credit.csv").write_text(CREDIT)
    assert german_credit(plain).X.tolist() == found.X.tolist()
    (plain / "german_credit.csv").write_text("age,label\n1,2\n")
    with pytest.raises(ValueError, match=r"german_credit.csv has no column 'target' \(it has age, label\)"):
        german_credit(plain)


def test_breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    found = breast_cancer()
    assert np.array_equal(found.X, X)
    assert np.array_equal(found.y, y)
    assert len(found.groups) == 30


def test_bic_is_the_criterion():
    """Beside a likelihood that is maximised by SciPy."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = (X[:, 0] - X[:, 2] + rng.logistic(size=200) > 0).astype(int)
    model = BicLogistic([[0], [1], [2, 3]])

    def naive(columns):
        table = np.column_stack([np.ones(200), X[:, columns]])

        def minus_likelihood(w):
            return np.logaddexp(0, -(2 * y - 1) * (table @ w)).sum()

        best = minimize(minus_likelihood, np.zeros(table.shape[1]), tol=1e-10).fun
        return 2 * best + np.log(200) * table.shape[1]

    for size in range(4):
        for chosen in combinations(range(3), size):
            columns = [column for j in chosen for column in model.groups[j]]
            assert model.criterion(X, y, frozenset(chosen)) == pytest.approx(naive(columns), rel=1e-5)
    model.fit(X, y)
    best = min(
        (frozenset(c) for size in range(4) for c in combinations(range(3), size)),
        key=lambda chosen: model.criterion(X, y, chosen),
    )
    assert model.selected_ == sorted(best) == [0, 2]
    assert roc_auc(y, model.decision_function(X)) > 0.75


def test_nothing_is_selected_from_noise():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 2)), np.arange(300) % 2
    model = BicLogistic([[0], [1]]).fit(X, y)
    assert model.selected_ == []
    assert model.decision_function(X[:3]).tolist() == [0, 0, 0]


@pytest.fixture
def small_sets(monkeypatch):
    """200 rows and three features of Breast Cancer."""
    whole = breast_cancer()
    rows = np.random.default_rng(0).permutation(569)[:200]
    X = whole.X[rows][:, [0, 1, 7]]
    small = RealSet(X, [], X, [[0], [1], [2]], whole.y[rows])
    monkeypatch.setattr(real_tables, "breast_cancer", lambda: small)
    return small


def test_tested_on_rows_that_were_not_drawn(small_sets, monkeypatch):
    seen = []

    def look(method, data, learn, test, seed):
        seen.append((learn, test))
        return data.X[test, 0]

    monkeypatch.setattr(real_tables, "method_scores", look)
    found = [real_tables.bootstrap_outcome({"breast": small_sets}, 0, "breast-tree", r) for r in range(2)]
    for outcome, (learn, test) in zip(found, seen, strict=True):
        assert len(learn) == 200
        assert not set(learn) & set(test)
        assert set(learn) | set(test) == set(range(200))
        assert outcome.figures["auc"] == roc_auc(small_sets.y[test], small_sets.X[test, 0])
    assert set(seen[0][1]) != set(seen[1][1])


def test_figure_14(small_sets, tmp_path, capsys):
    assert main(["fig14", "--quick", "--replications", "2", "--n-jobs", "1", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "| Breast Cancer | TreeRank | 0.923 | 0." in said
    assert "| Breast Cancer | RankBoost | 0.967 | 0.9" in said
    assert "| Breast Cancer | Logistic regression | 0.856 | 0.9" in said
    assert "German credit was left out: give the folder" in said
    assert (tmp_path / "fig14-quick.png").read_bytes().startswith(b"\x89PNG")
