"""Display of a scorecard: the points of every feature as steps, with their uncertainty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rankforest.estimators.fitted_model import FittedModel
from rankforest.plots._figure import GREY, INK, pyplot
from rankforest.scorecard.card import PairSteps, Scorecard, Steps
from rankforest.scorecard.words import step_words, term_name
from rankforest.words import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ShapesDisplay", "card_of"]

_BLUE = "#2b5c8a"
_COLUMNS = 3
_LETTERS = 20  # of a category on the axis
_LETTER = 0.023  # width of a digit, as a share of the axis


def card_of(estimator: Any) -> Scorecard:
    """The card of a fitted scorecard; raises TypeError for another model.

    Examples
    --------
    >>> card_of(3)
    Traceback (most recent call last):
    TypeError: A int has no scorecard; give a fitted RankScore.
    """
    one = estimator.one_card() if isinstance(estimator, FittedModel) else None
    if one is None:
        raise TypeError(f"A {type(estimator).__name__} has no scorecard; give a fitted RankScore.")
    return one.card


class ShapesDisplay:
    """Points of every feature of a scorecard, the widest first; bands are two standard errors wide on either side.

    Parameters
    ----------
    card : Scorecard

    Attributes
    ----------
    card : Scorecard
    axes_ : array of matplotlib axes
    figure_ : matplotlib figure
        Where :meth:`plot` drew last.
    """

    axes_: np.ndarray
    figure_: Figure

    def __init__(self, card: Scorecard) -> None:
        self.card = card

    @classmethod
    def from_estimator(cls, estimator: Any) -> Self:
        """Of a fitted scorecard."""
        return cls(card_of(estimator))

    def plot(self, *, max_features: int | None = None) -> Self:
        """Draw all shapes on a new figure.

        Parameters
        ----------
        max_features : int or None
            Most shapes to draw.
        """
        terms = sorted(self.card.terms, key=lambda term: -np.ptp(term.table))[:max_features]
        if not terms:
            raise ValueError("The card has no features with points; there is nothing to draw.")
        rows = -(-len(terms) // _COLUMNS)
        figure, axes = pyplot().subplots(
            rows, min(_COLUMNS, len(terms)), figsize=(3.6 * min(_COLUMNS, len(terms)), 2.7 * rows), squeeze=False,
            layout="constrained",
        )  # fmt: skip
        single = [term for term in terms if isinstance(term, Steps)]
        low = min((float((s.table - 2 * s.spread).min()) for s in single), default=0.0)
        high = max((float((s.table + 2 * s.spread).max()) for s in single), default=1.0)
        spare = 0.08 * (high - low or 1.0)
        for term, ax in zip(terms, axes.flat):
            if isinstance(term, PairSteps):
                self._draw_pair(ax, term)
            else:
                self._draw_steps(ax, term)
                ax.set_ylim(low - spare, high + spare)
        for ax in axes.flat[len(terms) :]:
            ax.set_visible(False)
        self.axes_, self.figure_ = axes, figure
        return self

    def _draw_steps(self, ax: Axes, steps: Steps) -> None:
        ax.set_title(term_name(self.card.schema, steps), fontsize=10, loc="left", color=INK)
        edges = self._draw_numbers(ax, steps) if steps.edges is not None else self._draw_categories(ax, steps)
        if steps.mass[-1].sum() > 0:  # missing values beside the shape
            width = edges[-1] - edges[0]
            left, right = edges[-1] + 0.06 * width, edges[-1] + 0.16 * width
            self._draw_step(ax, left, right, steps.missing, steps.spread[-1])
            ax.axvline(edges[-1] + 0.03 * width, color="0.85", linewidth=0.8)
            told = [*(label.get_text() for label in ax.get_xticklabels()), "missing"]
            ax.set_xticks([*ax.get_xticks(), (left + right) / 2], labels=told)
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set_color(GREY)
        ax.tick_params(color=GREY, labelsize=8)
        ax.grid(axis="y", color="0.92", linewidth=0.8)
        ax.set_axisbelow(True)
        ax.set_ylabel("points", fontsize=8)

    def _draw_step(self, ax: Axes, left: float, right: float, points: float, error: float) -> None:
        ax.fill_between([left, right], points - 2 * error, points + 2 * error, color=_BLUE, alpha=0.18, linewidth=0)
        ax.plot([left, right], [points, points], color=_BLUE, linewidth=2.2, solid_capstyle="butt")

    def _draw_numbers(self, ax: Axes, steps: Steps) -> np.ndarray:
        assert steps.edges is not None, "a step needs edges"
        inner = steps.edges
        # the outer steps have no end; a typical width will do
        width = (
            float(np.median(np.diff(inner))) if len(inner) > 1 else float(abs(inner[0])) or 1.0 if len(inner) else 1.0
        )
        outer = (inner[0] - width, inner[-1] + width) if len(inner) else (0.0, 1.0)
        edges = np.concatenate([[outer[0]], inner, [outer[1]]])
        # steps of very different width are drawn equally wide, with their edges named
        even = len(inner) > 1 and float(np.diff(inner).max()) > 12 * float(np.diff(inner).min())
        places = np.arange(len(edges), dtype=np.float64) if even else edges
        for k, points in enumerate(steps.points):
            self._draw_step(ax, places[k], places[k + 1], points, steps.spread[k])
            if k:
                ax.plot([places[k]] * 2, steps.points[k - 1 : k + 1], color=_BLUE, linewidth=1.0, alpha=0.6)
        ax.set_xticks(places[1:-1], labels=[number(edge, 6) for edge in inner], fontsize=8)
        told = np.array([len(number(edge, 6)) for edge in inner])
        room = np.diff(places[1:-1]) / (places[-1] - places[0])
        if (room < _LETTER * (told[1:] + told[:-1]) / 2 + 0.01).any():
            ax.tick_params(axis="x", rotation=45)
        return places

    def _draw_categories(self, ax: Axes, steps: Steps) -> np.ndarray:
        words = step_words(self.card.schema.features[steps.feature], steps, most=2)[:-1]
        for k, points in enumerate(steps.points):
            self._draw_step(ax, k - 0.4, k + 0.4, points, steps.spread[k])
        told = [word if len(word) <= _LETTERS else f"{word[: _LETTERS - 1]}…" for word in words]
        ax.set_xticks(np.arange(len(told)), labels=told, fontsize=7.5, rotation=30, ha="right")
        return np.array([-0.5, len(told) - 0.5])

    def _draw_pair(self, ax: Axes, pair: PairSteps) -> None:
        words = [step_words(self.card.schema.features[axis.feature], axis, most=1) for axis in pair.axes]
        reach = float(np.abs(pair.points).max()) or 1.0
        ax.imshow(pair.points, cmap="RdBu", vmin=-reach, vmax=reach, aspect="auto", alpha=0.55)
        for (i, j), points in np.ndenumerate(pair.points):
            ax.text(j, i, number(points, 3), ha="center", va="center", fontsize=7.5)
        ax.set_yticks(np.arange(len(words[0])), labels=words[0], fontsize=7)
        ax.set_xticks(np.arange(len(words[1])), labels=words[1], fontsize=7, rotation=30, ha="right")
        ax.set_title(term_name(self.card.schema, pair), fontsize=10, loc="left", color=INK)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
