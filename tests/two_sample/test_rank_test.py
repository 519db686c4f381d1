"""The two-sample test: its level, its power, and its inputs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.stats import mannwhitneyu
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

import rankforest
from rankforest import TreeRank
from rankforest.metrics import roc_auc
from rankforest.two_sample import TwoSampleTest, two_sample_test


def samples(seed: int, n: int = 40, q: int = 3, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(2, n, q))
    Y[:, 0] += shift
    return X, Y


def test_the_level_holds_under_equality() -> None:
    """300 runs: the share below .05 is within three standard errors; scored on its training rows it is near 1."""
    p = np.array([two_sample_test(*samples(seed, n=24), random_state=seed).p_value for seed in range(300)])
    assert 0.01 < np.mean(p < 0.05) < 0.09
    assert 0.4 < np.mean(p < 0.5) < 0.6
    assert p.max() <= 1.0


def test_the_level_holds_for_any_rule_and_unequal_sizes() -> None:
    p = []
    for seed in range(200):
        X, Y = samples(seed, n=60)
        p.append(two_sample_test(X[:16], Y, model=GaussianNB(), test_size=0.3, random_state=seed).p_value)
    assert 0.005 < np.mean(np.array(p) < 0.05) < 0.1


def test_power_grows_with_the_shift() -> None:
    def power(shift: float) -> float:
        tests = (two_sample_test(*samples(seed, n=60, shift=shift), random_state=seed) for seed in range(30))
        return float(np.mean([test.p_value < 0.05 for test in tests]))

    found = [power(shift) for shift in (0.0, 0.8, 1.6, 3.0)]
    assert found == sorted(found)
    assert found[0] < 0.2
    assert found[-1] == 1.0


def test_it_sees_more_than_means() -> None:
    """The same means and variances feature by feature, another dependence."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    Y = rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], 400)
    assert two_sample_test(X, Y, random_state=0).p_value < 1e-3


def test_it_is_one_sided() -> None:
    """A rule that ranks the held-out rows in reverse order gives no evidence."""

    class Inverse(LogisticRegression):
        def decision_function(self, X: Any) -> np.ndarray:
            return -super().decision_function(X)

    test = two_sample_test(*samples(0, n=200, shift=2.0), model=Inverse(), random_state=0)
    assert test.auc < 0.2
    assert test.p_value > 0.99


def test_the_figures_are_those_of_held_out_rows() -> None:
    X, Y = samples(3, n=50, shift=1.0)
    X = np.column_stack([X, np.arange(50)])  # a column that names the row
    Y = np.column_stack([Y, np.arange(50) + 1000])
    seen: dict[str, np.ndarray] = {}

    class Spy(LogisticRegression):
        def fit(self, X: np.ndarray, y: np.ndarray) -> Spy:
            seen["train"], seen["labels"] = X[:, 3], y
            return super().fit(X[:, :3], y)

        def decision_function(self, X: np.ndarray) -> np.ndarray:
            seen["test"] = X[:, 3]
            return super().decision_function(X[:, :3])

    test = two_sample_test(X, Y, model=Spy(), test_size=0.3, random_state=1)
    assert not set(seen["train"]) & set(seen["test"])
    assert len({*seen["train"], *seen["test"]}) == 100
    assert test.n_train == (35, 35)
    assert test.n_test == (15, 15)
    np.testing.assert_array_equal(seen["labels"], seen["train"] >= 1000)
    held_out = seen["test"].astype(int)
    rows = np.vstack([X[held_out[held_out < 1000]], Y[held_out[held_out >= 1000] - 1000]])
    y, score = held_out >= 1000, LogisticRegression.decision_function(test.model, rows[:, :3])
    assert test.auc == pytest.approx(roc_auc(y, score))
    expected = mannwhitneyu(score[y], score[~y], alternative="greater")
    assert (test.statistic, test.p_value) == (expected.statistic, expected.pvalue)


def test_seeds() -> None:
    X, Y = samples(0, shift=0.5)
    one, same = (two_sample_test(X, Y, random_state=7) for _ in range(2))
    assert (one.p_value, one.auc, one.statistic) == (same.p_value, same.auc, same.statistic)
    assert len({two_sample_test(X, Y, random_state=seed).p_value for seed in range(5)}) > 1
    for kind in (np.random.default_rng, np.random.RandomState):
        one, same = (two_sample_test(X, Y, random_state=kind(3)) for _ in range(2))
        assert one.p_value == same.p_value


