"""Display of contributions to scores: a dot for every row, a line for every feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rankforest.interpret.explain import explain
from rankforest.plots._figure import GREY, pyplot
from rankforest.shapley.explanation import Explanation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = ["BeeswarmDisplay"]

_LOW, _MIDDLE, _HIGH = "#2b7bba", "#9d8fb4", "#c8443c"
_PLAIN = "0.55"  # categories, missing values and sums of features
_BINS = 120  # of the width of the picture: dots of one bin are stacked
_REACH = 0.42  # half of the height of a line that dots may fill


class BeeswarmDisplay:
    """Contributions of the features to the scores of rows, the most important feature at the top.

    Parameters
    ----------
    explanation : Explanation
        Of several rows.

    Attributes
    ----------
    explanation : Explanation
    order : array of int
        The features by mean size of their contributions, the largest first; those without any are left out.
    ax_, figure_ : matplotlib objects
        Where :meth:`plot` drew last.

    Examples
    --------
    >>> from rankforest import RankBoost
    >>> from rankforest.data import simulate
    >>> data = simulate.rf10_sparse(300, random_state=0)
    >>> model = RankBoost(20, n_folds=None, random_state=0).fit(data.X, data.y)
    >>> display = BeeswarmDisplay.from_estimator(model, data.X[:100]).plot(max_features=3)
    >>> display.ax_.get_xlabel(), display.ax_.get_yticklabels()[-1].get_text()
    ('contribution to the margin', 'x2')
    """

    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(self, explanation: Explanation) -> None:
        if not isinstance(explanation, Explanation) or explanation.values.ndim != 2:
            raise TypeError("A beeswarm needs an Explanation of several rows; give model.explain(X).")
        self.explanation = explanation
        sizes = np.abs(explanation.values).mean(axis=0)
        order = np.argsort(-sizes, kind="stable")
        self.order = order[sizes[order] > 0]

    @classmethod
    def from_explanation(cls, explanation: Explanation) -> Self:
        """Of contributions that are known."""
        return cls(explanation)

    @classmethod
    def from_estimator(cls, model: Any, X: Any, background: Any = None) -> Self:
        """Compute; the arguments are those of :func:`rankforest.interpret.explain`."""
        return cls(explain(model, X, background))

    def plot(self, ax: Axes | None = None, *, max_features: int = 10, **kwargs: Any) -> Self:
        """Draw. The colour of a dot is the place of its value among those of the feature; categories are grey.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; without it, on a new figure.
        max_features : int
            Most features to draw; the sum of all others is the last line.
        **kwargs
            Passed to ``ax.scatter``.
        """
        shown, rest = self.order[:max_features], self.order[max_features:]
        n_lines = len(shown) + (len(rest) > 0)
        if ax is None:
            _, ax = pyplot().subplots(figsize=(7.2, 1.0 + 0.38 * max(3, n_lines)), layout="constrained")
        values = self.explanation.values[:, shown]
        lines = list(values.T) + ([self.explanation.values[:, rest].sum(axis=1)] if len(rest) else [])
        width = max(float(np.ptp(np.concatenate([*lines, [0.0]]))), 1e-300) / _BINS
        colours = _colour_map()
        ax.axvline(0.0, color=GREY, linewidth=1.0, zorder=1)
        style: dict[str, Any] = {"s": 11, "linewidth": 0, "alpha": 0.85, "zorder": 3, **kwargs}
        for line, each in enumerate(lines):
            place = n_lines - 1 - line
            y = place + swarm(each, width)
            shade = _places(self.explanation.data[:, shown[line]]) if line < len(shown) else np.full(len(each), np.nan)
            known = ~np.isnan(shade)
            ax.scatter(each[~known], y[~known], **{"color": _PLAIN, **style})
            ax.scatter(each[known], y[known], **{"c": shade[known], "cmap": colours, "vmin": 0, "vmax": 1, **style})
        names = [self.explanation.feature_names[j] for j in shown]
        names += [f"{len(rest)} other feature{'' if len(rest) == 1 else 's'}"] if len(rest) else []
        ax.set_yticks(np.arange(n_lines), labels=names[::-1], fontsize=9)
        ax.set(xlabel=f"contribution to the {self.explanation.scale}", ylim=(-0.6, max(n_lines, 1) - 0.4))
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.spines["bottom"].set_color(GREY)
        ax.tick_params(axis="y", length=0)
        ax.tick_params(axis="x", color=GREY)
        ax.grid(axis="y", color="0.92", linewidth=0.8)
        ax.set_axisbelow(True)
        _colour_bar(ax, colours)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def swarm(values: np.ndarray, width: float) -> np.ndarray:
    """Heights of dots so that those of nearly the same value lie one above the other, around 0.

    Examples
    --------
    >>> swarm(np.array([0.1, 0.1, 0.1, 5.0]), 1.0).round(2)
    array([ 0.  ,  0.42, -0.42,  0.  ])
    """
    bins = np.floor(values / width).astype(np.int64)
    order = np.lexsort((values, bins))
    ordered = bins[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    counts = np.diff(np.append(starts, len(ordered)))
    within = np.arange(len(ordered)) - np.repeat(starts, counts)
    step = (within + 1) // 2 * np.where(within % 2 == 1, 1, -1)  # 0, 1, -1, 2, -2, ...
    heights = np.empty(len(values))
    heights[order] = step * min(0.09 if counts.max() > 3 else _REACH, _REACH / max(1, counts.max() // 2))
    return heights


def _places(data: np.ndarray) -> np.ndarray:
    """Place of each value among the others, from 0 to 1; NaN where it is missing, and for categories."""
    from scipy.stats import rankdata

    try:
        numbers = data.astype(np.float64)
    except (TypeError, ValueError):
        return np.full(len(data), np.nan)
    known = ~np.isnan(numbers)
    found = np.full(len(numbers), np.nan)
    if known.any():
        ranks = rankdata(numbers[known])
        spread = float(np.ptp(ranks))
        found[known] = (ranks - ranks.min()) / spread if spread else 0.5
    return found


def _colour_map() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("rankforest", [_LOW, _MIDDLE, _HIGH])


def _colour_bar(ax: Axes, colours: Any) -> None:
    from matplotlib.cm import ScalarMappable

    bar = ax.figure.colorbar(ScalarMappable(cmap=colours), ax=ax, aspect=40, pad=0.02, ticks=[0, 1])
    bar.ax.set_yticklabels(["low", "high"], fontsize=8)
    bar.ax.tick_params(length=0)
    bar.set_label("value of the feature", fontsize=8, labelpad=-14)
    bar.outline.set_visible(False)
