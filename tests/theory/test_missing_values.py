"""Missing values by hand: with the mean of the cell, or on the better side (docs/guide.md)."""

import numpy as np
import pytest

from rankforest import LeafRank, TreeRank

NAN = np.nan


def one_cut(x: list[float], y: list[int], missing: str, weights: list[float] | None = None) -> TreeRank:
    model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0.0, missing=missing), max_depth=1)
    return model.fit(np.array(x)[:, None], y, weights)


def strata(model: TreeRank, x: list[float]) -> list[int]:
    return model.apply(np.array(x)[:, None]).tolist()


# x:  0  1  2  9  missing
# y:  0  0  1  1  0
X, Y = [0.0, 1.0, 2.0, 9.0, NAN], [0, 0, 1, 1, 0]


def test_cell_mean() -> None:
    """The mean of the observed is 12 / 4 = 3: the missing row goes left at thresholds of 3 and more only.

    Gini with a, b the left shares of the three negatives and two positives:
    x <= 0.5           left (1, 0), a = 1/3, b = 0:   (1/9) / (1/3 * 5/3) = 1/5
    x <= 1.5           left (2, 0), a = 2/3, b = 0:   (4/9) / (2/3 * 4/3) = 1/2   the best
    x <= 5.5, missing  left (3, 1), a = 1,   b = 1/2: (1/4) / (3/2 * 1/2) = 1/3
    The better child holds 2, 9 and the missing: beta = 1, alpha = 1/3, Lambda = 2/3, AUC = 1/2 + 1/3.
    """
    model = one_cut(X, Y, "cell_mean")
    assert model.tree_.threshold.tolist() == [1.5]
    assert model.tree_.missing_left.tolist() == [0]
    assert strata(model, X) == [1, 1, 0, 0, 0]
    assert model.tree_.auc == pytest.approx(5 / 6, abs=1e-15)


def test_cell_mean_on_the_threshold_goes_left() -> None:
    """With 3 in place of 9 the mean is 6 / 4 = 1.5: at the threshold 1.5 the missing go left, and all is in order."""
    x = [0.0, 1.0, 2.0, 3.0, NAN]
    model = one_cut(x, Y, "cell_mean")
    assert model.tree_.threshold.tolist() == [1.5]
    assert strata(model, x) == [1, 1, 0, 0, 1]
    assert model.tree_.auc == 1.0


def test_cell_mean_is_weighted() -> None:
    """Weights 4 4 1 1 on 0 1 2 9 bring the mean to (4 + 2 + 9) / 10 = 1.5."""
    model = one_cut(X, Y, "cell_mean", [4, 4, 1, 1, 2])
    assert model.tree_.threshold.tolist() == [1.5]
    assert strata(model, X) == [1, 1, 0, 0, 1]


def test_cell_mean_of_a_node_is_of_its_own_rows() -> None:
    """Inner depth 2 on x = 0 1 2 3 20 21 and a missing row, y = 1 0 1 1 0 0, missing 0.

    Root: the mean is 47 / 6 = 7.8. x <= 11.5 with the missing has left (2, 3): a = 2/4, b = 1, (1/4) / (3/2 * 1/2) =
    1/3, mean 7.8 <= 11.5. The others: x <= 0.5: b = 1/3, (1/9) / (1/3 * 5/3) = 1/5; x <= 1.5: left (1, 1), a = 1/4,
    b = 1/3, small; x <= 2.5: left (1, 2), a = 1/4, b = 2/3: (25/144) / (11/12 * 13/12) = 25/143; x <= 20.5 with the
    missing: left (3, 3), a = 3/4, b = 1: (1/16) / (7/4 * 1/4) = 1/7. The cut 11.5 is taken.
    Inside, 0 1 2 3 and the missing row (y = 0), mean 1.5, not 7.8. x <= 0.5: a = 0, b = 1/3: 1/5. x <= 1.5 with the
    missing: left (2, 1), a = 1, b = 1/3: (4/9) / (4/3 * 2/3) = 1/2. x <= 2.5 with the missing: a = 1, b = 2/3:
    (1/9) / (5/3 * 1/3) = 1/5. The cut 1.5 is taken, and there the missing are on the left.
    Leaves: {0, 1, missing} (2, 1), {2, 3} (0, 2), {20, 21} (2, 0); only the second has beta > alpha.
    """
    x, y = [0.0, 1.0, 2.0, 3.0, 20.0, 21.0, NAN], [1, 0, 1, 1, 0, 0, 0]
    model = TreeRank(LeafRank(max_depth=2, min_mass_leaf=0.0, missing="cell_mean"), max_depth=1)
    model.fit(np.array(x)[:, None], y)
    assert model.tree_.threshold.tolist() == [11.5, 1.5]
    assert model.tree_.missing_left.tolist() == [1, 1]
    assert strata(model, x) == [1, 1, 0, 0, 1, 1, 1]


def test_learned() -> None:
    """On the same rows, x <= 1.5 or missing has left (3, 0): a = 1, b = 0, gain 1. All is in order."""
    model = one_cut(X, Y, "learned")
    assert model.tree_.threshold.tolist() == [1.5]
    assert model.tree_.missing_left.tolist() == [1]
    assert strata(model, X) == [1, 1, 0, 0, 1]
    assert model.tree_.auc == 1.0


def test_learned_can_part_the_missing_from_all_others() -> None:
    """x = 0 1 2 3, all negative, and two missing, both positive: being missing is the rule.

    The mean, 1.5, cannot say that: at x <= 1.5 the missing go left, left (2, 2) has a = 1/2, b = 1 and gain
    (1/4) / (3/2 * 1/2) = 1/3; 0.5 and 2.5 gain (1/16) / (1/4 * 7/4) = 1/7. The AUC is 1/2 + (1 - 1/2) / 2 = 3/4.
    """
    x, y = [0.0, 1.0, 2.0, 3.0, NAN, NAN], [0, 0, 0, 0, 1, 1]
    learned = one_cut(x, y, "learned")
    assert learned.tree_.threshold.tolist() == [np.inf]
    assert strata(learned, [*x, 1e300, -1e300]) == [1, 1, 1, 1, 0, 0, 1, 1]
    assert learned.tree_.auc == 1.0
    by_mean = one_cut(x, y, "cell_mean")
    assert by_mean.tree_.threshold.tolist() == [1.5]
    assert strata(by_mean, x) == [0, 0, 1, 1, 0, 0]
    assert by_mean.tree_.auc == 0.75


@pytest.mark.parametrize("missing", ["learned", "cell_mean"])
def test_missing_is_one_more_category(missing: str) -> None:
    """a (2, 0), b (0, 1), missing (0, 2): {b, missing} against {a}."""
    words = np.array([["a"], ["a"], ["b"], [None], [None]], dtype=object)
    model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0.0, missing=missing), max_depth=1).fit(words, [0, 0, 1, 1, 1])
    assert model.apply(words).tolist() == [1, 1, 0, 0, 0]
    assert model.apply(np.array([["new"]], dtype=object)).tolist() == [0]
