"""Trees whose cells are split by fitted rules: they score, prune, print and pickle like any ranking tree."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import naive
from cells import Above, Fixed, sample_of
from rankforest import Dyadic, LeafRank, Pruning, TreeRank
from rankforest.growing.treerank import Growth, grow_by_rule
from rankforest.interpret import contrast, partial_dependence, path_of, permutation_importance
from rankforest.metrics import roc_auc
from rankforest.plots import plot_tree
from rankforest.splitting import weighted_erm
from rankforest.splitting.cell import Cell
from rankforest.tree.conditions import Verdict
from rankforest.tree.pruning import best_subtrees, pruning_path
from rankforest.tree.rule_tree import RuleTree
from rankforest.tree.rules import left_rule, side_rule, strata_rules
from rankforest.tree.subtree import subtree
from rankforest.tree.text import export_text


def table(seed: int = 0, n: int = 240) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.normal(size=n), "z": rng.normal(size=n), "city": rng.choice(["Lyon", "Nice"], n)})
    y = (X["x"] + (X["city"] == "Nice") + rng.normal(size=n) > 0.5).to_numpy().astype(int)
    X.loc[::9, "x"] = np.nan
    return X, y


KINDS: dict[str, Any] = {
    "classifier": GaussianNB(),
    "dyadic": Dyadic(1),
    "mixed": [LeafRank(max_depth=2), Dyadic(1), GaussianNB()],
}


@pytest.fixture(scope="module", params=KINDS, ids=list(KINDS))
def fitted(request: pytest.FixtureRequest) -> tuple[TreeRank, pd.DataFrame, np.ndarray]:
    X, y = table()
    model = TreeRank(KINDS[request.param], max_depth=4, random_state=0).fit(X, y)
    assert isinstance(model.tree_, RuleTree)
    assert model.tree_.n_leaves > 4
    return model, X, y


Fitted = tuple[TreeRank, pd.DataFrame, np.ndarray]


def coded(X: pd.DataFrame) -> np.ndarray:
    return np.column_stack([X["x"], X["z"], X["city"].map({"Lyon": 0.0, "Nice": 1.0})])


def cell_by_hand(tree: RuleTree, row: np.ndarray) -> list[int]:
    """Cells that a row passes, one division at a time."""
    path = [0]
    while tree.cell_left[path[-1]] >= 0:
        left = tree.divisions[path[-1]].goes_left(row[None])[0]
        path.append(int((tree.cell_left if left else tree.cell_right)[path[-1]]))
    return path


def test_apply_equals_a_walk(fitted: Fitted) -> None:
    model, X, _ = fitted
    tree = model.tree_
    number = naive.strata_numbers({"cell_left": tree.cell_left, "cell_right": tree.cell_right})
    expected = [number[cell_by_hand(tree, row)[-1]] for row in coded(X)]
    found = model.apply(X)
    assert found.dtype == np.int32
    assert found.tolist() == expected
    assert len(set(expected)) > 3
    assert tree.apply(coded(X)[:0]).tolist() == []
    assert tree.apply(coded(X)[:1]).tolist() == expected[:1]  # cells that no row reaches ask nothing


def test_cells_are_counted_once_and_add_up(fitted: Fitted) -> None:
    model, X, y = fitted
    tree = model.tree_
    assert tree.cell_count[0] == len(X)
    assert tree.cell_mass[0].tolist() == [(y == 0).sum(), (y == 1).sum()]
    for cell in np.flatnonzero(tree.cell_left >= 0):
        children = [tree.cell_left[cell], tree.cell_right[cell]]
        assert tree.cell_mass[children].sum(axis=0).tolist() == tree.cell_mass[cell].tolist()
        assert tree.cell_count[children].sum() == tree.cell_count[cell]
        assert tree.cell_gain[cell] > 0
    masses = [tuple(mass) for mass in tree.leaf_mass.astype(int).tolist()]
    assert tree.auc == pytest.approx(float(naive.auc_of_cells(masses)), abs=1e-12)


def test_in_sample_rules_have_the_auc_of_their_scores() -> None:
    X, y = table()
    model = TreeRank(Dyadic(1), max_depth=4).fit(X, y)
    assert model.tree_.auc == pytest.approx(roc_auc(y, model.score_samples(X)), abs=1e-12)


# ---- smaller trees


def test_subtrees(fitted: Fitted) -> None:
    model, X, _ = fitted
    tree = model.tree_
    inner = np.flatnonzero(tree.cell_left >= 0)
    for node in inner.tolist():
        small = subtree(tree, [node])
        assert isinstance(small, RuleTree)
        kept = [c for c in range(len(tree.cell_parent)) if node not in cell_path(tree, c)[1:]]
        assert len(small.cell_parent) == len(small.divisions) == len(kept)
        for new, old in enumerate(kept):
            assert small.divisions[new] is (None if old == node else tree.divisions[old])
            assert small.cell_mass[new].tolist() == tree.cell_mass[old].tolist()
        for row in coded(X)[:30]:
            path = cell_by_hand(tree, row)
            end = node if node in path else path[-1]
            assert kept[small.leaves[small.apply(row[None])[0]]] == end
    assert subtree(tree, []) is tree
    alone = model.subtree([0])
    assert isinstance(alone.tree_, RuleTree)
    assert set(alone.score_samples(X)) == {0.5}


def cell_path(tree: RuleTree, cell: int) -> list[int]:
    """A cell and those above it."""
    path = [cell]
    while tree.cell_parent[path[-1]] >= 0:
        path.append(int(tree.cell_parent[path[-1]]))
    return path


def test_pruning_path_and_best_subtrees(fitted: Fitted) -> None:
    model, _, _ = fitted
    path = pruning_path(model.tree_)
    assert path.n_leaves[0] >= path.n_leaves[-1] == 1
    for complexity, n_leaves, auc in zip(path.lambdas, path.n_leaves, path.auc):
        small = path.prune(complexity)
        assert small.n_leaves == n_leaves
        assert small.auc == pytest.approx(auc, abs=1e-12)
    best = best_subtrees(model.tree_)
    for k in range(1, model.tree_.n_leaves + 1):
        assert best.prune(k).n_leaves == k


@pytest.mark.parametrize("pruning", ["cv", "cv-1se"])
@pytest.mark.parametrize("kind", KINDS)
def test_cross_validated_pruning(pruning: str, kind: str) -> None:
    X, y = table(1)
    model = TreeRank(KINDS[kind], max_depth=4, pruning=Pruning(pruning, n_folds=3), random_state=0).fit(X, y)
    assert isinstance(model.grown_tree_, RuleTree)
    assert 1 <= model.tree_.n_leaves <= model.grown_tree_.n_leaves
    found = model.pruning_
    assert found is not None
    chosen = found.one_standard_error if pruning == "cv-1se" else found.best
    assert model.tree_.n_leaves == found.path.n_leaves[chosen]
    other, labels = table(2)
    assert 1 <= model.prune_with(other, labels).tree_.n_leaves <= model.grown_tree_.n_leaves


# ---- in words


def hand_made() -> RuleTree:
    """x = 0 .. 7, cut above 3.5; labels 0 1 0 1 0 1 1 1. The better side again above 4.5."""

    class Twice(Fixed):
        def learn(self, cell: Any) -> Any:
            return Above({"": 3.5, "+": 4.5}.get(cell.path, 99.0))

    tree = grow_by_rule(sample_of(np.arange(8.0)[:, None], [0, 1, 0, 1, 0, 1, 1, 1]), Growth(Twice(0.0)), seed=0)
    assert isinstance(tree, RuleTree)
    return tree


def test_the_tree_as_text() -> None:
    assert export_text(hand_made()).split("\n") == [
        "8 rows, 62.5% positive; split adds 0.1333 to the AUC",
        "  positive more likely if above 3.5 at node 0",
        "[+] 4 rows, 75.0% positive; split adds 0.1000 to the AUC",
        "      positive more likely if above 4.5 at node 1",
        "    [+] stratum 1: 3 rows, 100.0% positive",
        "    [-] stratum 2: 1 row, 0.0% positive",
        "[-] stratum 3: 4 rows, 50.0% positive",
    ]
    assert export_text(hand_made(), max_depth=1).split("\n")[2] == "[+] strata 1-2: 4 rows, 75.0% positive"


def test_the_strata_in_words() -> None:
    tree = hand_made()
    assert strata_rules(tree) == (
        "above 3.5 at node 0 and above 4.5 at node 1",
        "above 3.5 at node 0 and not above 4.5 at node 1",
        "not above 3.5 at node 0",
    )
    assert strata_rules(subtree(tree, [0])) == ("all rows",)  # as a tree of the axis-parallel kind says
    assert strata_rules(subtree(tree, [1])) == ("above 3.5 at node 0", "not above 3.5 at node 0")


def test_verdicts() -> None:
    tree = hand_made()
    for better in (True, False):
        [[verdict]] = side_rule(tree, 1, better=better)
        assert isinstance(verdict, Verdict)
        assert [verdict.holds(np.array([x])) for x in (4.0, 5.0)] == [not better, better]
    assert left_rule(tree, 0) == side_rule(tree, 0)


def test_axis_parallel_cuts_in_a_mixed_tree_speak_for_themselves() -> None:
    """The first cut is along an axis, and a missing value may go with it; the second one is a verdict."""
    X = np.append(np.arange(7.0), np.nan)[:, None]
    sample = sample_of(X, [0, 1, 0, 1, 0, 1, 1, 1])
    cell = Cell(sample=sample, rows=np.arange(8), key=1)
    axis = LeafRank(max_depth=1, min_mass_leaf=0.0).learn(cell)  # x > 4.5 or missing: all positive
    tree = hand_made()
    mixed = replace(
        tree, schema=sample.table.schema, has_missing=np.array([True]), divisions=(axis, tree.divisions[1], *[None] * 3)
    )
    assert strata_rules(mixed) == (
        "(x0 > 4.5 or missing) and above 4.5 at node 1",
        "(x0 > 4.5 or missing) and not above 4.5 at node 1",
        "x0 <= 4.5",
    )
    assert "positive more likely if x0 > 4.5 or missing" in export_text(mixed)


def test_explain_and_why(fitted: Fitted) -> None:
    model, X, _ = fitted
    tree = model.tree_
    rows = coded(X)[:40]
    strata = model.apply(X)[:40]
    for i in range(40):
        told = model.path_of(X.iloc[i].to_dict())
        assert told.stratum == strata[i]
        path = cell_by_hand(tree, rows[i])
        assert [step.cell for step in told.steps] == path[:-1]
        for step, after in zip(told.steps, path[1:]):
            assert step.better == (after == tree.cell_left[step.cell])
            for said in step.conditions:
                if isinstance(said, Verdict):
                    assert said.holds(rows[i])
                    assert str(said) in str(told)
    for i in range(0, 40, 2):
        compared = model.why(X.iloc[i].to_dict(), X.iloc[i + 1].to_dict()).words
        assert compared.order == np.sign(strata[i + 1] - strata[i])
        if compared.order:
            one, other = (cell_by_hand(tree, rows[k]) for k in (i, i + 1))
            assert compared.node == [a for a, b in zip(one, other) if a == b][-1]
            assert compared.decisive  # what the row below lacks
            assert compared.to_dict()["decisive"] == [str(said) for said in compared.decisive]


def test_why_by_hand() -> None:
    tree = hand_made()
    assert str(path_of(tree, [4.0])).split("\n")[1:] == ["  [+] above 3.5 at node 0", "  [-] not above 4.5 at node 1"]
    assert str(contrast(tree, [4.0], [7.0])).split("\n")[1:] == [
        "They are separated after one shared split, at node 1:",
        "  [+] second: above 4.5 at node 1",
        "  [-] first: not above 4.5 at node 1",
        "  what the first row lacks: above 4.5 at node 1",
    ]
    assert contrast(tree, [5.0], [7.0]).order == 0


# ---- interpretation


def test_importance_by_gains_is_refused_with_a_sentence(fitted: Fitted) -> None:
    model, _, _ = fitted
    with pytest.raises(
        AttributeError, match=r"^The cells of this model are not cut on single features, so there are no "
    ):
        _ = model.feature_importances_
    assert not hasattr(model, "feature_importances_")  # so that tools which look for it look elsewhere


def test_permutation_importance_and_partial_dependence(fitted: Fitted) -> None:
    model, X, y = fitted
    found = permutation_importance(model, X, y, n_repeats=3, random_state=0).to_dict()
    assert found["x"] > found["z"]
    curve = partial_dependence(model, X, "city")
    assert curve.values[1] > curve.values[0]  # Nice ranks above Lyon
    for k, code in enumerate((0.0, 1.0)):
        changed = coded(X)
        changed[:, 2] = code
        expected = model.tree_.leaf_score[model.tree_.apply(changed)].mean()
        assert curve.values[k] == pytest.approx(expected, abs=1e-12)


def test_strata_and_pictures(fitted: Fitted) -> None:
    model, _, _ = fitted
    strata = model.strata()
    assert len(strata) == model.tree_.n_leaves
    assert strata.rows.sum() == 240
    assert strata.rules().count("stratum ") == model.tree_.n_leaves
    pytest.importorskip("matplotlib").use("agg")
    display = plot_tree(model)
    told = " ".join(text.get_text() for text in display.ax_.texts)
    [[first]] = side_rule(model.tree_, 0)[:1]  # of the root, whichever rule cut it
    assert str(first).split()[0] in told
    assert told.count("stratum") >= model.tree_.n_leaves
    display.ax_.figure.clear()


def test_pickle(fitted: Fitted) -> None:
    model, X, _ = fitted
    model.tree_.auc  # noqa: B018 (cached figures do not travel)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.apply(X), model.apply(X))
    assert again.export_text() == model.export_text()
    assert "auc" not in pickle.loads(pickle.dumps(model.tree_)).__dict__


def test_repr(fitted: Fitted) -> None:
    tree = fitted[0].tree_
    splits = int((tree.cell_left >= 0).sum())
    assert repr(tree).startswith(
        f"RuleTree({tree.n_leaves} strata, depth {tree.max_depth}, {splits} splits, {tree.source} AUC"
    )


def test_scoring_in_blocks_equals_scoring_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = table()
    model = TreeRank(GaussianNB(), max_depth=3, random_state=0).fit(X, y)
    expected = model.apply(X)
    monkeypatch.setattr(weighted_erm, "_ROWS_AT_ONCE", 7)
    np.testing.assert_array_equal(model.apply(X), expected)
