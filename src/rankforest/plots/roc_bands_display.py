"""Display of the ROC curve with its confidence band."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray
from rankforest.metrics import RocBands, roc_bands
from rankforest.plots._estimator import FromEstimator
from rankforest.plots._figure import legend
from rankforest.plots.roc_display import RocDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["RocBandsDisplay"]


class RocBandsDisplay(FromEstimator):
    """A ROC curve in its confidence band, drawn as :class:`RocDisplay` draws curves.

    Build it with :meth:`from_predictions` or :meth:`from_estimator`: they compute and keep the arrays, and need no
    matplotlib. :meth:`plot` draws, as often as you like; several displays can share one set of axes.

    Parameters
    ----------
    bands : RocBands
        Curve and band, from :func:`rankforest.metrics.roc_bands`.
    name : str, optional
        Name in the legend.
    optimal : callable, optional
        The optimal curve ROC*, as a function from an array of ``alpha`` to the array of ``beta``.

    Attributes
    ----------
    bands : RocBands
    ax_, figure_, line_, band_ : matplotlib objects
        Where :meth:`plot` drew last, the line of the curve and the area of the band.

    Examples
    --------
    >>> display = RocBandsDisplay.from_predictions([0, 1] * 50, range(100), name="toy")
    >>> display.bands.contains(display.bands.curve.interpolate)
    True
    >>> display.plot().band_.get_label()
    '95% band'
    """

    ax_: Axes
    figure_: Figure | SubFigure
    line_: Line2D
    band_: PolyCollection

    def __init__(
        self, bands: RocBands, *, name: str | None = None, optimal: Callable[[FloatArray], ArrayLike] | None = None
    ) -> None:
        self.bands = bands
        self.name = name
        self._curve = RocDisplay(bands.curve, name=name, optimal=optimal)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        name: str | None = None,
        confidence: float = 0.95,
        pos_label: object = None,
        optimal: Callable[[FloatArray], ArrayLike] | None = None,
    ) -> Self:
        """Compute the display from labels and scores.

        Parameters
        ----------
        y_true, y_score, confidence, pos_label
            As in :func:`rankforest.metrics.roc_bands`.
        name : str, optional
            Name in the legend.
        optimal : callable, optional
            The optimal curve, from ``alpha`` to ``beta``.

        Returns
        -------
        RocBandsDisplay
        """
        bands = roc_bands(y_true, y_score, confidence=confidence, pos_label=pos_label)
        return cls(bands, name=name, optimal=optimal)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the curve in its band.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; without it, on a new figure.
        name : str, optional
            Name in the legend, instead of the one that the display keeps.
        **kwargs
            Passed to ``ax.plot`` for the curve, such as ``color``; the band takes the colour of the curve.

        Returns
        -------
        RocBandsDisplay
            The display itself, with ``ax_``, ``figure_``, ``line_`` and ``band_`` set.
        """
        drawn = self._curve.plot(ax, name=name, **{"linewidth": 1.6, **kwargs})
        self.ax_, self.figure_, self.line_ = drawn.ax_, drawn.figure_, drawn.line_
        bands, colour = self.bands, self.line_.get_color()
        # The steps of the grid are about as fine as a pixel, so the band is drawn straight through its points.
        self.band_ = self.ax_.fill_between(
            bands.alpha,
            bands.low,
            bands.high,
            color=colour,
            alpha=0.18,
            linewidth=0.0,
            zorder=1.5,
            label=f"{100 * bands.confidence:g}% band",
        )
        for edge in (bands.low, bands.high):
            self.ax_.plot(bands.alpha, edge, color=colour, alpha=0.45, linewidth=0.8, zorder=1.6)
        legend(self.ax_, loc="lower right", after={self.line_: self.band_})
        return self
