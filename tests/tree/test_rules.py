"""Rules in words say what the tree does: for every row and every split, and in the text of the whole tree."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from rankforest import LeafRank, OrdinalRankingTree, RankingTree, TreeRank
from rankforest.data.schema import Feature
from rankforest.data.table import read_table
from rankforest.tree import export_text
from rankforest.tree.conditions import Condition, Threshold, conjunction
from rankforest.tree.rules import left_rule, side_rule, strata_rules, stratum_rule

CITIES = ["Lyon", "Nice", "Paris", "Rome", "Turin"]


def frame(rng: np.random.Generator, n: int, missing: dict[str, float], cities: list[str]) -> pd.DataFrame:
    """Two numbers, a word and a code that is a category of numbers; missing values at these rates."""
    columns = {
        "age": np.round(rng.normal(40, 12, n)),
        "debt": rng.normal(size=n),
        "city": rng.choice(np.array(cities, dtype=object), n),
        "grade": rng.integers(0, 8, n).astype(object),
    }
    for name, rate in missing.items():
        for i in np.flatnonzero(rng.random(n) < rate):
            columns[name][i] = None if columns[name].dtype == object else np.nan
    return pd.DataFrame(columns)


@st.composite
def fits(draw: st.DrawFn) -> tuple[TreeRank, pd.DataFrame, pd.DataFrame]:
    """A model, its training rows and new rows. What was never missing in training is not missing in the new rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rates = {name: draw(st.sampled_from([0.0, 0.3])) for name in ("age", "debt", "city", "grade")}
    train = frame(rng, 80, rates, CITIES[:4])
    new = frame(rng, 80, rates, CITIES if train["city"].isna().any() else CITIES[:4])
    for name in train:
        if not train[name].isna().any():
            new[name] = new[name].fillna(train[name].iloc[0])
        if name in ("city", "grade") and not train[name].isna().any():
            new[name] = new[name].where(new[name].isin(train[name]), train[name].iloc[0])
    score = (
        train["debt"].fillna(0.5)
        + (train["city"] == "Lyon")
        - (train["city"] == "Rome")
        + 0.02 * train["age"].fillna(0)
    )
    y = (score + rng.normal(size=80) > score.median()).to_numpy()
    model = TreeRank(
        LeafRank(
            max_depth=draw(st.sampled_from([1, 2, 4])),
            min_mass_leaf=0.0,
            criterion=draw(st.sampled_from(["gini", "auc"])),
            missing=draw(st.sampled_from(["learned", "cell_mean"])),
        ),
        max_depth=draw(st.sampled_from([1, 3])),
        categorical_features=["grade"],
    )
    return model.fit(train, y), train, new


def fulfils(condition: Condition, value: object) -> bool:
    """Whether a raw value, None or NaN if missing, meets a condition."""
    if value is None or value != value:
        return condition.missing
    if condition.feature.categories is None:
        return condition.above < value <= condition.up_to
    if value not in condition.feature.categories:  # a category that was not there in fit
        return condition.missing
    return condition.categories is not None and value in condition.categories


def cells_of(tree: RankingTree, X: np.ndarray) -> list[list[int]]:
    """Master nodes that each row passes, from its stratum up to the root."""
    n_codes = [0 if f.categories is None else len(f.categories) + 1 for f in tree.schema.features]
    found = []
    for row in X:
        cell = int(tree.terminal_cell[naive.walk(naive.arrays_of(tree), row, n_codes)[1]])
        path = [cell]
        while tree.cell_parent[path[-1]] >= 0:
            path.append(int(tree.cell_parent[path[-1]]))
        found.append(path)
    return found


@settings(max_examples=60, deadline=None)
@given(fits())
def test_the_rule_of_a_split_is_what_the_split_does(case: tuple[TreeRank, pd.DataFrame, pd.DataFrame]) -> None:
    """A row of a cell goes left exactly if one, and only one, of the alternatives holds for it."""
    model, train, new = case
    tree = model.tree_
    for rows in (train, new):
        X = np.vstack(list(read_table(rows, schema=tree.schema).blocks()))
        paths = cells_of(tree, X)
        values = rows.to_dict("records")
        for cell in np.flatnonzero(tree.cell_left >= 0):
            rule = left_rule(tree, int(cell))
            for row, path in zip(values, paths):
                if cell in path:
                    holding = [all(fulfils(c, row[c.feature.name]) for c in alternative) for alternative in rule]
                    assert sum(holding) == (tree.cell_left[cell] in path)


