"""Display of the master tree: likely positives on the left, rules in the nodes, ROC curve in a corner."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rankforest.data.positive_words import POSITIVE, PositiveWords
from rankforest.estimators.fitted_model import FittedModel
from rankforest.plots._estimator import model_name
from rankforest.plots._figure import pyplot
from rankforest.plots.tree_boxes import (
    DROP,
    FONT,
    LETTER,
    LINE,
    MARGIN,
    PAD,
    Box,
    TreeNode,
    free_place,
    lay_out,
    that_are,
)
from rankforest.tree.conditions import Said, bracketed
from rankforest.tree.master_tree import MasterTree
from rankforest.tree.rules import side_rule
from rankforest.tree.subtree import strata_below
from rankforest.words import area, count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = ["TreeDisplay", "TreeNode", "plot_tree"]

_MOST_COLUMNS = 32  # default limit of boxes side by side: 34 inches
_COLOURS = "YlGnBu"
_EDGE = "0.55"


class TreeDisplay:
    """A ranking tree to draw. Build it with :meth:`from_tree`; that needs no matplotlib.

    Parameters
    ----------
    nodes : tuple of TreeNode
        In preorder, left side first.
    alpha, beta : arrays
        Knots of the ROC curve of the training rows.
    auc : float
        Area below it.
    source : {"training", "held-out"}
        How the training rows are counted; see `MasterTree.held_out`.
    positive : PositiveWords
        What positives are called.
    left_out : str
        Sentence below the figure that states what is not drawn; empty if all is drawn.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Where :meth:`plot` drew last.
    inset_ : matplotlib axes or None
        The ROC curve.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(500, random_state=0)
    >>> display = TreeDisplay.from_tree(TreeRank(max_depth=2).fit(sample.X, sample.y).tree_)
    >>> [node.strata for node in display.nodes if not node.is_split]
    [(0, 0), (1, 1), (2, 2), (3, 3)]
    """

    ax_: Axes
    figure_: Figure | SubFigure
    inset_: Axes | None

    def __init__(
        self,
        nodes: tuple[TreeNode, ...],
        alpha: np.ndarray,
        beta: np.ndarray,
        auc: float,
        *,
        source: str = "training",
        positive: PositiveWords = POSITIVE,
        left_out: str = "",
    ) -> None:
        self.nodes = nodes
        self.alpha = alpha
        self.beta = beta
        self.auc = auc
        self.source = source
        self.positive = positive
        self.left_out = left_out

    @classmethod
    def from_tree(
        cls,
        tree: MasterTree,
        *,
        max_depth: int | None = None,
        max_conditions: int = 3,
        positive: PositiveWords = POSITIVE,
    ) -> Self:
        """Compute the positions and the texts of the nodes.

        Parameters
        ----------
        tree : MasterTree
        max_depth : int or None
            Cells deeper than this are drawn as one box; None goes as deep as 32 boxes side by side allow.
        max_conditions : int
            Most conditions told of a split.
        positive : PositiveWords
            What positives are called.

        Examples
        --------
        >>> from rankforest import LeafRank, TreeRank
        >>> model = TreeRank(LeafRank(min_mass_leaf=0)).fit([[1.0], [2.0], [3.0]], [0, 0, 1])
        >>> TreeDisplay.from_tree(model.tree_).nodes[0].rule
        ('x0 > 2.5',)
        """
        if max_conditions < 1:
            raise ValueError(f"max_conditions is {max_conditions}; give at least 1.")
        deepest = _readable_depth(tree) if max_depth is None else max_depth
        is_split = (tree.cell_left >= 0) & (tree.cell_depth < deepest)
        drawn, open_cells = [], [0]
        while open_cells:
            cell = open_cells.pop()
            drawn.append(cell)
            if is_split[cell]:
                open_cells += [int(tree.cell_right[cell]), int(tree.cell_left[cell])]
        column: dict[int, float] = {cell: float(i) for i, cell in enumerate(c for c in drawn if not is_split[c])}
        for cell in reversed(drawn):
            if is_split[cell]:
                column[cell] = (column[int(tree.cell_left[cell])] + column[int(tree.cell_right[cell])]) / 2
        overall = tree.cell_mass[0, 1] / tree.cell_mass[0].sum()

        def node(cell: int) -> TreeNode:
            rate = float(tree.cell_mass[cell, 1] / tree.cell_mass[cell].sum())
            parent = int(tree.cell_parent[cell])
            return TreeNode(
                cell=cell,
                parent=parent,
                better=parent >= 0 and int(tree.cell_left[parent]) == cell,
                depth=int(tree.cell_depth[cell]),
                column=column[cell],
                rows=float(tree.cell_count[cell]),
                rate=rate,
                lift=float(rate / overall),
                strata=strata_below(tree, cell),
                is_split=bool(is_split[cell]),
                rule=_short_rule(side_rule(tree, cell), max_conditions) if is_split[cell] else (),
            )

        nodes = tuple(node(cell) for cell in drawn)
        left_out = _left_out(tree, nodes, deepest)
        return cls(nodes, *tree.roc_knots(), tree.auc, source=tree.source, positive=positive, left_out=left_out)

    def plot(self, ax: Axes | None = None, *, roc: bool = True) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw, with letters scaled to its size; by default a new figure of the right size.
        roc : bool
            Draw the ROC curve of the training rows in a free corner.

        Examples
        --------
        >>> from rankforest import TreeRank
        >>> from rankforest.data import simulate
        >>> sample = simulate.rf20(500, random_state=0)
        >>> display = TreeDisplay.from_tree(TreeRank(max_depth=2).fit(sample.X, sample.y).tree_).plot()
        >>> len(display.ax_.patches)
        7
        """
        plt = pyplot()
        boxes, width, height = lay_out(self.nodes, self.positive)
        inset = None
        if roc:
            inset, width, height = free_place(boxes, width, height)
        letters = int((width - 2 * MARGIN) / LETTER)
        note = textwrap.wrap(self.left_out, letters)
        n_below = len(note)
        note = textwrap.wrap(self.reading, letters) + note
        first_line = height  # the sentence about omitted nodes is below all boxes
        height += len(note) * LINE + (MARGIN if note else 0.0)
        if ax is None:
            figure = plt.figure(figsize=(width, height))
            ax = figure.add_axes((0, 0, 1, 1))
        ax.set_axis_off()
        ax.set(xlim=(0, width), ylim=(height, 0), aspect="equal", anchor="C")
        figure = ax.figure
        room = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
        scale = min(room.width / width, room.height / height)
        scale = 1.0 if scale > 0.999 else 0.92 * scale  # matplotlib draws small letters wider than their nominal width

        rates = [node.rate for node in self.nodes]
        low, high = min(rates), max(rates)
        colours = plt.get_cmap(_COLOURS)
        by_cell = {box.node.cell: box for box in boxes}
        for box in boxes:
            if box.node.parent >= 0:
                _draw_edge(ax, by_cell[box.node.parent], box, scale)
        for box in boxes:
            # without the ends of the colour map: white looks empty, and the darkest colours hide the frame
            shade = 0.5 if high == low else (box.node.rate - low) / (high - low)
            _draw_box(ax, box, colours(0.04 + 0.74 * shade), scale)
        self.inset_ = None
        if inset is not None:
            self.inset_ = ax.inset_axes(inset, transform=ax.transData)
            self._draw_roc(self.inset_, scale)
        for i, line in enumerate(note):
            place = first_line + (i + 0.5) * LINE
            gid = "left-out" if len(note) - i <= n_below else "reading"
            ax.text(MARGIN, place, line, va="center", fontsize=FONT * scale, color="0.3", gid=gid, parse_math=False)
        self.ax_, self.figure_ = ax, figure
        return self

    @property
    def reading(self) -> str:
        """How to read the picture, in a sentence."""
        shown = f"per cent and colour: share of rows {that_are(self.positive)}"
        return f"{self.positive.name} most likely at the left; {shown}."

    def _draw_roc(self, ax: Axes, scale: float) -> None:
        ax.plot([0, 1], [0, 1], color="0.75", linewidth=0.8 * scale, linestyle="--")
        ax.plot(self.alpha, self.beta, color="#1d6996", linewidth=1.6 * scale, marker="o", markersize=2.6 * scale)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xticks=[0, 1], yticks=[0, 1])
        ax.set_title(f"{self.source} ROC, AUC {area(self.auc, 3)}", fontsize=FONT * scale, pad=3 * scale)
        ax.set_xlabel("α", fontsize=FONT * scale, labelpad=-6 * scale)
        ax.set_ylabel("β", fontsize=FONT * scale, labelpad=-4 * scale)
        ax.tick_params(labelsize=FONT * scale, length=2 * scale, color=_EDGE, pad=2 * scale)
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set_color(_EDGE)


