"""Of several rules, every cell takes the one with the largest gain on held-out rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import naive
from cells import Above, Fixed, Memory, Stump, cell_of
from rankforest import Dyadic, LeafRank, RankingTree, TreeRank
from rankforest.data import simulate
from rankforest.growing.treerank import Growth, grow_by_rule
from rankforest.splitting.as_rule import as_rule
from rankforest.splitting.axis_parallel import AxisParallel
from rankforest.splitting.candidates import Candidates
from rankforest.splitting.cell import Cell, RuleFailed, held_out_sides
from rankforest.splitting.dyadic import Cubes
from rankforest.splitting.weighted_erm import Classified, WeightedERM
from rankforest.tree.rule_tree import RuleTree
from rankforest.tree.rules import strata_rules


def noisy(seed: int = 0, n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, (X[:, 0] + X[:, 1] + rng.normal(size=n) > 0).astype(int)


RULES: list[Any] = [LeafRank(max_depth=1), Dyadic(2), WeightedERM(GaussianNB()), LeafRank(pruning="cv")]


@pytest.mark.parametrize("seed", range(6))
def test_the_largest_held_out_gain_wins(seed: int) -> None:
    cell = cell_of(*noisy(seed), key=seed)
    sides = [held_out_sides(rule, cell) for rule in RULES]
    gains = [float(cell.gain(left)) for left in sides]  # type: ignore[arg-type]
    best = RULES[int(np.argmax(gains))]
    cut = Candidates(RULES).divide(cell)
    assert cut is not None
    alone = best.learn(cell)
    np.testing.assert_array_equal(cut.division.goes_left(cell.X), alone.goes_left(cell.X))
    # rows go held-out where the rule alone would send them so
    expected = sides[int(np.argmax(gains))] if best.routes_held_out else alone.goes_left(cell.X)
    np.testing.assert_array_equal(cut.left, expected)
    learned = Candidates(RULES).learn(cell)
    assert learned is not None
    np.testing.assert_array_equal(learned.goes_left(cell.X), alone.goes_left(cell.X))


def test_every_rule_wins_somewhere() -> None:
    """A diagonal for the classifier, a checkerboard for the cubes, a plain step for LeafRank."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(300, 2))
    rules = [LeafRank(max_depth=1), Dyadic(1), WeightedERM(LogisticRegression())]
    cases: list[tuple[np.ndarray, type]] = [
        (X[:, 0] > 0.3, AxisParallel),
        (X[:, 0] * X[:, 1] > 0, Cubes),
        (X[:, 0] + X[:, 1] > 0, Classified),
    ]
    for y, kind in cases:
        cut = Candidates(rules).divide(cell_of(X, y))
        assert cut is not None
        assert isinstance(cut.division, kind)


def test_a_rule_that_memorises_does_not_win() -> None:
    """In-sample it would gain 1; held-out it gains nothing."""
    cut = Candidates([WeightedERM(Memory()), LeafRank(max_depth=1)]).divide(cell_of(*noisy()))
    assert cut is not None
    assert isinstance(cut.division, AxisParallel)


def test_of_equally_good_rules_the_first() -> None:
    x = np.arange(20.0)[:, None]
    cell = cell_of(x, np.arange(20) >= 10)
    for first, second in ((9.2, 9.8), (9.8, 9.2)):
        cut = Candidates([Fixed(first), Fixed(second)]).divide(cell)
        assert cut is not None
        assert cut.division == Above(first)