def leaf_sides(tree: RankingTree, cell: int, child: int) -> list[bool]:
    """For every leaf of the split of a cell under an inner child: whether it goes to the left child of the cell."""
    if child >= 0 and tree.owner[child] == cell:
        return [side for below in (tree.left, tree.right) for side in leaf_sides(tree, cell, int(below[child]))]
    return [int(tree.owner[child] if child >= 0 else tree.terminal_cell[~child]) == tree.cell_left[cell]]


def whole_subtrees(tree: RankingTree, cell: int, child: int) -> int:
    """How many largest inner subtrees go left as a whole."""
    sides = leaf_sides(tree, cell, child)
    if len(set(sides)) == 1:
        return int(sides[0])
    return sum(whole_subtrees(tree, cell, int(below[child])) for below in (tree.left, tree.right))


@settings(max_examples=40, deadline=None)
@given(fits())
def test_rules_are_short(case: tuple[TreeRank, pd.DataFrame, pd.DataFrame]) -> None:
    """A feature is named once per alternative, and leaves that go the same way are read as one."""
    model, _, _ = case
    tree = model.tree_
    for cell in np.flatnonzero(tree.cell_left >= 0):
        rule = left_rule(tree, int(cell))
        assert len(rule) == whole_subtrees(tree, int(cell), int(tree.cell_entry[cell]))
        for alternative in rule:
            names = [c.feature.name for c in alternative]
            assert len(names) == len(set(names)) > 0


@settings(max_examples=40, deadline=None)
@given(fits())
def test_text_mentions_every_stratum_and_every_rule(case: tuple[TreeRank, pd.DataFrame, pd.DataFrame]) -> None:
    model, _, _ = case
    tree = model.tree_
    text = export_text(tree, max_alternatives=1000)
    by_model = model.export_text(max_alternatives=1000)
    assert re.sub(" {2,}or", " or", by_model) == re.sub(
        " {2,}or", " or", text.replace("% positive", "% with label True").replace("positive more", "label True more")
    )
    listed = re.findall(r"stratum (\d+): (\d+) rows?, ([\d.]+)% positive", text)
    assert [int(number) for number, _, _ in listed] == list(range(1, tree.n_leaves + 1))
    assert [int(rows) for _, rows, _ in listed] == tree.cell_count[tree.leaves].tolist()
    assert [float(rate) for _, _, rate in listed] == pytest.approx(100 * tree.leaf_rate, abs=0.0501)
    split = np.flatnonzero(tree.cell_left >= 0)
    assert text.count("positive more likely if") == text.count("split adds") == len(split)
    for cell in split:
        for alternative in left_rule(tree, int(cell)):
            assert conjunction(alternative) in text
    shown = re.findall(r"positive more likely if|^ +or ", text, re.M)
    assert len(shown) == sum(len(left_rule(tree, int(c))) for c in split)
    for line in text.splitlines():
        if " or missing" in line and " and " in line:
            assert line.count(" or missing") == line.count(" or missing)")


@settings(max_examples=40, deadline=None)
@given(fits(), st.integers(1, 3))
def test_text_keeps_to_max_alternatives(case: tuple[TreeRank, pd.DataFrame, pd.DataFrame], most: int) -> None:
    model, _, _ = case
    tree = model.tree_
    text = export_text(tree, max_alternatives=most)
    lengths = [len(left_rule(tree, int(c))) for c in np.flatnonzero(tree.cell_left >= 0)]
    assert sorted(int(k) for k in re.findall(r"or (\d+) more$", text, re.M)) == sorted(
        k - most for k in lengths if k > most
    )
    shown = len(re.findall(r"positive more likely if|^ +or (?!\d+ more$)", text, re.M))
    assert shown == sum(min(k, most) for k in lengths)


