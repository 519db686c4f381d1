"""The display of a tree: correct boxes and texts, and no overlaps."""

import itertools
import re

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from rankforest import LeafRank, RankingTree, TreeRank
from rankforest.data import simulate
from rankforest.plots import TreeDisplay, plot_tree
from rankforest.tree.conditions import bracketed
from rankforest.tree.rules import side_rule
from rankforest.words import rows

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.text import Text
from matplotlib.transforms import Bbox


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def grown(n_leaves: int, inner_depth: int, seed: int = 0) -> RankingTree:
    """A tree on numbers, categories with long names, and missing values."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "monthly_income_after_tax": np.round(rng.lognormal(8, 0.5, 600)),
            "AGE": rng.integers(18, 80, 600).astype(float),
            "purpose": rng.choice(["car and motorcycle", "home", "education", "business"], 600),
            "$x$": rng.normal(size=600),
        }
    )
    X.loc[::9, "AGE"] = np.nan
    score = -np.log(X["monthly_income_after_tax"]) - 0.02 * X["AGE"].fillna(30) + (X["purpose"] == "home") + X["$x$"]
    y = score + rng.normal(size=600) > score.median()
    return TreeRank(LeafRank(max_depth=inner_depth), max_leaf_nodes=n_leaves, max_depth=None).fit(X, y).tree_


@pytest.fixture(scope="module")
def tree() -> RankingTree:
    return grown(10, 2)


def texts_of(display: TreeDisplay) -> dict[int, list[Text]]:
    found: dict[int, list[Text]] = {}
    for text in display.ax_.texts:
        match = re.fullmatch(r"node-(\d+)", text.get_gid() or "")
        if match:
            found.setdefault(int(match[1]), []).append(text)
    return found


def overlap(one: Bbox, other: Bbox, slack: float = 0.5) -> bool:
    return min(one.x1, other.x1) - max(one.x0, other.x0) > slack and (
        min(one.y1, other.y1) - max(one.y0, other.y0) > slack
    )


@pytest.mark.parametrize(("n_leaves", "inner_depth"), [(2, 3), (8, 2), (16, 3)])
def test_nothing_overlaps_and_words_stay_in_their_boxes(n_leaves: int, inner_depth: int) -> None:
    display = plot_tree(grown(n_leaves, inner_depth, seed=n_leaves))
    display.figure_.canvas.draw()
    boxes = [patch.get_window_extent() for patch in display.ax_.patches]
    assert len(boxes) == len(display.nodes) == 2 * n_leaves - 1
    page = display.figure_.bbox
    for box in boxes:
        assert page.x0 <= box.x0 < box.x1 <= page.x1
        assert page.y0 <= box.y0 < box.y1 <= page.y1
    inset = display.inset_.get_tightbbox()
    for one, other in itertools.combinations([*boxes, inset], 2):
        assert not overlap(one, other)
    for line in display.ax_.lines:  # an edge runs from the lower side of a box to the upper side of another
        points = display.ax_.transData.transform(line.get_xydata())
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            stroke = Bbox([[min(x0, x1), min(y0, y1)], [max(x0, x1), max(y0, y1)]]).padded(0.1)
            assert not any(overlap(stroke, box.padded(-1), slack=0) for box in [*boxes, inset])
    words = texts_of(display)
    for node, box in zip(display.nodes, boxes):
        for text in words[node.cell]:
            inside = text.get_window_extent()
            assert box.x0 <= inside.x0
            assert inside.x1 <= box.x1
            assert box.y0 <= inside.y0 + 1
            assert inside.y1 - 1 <= box.y1


def test_boxes_say_what_the_cells_hold(tree: RankingTree) -> None:
    display = plot_tree(tree)
    words = {cell: [text.get_text() for text in texts] for cell, texts in texts_of(display).items()}
    overall = tree.cell_mass[0, 1] / tree.cell_mass[0].sum()
    for stratum, cell in enumerate(tree.leaves.tolist()):
        rate = tree.leaf_rate[stratum]
        assert words[cell] == [
            f"stratum {stratum + 1}",
            rows(tree.cell_count[cell]),
            f"{rate:.1%}",
            f"lift {rate / overall:.2f}",
        ]
    for cell in np.flatnonzero(tree.cell_left >= 0).tolist():
        rate = tree.cell_mass[cell, 1] / tree.cell_mass[cell].sum()
        assert words[cell][0] == f"{rows(tree.cell_count[cell])}, {rate:.1%}"
        said = " ".join(" ".join(words[cell][1:]).split())
        first = side_rule(tree, cell)[0]
        told = bracketed(first[0].words(4)) if len(first) > 1 else first[0].words(4)
        assert said.startswith(f"positive more likely if {told}")


def test_the_picture_says_what_is_left_and_what_its_per_cent_are() -> None:
    """With the words of the label, or with the name of its column."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.normal(size=200)})
    y = pd.Series((X["age"] + rng.normal(size=200) > 0).astype(int), name="late")
    for labels, name, of_rows in (
        (y, "late = 1", "with late = 1"),
        (y.map({0: "paid", 1: "late"}), "paid", "that are paid"),
    ):
        display = plot_tree(TreeRank(max_depth=1).fit(X, labels))
        said = " ".join(text.get_text() for text in display.ax_.texts if text.get_gid() == "reading")
        assert said == f"{name} most likely at the left; per cent and colour: share of rows {of_rows}."
        assert any(f"{name} more likely if" in text.get_text() for text in texts_of(display)[0])


