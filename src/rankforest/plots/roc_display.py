"""Display of the ROC curve."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray
from rankforest.metrics import RocCurve, roc_curve
from rankforest.metrics.roc import area_under
from rankforest.plots._estimator import FromEstimator
from rankforest.plots._figure import INK, frame, line_style, pyplot, reference_lines
from rankforest.words import area

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["RocDisplay", "dress", "sample_curve"]


class RocDisplay(FromEstimator):
    """A ROC curve to draw, beside chance and, when it is known, the optimal curve.

    Build it with :meth:`from_predictions` or :meth:`from_estimator`: they compute and keep the arrays, and need no
    matplotlib. :meth:`plot` draws, as often as you like; several displays can share one set of axes.

    Parameters
    ----------
    curve : RocCurve
        The curve, from :func:`rankforest.metrics.roc_curve`.
    name : str, optional
        Name in the legend.
    optimal : callable, optional
        The optimal curve ROC*, as a function from an array of ``alpha`` to the array of ``beta``.

    Attributes
    ----------
    curve : RocCurve
        The knots ``alpha``, ``beta``, ``thresholds``; ``curve.auc`` is the area and ``curve.hull()`` the hull.
    optimal_alpha, optimal_beta : ndarray or None
        Points of the optimal curve.
    ax_, figure_, line_ : matplotlib objects
        Where :meth:`plot` drew last, and the line of the curve.

    Examples
    --------
    >>> display = RocDisplay.from_predictions([0, 1, 0, 1], [1, 2, 3, 4], name="toy")
    >>> display.curve.auc
    0.75
    >>> display.plot().line_.get_label()
    'toy (AUC = 0.750)'
    """

    ax_: Axes
    figure_: Figure | SubFigure
    line_: Line2D

    def __init__(
        self, curve: RocCurve, *, name: str | None = None, optimal: Callable[[FloatArray], ArrayLike] | None = None
    ) -> None:
        self.curve = curve
        self.name = name
        self.optimal_alpha: FloatArray | None = None
        self.optimal_beta: FloatArray | None = None
        if optimal is not None:
            self.optimal_alpha, self.optimal_beta = sample_curve(optimal)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
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
        name : str, optional
            Name in the legend.
        optimal : callable, optional
            The optimal curve, from ``alpha`` to ``beta``.

        Returns
        -------
        RocDisplay

        Examples
        --------
        >>> RocDisplay.from_predictions(["no", "yes"], [0.1, 0.9], name="toy").curve.beta
        array([0., 1., 1.])
        """
        curve = roc_curve(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
        return cls(curve, name=name, optimal=optimal)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, show_hull: bool = False, **kwargs: Any) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; without it, on a new figure.
        name : str, optional
            Name in the legend, instead of the one that the display keeps.
        show_hull : bool, default False
            Draw the concave hull too, with its own area.
        **kwargs
            Passed to ``ax.plot`` for the curve, such as ``color`` or ``linewidth``.

        Returns
        -------
        RocDisplay
            The display itself, with ``ax_``, ``figure_`` and ``line_`` set.

        Examples
        --------
        >>> display = RocDisplay.from_predictions([0, 1, 0, 1], [1, 2, 3, 4])
        >>> ax = display.plot(show_hull=True, color="black").ax_
        >>> [text.get_text() for text in ax.get_legend().get_texts()]
        ['AUC = 0.750', 'concave hull (AUC = 0.875)', 'chance']
        """
        if ax is None:
            _, ax = pyplot().subplots(figsize=(5.2, 5.2), layout="constrained")
        name = self.name if name is None else name
        (line,) = ax.plot(self.curve.alpha, self.curve.beta, **line_style(_label(name, self.curve.auc), kwargs))
        if show_hull:
            hull = self.curve.hull()
            hull_name = "concave hull" if name is None else f"{name}, concave hull"
            ax.plot(
                hull.alpha,
                hull.beta,
                color=line.get_color(),
                linewidth=1.2,
                linestyle=(0, (4, 2)),
                zorder=2.5,
                label=_label(hull_name, hull.auc),
            )
        if self.optimal_alpha is not None and self.optimal_beta is not None:
            auc_star = area_under(self.optimal_alpha, self.optimal_beta)
            ax.plot(
                self.optimal_alpha,
                self.optimal_beta,
                color=INK,
                linewidth=1.4,
                linestyle=(0, (1, 1.5)),
                zorder=2.4,
                label=f"optimal (AUC* = {area(auc_star, 3)})",
            )
        dress(ax)
        self.ax_, self.figure_, self.line_ = ax, ax.figure, line
        return self


def _label(name: str | None, auc: float) -> str:
    return f"AUC = {area(auc, 3)}" if name is None else f"{name} (AUC = {area(auc, 3)})"


def dress(ax: Axes) -> None:
    """Chance line, labels and legend, the same however many curves share the axes."""
    reference_lines(ax, {"chance": ([0, 1], [0, 1], {"linestyle": "--"})})
    ax.set(
        xlabel="False positive rate α",
        ylabel="True positive rate β",
        xlim=(-0.015, 1.015),
        ylim=(-0.015, 1.015),
        xticks=np.linspace(0, 1, 6),
        yticks=np.linspace(0, 1, 6),
        aspect="equal",
    )
    frame(ax, loc="lower right")


def sample_curve(optimal: Callable[[FloatArray], ArrayLike]) -> tuple[FloatArray, FloatArray]:
    """Points of the optimal curve, dense at both ends, where a ROC curve is steepest and flattest."""
    alpha = np.sin(np.linspace(0, np.pi / 2, 1001)) ** 2
    beta = np.asarray(optimal(alpha), dtype=np.float64)
    # Values a rounding error outside [0, 1] are the optimal curve too.
    if beta.shape != alpha.shape or not (np.abs(beta - 0.5) <= 0.5 + 1e-9).all():
        raise ValueError(
            f"optimal must map {len(alpha)} values of alpha to as many values of beta in [0, 1], got shape "
            f"{beta.shape} with values from {beta.min()} to {beta.max()}; pass a vectorised function such as roc_star."
        )
    return alpha, np.clip(beta, 0.0, 1.0)