def plot_tree(
    tree_or_model: Any, *, ax: Axes | None = None, max_depth: int | None = None, max_conditions: int = 3
) -> TreeDisplay:
    """Draw a ranking tree: positives are most likely at the left, the colour of a box is its rate of positives.

    Parameters
    ----------
    tree_or_model : RankingTree, or fitted TreeRank
    ax : matplotlib axes, optional
        Where to draw; without it, on a new figure of the right size.
    max_depth : int or None
        Cells deeper than this are drawn as one box; None goes as deep as 32 boxes side by side allow. A sentence below
        the picture says what is left out.
    max_conditions : int
        Most conditions told of a split.

    Returns
    -------
    TreeDisplay

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(500, random_state=0)
    >>> display = plot_tree(TreeRank(max_depth=4).fit(sample.X, sample.y), max_depth=2)
    >>> len(display.nodes)
    7
    """
    one = tree_or_model.one_tree() if isinstance(tree_or_model, FittedModel) else None
    tree = tree_or_model if one is None else one.tree
    if not isinstance(tree, MasterTree):
        raise TypeError(
            f"{model_name(tree_or_model)} has no ranking tree to draw; give a fitted TreeRank, or one of the trees_ "
            "of a RankingForest."
        )
    positive = POSITIVE if one is None else tree_or_model.positive_words
    return TreeDisplay.from_tree(tree, max_depth=max_depth, max_conditions=max_conditions, positive=positive).plot(ax)


