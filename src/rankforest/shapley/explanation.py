"""The contributions of the features to the scores of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..extras import needed
from ..words import number, rows
from .places import Places, places_of

__all__ = ["Explanation", "Words"]

_LISTED = 10


@dataclass(frozen=True)
class Words:
    """What a model says of rows in its own words: rules of a tree, points of a scorecard; made when asked for.

    Attributes
    ----------
    tell : callable
        From a coded row to an object to read.
    rows : array of shape (n, q)
    """

    tell: Callable[[np.ndarray], Any]
    rows: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, i: int) -> Any:
        return self.tell(self.rows[i])

    def __iter__(self) -> Iterator[Any]:
        return (self.tell(row) for row in self.rows)


@dataclass(frozen=True, repr=False, eq=False)
class Explanation:
    """The contribution of each feature to the score of each row, compared with background rows.

    The values of a row add up to its score minus the base value, the mean score of the background rows. They are the
    means over the background rows z of the Shapley values of the pair of rows (x, z): v(S) is the score of the row
    with the values of x in the features S, and of z in all others.

    ``explanation[3]`` is one row, ``explanation[:10]`` are ten, ``explanation[:, "age"]`` is one feature. The names of
    the attributes are those of `shap`; `to_shap` gives what ``shap.plots`` draw.

    Attributes
    ----------
    values : array of shape (n, q)
        Contributions, in the order of the features.
    base_values : array of shape (n,)
        Mean score of the background rows, the same for all rows.
    data : array of shape (n, q)
        Values of the rows: numbers, or objects where a feature has categories; missing values are NaN.
    feature_names : tuple of str
    scores : array of shape (n,)
        Score of each row on the scale.
    scale : str
        What is explained: "score" is what `score_samples` returns; "margin" (boosting, before it is mapped to (0, 1))
        and "points" (scorecards) have the same order.
    exact : bool
        Whether all values are Shapley values. If not, a part of the score is a function of a sum of trees, and its
        values are those of the sum, scaled so that they add up.
    background_scores : array of shape (m,)
        Scores of the background rows; empty if what the model keeps of its training rows was used.
    compared_with : str
        The background in words.
    interaction_values : array of shape (n, q, q) or None
        For two features half of their Shapley interaction index; the diagonal makes rows sum to `values`.
    words : sequence or None
        For each row, the path through a single tree or the points of a scorecard.
    """

    values: np.ndarray
    base_values: Any
    data: np.ndarray
    feature_names: Any
    scores: Any
    scale: str = "score"
    exact: bool = True
    background_scores: np.ndarray = field(default_factory=lambda: np.empty(0))
    compared_with: str = "the background"
    interaction_values: np.ndarray | None = None
    words: Any = None

    # ---- as an array

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, key: Any) -> Explanation:
        """Rows, or rows and features: numbers, slices, masks, names of features."""
        row_key, *others = key if isinstance(key, tuple) else (key,)
        if len(others) > 1 or len(others) + 1 > self.values.ndim:
            raise IndexError(f"An explanation of shape {self.shape} has fewer axes than {key!r}.")
        if self.values.ndim == 1:
            return self._of_row(row_key) if isinstance(self.feature_names, tuple) else self._rows(row_key)
        found = self._rows(row_key)
        return found if not others else found._features(others[0])

    def _rows(self, key: Any) -> Explanation:
        one = isinstance(key, (int, np.integer))
        words = self.words
        if isinstance(words, Words):
            words = words[int(key)] if one else Words(words.tell, words.rows[key])
        return replace(
            self, values=self.values[key], base_values=np.asarray(self.base_values)[key], data=self.data[key],
            scores=np.asarray(self.scores)[key], words=words,
            interaction_values=None if self.interaction_values is None else self.interaction_values[key],
        )  # fmt: skip

    def _of_row(self, key: Any) -> Explanation:
        return self._features(key)

    def _features(self, key: Any) -> Explanation:
        chosen = self._position(key)
        names = np.asarray(self.feature_names, dtype=object)[chosen]
        return replace(
            self, values=self.values[..., chosen], data=self.data[..., chosen], interaction_values=None, words=None,
            feature_names=tuple(names) if isinstance(names, np.ndarray) else names,
        )  # fmt: skip

    def _position(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self.feature_names:
                raise KeyError(f"There is no feature {key!r}; there are {', '.join(map(repr, self.feature_names))}.")
            return self.feature_names.index(key)
        if isinstance(key, (list, tuple)) and all(isinstance(each, str) for each in key):
            return [self._position(each) for each in key]
        return key

    # ---- summaries

    @property
    def abs(self) -> Explanation:
        """The sizes of the contributions, without their signs."""
        return replace(self, values=np.abs(self.values), interaction_values=None, words=None)

    def mean(self, axis: int = 0) -> np.ndarray:
        """Means of the values: over the rows (axis 0), one per feature."""
        return self.values.mean(axis=axis)

    def importance(self) -> dict[str, float]:
        """Mean size of the contributions of each feature, the largest first.

        Examples
        --------
        >>> from rankforest.shapley.explanation import Explanation
        >>> values = np.array([[0.1, -0.3], [-0.1, 0.1]])
        >>> Explanation(values, np.zeros(2), np.zeros((2, 2)), ("age", "debt"), values.sum(axis=1)).importance()
        {'debt': 0.2, 'age': 0.1}
        """
        if len(self.values) == 0:
            raise ValueError("There are no rows, so features have no mean size; select at least one row.")
        sizes = np.abs(np.atleast_2d(self.values)).mean(axis=0)
        return {self.feature_names[j]: float(sizes[j]) for j in np.argsort(-sizes, kind="stable")}

    def places(self, among: Any = None) -> Places:
        """How many places of the list each feature moves a row: from the place of the base value to its own.

        Features are added to the base value one after the other, the largest contribution first; each moves the row
        from the place of the score before to that of the score after. So the moves add up exactly.

        Parameters
        ----------
        among : array of scores, Explanation, or None
            The list: scores on the same scale. None is the list of the rows that are explained, each of which is
            placed among the others; for a single row, the background rows.
        """
        scores = getattr(among, "scores", among)
        own = scores is None and self.values.ndim == 2 and len(self.values) > 1
        listed = np.asarray(self.scores if own else self.background_scores if scores is None else scores)
        if listed.ndim != 1 or not len(listed):
            raise ValueError("A place needs a list of scores; give `among`.")
        values, scored = np.atleast_2d(self.values), np.atleast_1d(np.asarray(self.scores, dtype=np.float64))
        base = np.broadcast_to(np.asarray(self.base_values, dtype=np.float64), scored.shape)
        return places_of(values, base, scored, listed, self.feature_names, own=own)

    # ---- elsewhere

    def to_shap(self) -> Any:
        """The same as a ``shap.Explanation``, for ``shap.plots``."""
        shap = needed("shap", "Explanation.to_shap needs")
        names = list(self.feature_names) if isinstance(self.feature_names, tuple) else self.feature_names
        data = np.atleast_2d(self.data).copy()
        if data.dtype == object:  # shap sorts the values of a feature with categories
            for column in data.T:
                if any(isinstance(value, str) for value in column):
                    column[[plain(value) is None for value in column]] = "missing"
        data = data.reshape(np.shape(self.data))
        return shap.Explanation(values=self.values, base_values=self.base_values, data=data, feature_names=names)

    def to_dict(self) -> dict[str, Any]:
        """The same in plain values, row after row; contributions of a row by name, the largest first."""
        values, data = np.atleast_2d(self.values), np.atleast_2d(self.data)
        scores, base = np.atleast_1d(self.scores), np.broadcast_to(self.base_values, len(values))
        found = []
        for i in range(len(values)):
            order = np.argsort(-np.abs(values[i]), kind="stable")
            told = [
                {"feature": self.feature_names[j], "value": plain(data[i, j]), "contribution": float(values[i, j])}
                for j in order
            ]
            found.append({"score": float(scores[i]), "base": float(base[i]), "contributions": told})
        return {"scale": self.scale, "exact": self.exact, "rows": found}

    def __str__(self) -> str:
        if self.values.ndim == 2:
            return "\n".join([self._head(), *_columns(self.importance(), lambda size: number(size, 4))])
        if not isinstance(self.feature_names, tuple):
            return f"Contributions of {self.feature_names} to the {in_words(self.scale)} of {rows(len(self.values))}."
        apart = float(self.scores) - float(self.base_values)
        told = (
            f"The {in_words(self.scale)} is {number(float(self.scores), 5)}, {number(abs(apart), 4)} "
            f"{'above' if apart >= 0 else 'below'} the mean {number(float(self.base_values), 5)} "
            f"of {self.compared_with}:"
        )
        lines = contribution_lines(self.feature_names, self.values, [self.data])
        return "\n".join([told, *lines, *([] if self.words is None else [str(self.words)])])

    __repr__ = __str__

    def _head(self) -> str:
        how = "exact Shapley values" if self.exact else "values in the proportions of exact ones"
        base = number(float(np.mean(self.base_values)), 5)
        return (
            f"{rows(len(self.values))}, {len(self.feature_names)} features: {how} of the {in_words(self.scale)}. From "
            f"the mean {base} of {self.compared_with} they add up to that of each row. Mean size:"
        )


def contribution_lines(names: tuple[str, ...], values: np.ndarray, data: list[np.ndarray]) -> list[str]:
    """One line per feature, the largest contribution first, with its value in each row; then how many are left out."""
    order = [j for j in np.argsort(-np.abs(values), kind="stable") if values[j] != 0.0]
    cells = [(names[j], *(shown(row[j]) for row in data), with_sign(values[j])) for j in order[:_LISTED]]
    if not cells:
        return ["  no feature makes a difference"]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]
    rest = order[_LISTED:]
    return lines + ([f"  {len(rest)} other features  {with_sign(values[rest].sum())}"] if rest else [])


def in_words(scale: str) -> str:
    """The name of a scale in a sentence."""
    return "total of points" if scale == "points" else scale


def with_sign(value: float) -> str:
    """A contribution with its sign and four digits."""
    return f"{'+' if value > 0 else ''}{number(float(value), 4)}"


def shown(value: Any) -> str:
    """A value as people write it."""
    if plain(value) is None:
        return "missing"
    return number(float(value), 6) if isinstance(value, (int, float, np.number)) else str(value)


def plain(value: Any) -> Any:
    """A value of `data` in plain Python; None for missing."""
    if isinstance(value, (float, np.floating)):
        return None if np.isnan(value) else float(value)
    return value.item() if isinstance(value, np.generic) else value


def _columns(named: dict[str, float], write: Callable[[float], str]) -> list[str]:
    told = list(named.items())[:_LISTED]
    width = max(len(name) for name, _ in told)
    return [f"  {name:<{width}}  {write(size)}" for name, size in told]
