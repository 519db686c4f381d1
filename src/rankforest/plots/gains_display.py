"""Display of cumulative gains: capture, lift and hit ratio at every share of the list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rankforest.metrics._inputs import checked_mass
from rankforest.metrics._top import Top, top_of_mass
from rankforest.plots._estimator import FromEstimator
from rankforest.plots._figure import frame, line_style, percent_axis, pyplot, reference_lines, share_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["GainsDisplay"]

_KINDS = ("capture", "lift", "hit_ratio")


class GainsDisplay(FromEstimator):
    """Capture, lift or hit ratio by share of the list, with those of chance and of the perfect list.

    Parameters
    ----------
    top : Top
        The list, cut at the shares.
    name : str, optional
        Name in the legend.

    Attributes
    ----------
    u : ndarray of shape (k,)
        The shares u, ascending.
    capture : ndarray of shape (k,)
        Share of all positives that are in the top u (recall).
    lift : ndarray of shape (k,)
        ``capture / share``: how many times more positives than in a random pick.
    hit_ratio : ndarray of shape (k,)
        Share of positives in the top u.
    rate : float
        Share of positives in the list.
    ax_, figure_, line_ : matplotlib objects
        Where :meth:`plot` drew last, and the line of the curve.

    Examples
    --------
    >>> display = GainsDisplay.from_predictions([0, 1, 0, 1], [1, 2, 3, 4], [0.25, 0.5, 1.0])
    >>> display.capture, display.lift
    (array([0.5, 0.5, 1. ]), array([2., 1., 1.]))
    """

    ax_: Axes
    figure_: Figure | SubFigure
    line_: Line2D

    def __init__(self, top: Top, *, name: str | None = None) -> None:
        self.name = name
        self.rate = top.rate
        self.u = np.atleast_1d(top.u).ravel()
        self.capture = top.beta
        self.lift = top.beta / self.u
        self.hit_ratio = np.minimum(top.positives / top.mass, 1.0)

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

        Returns
        -------
        GainsDisplay

        Examples
        --------
        >>> GainsDisplay.from_predictions(["no", "yes"], [0.1, 0.9], [0.5]).hit_ratio
        array([1.])
        """
        mass = checked_mass(y_true, y_score, sample_weight, pos_label)
        return cls(top_of_mass(mass, share_grid(u)), name=name)

    def plot(self, ax: Axes | None = None, *, kind: str = "capture", name: str | None = None, **kwargs: Any) -> Self:
        """Draw one of the three curves against the share of the list.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; without it, on a new figure. Several displays can share it.
        kind : {"capture", "lift", "hit_ratio"}, default "capture"
            The curve to draw.
        name : str, optional
            Name in the legend, instead of the one that the display keeps.
        **kwargs
            Passed to ``ax.plot`` for the curve, such as ``color`` or ``linewidth``.

        Returns
        -------
        GainsDisplay
            The display itself, with ``ax_``, ``figure_`` and ``line_`` set.

        Examples
        --------
        >>> display = GainsDisplay.from_predictions([0, 1, 0, 1], [1, 2, 3, 4], name="toy")
        >>> [text.get_text() for text in display.plot(kind="lift").ax_.get_legend().get_texts()]
        ['toy', 'perfect list', 'chance']
        """
        if kind not in _KINDS:
            raise ValueError(f"kind must be one of {', '.join(map(repr, _KINDS))}, got {kind!r}.")
        if ax is None:
            _, ax = pyplot().subplots(figsize=(6.4, 4.4), layout="constrained")
        u, p = self.u, self.rate
        perfect = np.minimum(u / p, 1.0)
        # Each curve is the capture times a factor; chance and the perfect list have the same factor.
        scale = {"capture": np.ones_like(u), "lift": 1.0 / u, "hit_ratio": p / u}[kind]
        values = {"capture": self.capture, "lift": self.lift, "hit_ratio": self.hit_ratio}[kind]
        (line,) = ax.plot(*_from_origin(u, values, kind), **line_style(self.name if name is None else name, kwargs))
        reference_lines(
            ax,
            {
                "perfect list": (*_from_origin(u, perfect * scale, kind), {"linestyle": "-"}),
                "chance": (*_from_origin(u, u * scale, kind), {"linestyle": "--"}),
            },
        )
        ax.set(xlabel="Share u of the list", xlim=(0.0, float(u[-1])))
        percent_axis(ax.xaxis)
        if kind == "lift":
            ax.set(ylabel="Lift over a random pick", ylim=(0.0, None))
        else:
            label = "Share of all positives in the top u" if kind == "capture" else "Share of positives in the top u"
            ax.set(ylabel=label, ylim=(0.0, 1.03))
            percent_axis(ax.yaxis)
        frame(ax, loc="best")
        self.ax_, self.figure_, self.line_ = ax, ax.figure, line
        return self


def _from_origin(u: Any, values: Any, kind: str) -> tuple[Any, Any]:
    """Start the capture at (0, 0); the other curves are undefined there."""
    return (np.append(0.0, u), np.append(0.0, values)) if kind == "capture" else (u, values)
