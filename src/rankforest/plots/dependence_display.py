"""Display of partial dependence: a curve, bars, or a heat map for two features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rankforest.interpret.dependence import PartialDependence, partial_dependence
from rankforest.plots._figure import pyplot
from rankforest.words import area, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = ["DependenceDisplay"]

_INK = "#2b5c8a"
_GREY = "0.6"
_COLOURS = "Blues"


class DependenceDisplay:
    """Mean score as one or two features vary.

    Parameters
    ----------
    result : PartialDependence
        From :func:`rankforest.interpret.partial_dependence`.

    Attributes
    ----------
    result : PartialDependence
    ax_, figure_ : matplotlib objects
        Where :meth:`plot` drew last.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> from rankforest.data import simulate
    >>> data = simulate.rf10_sparse(300, random_state=0)
    >>> model = TreeRank(max_depth=3).fit(data.X, data.y)
    >>> display = DependenceDisplay.from_estimator(model, data.X, "x0").plot()
    >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
    ('x0', 'mean score')
    """

    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(self, result: PartialDependence) -> None:
        self.result = result

    @classmethod
    def from_estimator(cls, model: Any, X: Any, features: Any, **options: Any) -> Self:
        """Compute; the arguments are those of :func:`rankforest.interpret.partial_dependence`.

        Examples
        --------
        >>> from rankforest import LeafRank, TreeRank
        >>> X, y = [[1.0], [2.0], [3.0]], [0, 0, 1]
        >>> model = TreeRank(LeafRank(min_mass_leaf=0)).fit(X, y)
        >>> DependenceDisplay.from_estimator(model, X, 0).result.values.round(3)
        array([0.333, 0.333, 0.833])
        """
        return cls(partial_dependence(model, X, features, **options))

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; without it, on a new figure.
        **kwargs
            Passed to ``ax.plot``, ``ax.barh`` or ``ax.pcolormesh``.

        Examples
        --------
        >>> import numpy as np
        >>> result = PartialDependence(
        ...     ("age",), (False,), (np.array([20.0, 30.0]),), np.array([0.2, 0.7]), (np.arange(21.0, 30.0),)
        ... )
        >>> DependenceDisplay(result).plot().ax_.get_xlabel()
        'age'
        """
        if ax is None:
            size = (5.6, 3.6) if len(self.result.names) == 1 else (5.8, 4.6)
            _, ax = pyplot().subplots(figsize=size, layout="constrained")
        if len(self.result.names) == 2:
            self._draw_pair(ax, kwargs)
        elif self.result.is_categorical[0]:
            self._draw_bars(ax, kwargs)
        else:
            self._draw_curve(ax, kwargs)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_curve(self, ax: Axes, kwargs: dict[str, Any]) -> None:
        (grid,), (deciles,) = self.result.grids, self.result.observed
        style: dict[str, Any] = {
            "color": _INK,
            "linewidth": 2.0,
            "drawstyle": "steps-mid",
            "solid_joinstyle": "round",
            "zorder": 3,
        }
        ax.plot(grid, self.result.values, **{**style, **kwargs})
        ax.set(xlabel=self.result.names[0], ylabel="mean score")
        _widen(ax, self.result.values)
        _decile_ticks(ax, deciles, axis="x", at=0.018)
        _tidy(ax)
        ax.grid(axis="y", color="0.92", linewidth=0.8)

    def _draw_bars(self, ax: Axes, kwargs: dict[str, Any]) -> None:
        (grid,), (shares,) = self.result.grids, self.result.observed
        order = np.argsort(self.result.values, kind="stable")  # the best category at the top
        values = self.result.values[order]
        bars = ax.barh(np.arange(len(order)), values, **{"color": _INK, "height": 0.7, "zorder": 3, **kwargs})
        ax.bar_label(bars, labels=[area(v, 3) for v in values], padding=4, fontsize=8, color="0.2")
        labels = [f"{grid[i]}  ({percent(shares[i], 0)})" for i in order]
        ax.set_yticks(np.arange(len(order)), labels=labels, fontsize=8 if len(order) > 12 else 9)
        ax.set(xlabel="mean score", ylabel=f"{self.result.names[0]}  (share of rows)")
        ax.margins(x=0.12)
        _tidy(ax)
        ax.grid(axis="x", color="0.92", linewidth=0.8)
        ax.tick_params(axis="y", length=0)

    def _draw_pair(self, ax: Axes, kwargs: dict[str, Any]) -> None:
        edges = []
        for axis, grid, categorical, observed, name in zip(
            ("x", "y"), self.result.grids, self.result.is_categorical, self.result.observed, self.result.names
        ):
            if categorical:
                edges.append(np.arange(len(grid) + 1) - 0.5)
                ax.set(**{f"{axis}ticks": np.arange(len(grid))})
                ax.set(**{f"{axis}ticklabels": [str(category) for category in grid]})
                (ax.xaxis if axis == "x" else ax.yaxis).set_tick_params(length=0)
            else:
                edges.append(_cell_edges(grid))
                _decile_ticks(ax, observed, axis=axis, at=1.015)  # outside: ticks are invisible on dark colours
            ax.set(**{f"{axis}label": name})
        style: dict[str, Any] = {"cmap": _COLOURS, "shading": "flat", "rasterized": True}
        mesh = ax.pcolormesh(edges[0], edges[1], self.result.values.T, **{**style, **kwargs})
        bar = ax.figure.colorbar(mesh, ax=ax, label="mean score", pad=0.04)
        bar.outline.set_visible(False)
        if all(self.result.is_categorical) and self.result.values.size <= 100:
            low, high = mesh.get_clim()
            for (i, j), value in np.ndenumerate(self.result.values):
                dark = value > low + 0.55 * (high - low)
                ax.text(i, j, f"{value:.2f}", ha="center", va="center", fontsize=8, color="w" if dark else "0.1")
        if self.result.is_categorical[0] and max(len(str(c)) for c in self.result.grids[0]) > 6:
            ax.tick_params(axis="x", rotation=30)
        ax.set(xlim=(edges[0][0], edges[0][-1]), ylim=(edges[1][0], edges[1][-1]))
        ax.spines[["top", "right", "left", "bottom"]].set_visible(False)


def _cell_edges(grid: np.ndarray) -> np.ndarray:
    """Borders half-way between neighbours."""
    if len(grid) == 1:
        return np.array([grid[0] - 0.5, grid[0] + 0.5])
    middle = (grid[1:] + grid[:-1]) / 2
    return np.concatenate([[grid[0]], middle, [grid[-1]]])


def _decile_ticks(ax: Axes, deciles: np.ndarray, *, axis: str, at: float) -> None:
    """Draw ticks at the deciles of the rows, at this height of the axes."""
    if axis == "x":
        transform, marker, points = ax.get_xaxis_transform(), "|", (deciles, np.full(len(deciles), at))
    else:
        transform, marker, points = ax.get_yaxis_transform(), "_", (np.full(len(deciles), at), deciles)
    ax.plot(
        *points, linestyle="none", marker=marker, markersize=7, color="0.25", transform=transform, zorder=4,
        clip_on=False, gid="rankforest-deciles",
    )  # fmt: skip


def _widen(ax: Axes, values: np.ndarray) -> None:
    """Widen the y axis to at least a tenth of the list, so that a nearly constant curve looks flat."""
    low, high = float(values.min()), float(values.max())
    spare = max(0.1 * (high - low), (0.1 - (high - low)) / 2)
    ax.set_ylim(low - spare, high + spare)


def _tidy(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(_GREY)
    ax.tick_params(color=_GREY)
    ax.set_axisbelow(True)
