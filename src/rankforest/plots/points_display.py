"""Display of a scorecard: how many points each feature gives and takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rankforest.plots._figure import GREY, pyplot
from rankforest.plots.shapes_display import card_of
from rankforest.scorecard.card import Scorecard
from rankforest.scorecard.words import term_name
from rankforest.words import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = ["PointsDisplay"]

_BLUE = "#2b5c8a"


class PointsDisplay:
    """Points of all features in one picture: a dot for each step, its area the share of the training rows.

    Parameters
    ----------
    card : Scorecard

    Attributes
    ----------
    card : Scorecard
    ax_, figure_ : matplotlib objects
        Where :meth:`plot` drew last.
    """

    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(self, card: Scorecard) -> None:
        self.card = card

    @classmethod
    def from_estimator(cls, estimator: Any) -> Self:
        """Of a fitted scorecard."""
        return cls(card_of(estimator))

    def plot(self, ax: Axes | None = None, *, max_features: int | None = None) -> Self:
        """Draw, the feature with the widest range of points at the top.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; without it, on a new figure.
        max_features : int or None
            Most features to draw.
        """
        terms = sorted(self.card.terms, key=lambda term: -np.ptp(term.table))[:max_features][::-1]
        if ax is None:
            _, ax = pyplot().subplots(figsize=(6.4, 0.6 + 0.36 * max(3, len(terms))), layout="constrained")
        for place, term in enumerate(terms):
            rows = term.mass.reshape(-1, 2).sum(axis=1)
            seen = rows > 0
            points, share = term.table[seen], rows[seen] / max(float(rows.sum()), 1e-300)
            if not len(points):
                continue
            ax.plot([points.min(), points.max()], [place, place], color=_BLUE, alpha=0.35, linewidth=3, zorder=2)
            ax.scatter(points, np.full(len(points), place), s=20 + 420 * share, color=_BLUE, alpha=0.75, zorder=3,
                       edgecolor="w", linewidth=0.8)  # fmt: skip
            ax.annotate(
                number(points.max(), 4), (points.max(), place), xytext=(11, -3.2), textcoords="offset points",
                fontsize=8, color="0.3",
            )  # fmt: skip
        ax.set_yticks(np.arange(len(terms)), labels=[term_name(self.card.schema, term) for term in terms], fontsize=9)
        ax.set_xlabel("points; the area of a dot is the share of the training rows")
        ax.margins(x=0.08, y=0.6 / max(len(terms), 1))
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.spines["bottom"].set_color(GREY)
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="x", color="0.92", linewidth=0.8)
        ax.set_axisbelow(True)
        self.ax_, self.figure_ = ax, ax.figure
        return self
