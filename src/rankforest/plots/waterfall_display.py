"""Display of the contributions of one row, or of the difference of two: bars from one score to the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rankforest.interpret.explain import explain, why
from rankforest.plots._figure import GREY, pyplot
from rankforest.shapley.comparison import Comparison
from rankforest.shapley.explanation import Explanation, shown
from rankforest.words import number, rows, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = ["WaterfallDisplay"]

_UP, _DOWN = "#2b5c8a", "#b5551d"


class WaterfallDisplay:
    """Bars that add up from one score to another, the largest contribution first.

    Parameters
    ----------
    values : array of shape (q,)
        Contributions.
    names : sequence of str
        Of the features, with their values.
    start, end : tuple of (str, float)
        Name and score at both ends.
    scale : str
        What the contributions are added to.

    Attributes
    ----------
    values, names, start, end, scale
        As given.
    ax_, figure_ : matplotlib objects
        Where :meth:`plot` drew last.

    Examples
    --------
    >>> display = WaterfallDisplay([0.1, -0.3], ["age = 30", "debt = 7"], ("mean", 0.6), ("row", 0.4)).plot()
    >>> [text.get_text() for text in display.ax_.get_yticklabels()]
    ['row  0.4', 'age = 30', 'debt = 7', 'mean  0.6']
    """

    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(
        self, values: Any, names: Any, start: tuple[str, float], end: tuple[str, float], scale: str = "score"
    ) -> None:
        self.values, self.names = np.asarray(values, dtype=np.float64), tuple(names)
        self.start, self.end, self.scale = start, end, scale

    @classmethod
    def from_explanation(cls, explanation: Explanation, *, name: str = "row") -> Self:
        """Of one row: ``explanation[3]``.

        Parameters
        ----------
        explanation : Explanation
            Of one row.
        name : str
            Of the row in the picture.
        """
        if not isinstance(explanation, Explanation) or explanation.values.ndim != 1 or np.ndim(explanation.scores):
            raise TypeError("A waterfall needs the Explanation of one row; give model.explain(X)[i].")
        names = [f"{each} = {shown(value)}" for each, value in zip(explanation.feature_names, explanation.data)]
        n = len(explanation.background_scores)
        base = f"mean of {rows(n)}" if n else f"mean of {explanation.compared_with.removeprefix('the ')}"
        ends = (base, float(explanation.base_values)), (name, float(explanation.scores))
        return cls(explanation.values, names, *ends, explanation.scale)

    @classmethod
    def from_comparison(cls, comparison: Comparison, *, names: tuple[str, str] = ("first row", "second row")) -> Self:
        """Of two rows: from the score of the second to that of the first.

        Parameters
        ----------
        comparison : Comparison
            From ``model.why(x, other)``.
        names : tuple of two str
            Of the rows in the picture.
        """
        if not isinstance(comparison, Comparison):
            raise TypeError("Two rows are compared by a Comparison; give model.why(x, other).")
        told = [
            f"{name}: {shown(one)}, not {shown(other)}" if shown(one) != shown(other) else f"{name}: {shown(one)}"
            for name, one, other in zip(comparison.feature_names, *comparison.data)
        ]
        ends = (names[1], float(comparison.scores[1])), (names[0], float(comparison.scores[0]))
        return cls(comparison.values, told, *ends, comparison.scale)

    @classmethod
    def from_estimator(cls, model: Any, x: Any, background: Any = None, *, against: Any = None) -> Self:
        """Compute, for one row compared with background rows, or with one other row.

        Parameters
        ----------
        model : FittedModel
        x : sequence, mapping by name, series, or table of one row
        background : table, optional
            Rows to compare with, as in :func:`rankforest.interpret.explain`.
        against : a row, optional
            Another row, instead of background rows, as in :func:`rankforest.interpret.why`.
        """
        if against is not None:
            if background is not None:
                raise ValueError("Give background rows or one other row by against, not both.")
            return cls.from_comparison(why(model, x, against))
        found = explain(model, x, background)
        if len(found.values) != 1:
            raise ValueError(f"x has {len(found.values)} rows; give one.")
        return cls.from_explanation(found[0])

    def plot(self, ax: Axes | None = None, *, max_features: int = 10) -> Self:
        """Draw, from the top to the bottom.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; without it, on a new figure.
        max_features : int
            Most features to draw; all others are one bar together.
        """
        values, names = self._bars(max_features)
        n = len(values)
        if ax is None:
            _, ax = pyplot().subplots(figsize=(7.2, 1.1 + 0.34 * (n + 2)), layout="constrained")
        before = self.start[1] + np.append(0.0, np.cumsum(values))
        before[-1] = self.end[1]
        places = n - np.arange(n)
        ax.barh(places, values, left=before[:-1], height=0.68, zorder=3,
                color=[_UP if value >= 0 else _DOWN for value in values])  # fmt: skip
        for i, at in enumerate(before):  # from each bar to the next
            ax.plot([at, at], [n + 1 - i - 0.34 * (i > 0), n - i + 0.34 * (i < n)], color=GREY, linewidth=0.9, zorder=2)
        ax.plot(
            [self.start[1], self.end[1]], [n + 1, 0], "o", color="0.25", markersize=5, zorder=4, gid="rankforest-ends"
        )
        spread = float(np.ptp(before)) or 1.0
        decimals = 1 if self.scale == "points" else int(np.clip(2 - np.floor(np.log10(spread)), 2, 6))
        for place, value, left in zip(places, values, before):
            at = max(left, left + value)
            ax.annotate(signed(value, decimals), (at, place), xytext=(4, 0), textcoords="offset points", va="center",
                        fontsize=8, color="0.25")  # fmt: skip
        ends = [f"{name}  {number(score, 4)}" for name, score in (self.start, self.end)]
        ax.set_yticks(np.arange(n + 2), labels=[ends[1], *names[::-1], ends[0]], fontsize=9)
        for label in (ax.get_yticklabels()[0], ax.get_yticklabels()[-1]):
            label.set_fontweight("bold")
        ax.set(
            xlabel=self.scale, ylim=(-0.6, n + 1.6), xlim=(before.min() - 0.04 * spread, before.max() + 0.14 * spread)
        )
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.spines["bottom"].set_color(GREY)
        ax.tick_params(axis="y", length=0)
        ax.tick_params(axis="x", color=GREY)
        ax.grid(axis="x", color="0.92", linewidth=0.8)
        ax.set_axisbelow(True)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _bars(self, most: int) -> tuple[np.ndarray, list[str]]:
        """The largest contributions, and all others as one; features without any are left out."""
        order = np.argsort(-np.abs(self.values), kind="stable")
        order = order[self.values[order] != 0.0]
        shown, rest = order[:most], order[most:]
        names = [self.names[j] for j in shown]
        if not len(rest):
            return self.values[shown], names
        others = f"{len(rest)} other feature{'' if len(rest) == 1 else 's'}"
        return np.append(self.values[shown], self.values[rest].sum()), [*names, others]
