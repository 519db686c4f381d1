"""Choice of the kinds of trees to boost: several kinds are tried, and their held-out AUC sets their weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from .. import _core
from ..data.parts import InvalidParts, Parts, need
from ..data.sample import Sample
from ..data.storable import storable
from ..metrics.local import local_auc
from .rounds import Boosted, Boosting, boost, held_out_folds
from .trees import BoostedTrees, sum_of

__all__ = ["AUTO", "CANDIDATES", "BoostingTrial", "Member", "Team", "boost_team", "candidates", "most_rounds"]

AUTO = "auto"

# Kinds to try for parameters that are "auto": from smooth to fine, with both losses, with best and with random cuts.
_NAMES = ("loss", "max_leaf_nodes", "max_features", "cuts", "min_samples_leaf", "l2")
CANDIDATES: tuple[dict[str, Any], ...] = tuple(
    dict(zip(_NAMES, kind))
    for kind in (
        ("log_loss", 16, "sqrt", "best", 5, 1.0),
        ("log_loss", 4, "sqrt", "best", 5, 1.0),
        ("exponential", 16, "sqrt", "best", 3, 1.0),
        ("exponential", 8, 0.5, "random", 2, 1.0),
        ("log_loss", 64, 0.5, "random", 1, 0.1),
    )
)

# With more rows than this, kinds are compared on one fold, and only the kinds that are kept use the other folds.
PILOT_ROWS = 20_000
_PICKS = 6
_MOST_MEMBERS = 100

Progress = Callable[[int], None]


def candidates(given: dict[str, Any], fixed: dict[str, Any]) -> list[Boosting]:
    """The kinds to try; a parameter that is not "auto" has the given value in all of them."""
    kinds = []
    for candidate in CANDIDATES:
        kind = candidate | {name: value for name, value in given.items() if not _is_auto(value)}
        boosting = Boosting(**kind, **fixed)
        if boosting not in kinds:
            kinds.append(boosting)
    return kinds


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == AUTO


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
        return {name: value for name, value in self.__dict__.items() if name != "_sum"}

    @cached_property
    def _sum(self) -> _core.TreeSum:
        """The trees of all members, their values multiplied by the factors."""
        factors = [member.factor / member.trees.n_boosters for member in self.members]
        return sum_of([member.trees for member in self.members], factors)

    @cached_property
    def _first_trees(self) -> np.ndarray:
        """Position of each member's first tree in this sum, and the number of all trees."""
        return np.cumsum([0, *(member.trees.n_trees for member in self.members)])

    def without_rows(self) -> Team:
        """The team without the margins that only its fit needs."""
        return replace(self, fitted=None)

    @property
    def n_rounds(self) -> int:
        """Largest number of rounds of a member."""
        return max(member.trees.n_rounds for member in self.members)

    def margin(self, X: np.ndarray, n_threads: int = 1) -> np.ndarray:
        """Margin of each row of a float64 block, categories coded as in the schema."""
        return self.start() + self._sum.sum(X, 0, int(self._first_trees[-1]), n_threads)

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
            parts.append(self._sum.sum(X, start, end, n_threads))
        return np.sum(parts, axis=0)

    @property
    def importance(self) -> np.ndarray:
        """Share of each feature in the gains of the cuts, averaged over the members by their weight."""
        weights = [trial.weight for trial in self.trials if trial.weight > 0]
        mean = np.average([m.trees.importance for m in self.members], axis=0, weights=weights)
        return mean / mean.sum() if mean.any() else mean


def needs_pilots(sample: Sample, kinds: list[Boosting]) -> bool:
    """Whether the kinds are compared on one fold only."""
    return sample.n_rows > PILOT_ROWS and len(kinds) > 1


def most_rounds(sample: Sample, kinds: list[Boosting], n_rounds: int, n_folds: int | None) -> int:
    """Largest possible number of rounds of all kinds together."""
    n_runs = 1 if n_folds is None else len(kinds) * (2 if needs_pilots(sample, kinds) else 1)
    return n_runs * n_rounds


