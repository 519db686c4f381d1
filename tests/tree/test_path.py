"""The explanation of a row holds for it, and not for the row below it."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankforest import LeafRank, TreeRank
from rankforest.data.table import read_table
from rankforest.interpret import coded_row, contrast, path_of
from rankforest.tree.conditions import Condition

CITIES = ["Lyon", "Nice", "Paris", "Rome"]


def frame(rng: np.random.Generator, n: int, missing: float) -> pd.DataFrame:
    rows = pd.DataFrame(
        {"age": np.round(rng.normal(40, 12, n)), "debt": rng.normal(size=n), "city": rng.choice(CITIES, n)}
    ).astype({"city": object})
    return rows.mask(rng.random(rows.shape) < missing)


@st.composite
def fits(draw: st.DrawFn) -> tuple[TreeRank, pd.DataFrame, np.ndarray]:
    """A model, new rows raw and coded. The new rows have missing values, also where training had none."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    train, new = frame(rng, 80, draw(st.sampled_from([0.0, 0.25]))), frame(rng, 12, 0.25)
    score = train["debt"].fillna(0.5) + (train["city"] == "Lyon") + 0.02 * train["age"].fillna(0)
    y = (score + rng.normal(size=80) > score.median()).to_numpy()
    missing = draw(st.sampled_from(["learned", "cell_mean"]))
    splitter = LeafRank(max_depth=draw(st.sampled_from([1, 3])), min_mass_leaf=0.0, missing=missing)
    model = TreeRank(splitter, max_depth=3).fit(train, y)
    return model, new, np.vstack(list(read_table(new, schema=model.tree_.schema).blocks()))


def fulfils(condition: Condition, value: object) -> bool:
    """Whether a raw value meets a condition."""
    if value is None or value != value:
        return condition.missing
    if condition.feature.categories is None:
        return condition.above < value <= condition.up_to
    return value in condition.categories


@settings(max_examples=15, deadline=None)
@given(fits())
def test_the_path_is_the_row_s_and_every_condition_holds(case: tuple[TreeRank, pd.DataFrame, np.ndarray]) -> None:
    model, new, X = case
    tree = model.tree_
    for raw, row, stratum, score in zip(
        new.to_dict("records"), X, model.apply(new).tolist(), model.score_samples(new).tolist()
    ):
        found = path_of(tree, row)
        assert (found.stratum, found.score, found.rate) == (stratum, score, tree.leaf_rate[stratum])
        cell = 0
        for step in found.steps:
            assert step.cell == cell
            assert step.conditions
            assert all(fulfils(c, raw[c.feature.name]) for c in step.conditions)
            cell = tree.cell_left[cell] if step.better else tree.cell_right[cell]
        assert cell == tree.leaves[stratum]
        assert found.values == {name: None if v != v else v for name, v in raw.items()}


@settings(max_examples=15, deadline=None)
@given(fits())
def test_why_names_the_node_where_two_rows_part(case: tuple[TreeRank, pd.DataFrame, np.ndarray]) -> None:
    model, new, X = case
    tree, strata, raw = model.tree_, model.apply(new), new.to_dict("records")

    def ancestors(stratum: int) -> list[int]:
        path = [int(tree.leaves[stratum])]
        while path[-1]:
            path.append(int(tree.cell_parent[path[-1]]))
        return path[::-1]

    for i in range(6):
        a, b = i, i + 6
        found = contrast(tree, X[a], X[b])
        assert found.order == np.sign(int(strata[b]) - int(strata[a]))
        assert (found.row.stratum, found.other.stratum) == (strata[a], strata[b])
        if strata[a] == strata[b]:
            assert found.node is found.above is found.below is None
            assert "Both rows are in stratum" in str(found)
            continue
        shared = [c for c, d in zip(ancestors(strata[a]), ancestors(strata[b])) if c == d]
        assert (found.node, found.n_shared) == (shared[-1], len(shared) - 1)
        upper, lower = (raw[a], raw[b]) if found.order > 0 else (raw[b], raw[a])
        assert all(fulfils(c, upper[c.feature.name]) for c in found.above.conditions)
        assert all(fulfils(c, lower[c.feature.name]) for c in found.below.conditions)
        assert found.decisive
        if not any(value is None or value != value for value in lower.values()):
            assert set(found.decisive) == {c for c in found.above.conditions if not fulfils(c, lower[c.feature.name])}
        assert contrast(tree, X[b], X[a]).decisive == found.decisive


def worked() -> TreeRank:
    X = pd.DataFrame({"age": [20.0, 30.0, 40.0, 50.0], "city": ["Lyon", "Nice", "Nice", "Nice"]})
    return TreeRank(LeafRank(max_depth=1, min_mass_leaf=0.0), max_depth=2).fit(X, [0, 1, 0, 0])


def test_text_and_dict_of_a_worked_row() -> None:
    found = path_of(worked().tree_, [22.0, 1.0])
    assert str(found).splitlines() == [
        "stratum 2 of 3: score 0.625, 0.0% positive, lift 0.00",
        "  [+] age <= 35 (it is 22)",
        "  [-] age <= 25 (it is 22)",
    ]
    assert found.to_dict() == {
        "stratum": 1,
        "n_strata": 3,
        "score": 0.625,
        "rate": 0.0,
        "lift": 0.0,
        "steps": [
            {"cell": 0, "better": True, "conditions": ["age <= 35"]},
            {"cell": 1, "better": False, "conditions": ["age <= 25"]},
        ],
    }


def test_text_and_dict_of_a_worked_pair() -> None:
    tree = worked().tree_
    found = contrast(tree, [22.0, 1.0], [28.0, 0.0])
    assert str(found).splitlines() == [
        "The second row is above: stratum 1 (score 0.875), the first in stratum 2 (score 0.625) of 3.",
        "They are separated after one shared split, at node 1:",
        "  [+] second: age > 25 (it is 28)",
        "  [-] first: age <= 25 (it is 22)",
        "  what the first row lacks: age > 25 (it is 22)",
    ]
    assert found.to_dict()["decisive"] == ["age > 25"]
    assert found.to_dict()["strata"] == [1, 0]
    assert contrast(tree, [22.0, 1.0], [20.0, 0.0]).to_dict()["node"] is None


def test_a_value_missing_where_none_was_in_training() -> None:
    found = path_of(worked().tree_, [math.nan, 0.0])
    assert all("missing" in str(step.conditions[0]) for step in found.steps)
    assert "it is missing" in str(found) or "is missing" in str(found)


@pytest.mark.parametrize(
    "row",
    [
        [22, "Nice"],
        (22.0, "Nice"),
        {"city": "Nice", "age": 22},
        pd.Series({"city": "Nice", "age": 22}),
        np.array([22, "Nice"], dtype=object),
        pd.DataFrame({"age": [22.0], "city": ["Nice"]}),
        [[22.0, "Nice"]],
    ],
)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_a_row_in_any_form(row: object) -> None:
    assert coded_row(row, worked().tree_.schema).tolist() == [22.0, 1.0]


def test_wrong_rows_get_a_sentence() -> None:
    tree = worked().tree_
    with pytest.raises(ValueError, match=r"^The row has no value for 'city'; give None or NaN"):
        coded_row({"age": 20}, tree.schema)
    with pytest.raises(ValueError, match=r"^Give one row to explain, not a table of 2 rows\.$"):
        coded_row(pd.DataFrame({"age": [1.0, 2.0], "city": ["Lyon", "Nice"]}), tree.schema)
    with pytest.raises(ValueError, match=r"^row has shape \(3,\); give one value for each of the 2 features\.$"):
        path_of(tree, [1.0, 2.0, 3.0])