def test_nothing_gained_leaves_a_leaf_without_a_word() -> None:
    cell = cell_of(np.arange(20.0)[:, None], np.arange(20) < 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Candidates([Fixed(9.5), Fixed(4.5)]).divide(cell) is None


def test_too_few_rows_for_folds_take_the_first_rule_that_needs_none() -> None:
    cell = cell_of(np.arange(5.0)[:, None], [0, 0, 0, 0, 1])
    cut = Candidates([LeafRank(pruning="cv"), WeightedERM(GaussianNB()), Fixed(3.5), Fixed(2.5)]).divide(cell)
    assert cut is not None
    assert cut.division == Above(3.5)
    assert Candidates([LeafRank(pruning="cv"), WeightedERM(GaussianNB())]).divide(cell) is None


# ---- failures


def test_a_candidate_that_fails_is_left_out() -> None:
    X, y = noisy()
    message = (
        r"^A candidate was left out at the root \(depth 0, 120 rows\): Stump could not be fitted \(\d+ rows are too"
    )
    with pytest.warns(UserWarning, match=message) as caught:
        cut = Candidates([WeightedERM(Stump(10**6)), LeafRank(max_depth=1)]).divide(cell_of(X, y))
    assert len(caught) == 1
    assert cut is not None
    assert isinstance(cut.division, AxisParallel)


def test_a_candidate_that_fails_on_the_whole_cell_alone_is_left_out_too() -> None:
    """It does well in the folds and fails in the end: the second best takes over."""

    def on_all(cell: Cell) -> bool:
        return len(cell.rows) == 120

    class HeldOut(Fixed):
        routes_held_out = True  # type: ignore[assignment]

    X, y = noisy()
    cell = cell_of(X, y)
    good, worse = HeldOut(0.0, on_all), Fixed(1.5)
    assert cell.gain(held_out_sides(good, cell)) > cell.gain(held_out_sides(worse, cell)) > 0  # type: ignore[arg-type]
    with pytest.warns(UserWarning, match=r"left out at the root \(depth 0, 120 rows\): no threshold of 0 here\.$"):
        cut = Candidates([good, worse]).divide(cell)
    assert cut is not None
    assert cut.division == Above(1.5)


def test_all_of_them_failing_is_a_failure() -> None:
    cell = cell_of(*noisy())
    rule = Candidates([Fixed(1.0, lambda cell: True), Fixed(2.0, lambda cell: True)])
    with pytest.raises(RuleFailed, match=r"^no threshold of 1 here; no threshold of 2 here$"):
        rule.divide(cell)
    with pytest.warns(UserWarning, match=r"^The root \(depth 0, 120 rows\) stays a leaf: no threshold of 1 here; no"):
        assert grow_by_rule(cell.sample, Growth(rule), seed=0).n_leaves == 1


# ---- whole trees


def test_a_list_of_leafranks_gives_a_tree_of_the_axis_parallel_kind() -> None:
    sample = simulate.rf20(400, random_state=0)
    rules = [LeafRank(max_depth=1), LeafRank(max_depth=3), LeafRank(max_depth=None, pruning="cv")]
    model = TreeRank(rules, max_depth=3, random_state=0).fit(sample.X, sample.y)
    assert isinstance(model.tree_, RankingTree)
    assert model.tree_.n_leaves > 4
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert all("x" in words for words in strata_rules(model.tree_))
    constrained = TreeRank(rules, max_depth=3, monotonic_cst=[1] * 20, random_state=0).fit(sample.X, sample.y)
    assert isinstance(constrained.tree_, RankingTree)


def test_one_rule_twice_cuts_as_that_rule_where_held_out_rows_gain() -> None:
    """With nothing to choose from a cell is cut as the rule cuts it, or, gaining nothing held-out, not at all."""
    sample = simulate.rf20(300, random_state=0)
    rule = LeafRank(max_depth=2)
    once, twice = (
        TreeRank(splitter, max_depth=1, random_state=0).fit(sample.X, sample.y).tree_
        for splitter in (rule, [rule, rule])
    )
    assert once.n_leaves == 2
    for name, array in naive.arrays_of(once).items():
        np.testing.assert_array_equal(getattr(twice, name), array, err_msg=name)
    deep = [TreeRank(s, max_depth=3, random_state=0).fit(sample.X, sample.y).tree_ for s in (rule, [rule, rule])]
    assert deep[1].n_leaves < deep[0].n_leaves  # some cells gain in-sample only


def test_rules_of_several_kinds_in_one_tree() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 2))
    y = np.where(X[:, 0] > 0, X[:, 0] + X[:, 1] > 0.5, rng.random(400) < 0.1)
    model = TreeRank([LeafRank(max_depth=1), LogisticRegression()], max_depth=3, random_state=0).fit(X, y)
    assert isinstance(model.tree_, RuleTree)
    kinds = {type(division) for division in model.tree_.divisions if division is not None}
    assert kinds == {AxisParallel, Classified}
    # cells that are cut along the axes say so in full, the others name their classifier
    text = model.export_text()
    assert "LogisticRegression says positive at node" in text
    assert "more likely if x" in text
    refit = TreeRank([LeafRank(max_depth=1), LogisticRegression()], max_depth=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(refit.apply(X), model.apply(X))


def test_constraints_need_every_candidate_to_cut_along_the_axes() -> None:
    X, y = noisy()
    with pytest.raises(ValueError, match=r"^monotonic_cst needs a splitter with axis-parallel cuts; set splitter"):
        TreeRank([LeafRank(), Dyadic()], monotonic_cst=[1, 0]).fit(X, y)


def test_every_candidate_is_checked_before_any_work() -> None:
    with pytest.raises(ValueError, match=r"^Dyadic's resolution is 0"):
        TreeRank([LeafRank(), Dyadic(0)]).fit(*noisy())
    assert isinstance(as_rule([LeafRank(), Dyadic(0)]), Candidates)
