"""Figures of the ordinal ranking tree paper (2008): error by depth, and the cuts of a tree level by level."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.simulate import ordinal_square
from ..plots._figure import GREY, INK, frame, pyplot
from .ordinal_data import TrainTest
from .ordinal_growth import CUT_DEPTH, N_TEST, TREES, GrowthTrials, cuts_of, predictions, trees_by_depth
from .ordinal_tables import half_width

__all__ = ["draw_cuts", "draw_errors"]

_STYLES = {"ranking": ("C0", "o"), "ordinal_gini": ("C2", "^"), "gini": ("C3", "s")}
_MARKERS = "*o+x^"
_SIDE = 250


def draw_errors(growth: GrowthTrials) -> Any:
    """Mean rank error by depth, one curve per tree, with 95% intervals."""
    figure, ax = pyplot().subplots(figsize=(7, 5), layout="constrained")
    depths = np.arange(1, growth.depth + 1)
    for criterion, name in TREES.items():
        color, marker = _STYLES[criterion]
        errors = growth.trials(criterion, "error")
        mean, reach = errors.mean(axis=0), [half_width(column) for column in errors.T]
        ax.plot(depths, mean, color=color, marker=marker, markersize=5, label=name)
        ax.errorbar(depths, mean, reach, fmt="none", ecolor=color, capsize=2)
    ax.axhline(ordinal_square(1).bayes_error, color=GREY, linestyle="--", linewidth=1, label="best possible rule")
    ax.set(xlabel="depth of the tree", ylabel="mean rank error", xticks=depths, ylim=(0, None))
    ax.set_title(f"{growth.n_trials} trials of {growth.n_train} rows, {N_TEST} test rows", fontsize=11)
    frame(ax, loc="upper right")
    return figure


def draw_cuts(criterion: str, trial: TrainTest) -> Any:
    """Draw the rows and the cuts of a tree at depth 1, 2, ..., on the predicted labels; the newest cuts are bold."""
    plt = pyplot()
    figure, axes = plt.subplots(2, CUT_DEPTH // 2, figsize=(10, 9.4), layout="constrained")
    colors = plt.get_cmap("viridis")(np.linspace(0.05, 0.95, len(_MARKERS)))
    steps = (np.arange(_SIDE) + 0.5) / _SIDE
    grid = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    for letter, ax, (d, tree) in zip(
        "abcd", axes.flat, enumerate(trees_by_depth(criterion, trial, CUT_DEPTH), start=1)
    ):
        label = predictions(criterion, tree, grid).astype(int).reshape(_SIDE, _SIDE)
        ax.imshow(colors[label - 1], origin="lower", extent=(0, 1, 0, 1), alpha=0.3, interpolation="nearest")
        for rank, (marker, color) in enumerate(zip(_MARKERS, colors), start=1):
            rows = trial.y_train == rank
            ax.scatter(*trial.X_train[rows].T, s=14, marker=marker, color=color, linewidths=0.8, label=str(rank))
        for cut in cuts_of(tree):
            ax.plot(cut.x, cut.y, color=INK, linewidth=2.6 if cut.depth == d - 1 else 1.0, solid_capstyle="butt")
        ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="$x_1$", ylabel="$x_2$")
        ax.set_title(f"({letter}) depth {d}: {tree.n_leaves} cells", fontsize=11)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", title="label")
    figure.suptitle(f"{TREES[criterion]}, {len(trial.y_train)} rows; the shade is the label that a cell predicts")
    return figure