@pytest.mark.parametrize("max_depth", [0, 1, 2, 3])
def test_text_keeps_to_max_depth(max_depth: int) -> None:
    """Cells deeper than asked for are summed up; every stratum is still in some line, once."""
    sample = naive.random_sample(np.random.default_rng(0), 300, 3)
    tree = TreeRank(LeafRank(max_depth=2), max_depth=4).fit(sample.X, sample.y).tree_
    text = export_text(tree, max_depth=max_depth)
    mentioned = []
    for first, last in re.findall(r"strat(?:um|a) (\d+)(?:-(\d+))?:", text):
        mentioned += range(int(first), int(last or first) + 1)
    assert mentioned == list(range(1, tree.n_leaves + 1))
    split = [c for c in range(len(tree.cell_left)) if tree.cell_left[c] >= 0]
    assert text.count("split adds") == sum(tree.cell_depth[c] < max_depth for c in split)
    summed_up = [c for c in split if tree.cell_depth[c] == max_depth]
    assert re.findall(r"strata \d+-\d+: (\d+) rows?", text) == [f"{tree.cell_count[c]:.0f}" for c in summed_up]
    assert export_text(tree, max_depth=10) == export_text(tree)


def test_text_of_a_worked_tree() -> None:
    X = pd.DataFrame({"age": [20.0, 30.0, 40.0, 50.0], "city": ["Lyon", "Nice", "Nice", "Nice"]})
    model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0.0), max_depth=2).fit(X, ["paid", "unpaid", "paid", "paid"])
    # age <= 35 has shares a = 1/3, b = 1: Gini (2/3)^2 / (4/3 * 2/3) = 1/2, Lambda 2/3; age <= 25 and the city 1/5 only
    assert model.export_text().splitlines() == [
        "4 rows, 25.0% unpaid; split adds 0.3333 to the AUC",
        "  unpaid more likely if age <= 35",
        "[+] 2 rows, 50.0% unpaid; split adds 0.1667 to the AUC",
        "      unpaid more likely if age > 25",
        "    [+] stratum 1: 1 row, 100.0% unpaid",
        "    [-] stratum 2: 1 row, 0.0% unpaid",
        "[-] stratum 3: 2 rows, 0.0% unpaid",
    ]


def test_a_rule_keeps_its_bound_when_the_missing_are_parted_off() -> None:
    """x = 1: 6 negatives, 8 positives; x = 2: 20 negatives; missing: 12 negatives, 3 positives. Two inner levels.

    The first cut is x <= 1.5 or missing (a = 18/38, b = 1: Gini .36; the next best, x <= 1.5 alone, .33), the second
    parts the missing from x = 1 at an infinite threshold. Only x = 1 has beta > alpha, and its rule is x <= 1.5 still.
    """
    counts = {1.0: (6, 8), 2.0: (20, 0), math.nan: (12, 3)}
    x = [value for value, pair in counts.items() for _ in range(sum(pair))]
    y = [label for pair in counts.values() for label in (0, 1) for _ in range(pair[label])]
    tree = TreeRank(LeafRank(max_depth=2, min_mass_leaf=0.0), max_depth=1).fit(np.array(x)[:, None], y).tree_
    assert tree.threshold.tolist() == [1.5, math.inf]
    assert [[str(condition) for condition in alternative] for alternative in left_rule(tree, 0)] == [["x0 <= 1.5"]]


AGE, CITY = Feature("age", "numeric"), Feature("city", "categorical", ("Lyon", "Nice", "Paris"))


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (Condition(AGE, up_to=30.0, missing=False), "age <= 30"),
        (Condition(AGE, up_to=30.0), "age <= 30 or missing"),
        (Condition(AGE, above=18.5, missing=False), "age > 18.5"),
        (Condition(AGE, 18.0, 30.0, missing=True), "18 < age <= 30 or missing"),
        (Condition(AGE, above=math.inf), "age is missing"),
        (Condition(AGE, missing=False), "age is not missing"),
        (Condition(AGE), "age is anything"),
        (Condition(CITY, categories=frozenset({"Nice"}), missing=False), "city is Nice"),
        (Condition(CITY, categories=frozenset({"Paris", "Lyon"})), "city in {Lyon, Paris} or missing"),
        (Condition(CITY, categories=frozenset()), "city is missing"),
        (Condition(AGE, up_to=77040.5, missing=False), "age <= 77 040.5"),
        (Condition(AGE, up_to=Threshold(77040.5, 5), missing=False), "age <= 77 040.5"),
        (Condition(AGE, up_to=Threshold(0.123456789, 2), missing=False), "age <= 0.123457"),
        (
            Condition(AGE, Threshold(1600000000.5, 11), Threshold(1600000002.5, 11), missing=False),
            "1 600 000 000.5 < age <= 1 600 000 002.5",
        ),
    ],
)
def test_words(condition: Condition, words: str) -> None:
    assert str(condition) == words