def boost_team(
    sample: Sample,
    kinds: list[Boosting],
    *,
    n_rounds: int,
    n_folds: int | None,
    n_repeats: int,
    patience: int,
    seed: int,
    n_threads: int,
    progress: Progress | None = None,
) -> Team:
    """Boost every kind, and combine the kinds that together have the greatest held-out AUC.

    Without folds there are no held-out rows to choose by, so the first kind is boosted on all rows. `progress` is
    called with the rounds of all kinds together, out of `most_rounds`; if a kind stops early, the count jumps to its
    last round.
    """

    before = 0  # largest possible number of rounds of the kinds so far

    def run(kind: Boosting, held_out: np.ndarray) -> Boosted:
        nonlocal before
        found = boost(
            sample, kind, held_out,
            n_rounds=n_rounds, patience=patience if n_folds is not None else 0, seed=seed, n_threads=n_threads,
            progress=None if progress is None else lambda done: progress(before + done),
        )  # fmt: skip
        before += n_rounds
        return found

    if n_folds is None:
        found = run(kinds[0], np.zeros((1, sample.n_rows), dtype=np.uint8))
        trial = BoostingTrial(kinds[0], found.trees.n_rounds, np.nan, 1.0)
        member = Member(found.trees, found.trees.start, 1.0)
        return Team((member,), (trial,), None, None, member.share(np.asarray(found.fitted)))
    folds = held_out_folds(sample.labels, n_folds, n_repeats, seed)
    pilot = needs_pilots(sample, kinds)
    tried = [run(kind, folds[:1] if pilot else folds) for kind in kinds]
    aucs = [_auc(sample, found.held_out) for found in tried]
    shares = _shares(sample, [found.held_out for found in tried], aucs)
    order = sorted(range(len(kinds)), key=lambda k: (-shares[k], -aucs[k], k))
    members, held_out = [], np.zeros(sample.n_rows)
    curve = None
    for k in order:
        if shares[k] == 0.0:
            continue
        found = run(kinds[k], folds) if pilot else tried[k]
        centre, spread = _centre_and_spread(found.held_out) if sum(map(bool, shares)) > 1 else (found.trees.start, 1.0)
        members.append(Member(found.trees, centre, shares[k] / spread))
        held_out += shares[k] / spread * (np.asarray(found.held_out) - centre)
        curve = found.curve if curve is None else curve
        tried[k] = found
    trials = [BoostingTrial(kinds[k], tried[k].trees.n_rounds, aucs[k], shares[k]) for k in order]
    return Team(tuple(members), tuple(trials), curve, held_out)


def _centre_and_spread(margins: np.ndarray | None) -> tuple[float, float]:
    known = np.asarray(margins)[~np.isnan(np.asarray(margins))]
    spread = float(known.std())
    return float(known.mean()), spread if spread > 0.0 else 1.0


def _auc(sample: Sample, margins: np.ndarray | None) -> float:
    known = ~np.isnan(np.asarray(margins))
    weights = None if sample.weights is None else sample.weights[known]
    return local_auc(sample.labels[known], np.asarray(margins)[known], 1.0, sample_weight=weights, pos_label=1)


def _shares(sample: Sample, margins: list[np.ndarray | None], aucs: list[float]) -> list[float]:
    """Weights by greedy selection: each step adds the kind (again) that raises the held-out AUC of the sum most."""
    standard = []
    for margin in margins:
        centre, spread = _centre_and_spread(margin)
        standard.append((np.asarray(margin) - centre) / spread)
    picks = [int(np.argmax(aucs))]
    together = standard[picks[0]].copy()
    for _ in range(_PICKS - 1 if len(margins) > 1 else 0):
        found = [_auc(sample, together + each) for each in standard]
        picks.append(int(np.argmax(found)))
        together += standard[picks[-1]]
    return [picks.count(k) / len(picks) for k in range(len(margins))]
