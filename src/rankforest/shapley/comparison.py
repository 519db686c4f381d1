"""Why one row is above another: the contribution of each feature to the difference of their scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..words import number
from .explanation import contribution_lines, in_words, plain

__all__ = ["Comparison"]


@dataclass(frozen=True, repr=False, eq=False)
class Comparison:
    """Two rows, and what each feature adds to the difference of their scores.

    Attributes
    ----------
    values : array of shape (q,)
        Shapley values of the game in which v(S) is the score of the row with the values of the first row in the
        features S, and of the second in all others. They add up to the score of the first row minus that of the second.
    feature_names : tuple of str
    data : array of shape (2, q)
        Values of the two rows.
    scores : array of shape (2,)
        Their scores.
    scale, exact
        As in `Explanation`.
    interaction_values : array of shape (q, q) or None
    words : object or None
        Of a single tree, the split that separates the rows and its rules; of a scorecard, the points of both. None if
        the model was saved for scoring only.
    """

    values: np.ndarray
    feature_names: tuple[str, ...]
    data: np.ndarray
    scores: np.ndarray
    scale: str = "score"
    exact: bool = True
    interaction_values: np.ndarray | None = None
    words: Any = None

    @property
    def difference(self) -> float:
        """Score of the first row minus that of the second."""
        return float(self.scores[0] - self.scores[1])

    @property
    def order(self) -> int:
        """1 if the first row is above, -1 if the second one is, 0 if their scores are equal."""
        return int(np.sign(self.difference))

    def to_dict(self) -> dict[str, Any]:
        """The same in plain values; the largest contribution first."""
        told = [
            {
                "feature": self.feature_names[j],
                "values": [plain(value) for value in self.data[:, j]],
                "contribution": float(self.values[j]),
            }
            for j in np.argsort(-np.abs(self.values), kind="stable")
        ]
        found = {"order": self.order, "scale": self.scale, "exact": self.exact, "scores": self.scores.tolist()}
        words = {} if self.words is None else {"words": self.words.to_dict()}
        return {**found, "contributions": told, **words}

    def __str__(self) -> str:
        one, other = (number(float(score), 5) for score in self.scores)
        if self.order == 0:
            head = f"Both rows have the {in_words(self.scale)} {one}:"
        else:
            above, below = ("first", "second") if self.order > 0 else ("second", "first")
            upper, lower = (one, other) if self.order > 0 else (other, one)
            head = f"The {above} row is above: {in_words(self.scale)} {upper}, the {below} {lower}. First minus second:"
        lines = [head, *contribution_lines(self.feature_names, self.values, [self.data[0], self.data[1]])]
        return "\n".join(lines + ([] if self.words is None else [str(self.words)]))

    __repr__ = __str__
