"""Displays of the top of the list: the local area under the ROC curve, and local AUC at every share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray
from rankforest.metrics import RocCurve
from rankforest.metrics._inputs import CumulativeMass, check_share, checked_mass
from rankforest.metrics._top import Top, top_of_mass
from rankforest.metrics.roc import curve_of
from rankforest.plots._estimator import FromEstimator
from rankforest.plots._figure import (
    INK,
    frame,
    line_style,
    percent_axis,
    pyplot,
    reference_lines,
    share_grid,
    share_text,
)
from rankforest.plots.roc_display import RocDisplay, dress, sample_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["LocalAucDisplay", "LocalRocDisplay"]


class LocalRocDisplay(FromEstimator):
    """A ROC curve with the control line of each share ``u`` and the area that is its local AUC.

    The dark part of the area is PartAUC, under the curve up to the control line; the light part is the rectangle
    beta (1 - alpha) to its right.

    Parameters
    ----------
    curve : RocCurve
        The curve, from :func:`rankforest.metrics.roc_curve`.
    top : Top
        Where the control lines cut it.
    name : str, optional
        Name in the legend.

    Attributes
    ----------
    curve : RocCurve
    u, alpha, beta, partial_auc, local_auc : ndarray of shape (k,)
        The shares in ascending order, the points in which the curve meets their control lines, and the areas.
    rate : float
        Share of positives in the list.
    ax_, figure_, line_ : matplotlib objects
        Where :meth:`plot` drew last, and the line of the curve.

    Examples
    --------
    >>> display = LocalRocDisplay.from_predictions([0, 1, 0, 1], [1, 2, 3, 4], 0.5, name="toy")
    >>> display.local_auc
    array([0.5])
    >>> display.plot().line_.get_label()
    'toy (AUC = 0.750)'
    """

    ax_: Axes
    figure_: Figure | SubFigure
    line_: Line2D

    def __init__(self, curve: RocCurve, top: Top, *, name: str | None = None) -> None:
        self.curve = curve
        self.name = name
        self.rate = top.rate
        self.u = np.atleast_1d(top.u).ravel()
        self.alpha, self.beta = top.alpha, top.beta
        self.partial_auc, self.local_auc = top.partial, top.local_auc

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        u: ArrayLike = 0.1,
        *,
        name: str | None = None,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
    ) -> Self:
        """Compute the display from labels and scores.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label
            As in :func:`rankforest.metrics.roc_curve`.
        u : float or array-like, default 0.1
            Shares of the list, in (0, 1].
        name : str, optional
            Name in the legend.

        Returns
        -------
        LocalRocDisplay

        Examples
        --------
        >>> LocalRocDisplay.from_predictions(["no", "yes"], [0.1, 0.9], [0.25, 0.5]).beta
        array([0.5, 1. ])
        """
        share = np.unique(check_share(u))
        mass = checked_mass(y_true, y_score, sample_weight, pos_label)
        return cls(curve_of(mass), top_of_mass(mass, share), name=name)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the curve, the control lines and the areas.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; without it, on a new figure.
        name : str, optional
            Name in the legend, instead of the one that the display keeps.
        **kwargs
            Passed to ``ax.plot`` for the curve, such as ``color`` or ``linewidth``.

        Returns
        -------
        LocalRocDisplay
            The display itself, with ``ax_``, ``figure_`` and ``line_`` set.

        Examples
        --------
        >>> display = LocalRocDisplay.from_predictions([0, 1, 0, 1], [1, 2, 3, 4], 0.5)
        >>> [text.get_text() for text in display.plot().ax_.get_legend().get_texts()]
        ['AUC = 0.750', 'LocAUC at 50% = 0.500', 'chance']
        """
        roc = RocDisplay(self.curve, name=self.name if name is None else name).plot(ax, **kwargs)
        ax, color = roc.ax_, roc.line_.get_color()
        for u, alpha, beta, area in zip(self.u, self.alpha, self.beta, self.local_auc):
            before = self.rate * self.curve.beta + (1.0 - self.rate) * self.curve.alpha < u
            x, y = np.append(self.curve.alpha[before], alpha), np.append(self.curve.beta[before], beta)
            ax.fill_between(x, y, color=color, alpha=0.28, linewidth=0)
            ax.fill_between(
                [alpha, 1.0],
                [beta, beta],
                color=color,
                alpha=0.10,
                linewidth=0,
                label=f"LocAUC at {share_text(u)} = {area:.3f}",
            )
            self._control_line(ax, float(u))
            ax.plot([alpha], [beta], marker="o", markersize=6, color=color, markeredgecolor="white", zorder=4)
            # There is room to the right of the point: the curve rises there and the control line falls.
            ax.annotate(
                f"u = {share_text(u)}",
                (alpha, beta),
                xytext=(11, -2),
                textcoords="offset points",
                fontsize=9,
                color=INK,
                va="center",
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.8},
                zorder=5,
            )
        dress(ax)
        self.ax_, self.figure_, self.line_ = ax, ax.figure, roc.line_
        return self

    def _control_line(self, ax: Axes, u: float) -> None:
        """The part of u = p beta + (1 - p) alpha that lies in the square."""
        p = self.rate
        ends = np.array([max(0.0, (u - p) / (1.0 - p)), min(1.0, u / (1.0 - p))])
        heights = (u - (1.0 - p) * ends) / p
        ax.plot(ends, heights, color=INK, linewidth=1.1, linestyle=(0, (5, 2)), zorder=3.5)


