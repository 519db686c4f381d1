"""The table of strata: intervals, rules and the ways it prints."""

import html
import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from rankforest import LeafRank, RankingTree, TreeRank
from rankforest.data import simulate
from rankforest.interpret import strata_table
from rankforest.tree.conditions import in_words
from rankforest.tree.rules import strata_rules, stratum_rule


@pytest.fixture(scope="module")
def tree() -> RankingTree:
    sample = simulate.rf20(600, random_state=1)
    return TreeRank(LeafRank(max_depth=2), max_depth=3).fit(sample.X, sample.y).tree_


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_the_interval_is_wilsons(tree: RankingTree, level: float) -> None:
    table = strata_table(tree, level=level)
    for k, n, low, high in zip(table.positives, table.mass, table.rate_low, table.rate_high):
        expected = binomtest(int(k), int(n)).proportion_ci(level, method="wilson")
        assert (low, high) == pytest.approx((expected.low, expected.high))


def test_pure_strata_have_an_interval_inside_the_unit() -> None:
    tree = TreeRank(LeafRank(min_mass_leaf=0)).fit([[1.0], [2.0], [3.0]], [0, 0, 1]).tree_
    table = strata_table(tree)
    assert table.rate.tolist() == [1.0, 0.0]
    assert table.rate_high[0] == 1.0 > table.rate_low[0] > 0.1
    assert table.rate_low[1] == 0.0 < table.rate_high[1] < 0.9


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_wrong_level_gets_a_sentence(tree: RankingTree, level: float) -> None:
    with pytest.raises(ValueError, match=rf"^level is {level}; give a number between 0 and 1, such as 0\.95\.$"):
        strata_table(tree, level=level)


def test_printed_rows_are_the_columns(tree: RankingTree) -> None:
    table = strata_table(tree)
    head, *rows = str(table).splitlines()
    assert head.split() == ["stratum", "rows", "positives", "rate", "interval", "lift", "share", "capture"]
    assert len({len(line) for line in (head, *rows)}) == 1
    assert len(head) < 80
    for i, row in enumerate(rows):
        number, n, positives, rate, interval, *_ = row.split()
        assert (int(number), float(n), float(positives)) == (i + 1, table.rows[i], table.positives[i])
        assert rate == f"{table.rate[i]:.1%}"
        assert interval == f"{100 * table.rate_low[i]:.1f}-{100 * table.rate_high[i]:.1f}%"
    assert repr(table) == str(table)


def test_html_holds_the_same_cells(tree: RankingTree) -> None:
    table = strata_table(tree)
    text = table._repr_html_()
    cells = [html.unescape(cell) for cell in re.findall(r"<t[hd]>(.*?)</t[hd]>", text)]
    assert cells == str(table).split()
    assert text.count("<tr>") == text.count("</tr>") == len(table) + 1


def test_rules_are_those_of_the_tree(tree: RankingTree) -> None:
    table = strata_table(tree)
    assert table.rule == strata_rules(tree)
    assert table.rule == tuple(in_words(stratum_rule(tree, s), max_alternatives=3) for s in range(len(table)))
    text = table.rules(max_alternatives=1000)
    alternatives = [line.split(": ", 1)[-1] for line in text.splitlines()]
    expected = [in_words([a]) for s in range(len(table)) for a in stratum_rule(tree, s)]
    assert [re.sub(r"^ +or ", "", line) for line in alternatives] == expected
    assert re.findall(r"^stratum (\d+) \(", text, re.M) == [str(i + 1) for i in range(len(table))]


def test_columns_and_frame(tree: RankingTree) -> None:
    table = strata_table(tree)
    plain, with_rules = table.to_dict(), table.to_dict(rules=True)
    assert [*plain, "rule"] == list(with_rules)
    assert "tree" not in plain
    frame = table.to_frame(rules=True)
    assert isinstance(frame, pd.DataFrame)
    assert frame["rule"].tolist() == list(table.rule)
    np.testing.assert_array_equal(frame["rate_low"], table.rate_low)
    assert list(table.to_frame()) == list(plain)


def test_brackets_around_or_missing() -> None:
    X = pd.DataFrame({"a": [1.0, 1.0, np.nan, 2.0, 2.0, 2.0], "b": [1.0, 2.0, 1.0, 1.0, 2.0, 2.0]})
    tree = TreeRank(LeafRank(max_depth=2, min_mass_leaf=0)).fit(X, [1, 0, 1, 0, 0, 0]).tree_
    assert strata_table(tree).rule[0] == "(a <= 1.5 or missing) and b <= 1.5"
