"""Critical-difference diagrams: average ranks on an axis, with bars over models without significant differences."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from _scoreboard_stats import Ranking

__all__ = ["draw"]

OURS_COLOUR, OTHER_COLOUR = "#b03a2e", "#34495e"


def draw(rankings: Sequence[Ranking], ours: Collection[str], path: Path) -> None:
    """One panel for each metric, written as PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    height = 1.1 + 0.24 * max((len(found.ranks) + 1) // 2 + len(found.groups()) * 0.6 for found in rankings)
    figure = Figure(figsize=(9.5, height * len(rankings)), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, found in zip(figure.subplots(len(rankings), 1, squeeze=False)[:, 0], rankings):
        _panel(axes, found, ours)
    figure.savefig(path, dpi=130, metadata={"Software": None})


def _panel(axes: Any, found: Ranking, ours: Collection[str]) -> None:
    """Rank 1 is on the left; the better half of the models has its names there, the other half on the right."""
    names, ranks = list(found.ranks.index), found.ranks.to_numpy()
    n, half, groups = len(names), (len(names) + 1) // 2, found.groups()
    left, right = 1 - 0.04 * (n - 1), n + 0.04 * (n - 1)
    top_of_names = 0.9 + 0.6 * len(groups)

    axes.plot([1, n], [0, 0], color="black", lw=1.2)
    for tick in range(1, n + 1):
        axes.plot([tick, tick], [0, -0.25], color="black", lw=1)
        axes.text(tick, -0.4, str(tick), ha="center", va="bottom", fontsize=8)
    start = 1.0
    axes.plot([start, start + found.critical_difference], [-2.0, -2.0], color="black", lw=2)
    axes.text(
        start + found.critical_difference + 0.15, -2.0, f"critical difference {found.critical_difference:.2f}",
        ha="left", va="center", fontsize=8,
    )  # fmt: skip
    title = f"{found.metric}: average rank over {len(found.means)} sets"
    axes.text(start, -3.3, title, ha="left", va="center", fontsize=11, fontweight="bold")

    for level, group in enumerate(groups):
        ends = found.ranks[[group[0], group[-1]]]
        axes.plot(ends + [-0.06, 0.06], [0.5 + 0.6 * level] * 2, color="black", lw=3, solid_capstyle="butt")
    for i, (name, rank) in enumerate(zip(names, ranks)):
        colour = OURS_COLOUR if name in ours else OTHER_COLOUR
        on_left = i < half
        y = top_of_names + (i if on_left else n - 1 - i)
        end = left if on_left else right
        axes.plot([rank, rank, end], [0, y, y], color=colour, lw=1)
        axes.text(
            end + (-0.1 if on_left else 0.1), y, f"{name}  {rank:.2f}" if on_left else f"{rank:.2f}  {name}",
            ha="right" if on_left else "left", va="center", color=colour, fontsize=9.5,
            fontweight="bold" if name in ours else "normal",
        )  # fmt: skip
    axes.set_xlim(left - 0.24 * n, right + 0.24 * n)
    axes.set_ylim(top_of_names + half - 0.4, -4.0)
    axes.axis("off")
