"""Display of a scorecard: from the total to the probability, and where the totals of both classes lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rankforest.estimators.fitted_model import FittedModel
from rankforest.fitting.calibration import Calibration
from rankforest.plots._figure import frame, percent_axis, pyplot
from rankforest.plots.shapes_display import card_of
from rankforest.scorecard.curve import TotalCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["TotalDisplay"]

_BLUE, _ORANGE = "#2b5c8a", "#a8500c"


class TotalDisplay:
    """Probability by total, with the rates of the bands and their intervals; below, the share of either class in them.

    Parameters
    ----------
    curve : TotalCurve
    calibration : Calibration
    positive : str
        The positive label.

    Attributes
    ----------
    curve, calibration, positive
    axes_ : array of two matplotlib axes
    figure_ : matplotlib figure
        Where :meth:`plot` drew last.
    """

    axes_: np.ndarray
    figure_: Figure

    def __init__(self, curve: TotalCurve, calibration: Calibration, positive: str) -> None:
        self.curve = curve
        self.calibration = calibration
        self.positive = positive

    @classmethod
    def from_estimator(cls, estimator: Any) -> Self:
        """Of a fitted scorecard."""
        card_of(estimator)  # raises TypeError for another model
        one = estimator.one_card() if isinstance(estimator, FittedModel) else None
        assert one is not None, "it has a card"
        return cls(one.curve, one.calibration, str(estimator.pos_label_))

    def plot(self, *, level: float = 0.95) -> Self:
        """Draw on a new figure.

        Parameters
        ----------
        level : float
            Of the intervals.
        """
        figure, axes = pyplot().subplots(
            2, 1, figsize=(6.2, 5.0), sharex=True, layout="constrained", height_ratios=(2, 1)
        )
        upper, lower = axes
        curve = self.curve
        middle = (curve.low + curve.high) / 2
        ends = curve.interval(level)
        totals = np.linspace(curve.low[0], curve.high[-1], 600)
        upper.plot(totals, self.calibration(totals), color=_BLUE, linewidth=2.0, label="probability")
        upper.vlines(middle, *ends, color=_ORANGE, linewidth=1.2)
        told = f"rate in a band of totals, {100 * level:g}% interval"
        upper.plot(middle, curve.rate, "o", color=_ORANGE, markersize=4, label=told)
        upper.set(ylabel=f"probability of {self.positive}", ylim=(-0.02, 1.02))
        percent_axis(upper.yaxis)
        frame(upper, loc="lower right")
        _class_shares(lower, curve)
        lower.set(xlabel="total, in points", ylabel="density")
        lower.set_yticks([])
        frame(lower, loc="best")
        self.axes_, self.figure_ = axes, figure
        return self


def _class_shares(ax: Axes, curve: TotalCurve) -> None:
    """Either class as a histogram: the share in each band, divided by the width of the band."""
    inner = (curve.high[:-1] + curve.low[1:]) / 2
    edges = np.concatenate([[curve.low[0] - 0.5], inner, [curve.high[-1] + 0.5]])
    for k, colour, name in ((0, "0.55", "negatives"), (1, _BLUE, "positives")):
        share = curve.mass[:, k] / max(float(curve.mass[:, k].sum()), 1e-300) / np.diff(edges)
        ax.stairs(share, edges, color=colour, fill=True, alpha=0.45, label=name)
