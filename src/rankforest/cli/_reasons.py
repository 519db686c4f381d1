"""Why a row has its score, and why it is above another one: in words and as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.data_file import DataFile
from ..shapley.comparison import Comparison
from ..shapley.explanation import Explanation, shown
from ..shapley.places import Places
from ..words import area, count, number, rows, signed
from ._model import Loaded
from ._reasons_pairs import pairs_of, print_pairs
from ._rows import explained_scores, rows_at, some_rows
from ._say import print_table, say

__all__ = ["background_rows", "reasons_of_pair", "reasons_of_row"]

_LISTED = 10


@dataclass(frozen=True)
class RowReasons:
    """The contributions of the features of one row, and its way through the list.

    Attributes
    ----------
    row : int
        Counted from 1.
    score : float
        As `score_samples` returns it.
    explanation : Explanation
        Of this row.
    places : Places
        Among the other rows of the file.
    compared : str
        The rows to compare with, in words.
    of_card : bool
        Whether the words of the model, its points, have the contributions already.
    """

    row: int
    score: float
    explanation: Explanation
    places: Places
    compared: str
    of_card: bool

    def to_dict(self) -> dict[str, Any]:
        """The same in plain values."""
        told = self.explanation.to_dict()
        (of_row,) = told["rows"]
        moves = self.places.to_dict(0)
        contributions = [{**each, "places": moves["gained"][each["feature"]]} for each in of_row["contributions"]]
        return {
            "row": self.row, "score": self.score, "scale": told["scale"], told["scale"]: of_row["score"],
            "base": of_row["base"], "exact": told["exact"], "place": moves["to"], "place_of_base": moves["from"],
            "of": self.places.n_listed + 1, "contributions": contributions, **_pairs(self.explanation),
            **_words(self.explanation.words),
        }  # fmt: skip

    def print(self) -> None:
        """For people: the way from the base to the score, and the words of the model."""
        found, scale = self.explanation, self.explanation.scale
        explained, base = float(found.scores), float(found.base_values)
        apart = explained - base
        margin = f", margin {_size(explained, scale)}" if scale == "margin" else ""
        say(
            f"Row {self.row}: {_scored(self.score, scale)}{margin}, {_size(abs(apart), scale)} "
            f"{'above' if apart >= 0 else 'below'} the mean of {self.compared}; place {_place(self.places.end[0])} of "
            f"{count(self.places.n_listed + 1)}."
        )
        if not self.of_card:
            self._table(base, explained, scale)
        if found.interaction_values is not None:
            print_pairs(pairs_of(found.feature_names, found.interaction_values), scale, _added)
        if found.words is not None:
            say(str(found.words))

    def _table(self, base: float, explained: float, scale: str) -> None:
        found, place = self.explanation, float(self.places.start[0])
        order = [int(j) for j in self.places.order[0] if found.values[j] != 0.0]
        lines = [["mean", "", _size(base, scale), _place(place)]]
        for j in order[:_LISTED]:
            place -= float(self.places.values[0, j])
            lines.append([found.feature_names[j], shown(found.data[j]), _added(found.values[j], scale), _place(place)])
        rest = order[_LISTED:]
        if rest:
            added = float(found.values[rest].sum())
            lines.append([_others(len(rest)), "", _added(added, scale), _place(self.places.end[0])])
        lines.append([f"row {self.row}", "", _size(explained, scale), _place(self.places.end[0])])
        print_table(["feature", "value", scale, "place"], lines)


@dataclass(frozen=True)
class PairReasons:
    """The contributions of the features to the difference of the scores of two rows.

    Attributes
    ----------
    rows : tuple of two int
        Counted from 1.
    scores, places : arrays of shape (2,)
        Scores as `score_samples` returns them, and places in the file.
    n_listed : int
        Rows of the file.
    comparison : Comparison
    of_card : bool
        As in `RowReasons`.
    """

    rows: tuple[int, int]
    scores: np.ndarray
    places: np.ndarray
    n_listed: int
    comparison: Comparison
    of_card: bool

    def to_dict(self) -> dict[str, Any]:
        """The same in plain values."""
        told = self.comparison.to_dict()
        scale = {} if told["scale"] == "score" else {told["scale"]: told["scores"]}
        return {
            "rows": list(self.rows), "order": told["order"], "scores": self.scores, "scale": told["scale"], **scale,
            "exact": told["exact"], "places": self.places, "of": self.n_listed, "contributions": told["contributions"],
            **_pairs(self.comparison), **_words(self.comparison.words),
        }  # fmt: skip

    def print(self) -> None:
        """For people: the way from one score to the other, and the words of the model."""
        found, scale = self.comparison, self.comparison.scale
        one, other = (f"row {row}" for row in self.rows)
        at = [f"{_scored(score, scale)}, place {_place(place)}" for score, place in zip(self.scores, self.places)]
        listed = f"of {count(self.n_listed)}"
        if found.order == 0:
            say(f"R{one[1:]} and {other} are equal: {at[0]} {listed}.")
        else:
            (above, upper), (below, lower) = list(zip((one, other), at))[:: found.order]
            say(f"R{above[1:]} ({upper} {listed}) is above {below} ({lower}).")
        self._table(one, other, scale)
        if found.interaction_values is not None:
            print_pairs(pairs_of(found.feature_names, found.interaction_values), scale, _added)
        if found.words is not None and not self.of_card:
            say(_numbered(str(found.words), self.rows))

    def _table(self, one: str, other: str, scale: str) -> None:
        found = self.comparison
        order = [int(j) for j in np.argsort(-np.abs(found.values), kind="stable") if found.values[j] != 0.0]
        lines = [[other, "", "", _size(found.scores[1], scale)]]
        for j in order[:_LISTED]:
            values = [shown(value) for value in found.data[:, j]]
            lines.append([found.feature_names[j], *values, _added(found.values[j], scale)])
        rest = order[_LISTED:]
        if rest:
            lines.append([_others(len(rest)), "", "", _added(float(found.values[rest].sum()), scale)])
        lines.append([one, "", "", _size(found.scores[0], scale)])
        print_table(["feature", one, other, scale], lines)


def reasons_of_row(
    loaded: Loaded,
    data: DataFile,
    row: int,
    background: DataFile | None,
    tell: Callable[[float], None],
    *,
    interactions: bool = False,
) -> RowReasons:
    """Explain one row of a file.

    Parameters
    ----------
    loaded : Loaded
    data : DataFile
    row : int
        Counted from 1.
    background : DataFile or None
        The rows to compare with; None: those of the file, or of a scorecard its training rows.
    tell : callable
        Called with the finished share of the work.
    interactions : bool
        Whether to tell pairs of features apart.
    """
    table = rows_at(loaded, data, [row])[row]
    listed = explained_scores(loaded, data, lambda share: tell(0.5 * share))
    of_card = background is None and loaded.model.one_card() is not None
    some, compared = (None, "the training rows") if of_card else background_rows(loaded, data, listed, background)
    found = loaded.model.explain(table, some, interactions=interactions)[0]
    return RowReasons(
        row=row,
        score=float(loaded.model.score_samples(table)[0]),
        explanation=found,
        places=found.places(among=np.delete(listed, row - 1) if len(listed) > 1 else listed),
        compared=compared,
        of_card=of_card,
    )


def reasons_of_pair(
    loaded: Loaded,
    data: DataFile,
    pair: tuple[int, int],
    tell: Callable[[float], None],
    *,
    interactions: bool = False,
) -> PairReasons:
    """Compare two rows of a file."""
    from ..consensus.ranks import mid_ranks_among

    tables = rows_at(loaded, data, list(pair))
    listed = explained_scores(loaded, data, tell)
    one, other = (tables[number] for number in pair)
    return PairReasons(
        rows=pair,
        scores=np.array([float(loaded.model.score_samples(table)[0]) for table in (one, other)]),
        places=mid_ranks_among(np.sort(listed), listed[np.array(pair) - 1]),
        n_listed=len(listed),
        comparison=loaded.model.why(one, other, interactions=interactions),
        of_card=loaded.model.one_card() is not None,
    )


def background_rows(loaded: Loaded, data: DataFile, scores: np.ndarray, background: DataFile | None) -> tuple[Any, str]:
    """At most 100 rows of the file, whose scores are known, or of another one; and what they are, in words."""
    if background is not None:
        data, scores = background, explained_scores(loaded, background, lambda share: None)
    some = some_rows(loaded, data, scores)
    return some, f"{rows(some.num_rows)} of {data.path}"


# ---- words


def _pairs(found: Explanation | Comparison) -> dict[str, Any]:
    """The pairs of features, if they were asked for."""
    if found.interaction_values is None:
        return {}
    return {"interactions": pairs_of(found.feature_names, found.interaction_values)}


def _words(words: Any) -> dict[str, Any]:
    """What the model says in its own words; strata counted from 1."""
    if words is None:
        return {}
    told = words.to_dict()
    for name in ("stratum", "strata"):
        if name in told:
            told[name] = (np.asarray(told[name]) + 1).tolist()
    return {"words": told}


def _numbered(text: str, pair: tuple[int, int]) -> str:
    """The words for two rows, with their numbers."""
    for word, row in zip(("first", "second"), pair):
        text = text.replace(f"The {word} row", f"Row {row}").replace(f"the {word} row", f"row {row}")
        text = text.replace(f", the {word} ", f", row {row} ").replace(f"] {word}:", f"] row {row}:")
    return text


def _decimals(scale: str) -> int:
    return 1 if scale == "points" else 4


def _size(value: float, scale: str) -> str:
    return f"{float(value):.{_decimals(scale)}f}"


def _added(value: float, scale: str) -> str:
    return signed(float(value), _decimals(scale))


def _scored(score: float, scale: str) -> str:
    return f"{number(float(score), 6)} points" if scale == "points" else f"score {area(float(score))}"


def _place(place: float) -> str:
    return number(round(float(place), 1))


def _others(n: int) -> str:
    return f"{n} other feature{'' if n == 1 else 's'}"
