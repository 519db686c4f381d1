"""Figures of the TreeRank paper's artificial experiments: the sample, level sets, and ROC curves with the optimal one.

Level sets are coloured by rank: the share of the test rows with a lower score. So a tree and eta have the same colours
if they agree on the order, whatever their scores.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..plots._figure import pyplot
from ..plots.roc_display import RocDisplay
from .square_runs import First

__all__ = ["draw_curves", "draw_level_sets", "draw_square", "shares_below"]

_SIDE = 300
_DEPTH = 3  # the eye can distinguish eight level sets
_MOST_POINTS = 2000


def draw_square(first: First) -> Any:
    """Four panels, as in Figures 9 to 11: the sample, the level sets of eta and of the tree, the test ROC curve.

    The level sets of eta are those that a tree of depth 3 approximates, the cells C*_{3,k} of the paper.
    """
    figure, axes = pyplot().subplots(2, 2, figsize=(10, 9.6), layout="constrained")
    model = next(iter(first.models.values()))
    _points(axes[0, 0], first)
    axes[0, 0].set_title("the sample")
    ideal = first.test.recursive_approximation(_DEPTH)
    words = f"level sets $C^*_{{{_DEPTH},k}}$ of η ({len(ideal)} cells)"
    _levels(axes[0, 1], ideal.score_of(_grid()), ideal.score_of(first.test.X), words)
    grid, scores = model.score_samples(_grid()), model.score_samples(first.test.X)
    image = _levels(axes[1, 0], grid, scores, f"level sets of the tree ({model.tree_.n_leaves} strata)")
    _curves(axes[1, 1], first)
    axes[1, 1].set_title("test ROC curve")
    figure.colorbar(image, ax=axes[:, 0], location="left", shrink=0.5, label="share of the rows ranked below")
    figure.suptitle(f"{first.study.name}: {first.study.n_train} rows, one sample")
    return figure


def draw_curves(first: First) -> Any:
    """Test ROC curves of all sizes of the trees."""
    figure, ax = pyplot().subplots(figsize=(6, 6), layout="constrained")
    _curves(ax, first)
    ax.set_title(f"{first.study.name}: {first.study.n_train} rows, one sample", fontsize=11)
    return figure


def draw_level_sets(first: First) -> Any:
    """Level sets of eta and of all sizes of the trees."""
    figure, axes = pyplot().subplots(2, 3, figsize=(12, 8.2), layout="constrained")
    _points(axes[0, 0], first)
    axes[0, 0].set_title("the sample")
    image = _levels(axes[0, 1], first.test.eta_of(_grid()), first.test.eta, "η")
    panels = [axes[0, 2], *axes[1]]
    for ax, (name, model) in zip(panels, first.models.items(), strict=True):
        _levels(ax, model.score_samples(_grid()), model.score_samples(first.test.X), name)
    figure.colorbar(image, ax=axes, shrink=0.6, label="share of the rows ranked below")
    return figure


def shares_below(scores: NDArray[np.float64], of: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each score, the share of the scores `of` below it; equal scores count one half.

    Examples
    --------
    >>> shares_below(np.array([0.0, 2.0, 9.0]), np.array([1.0, 2.0]))
    array([0.  , 0.75, 1.  ])
    """
    ordered = np.sort(of)
    below, up_to = (np.searchsorted(ordered, scores, side=side) for side in ("left", "right"))
    return (below + up_to) / (2 * len(of))


def _grid() -> NDArray[np.float64]:
    steps = (np.arange(_SIDE) + 0.5) / _SIDE
    first, second = np.meshgrid(steps, steps)
    return np.column_stack([first.ravel(), second.ravel()])


def _levels(ax: Any, grid: NDArray[np.float64], scores: NDArray[np.float64], title: str) -> Any:
    image = ax.imshow(
        shares_below(grid, scores).reshape(_SIDE, _SIDE),
        origin="lower",
        extent=(0, 1, 0, 1),
        cmap=pyplot().get_cmap("viridis", 12),
        vmin=0,
        vmax=1,
        interpolation="nearest",
    )
    ax.set(title=title, xlabel="$x_1$", ylabel="$x_2$")
    return image


def _points(ax: Any, first: First) -> None:
    sample = first.train
    for label, color, name in ((-1, "C0", "negative"), (1, "C3", "positive")):
        rows = np.flatnonzero(sample.y == label)[:_MOST_POINTS]
        ax.scatter(*sample.X[rows].T, s=6, color=color, alpha=0.6, linewidths=0, label=name)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="$x_1$", ylabel="$x_2$")
    ax.legend(loc="upper right", fontsize=9, framealpha=0.9, markerscale=3)


def _curves(ax: Any, first: First) -> None:
    last = list(first.models)[-1]
    for name, model in first.models.items():
        optimal = first.test.roc_star if name == last else None
        RocDisplay.from_estimator(model, first.test.X, first.test.y, name=name, optimal=optimal).plot(ax, linewidth=1.5)
