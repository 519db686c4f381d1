"""Permutation importance is the drop of the metric when a column is shuffled."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

from rankforest import TreeRank
from rankforest.interpret import permutation_importance
from rankforest.metrics import roc_auc


@pytest.fixture(scope="module")
def table() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"signal": rng.normal(size=400), "city": rng.choice(["Lyon", "Nice"], 400), "noise": rng.normal(size=400)}
    )
    X.loc[::9, "noise"] = np.nan
    y = np.where(X["signal"] + (X["city"] == "Lyon") + rng.normal(size=400) > 0.5, "yes", "no")
    return X, y


def test_drops_are_those_of_shuffled_columns() -> None:
    """Brute force: every drop is the AUC before minus that of one of the few orders there are."""
    X, y = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0]]), np.array([0, 0, 1])
    model = LogisticRegression().fit(X, y)
    found = permutation_importance(model, X, y, n_repeats=30, random_state=0)
    assert found.baseline == 1.0
    # the positive row gets the value 2 and stays on top, 1 and falls below one row, or 0 and falls below both
    np.testing.assert_allclose(np.unique(found.drops[0]), [0.0, 0.5, 1.0])
    np.testing.assert_array_equal(found.drops[1], 0.0)
    np.testing.assert_allclose(found.mean, found.drops.mean(axis=1))
    np.testing.assert_allclose(found.std, found.drops.std(axis=1))


def test_the_signal_counts_and_the_noise_does_not(table: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = table
    model = TreeRank(max_depth=2, max_features=None).fit(X, y)
    found = permutation_importance(model, X, y, random_state=0)
    assert found.names == ("signal", "city", "noise")
    assert found.baseline == pytest.approx(roc_auc(y, model.score_samples(X)))
    assert next(iter(found.to_dict())) == "signal"
    assert found.mean[0] > 0.1
    assert found.mean[0] > found.mean[1] > found.mean[2]


def test_frames_of_any_library_agree(table: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = table
    model = TreeRank(max_depth=2).fit(X, y)
    one = permutation_importance(model, X, y, random_state=3, n_repeats=2)
    two = permutation_importance(model, pl.from_pandas(X), y, random_state=3, n_repeats=2)
    np.testing.assert_array_equal(one.drops, two.drops)


def test_the_positive_label_is_the_model_s(table: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = table
    found = permutation_importance(TreeRank(max_depth=2, pos_label="no").fit(X, y), X, y, random_state=0, n_repeats=2)
    assert found.baseline > 0.6
    assert found.mean[0] > 0.05


def test_weights_are_rows(table: tuple[pd.DataFrame, np.ndarray]) -> None:
    """The baseline of weighted rows is that of repeated rows; rows of weight 0 do not count."""
    X, y = table
    w = np.random.default_rng(1).integers(0, 3, len(y))
    model = TreeRank(max_depth=2).fit(X, y)
    found = permutation_importance(model, X, y, sample_weight=w, n_repeats=1)
    again = X.loc[X.index.repeat(w)], np.repeat(y, w)
    assert found.baseline == pytest.approx(roc_auc(again[1], model.score_samples(again[0])))


def test_another_metric(table: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = table
    model = TreeRank(max_depth=2).fit(X, y)
    found = permutation_importance(model, X, y, metric=average_precision_score, n_repeats=1, random_state=0)
    assert found.baseline == pytest.approx(average_precision_score(y == "yes", model.score_samples(X)))


def test_it_prints_the_largest_first(table: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = table
    found = permutation_importance(TreeRank(max_depth=2).fit(X, y), X, y, random_state=0, n_repeats=2)
    head, *lines = str(found).splitlines()
    assert f"baseline {found.baseline:.4f}" in head
    assert [line.split()[0] for line in lines] == list(found.to_dict())
    assert [float(line.split()[1]) for line in lines] == pytest.approx(sorted(found.mean, reverse=True), abs=6e-5)


def test_a_model_without_scores_gets_a_sentence() -> None:
    with pytest.raises(
        TypeError,
        match=r"^object has neither score_samples nor decision_function, so it cannot rank rows",
    ):
        permutation_importance(object(), [[1.0]], [1])