NUMBER = r"-?\d[\d ]*(?:\.\d+)?(?:e-?\d+)?"


def read(words: str, name: str) -> tuple[float, float]:
    """The bounds that a printed condition on a number names."""
    found = re.fullmatch(rf"(?:({NUMBER}) < )?{name}(?: <= ({NUMBER}))?(?: > ({NUMBER}))?", words)
    assert found is not None, words
    above, up_to, over = (None if text is None else float(text.replace(" ", "")) for text in found.groups())
    low = over if above is None else above
    return -math.inf if low is None else low, math.inf if up_to is None else up_to


def printed_stratum(rules: list[str], names: list[str], row: np.ndarray) -> list[int]:
    """The strata whose printed rule holds for a row."""
    return [
        s
        for s, words in enumerate(rules)
        for alternative in words.split("; or ")
        if all(
            low < row[j] <= high
            for part in (alternative.split(" and ") if alternative != "all rows" else [])
            for j, name in enumerate(names)
            if re.search(rf"\b{name}\b", part)
            for low, high in [read(part, name)]
        )
    ]


SCALES = {
    "Unix seconds": lambda rng, n: 1.6e9 + rng.integers(0, 40, n),
    "milliseconds": lambda rng, n: 1.6e12 + rng.integers(0, 1000, n),
    "a large offset": lambda rng, n: 1e8 + rng.normal(size=n),
    "neighbouring doubles": lambda rng, n: 1.0 + rng.integers(0, 30, n) * 2.0**-52,
    "tiny": lambda rng, n: rng.exponential(1e-9, n),
    "prices": lambda rng, n: np.round(rng.lognormal(10, 2, n), 2),
    "small whole numbers": lambda rng, n: rng.integers(-4, 5, n).astype(float),
}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(SCALES)), st.sampled_from(sorted(SCALES)))
def test_printed_rules_sort_the_training_rows_as_the_tree_does(seed: int, one: str, other: str) -> None:
    rng = np.random.default_rng(seed)
    X = np.column_stack([SCALES[one](rng, 120), SCALES[other](rng, 120)])
    signal = np.argsort(np.argsort(X, axis=0), axis=0).sum(axis=1) + rng.normal(scale=60, size=120)
    y = signal > np.median(signal)
    tree = TreeRank(LeafRank(max_depth=2, min_mass_leaf=0.0), max_depth=3).fit(X, y).tree_
    rules = list(strata_rules(tree, max_alternatives=10**6, max_followed=10**6))
    for row, stratum in zip(X, tree.apply(X)):
        assert printed_stratum(rules, ["x0", "x1"], row) == [stratum]
    ordinal = OrdinalRankingTree(max_depth=4, pruning=None).fit(X, y.astype(int))
    for row, leaf in zip(X, ordinal.tree_.apply(X)):
        assert printed_stratum(ordinal.rules(), ["x0", "x1"], row) == [leaf]


@settings(max_examples=20, deadline=None)
@given(fits())
def test_the_rule_of_a_stratum_is_the_stratum(case: tuple[TreeRank, pd.DataFrame, pd.DataFrame]) -> None:
    """Exactly one alternative holds for a row of the stratum, none for any other row."""
    model, train, new = case
    rules = [stratum_rule(model.tree_, s) for s in range(model.tree_.n_leaves)]
    for rows in (train, new):
        strata = model.apply(rows)
        for row, stratum in zip(rows.to_dict("records"), strata):
            for s, rule in enumerate(rules):
                holding = [all(fulfils(c, row[c.feature.name]) for c in alternative) for alternative in rule]
                assert sum(holding) == (s == stratum)