@pytest.mark.parametrize(
    "model",
    [LogisticRegression(), GaussianNB(), RidgeClassifier(), TreeRank(max_depth=2), TreeRank(max_depth=2, pos_label=0)],
    ids=repr,
)
def test_any_rule_with_scores(model: Any) -> None:
    test = two_sample_test(*samples(0, n=100, shift=2.0), model=model, random_state=0)
    assert test.auc > 0.75
    assert test.p_value < 1e-3
    assert type(test.model) is type(model)
    assert not hasattr(model, "classes_")  # a clone is fitted


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, lambda d: pa.table(pd.DataFrame(d))])
def test_frames_with_text_and_missing_values(kind: Any) -> None:
    rng = np.random.default_rng(0)

    def draw(share: float) -> dict[str, list[Any]]:
        age = [None if rng.random() < 0.1 else float(value) for value in rng.normal(50, 10, 120)]
        return {"age": age, "city": rng.choice(["Nice", "Lyon"], 120, p=[share, 1 - share]).tolist()}

    one, other = draw(0.2), draw(0.9)
    turned = {"city": other["city"], "age": other["age"]}  # columns are found by name
    test = two_sample_test(kind(one), kind(turned), random_state=0)
    assert test.p_value < 1e-6
    assert test.auc == two_sample_test(kind(one), kind(other), random_state=0).auc
    assert list(test.model.feature_names_in_) == ["age", "city"]


def test_one_feature_lists_and_sparse_matrices() -> None:
    X, Y = samples(1, n=60, shift=1.0)
    expected = two_sample_test(X[:, :1], Y[:, :1], random_state=0)
    assert two_sample_test(X[:, 0], Y[:, 0], random_state=0).p_value == expected.p_value
    assert two_sample_test(X[:, :1].tolist(), Y[:, :1].tolist(), random_state=0).p_value == expected.p_value
    as_sparse = two_sample_test(sparse.csr_matrix(X[:, :1]), sparse.csc_array(Y[:, :1]), random_state=0)
    assert as_sparse.p_value == expected.p_value
    words = two_sample_test([["a"]] * 20, [["b"]] * 20, random_state=0)
    assert words.auc == 1.0


def test_samples_that_nothing_tells_apart() -> None:
    test = two_sample_test(np.ones((10, 2)), np.ones((12, 2)))
    assert (test.p_value, test.auc, test.statistic) == (1.0, 0.5, 15.0)


def test_four_rows_are_enough() -> None:
    test = two_sample_test([1.0, 2.0, 3.0, 4.0], [11.0, 12.0, 13.0, 14.0], test_size=0.01)
    assert test.n_train == test.n_test == (2, 2)
    assert 0.0 < test.p_value <= 1.0


def test_it_reads() -> None:
    test = TwoSampleTest(0.01234567, 0.75, 12.0, LogisticRegression(), (5, 6), (4, 4))
    assert str(test) == (
        "Two-sample test: p = 0.01235, AUC = 0.750 on 4 + 4 held-out rows (LogisticRegression trained on 5 + 6 rows)"
    )
    with pytest.raises(AttributeError):
        test.auc = 1.0  # type: ignore[misc]


FRAME = pd.DataFrame({"a": range(5), "b": range(5)})


@pytest.mark.parametrize(
    ("X", "Y", "options", "message"),
    [
        (np.ones((3, 2)), np.ones((9, 2)), {}, r"^X has 3 rows; the test needs at least 4 of each sample\.$"),
        (np.ones((9, 2)), np.ones((0, 2)), {}, r"^Y has 0 rows; the test needs at least 4 of each sample\.$"),
        (np.ones((9, 2)), np.ones((9, 3)), {}, r"^X has 2 columns and Y has 3; give both samples the same columns\.$"),
        (np.ones((9, 2, 2)), np.ones((9, 2)), {}, r"^X has 3 dimensions; give a table of rows and columns\.$"),
        (FRAME, FRAME.rename(columns={"b": "c"}), {}, r"^X and Y must have the same columns; only one .* 'b', 'c'\.$"),
        (FRAME, FRAME.to_numpy(), {}, r"^X is of type DataFrame and Y of type ndarray; give two arrays or two data"),
        (
            FRAME,
            pl.from_pandas(FRAME),
            {},
            r"^X is a pandas data frame and Y a polars data frame; give two of one kind\.$",
        ),
        (FRAME, FRAME, {"test_size": 1.0}, r"^test_size is 1.0; give a share of the rows between 0 and 1\.$"),
        (FRAME, FRAME, {"test_size": "half"}, r"^test_size is 'half'; give a share of the rows between 0 and 1\.$"),
        (FRAME, FRAME, {"model": StandardScaler()}, r"^model is StandardScaler\(\), which gives no scores; give a cl"),
    ],
)
def test_what_it_cannot_do_gets_a_sentence(X: Any, Y: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        two_sample_test(X, Y, **options)


def test_the_metrics_stay_light() -> None:
    code = "import sys, rankforest.metrics; sys.exit('sklearn' in sys.modules or 'scipy.stats' in sys.modules)"
    env = {**os.environ, "PYTHONPATH": str(Path(rankforest.__file__).parents[1])}
    assert subprocess.run([sys.executable, "-c", code], env=env, check=False).returncode == 0
