"""Average rank against the price of a fit: one point for each model, one panel for each size of the tables."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _scoreboard_picture import OTHER_COLOUR, OURS_COLOUR
from _scoreboard_stats import Prices

__all__ = ["draw_prices", "place_labels"]

Box = tuple[float, float, float, float]  # left, bottom, right, top
_GAP = 8.0  # pixels between a point and its name
_ANGLES = np.deg2rad([0, 180, 90, 270, 30, 150, 330, 210, 60, 120, 300, 240])
_DISTANCES = (1.0, 2.2, 3.6, 5.2)


def draw_prices(panels: Sequence[Prices], ours: Collection[str], path: Path) -> None:
    """Written as PNG; the best model is at the top, the cheapest on the left."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    n_rows = (len(panels) + 1) // 2
    figure = Figure(figsize=(12, 0.4 + 5.0 * n_rows), layout="constrained", dpi=130)
    canvas = FigureCanvasAgg(figure)
    grid = figure.subplots(n_rows, min(len(panels), 2), squeeze=False).ravel()
    for axes, panel in zip(grid, panels):
        _points(axes, panel, ours)
    for axes in grid[len(panels) :]:
        axes.axis("off")
    canvas.draw()  # the layout and the sizes of the names are known only then
    for axes, panel in zip(grid, panels):
        _names(axes, panel, ours)
    figure.savefig(path, metadata={"Software": None})


def _points(axes: Any, panel: Prices, ours: Collection[str]) -> None:
    for name, rank in panel.ranks.items():
        mine = name in ours
        colour, marker = (OURS_COLOUR, "D") if mine else (OTHER_COLOUR, "o")
        axes.plot(panel.seconds[name], rank, marker, color=colour, markersize=7 if mine else 5, zorder=3)
    axes.set_xscale("log")
    axes.set_xlim(panel.seconds.min() / 3, panel.seconds.max() * 3)
    axes.set_ylim(max(len(panel.ranks), panel.ranks.max()) + 0.5, 0.5)
    axes.grid(alpha=0.25)
    axes.set_xlabel("processor seconds of a fit")
    axes.set_ylabel("average rank by AUC (1 is the best)")
    axes.set_title(f"{panel.least_rows:,} to {panel.most_rows:,} rows to learn from, {panel.n_sets} sets", fontsize=11)


def _names(axes: Any, panel: Prices, ours: Collection[str]) -> None:
    """Each beside its point, where it covers no other name and no point; a line leads to it if it is far."""
    names = list(panel.ranks.index)
    texts = [
        axes.text(
            0, 0, name, transform=None, ha="center", va="center", fontsize=9.5, zorder=4,
            color=OURS_COLOUR if name in ours else OTHER_COLOUR, fontweight="bold" if name in ours else "normal",
        )
        for name in names
    ]  # fmt: skip
    renderer = axes.figure.canvas.get_renderer()
    sizes = [(box.width, box.height) for box in (text.get_window_extent(renderer) for text in texts)]
    points = axes.transData.transform(np.column_stack([panel.seconds[names], panel.ranks[names]]))
    frame = axes.get_window_extent(renderer).extents
    to_axes = axes.transAxes.inverted()
    for text, point, size, centre in zip(texts, points, sizes, place_labels(points, sizes, tuple(frame))):
        text.set_transform(axes.transAxes)
        text.set_position(to_axes.transform(centre))
        reach = np.clip(point, centre - np.divide(size, 2), centre + np.divide(size, 2))
        if np.hypot(*(reach - point)) > 2.5 * _GAP:
            line = to_axes.transform([point, reach])
            axes.plot(*line.T, transform=axes.transAxes, color=text.get_color(), lw=0.7, alpha=0.6)


def place_labels(points: np.ndarray, sizes: Sequence[tuple[float, float]], frame: Box) -> list[np.ndarray]:
    """Centres of labels beside their points, in pixels: greedily, the nearest place with the least overlap.

    A label avoids the labels that are placed before it, all points, and what is outside of the frame.
    """
    obstacles: list[Box] = [(x - _GAP, y - _GAP, x + _GAP, y + _GAP) for x, y in points]
    centres = []
    for point, (width, height) in zip(points, sizes):
        best, least = point, np.inf
        for distance in _DISTANCES:
            for angle in _ANGLES:
                away = np.array([np.cos(angle), np.sin(angle)])
                centre = point + away * (np.array([width, height]) / 2 + _GAP * distance * 1.3)
                box = _box(centre, width, height)
                outside = width * height - _overlap(box, frame)
                covered = 10 * outside + sum(_overlap(box, other) for other in obstacles) + 2 * distance
                if covered < least:
                    best, least = centre, covered
        centres.append(best)
        obstacles.append(_box(best, width, height))
    return centres


def _box(centre: np.ndarray, width: float, height: float) -> Box:
    x, y = centre
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _overlap(one: Box, other: Box) -> float:
    """The area that two boxes share."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)
