"""Helpers of all displays: import of matplotlib, colours, style of the axes, and reference lines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray
from rankforest.extras import needed
from rankforest.metrics._inputs import check_share
from rankforest.words import number

__all__ = [
    "GREY",
    "INK",
    "frame",
    "legend",
    "line_style",
    "percent_axis",
    "pyplot",
    "reference_lines",
    "share_grid",
    "share_text",
]

GREY = "0.6"
INK = "0.2"
_REFERENCE = "rankforest-reference"


def pyplot() -> Any:
    """matplotlib.pyplot; raises ImportError if it is not installed."""
    return needed("matplotlib.pyplot", "Drawing needs", "plot")


def line_style(label: str | None, given: dict[str, Any]) -> dict[str, Any]:
    """Options of the main line of a display: our defaults, overridden by the user's options."""
    style = {"linewidth": 2.0, "solid_joinstyle": "round", "zorder": 3, "label": label}
    # matplotlib raises an error if an option is given by its long and its short name, so the user's one replaces ours.
    if "lw" in given:
        del style["linewidth"]
    return {**style, **given}


def reference_lines(ax: Any, lines: dict[str, tuple[Any, Any, dict[str, Any]]]) -> None:
    """Draw reference lines, each once even if several displays share the axes, and put them last in the legend.

    The keys are the labels; the values are x, y and options of the line.
    """
    for label, (x, y, style) in lines.items():
        gid = f"{_REFERENCE}-{label}"
        if not any(line.get_gid() == gid for line in ax.get_lines()):
            ax.plot(x, y, **{"color": GREY, "linewidth": 1.0, "label": label, "gid": gid, **style})


def frame(ax: Any, *, loc: str) -> None:
    """Grid, spines and legend."""
    ax.grid(color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.tick_params(color=GREY)
    legend(ax, loc=loc)


def legend(ax: Any, *, loc: str, after: dict[Any, Any] | None = None) -> None:
    """Draw the legend, with the reference lines after the curves.

    `after` names entries that follow their curve, such as its band.
    """
    handles = ax.get_legend_handles_labels()[0]
    for curve, follower in (after or {}).items():
        handles.remove(follower)
        handles.insert(handles.index(curve) + 1, follower)
    handles.sort(key=lambda handle: str(handle.get_gid() or "").startswith(_REFERENCE))
    ax.legend(handles=handles, loc=loc, fontsize=9, framealpha=0.9, edgecolor="none")


def share_text(share: float) -> str:
    """Format a share as a percentage, with as many digits as it needs.

    Examples
    --------
    >>> share_text(0.1), share_text(0.0025)
    ('10%', '0.25%')
    """
    return f"{number(100 * share, 4)}%"


def percent_axis(axis: Any) -> None:
    """Write the ticks of an axis as percentages."""
    axis.set_major_formatter(lambda value, position: share_text(value))


def share_grid(u: ArrayLike | None) -> FloatArray:
    """Shares of the list to draw at, ascending; by default 200 from 0.5% to 100%.

    Examples
    --------
    >>> share_grid([0.5, 0.1]), len(share_grid(None))
    (array([0.1, 0.5]), 200)
    """
    return np.unique(check_share(np.arange(1, 201) / 200 if u is None else u))