def _readable_depth(tree: MasterTree) -> int:
    """The largest depth at which the tree has at most `_MOST_COLUMNS` boxes side by side."""
    is_leaf = tree.cell_left < 0
    leaves_at = np.bincount(tree.cell_depth[is_leaf], minlength=tree.max_depth + 1)
    splits_at = np.bincount(tree.cell_depth[~is_leaf], minlength=tree.max_depth + 1)
    columns = np.cumsum(leaves_at) + splits_at  # boxes without a split, where cells at this depth are not split
    return max(1, int(np.flatnonzero(columns <= _MOST_COLUMNS).max(initial=0)))


def _left_out(tree: MasterTree, nodes: Sequence[TreeNode], drawn_depth: int) -> str:
    """Sentence that states which cells and conditions are not drawn."""
    together = sum(node.strata[0] < node.strata[1] for node in nodes if not node.is_split)
    if not together:
        return ""
    boxes = "one box holds" if together == 1 else f"{together} boxes hold"
    return (
        f"Drawn down to depth {drawn_depth} of {tree.max_depth}: {boxes} several of the {count(tree.n_leaves)} strata; "
        f"max_depth={tree.max_depth} draws them all."
    )


def _short_rule(rule: Sequence[Sequence[Said]], max_conditions: int) -> tuple[str, ...]:
    """One line per condition: the alternatives that fit in `max_conditions` lines, and how many are omitted."""
    lines: list[str] = []
    told = 0
    for alternative in rule:
        if told and len(lines) + len(alternative) > max_conditions:
            break
        shown = alternative[:max_conditions]
        for i, condition in enumerate(shown):
            lead = "   and " if i else "or " if told else ""
            words = condition.words(digits=4)
            lines.append(f"{lead}{bracketed(words) if len(alternative) > 1 else words}")
        if len(shown) < len(alternative):
            lines.append(f"   and {len(alternative) - len(shown)} more")
        told += 1
    if told < len(rule):
        lines.append(f"or {len(rule) - told} more")
    return tuple(lines)


def _draw_edge(ax: Axes, parent: Box, child: Box, scale: float) -> None:
    """Draw an edge down, across and down, so that it crosses no box; the sign is beside the last part."""
    bend = child.top - 0.6 * DROP
    ax.plot(
        [parent.x, parent.x, child.x, child.x],
        [parent.top + parent.height, bend, bend, child.top],
        color=_EDGE, linewidth=0.8 * scale, solid_joinstyle="round", zorder=1,
    )  # fmt: skip
    side = -1 if child.node.better else 1
    ax.text(
        child.x + side * 0.07, (bend + child.top) / 2, "+" if child.node.better else "−",
        ha="center", va="center", fontsize=(FONT + 1.5) * scale, color="0.3",
    )  # fmt: skip


def _draw_box(ax: Axes, box: Box, colour: tuple[float, float, float, float], scale: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    luminance = float(np.dot(linear, [0.2126, 0.7152, 0.0722]))
    ink = "black" if luminance > 0.22 else "white"  # about equal contrast of black and white (WCAG 2)
    inner = 0.05
    ax.add_patch(
        FancyBboxPatch(
            (box.x - box.width / 2 + inner, box.top + inner),
            box.width - 2 * inner,
            box.height - 2 * inner,
            boxstyle=f"round,pad={inner},rounding_size={0.06 if box.node.is_split else 0.12}",
            facecolor=colour,
            edgecolor="0.35",
            linewidth=0.7 * scale,
            zorder=2,
        )
    )
    for i, line in enumerate(box.lines):
        to_left = box.node.is_split and i > 0  # rules are left-aligned, numbers are centred
        ax.text(
            box.x - box.width / 2 + 1.3 * PAD if to_left else box.x,
            box.top + PAD + (i + 0.5) * LINE,
            line,
            ha="left" if to_left else "center",
            va="center",
            color=ink,
            zorder=3,
            fontsize=FONT * scale,
            fontweight="bold" if i == 0 else "normal",
            gid=f"node-{box.node.cell}",
            parse_math=False,
        )
