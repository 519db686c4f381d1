"""The fitted model of boosting: kinds of trees that share it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from .. import _core
from ..data.parts import InvalidParts, Parts, need
from ..data.storable import storable
from .rounds import Boosting
from .trees import BoostedTrees, sum_of

__all__ = ["BoostingTrial", "Member", "Team"]

_MOST_MEMBERS = 100


@storable
@dataclass(frozen=True)
class BoostingTrial:
    """Result of one kind of trees.

    Attributes
    ----------
    boosting : Boosting
    n_rounds : int
        Number of rounds with the greatest held-out AUC.
    auc : float
        AUC of all held-out rows.
    weight : float
        Its weight in the model.
    """

    boosting: Boosting
    n_rounds: int
    auc: float
    weight: float


@dataclass(frozen=True)
class Member:
    """Trees of one kind, with the centre and the factor of their margins."""

    trees: BoostedTrees
    centre: float
    factor: float

    def share(self, margin: np.ndarray) -> np.ndarray:
        """What a margin of these trees adds to that of the team."""
        return self.factor * (margin - self.centre)


@dataclass(frozen=True)
class Team:
    """Kinds that share the model; its margin is the sum of factor * (margin - centre) over the members.

    Attributes
    ----------
    members : tuple of Member
    trials : tuple of BoostingTrial
        All kinds that were tried, the first member's first.
    curve : array or None
        Mean held-out AUC of the first member after each round.
    held_out : array or None
        Margin of the team for each training row, by boosters that were not trained on it.
    fitted : array or None
        Margin of each training row where none was held out. For the fit alone: see `without_rows`.
    """

    members: tuple[Member, ...]
    trials: tuple[BoostingTrial, ...]
    curve: np.ndarray | None
    held_out: np.ndarray | None
    fitted: np.ndarray | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "trees_sum"}

    @cached_property
    def trees_sum(self) -> _core.TreeSum:
        """The trees of all members, their values multiplied by the factors."""
        factors = [member.factor / member.trees.n_boosters for member in self.members]
        return sum_of([member.trees for member in self.members], factors)

    @cached_property
    def _first_trees(self) -> np.ndarray:
        """Position of each member's first tree in this sum, and the number of all trees."""
        return np.cumsum([0, *(member.trees.n_trees for member in self.members)])

    @property
    def n_trees(self) -> int:
        """Trees of all members."""
        return int(self._first_trees[-1])

    def without_rows(self) -> Team:
        """The team without the margins that only its fit needs."""
        return replace(self, fitted=None)

    @property
    def n_rounds(self) -> int:
        """Largest number of rounds of a member."""
        return max(member.trees.n_rounds for member in self.members)

    def margin(self, X: np.ndarray, n_threads: int = 1) -> np.ndarray:
        """Margin of each row of a float64 block, categories coded as in the schema."""
        return self.start() + self.trees_sum.sum(X, 0, self.n_trees, n_threads)

    def start(self) -> float:
        """Margin before the first round."""
        return sum(m.factor * (m.trees.start - m.centre) for m in self.members)

    def to_parts(self) -> dict[str, Any]:
        """Members, trials and what was measured on held-out rows, as plain data."""
        measured = {"curve": self.curve, "held_out": self.held_out}
        return {
            "members": list(self.members),
            "trials": list(self.trials),
            **{name: array for name, array in measured.items() if array is not None},
        }

    @classmethod
    def from_parts(cls, parts: Parts) -> Team:
        """The same again, checked."""
        members, trials = parts.list_of("members", Member, _MOST_MEMBERS), parts.list_of("trials", BoostingTrial)
        need(members, "it has no boosters")
        for trial in trials:
            whole = type(trial.n_rounds) is int and 0 <= trial.n_rounds <= 1 << 40
            sound = whole and type(trial.auc) is float and type(trial.weight) is float
            need(sound and 0.0 <= trial.weight <= 1.0, "a trial cannot be read")
            try:
                trial.boosting.to_core(members[0].trees.schema.n_features, 0)
            except (ValueError, TypeError, OverflowError, AttributeError):
                raise InvalidParts("the parameters of its boosters are invalid") from None
        need(sum(trial.weight > 0.0 for trial in trials) == len(members), "its trials do not match its boosters")
        curve, held_out = (
            parts.array(name, np.float64, None) if name in parts else None for name in ("curve", "held_out")
        )
        return cls(tuple(members), tuple(trials), curve, held_out)

    def added(self, X: np.ndarray, first: int, last: int, n_threads: int = 1) -> np.ndarray:
        """What rounds first to last - 1 add to the margin; members with fewer rounds add 0."""
        parts = []
        for m, begin in zip(self.members, self._first_trees.tolist()):
            start, end = (begin + min(r, m.trees.n_rounds) * m.trees.n_boosters for r in (first, last))
            parts.append(self.trees_sum.sum(X, start, end, n_threads))
        return np.sum(parts, axis=0)

    @property
    def importance(self) -> np.ndarray:
        """Share of each feature in the gains of the cuts, averaged over the members by their weight."""
        weights = [trial.weight for trial in self.trials if trial.weight > 0]
        mean = np.average([m.trees.importance for m in self.members], axis=0, weights=weights)
        return mean / mean.sum() if mean.any() else mean