@settings(max_examples=15, deadline=None)
@given(fits())
def test_rules_of_strata_hold_nothing_idle(case: tuple[TreeRank, pd.DataFrame, pd.DataFrame]) -> None:
    """No condition is empty or idle, no feature is named twice, and no two alternatives are one."""
    tree = case[0].tree_
    for s in range(tree.n_leaves):
        rule = stratum_rule(tree, s)
        for alternative in rule:
            assert len({c.feature.name for c in alternative}) == len(alternative)
            for c in alternative:
                j = tree.schema.names.index(c.feature.name)
                assert c.missing <= tree.has_missing[j]
                if c.feature.categories is not None:
                    assert c.categories or c.missing
                    assert len(c.categories) < len(c.feature.categories) or c.missing < tree.has_missing[j]
                else:
                    assert c.above < c.up_to or (c.above == math.inf and c.missing)
                    assert (c.above, c.up_to) != (-math.inf, math.inf) or c.missing < tree.has_missing[j]
        for i, one in enumerate(rule):
            for other in rule[:i]:
                differing = set(one) ^ set(other)
                if len({c.feature.name for c in differing}) == 1 and len(differing) == 2:
                    first, second = sorted(differing, key=lambda c: c.above)
                    assert first.feature.categories is None
                    assert first.up_to < second.above < math.inf


@settings(max_examples=10, deadline=None)
@given(fits(), st.booleans())
def test_sides_of_a_split_complement_each_other(
    case: tuple[TreeRank, pd.DataFrame, pd.DataFrame], better: bool
) -> None:
    model, _, new = case
    tree = model.tree_
    X = np.vstack(list(read_table(new, schema=tree.schema).blocks()))
    for row, path in zip(X, cells_of(tree, X)):
        for cell in path[1:]:
            rule = side_rule(tree, cell, better=better)
            holding = [all(c.holds(row[tree.schema.names.index(c.feature.name)]) for c in a) for a in rule]
            assert sum(holding) == (better == (tree.cell_left[cell] in path))
            assert len(rule) <= len(left_rule(tree, cell)) or not better


def test_a_stratum_of_a_worked_tree() -> None:
    X = pd.DataFrame({"age": [20.0, 30.0, 40.0, 50.0], "city": ["Lyon", "Nice", "Nice", "Nice"]})
    tree = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0.0), max_depth=2).fit(X, [0, 1, 0, 0]).tree_
    assert strata_rules(tree) == ("25 < age <= 35", "age <= 25", "age > 35")
    with pytest.raises(ValueError, match=r"^stratum is 3; the strata of this tree are 0 to 2\.$"):
        stratum_rule(tree, 3)


def test_a_tree_of_one_stratum_holds_all_rows() -> None:
    tree = TreeRank(max_depth=1, min_samples_leaf=2).fit([[1.0], [2.0]], [0, 1]).tree_
    assert stratum_rule(tree, 0) == [[]]
    assert strata_rules(tree) == ("all rows",)


def test_rules_that_are_not_told_in_full_say_so() -> None:
    sample = naive.random_sample(np.random.default_rng(0), 300, 3)
    tree = TreeRank(LeafRank(max_depth=4, min_mass_leaf=0.0), max_depth=3).fit(sample.X, sample.y).tree_
    lengths = [len(stratum_rule(tree, s)) for s in range(tree.n_leaves)]
    assert max(lengths) > 4
    for length, words in zip(lengths, strata_rules(tree, max_alternatives=2, max_followed=10**6)):
        assert words.count("; or ") == min(length, 3) - 1
        assert words.endswith(f"; or {length - 2} more") == (length > 2)
    for length, words in zip(lengths, strata_rules(tree, max_alternatives=2, max_followed=2)):
        assert length <= 2 or words.endswith("; or others")


@pytest.mark.parametrize(
    ("condition", "value", "holds"),
    [
        (Condition(AGE, 18.0, 30.0, missing=False), 18.0, False),
        (Condition(AGE, 18.0, 30.0, missing=False), 30.0, True),
        (Condition(AGE, 18.0, 30.0, missing=False), math.nan, False),
        (Condition(AGE, above=math.inf), math.nan, True),
        (Condition(CITY, categories=frozenset({"Nice"}), missing=False), 1.0, True),
        (Condition(CITY, categories=frozenset({"Nice"}), missing=False), 2.0, False),
        (Condition(CITY, categories=frozenset({"Nice"}), missing=True), 3.0, True),
        (Condition(CITY, categories=frozenset({"Nice"}), missing=False), math.nan, False),
    ],
)
def test_holds(condition: Condition, value: float, holds: bool) -> None:
    assert condition.holds(value) is holds