class LocalAucDisplay(FromEstimator):
    """Local AUC at every share of the list, between chance and the perfect list.

    Parameters
    ----------
    top : Top
        The list, cut at the shares.
    name : str, optional
        Name in the legend.
    optimal : callable, optional
        The optimal curve ROC*, as a function from an array of ``alpha`` to the array of ``beta``.

    Attributes
    ----------
    u, local_auc : ndarray of shape (k,)
        The shares, ascending, and local AUC at each.
    rate : float
        Share p of positives in the list.
    perfect, chance : ndarray of shape (k,)
        Local AUC of the perfect list, min(u / p, 1), and of a random one, u - u^2 / 2.
    optimal : ndarray or None
        Local AUC of the regression function eta. The expected local AUC of any other score is not larger.
    ax_, figure_, line_ : matplotlib objects
        Where :meth:`plot` drew last, and the line of the curve.

    Examples
    --------
    >>> display = LocalAucDisplay.from_predictions([0, 1, 0, 1], [1, 2, 3, 4], [0.25, 0.5, 1.0], name="toy")
    >>> display.local_auc, display.perfect
    (array([0.5 , 0.5 , 0.75]), array([0.5, 1. , 1. ]))
    """

    ax_: Axes
    figure_: Figure | SubFigure
    line_: Line2D

    def __init__(
        self, top: Top, *, name: str | None = None, optimal: Callable[[FloatArray], ArrayLike] | None = None
    ) -> None:
        self.name = name
        self.rate = top.rate
        self.u = np.atleast_1d(top.u).ravel()
        self.local_auc = top.local_auc
        self.perfect = np.minimum(self.u / self.rate, 1.0)
        self.chance = self.u - self.u**2 / 2.0
        self.optimal: FloatArray | None = None
        if optimal is not None:
            alpha, beta = sample_curve(optimal)
            mass = CumulativeMass(self.rate * beta, (1.0 - self.rate) * alpha, np.full(len(alpha), np.nan))
            self.optimal = top_of_mass(mass, self.u).local_auc

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        u: ArrayLike | None = None,
        *,
        name: str | None = None,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        optimal: Callable[[FloatArray], ArrayLike] | None = None,
    ) -> Self:
        """Compute the display from labels and scores.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label
            As in :func:`rankforest.metrics.roc_curve`.
        u : array-like, optional
            Shares of the list, in (0, 1]; without it, 200 of them from 0.5% to 100%.
        name : str, optional
            Name in the legend.
        optimal : callable, optional
            The optimal curve, from ``alpha`` to ``beta``, such as ``roc_star`` of a simulated sample.

        Returns
        -------
        LocalAucDisplay

        Examples
        --------
        >>> display = LocalAucDisplay.from_predictions([0, 1, 0, 1], [1, 2, 3, 4])
        >>> len(display.u), float(display.local_auc[-1])
        (200, 0.75)
        """
        share = share_grid(u)
        mass = checked_mass(y_true, y_score, sample_weight, pos_label)
        return cls(top_of_mass(mass, share), name=name, optimal=optimal)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, relative: bool = False, **kwargs: Any) -> Self:
        """Draw local AUC against the share.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; without it, on a new figure. Several displays can share it.
        name : str, optional
            Name in the legend, instead of the one that the display keeps.
        relative : bool, default False
            Divide by the local AUC of the perfect list, so that small shares are readable too.
        **kwargs
            Passed to ``ax.plot`` for the curve, such as ``color`` or ``linewidth``.

        Returns
        -------
        LocalAucDisplay
            The display itself, with ``ax_``, ``figure_`` and ``line_`` set.

        Examples
        --------
        >>> display = LocalAucDisplay.from_predictions([0, 1, 0, 1], [1, 2, 3, 4], name="toy")
        >>> [text.get_text() for text in display.plot().ax_.get_legend().get_texts()]
        ['toy', 'perfect list', 'chance']
        """
        if ax is None:
            _, ax = pyplot().subplots(figsize=(6.4, 4.4), layout="constrained")
        unit = self.perfect if relative else np.ones_like(self.perfect)
        name = self.name if name is None else name
        (line,) = ax.plot(self.u, self.local_auc / unit, **line_style(name, kwargs))
        references: dict[str, tuple[Any, Any, dict[str, Any]]] = {
            "chance": (self.u, self.chance / unit, {"linestyle": "--"}),
        }
        if not relative:
            references = {"perfect list": (self.u, self.perfect, {"linestyle": "-"}), **references}
        if self.optimal is not None:
            dotted = {"color": INK, "linewidth": 1.4, "linestyle": (0, (1, 1.5)), "zorder": 2.4}
            references = {"optimal (η)": (self.u, self.optimal / unit, dotted), **references}
        reference_lines(ax, references)
        ax.set(
            xlabel="Share u of the list",
            ylabel="LocAUC, relative to the perfect list" if relative else "LocAUC",
            xlim=(0.0, float(self.u[-1])),
            ylim=(0.0, 1.03),
        )
        percent_axis(ax.xaxis)
        frame(ax, loc="best")
        self.ax_, self.figure_, self.line_ = ax, ax.figure, line
        return self
