"""Figures for Tables 1 to 6 of the Ranking Forests paper: ROC envelopes, and AUC by number of training rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..plots._figure import INK, frame, pyplot
from ..plots.roc_display import dress, sample_curve
from .forest_runs import ForestResults
from .forest_settings import METHODS, ForestLine
from .measures import envelope

__all__ = ["draw_forest_figure"]


def draw_forest_figure(results: ForestResults) -> Any:
    """Draw ROC envelopes if the number of trees varies (the paper's Figures 3 and 4), AUC curves if the rows vary."""
    return _envelopes(results) if results.table.varies == "B" else _by_rows(results)


def _envelopes(results: ForestResults) -> Any:
    """Left: case 3 with few and many trees. Right: one plain tree, and bagging and case 3 with equally many trees."""
    sizes = sorted({line.n_trees for line in results.lines if line.method == "case3" and line.n_trees})
    few, many = sizes[-2:]
    # Figure 4 has B = 50, the greatest number of trees for which RF 20 has bagging too.
    both = max(line.n_trees or 0 for line in results.lines if line.method == "bagging" and (line.n_trees or 0) <= 50)
    panels: list[list[tuple[str, int | None]]] = [
        [("case3", few), ("case3", many)],
        [("bagging", both), ("case3", both), ("tree", None)],
    ]
    figure, axes = pyplot().subplots(1, 2, figsize=(11, 5.4), layout="constrained")
    for ax, panel in zip(axes, panels):
        for color, wanted in zip(("C0", "C3", "0.6"), panel):
            line = next(x for x in results.lines if (x.method, x.n_trees) == wanted)
            _band(ax, results, line, color)
        ax.plot(*sample_curve(results.test.roc_star), color=INK, linewidth=1.6, label="optimal curve", zorder=4)
        dress(ax)
    figure.suptitle(
        f"{results.table.sample.name}, n = {results.lines[0].n_train}: envelopes of {results.n_replications} ROC curves"
    )
    return figure


def _band(ax: Any, results: ForestResults, line: ForestLine, color: str) -> None:
    found = envelope(results.test.y, results.ledger.ranks(line.key, results.n_replications))
    # The band has no points at the corners, where all curves meet.
    alpha, low, high = (np.concatenate([[0.0], part, [1.0]]) for part in found)
    trees = "" if line.n_trees is None else f", B = {line.n_trees}"
    label = f"{METHODS[line.method]}{trees} (area {found.area:.3f})"
    behind = 1.0 if line.n_trees is None else 2.0
    ax.fill_between(alpha, low, high, color=color, alpha=0.25, linewidth=0, label=label, zorder=behind)
    for edge in (low, high):
        ax.plot(alpha, edge, color=color, linewidth=0.9, zorder=behind)


def _by_rows(results: ForestResults) -> Any:
    figure, axes = pyplot().subplots(1, 2, figsize=(11, 4.8), layout="constrained", sharey=True)
    for ax, ours in zip(axes, (False, True)):
        for number, method in enumerate(METHODS):
            lines = [line for line in results.lines if line.method == method]
            own = [results.ledger.column(line.key, "auc", results.n_replications).mean() for line in lines]
            auc = own if ours else [line.published["auc"] for line in lines]
            ax.plot(
                [line.n_train for line in lines],
                auc,
                color=INK if method == "tree" else f"C{number}",
                marker="o",
                markersize=4,
                label=METHODS[method],
            )
        ax.axhline(results.test.auc_star, color="0.6", linestyle="--", linewidth=1, label="AUC*")
        ax.set(title="ours" if ours else "published", xlabel="rows n", ylabel="" if ours else "mean test AUC")
        frame(ax, loc="lower right")
    axes[0].get_legend().remove()
    figure.suptitle(f"{results.table.sample.name}, B = 20")
    return figure