def test_left_is_better(tree: RankingTree) -> None:
    display = plot_tree(tree)
    place = {node.cell: node.column for node in display.nodes}
    for node in display.nodes:
        if node.is_split:
            left, right = place[int(tree.cell_left[node.cell])], place[int(tree.cell_right[node.cell])]
            assert left < node.column < right
            assert node.column == (left + right) / 2
    assert [place[leaf] for leaf in tree.leaves.tolist()] == list(range(tree.n_leaves))
    signs = [text.get_text() for text in display.ax_.texts if text.get_gid() is None]
    assert signs.count("+") == signs.count("−") == len(signs) / 2 == tree.n_leaves - 1


def test_the_colour_is_the_rate(tree: RankingTree) -> None:
    display = plot_tree(tree)
    lightness = [sum(patch.get_facecolor()[:3]) for patch in display.ax_.patches]
    order = np.argsort([node.rate for node in display.nodes])
    assert (np.diff(np.array(lightness)[order]) <= 1e-9).all()
    words = texts_of(display)
    for patch, node in zip(display.ax_.patches, display.nodes):
        # the contrast that WCAG 2 asks of large letters, and all but the middle colours have that of small ones
        colours = patch.get_facecolor()[:3], matplotlib.colors.to_rgb(words[node.cell][0].get_color())
        high, low = sorted((luminance(colour) for colour in colours), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 3.5


def luminance(colour: tuple[float, ...]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_inset_is_the_training_curve(tree: RankingTree) -> None:
    display = plot_tree(tree)
    alpha, beta = tree.roc_knots()
    curve = display.inset_.get_lines()[-1].get_xydata()
    np.testing.assert_array_equal(curve, np.column_stack([alpha, beta]))
    assert f"{tree.auc:.3f}" in display.inset_.get_title()
    assert display.plot(roc=False).inset_ is None


def test_max_depth_sums_up(tree: RankingTree) -> None:
    display = plot_tree(tree, max_depth=2)
    assert max(node.depth for node in display.nodes) == 2
    ends = [node.strata for node in display.nodes if not node.is_split]
    assert [s for first, last in ends for s in range(first, last + 1)] == list(range(tree.n_leaves))
    first, last = next(pair for pair in ends if pair[0] < pair[1])
    assert f"strata {first + 1}–{last + 1}" in {text.get_text() for text in display.ax_.texts}
    root = plot_tree(tree, max_depth=0)
    assert root.ax_.texts[0].get_text() == f"strata 1–{tree.n_leaves}"
    root.figure_.canvas.draw()
    assert not overlap(root.ax_.patches[0].get_window_extent(), root.inset_.get_tightbbox())


@pytest.mark.parametrize("most", [1, 2, 3, 100])
def test_max_conditions_counts_what_is_left_out(most: int) -> None:
    tree = grown(6, 4)
    unsaid = 0
    for node in TreeDisplay.from_tree(tree, max_conditions=most).nodes:
        if not node.is_split:
            assert node.rule == ()
            continue
        rule = side_rule(tree, node.cell)
        counted = re.compile(r"^ *(and|or) (\d+) more$")
        told = [line for line in node.rule if not counted.match(line)]
        assert 1 <= len(told) <= most
        told_alternatives = 1 + sum(line.startswith("or ") for line in told)
        left = {m[1]: int(m[2]) for line in node.rule if (m := counted.match(line))}
        assert left.get("or", 0) == len(rule) - told_alternatives
        assert left.get("and", 0) == sum(map(len, rule[:told_alternatives])) - len(told)
        unsaid += sum(left.values())
        plain = [re.sub(r"^( +and |or )", "", line) for line in told]
        assert (
            plain
            == [bracketed(c.words(4)) if len(a) > 1 else c.words(4) for a in rule[:told_alternatives] for c in a][
                : len(told)
            ]
        )
    assert (unsaid == 0) == (most == 100)


def test_letters_shrink_with_the_axes(tree: RankingTree) -> None:
    natural = plot_tree(tree)
    _, axes = plt.subplots(1, 2, figsize=(14, 4), dpi=200)
    small = plot_tree(tree, ax=axes[1])
    assert small.ax_ is axes[1]
    assert small.figure_ is axes[1].figure
    one, other = texts_of(natural)[0][0], texts_of(small)[0][0]
    assert other.get_fontsize() < 0.6 * one.get_fontsize()
    small.figure_.canvas.draw()
    words = texts_of(small)
    for node, patch in zip(small.nodes, small.ax_.patches):
        assert max(text.get_window_extent().width for text in words[node.cell]) <= patch.get_window_extent().width


def test_a_model_will_do_and_others_get_a_sentence() -> None:
    sample = simulate.rf20(200, random_state=0)
    model = TreeRank(max_depth=2).fit(sample.X, sample.y)
    assert plot_tree(model).nodes == plot_tree(model.tree_).nodes
    with pytest.raises(NotFittedError, match="This TreeRank instance is not fitted yet"):
        plot_tree(TreeRank())
    with pytest.raises(ValueError, match=r"^max_conditions is 0; give at least 1\.$"):
        plot_tree(model, max_conditions=0)


def deep_tree() -> RankingTree:
    """About 200 strata, depth 10; incomes as large as they are."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"income": np.round(rng.lognormal(11, 1, 4000)), "age": rng.integers(18, 80, 4000).astype(float)})
    y = np.log(X["income"]) + 0.02 * X["age"] + rng.normal(size=4000) > 12
    return TreeRank(LeafRank(max_depth=2, min_mass_leaf=0.0), max_depth=10).fit(X, y).tree_


def test_a_large_tree_fits_on_paper_and_says_what_is_left_out() -> None:
    tree = deep_tree()
    assert tree.n_leaves > 100
    display = plot_tree(tree)
    width, height = display.figure_.get_size_inches()
    assert width < 37
    assert height < 25
    boxes = [node for node in display.nodes if not node.is_split]
    assert 16 <= len(boxes) <= 32
    together = sum(node.strata[0] < node.strata[1] for node in boxes)
    deepest = max(node.depth for node in boxes)
    said = " ".join(text.get_text() for text in display.ax_.texts if text.get_gid() == "left-out")
    assert said == display.left_out
    assert said == (
        f"Drawn down to depth {deepest} of {tree.max_depth}: {together} boxes hold several of the {tree.n_leaves} "
        f"strata; max_depth={tree.max_depth} draws them all."
    )
    # one level more would be wider than that
    assert sum(not n.is_split for n in TreeDisplay.from_tree(tree, max_depth=deepest + 1).nodes) > 32
    whole = TreeDisplay.from_tree(tree, max_depth=tree.max_depth)
    assert sum(not node.is_split for node in whole.nodes) == tree.n_leaves
    assert whole.left_out == ""


def test_what_is_left_out_stands_below_the_boxes() -> None:
    display = plot_tree(deep_tree(), max_depth=2)
    display.figure_.canvas.draw()
    lowest = min(patch.get_window_extent().y0 for patch in display.ax_.patches)
    for text in display.ax_.texts:
        if text.get_gid() == "left-out":
            found = text.get_window_extent()
            assert 0 <= found.y0 < found.y1 < lowest
            assert found.x1 <= display.figure_.bbox.x1


def test_numbers_are_written_out() -> None:
    """77 040 and not 7.704e+04, and no line ends inside a number."""
    display = plot_tree(deep_tree(), max_depth=3)
    words = [text.get_text() for texts in texts_of(display).values() for text in texts]
    assert not any(re.search(r"\de[+-]?\d", line) for line in words)
    large = {found for node in display.nodes for line in node.rule for found in re.findall(r"\d+ \d{3}", line)}
    assert len(large) > 5
    drawn = "\n".join(words)
    assert all(found.replace(" ", "\xa0") in drawn for found in large)
