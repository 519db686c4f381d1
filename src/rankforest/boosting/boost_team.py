"""Boosting of several kinds of trees, and how they share the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..data.sample import Sample
from ..metrics.local import local_auc
from ..metrics.within import auc_within
from .kinds import FINE_LEAVES, MANY_ROWS, VERY_MANY_ROWS
from .race import RACE_ROUNDS, partner, race
from .rounds import LEAST_GAIN, Boosted, Boosting, boost, has_many_categories, judging_blocks
from .table_tree import has_tables
from .team import BoostingTrial, Member, Team

__all__ = ["Rounds", "boost_team", "most_rounds"]

_PICKS = 6
# Boosters of a kind without a partner, if the folds do not cover all rows: fine kinds win where there is little noise,
# so that more boosters would hardly help; on a very large table that holds for all kinds.
_ALONE = 2
# Where the winner of the race promises a greater AUC, ten folds are joined in pairs: more boosters would hardly help.
_LITTLE_NOISE = 0.95
# Early stopping in the pool: a kind is one of several, so the last rounds matter less.
_LEAST_GAIN_IN_POOL = 1e-3

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Rounds:
    """How long, and with which threads and seed, boosters are trained."""

    n_rounds: int
    patience: int
    seed: int
    n_threads: int
    joins_folds: bool = False  # whether folds are joined in pairs if there is little noise


def most_rounds(sample: Sample, kinds: Sequence[Boosting], n_rounds: int, held_out: np.ndarray | None) -> int:
    """Largest possible number of rounds of all kinds together."""
    if held_out is None or len(kinds) == 1:
        return n_rounds
    if sample.n_rows > MANY_ROWS:
        draws = any(kind.tree_features is not None for kind in kinds)
        n_ladders = 1 + draws + has_many_categories(sample) + has_tables(sample, kinds[0].constraints)
        n_runners = len(kinds) * n_ladders
        return n_runners * min(RACE_ROUNDS, n_rounds) + min(2, len(held_out)) * n_rounds
    return len(_with_tables(sample, kinds)) * n_rounds


def boost_team(
    sample: Sample,
    kinds: Sequence[Boosting],
    held_out: np.ndarray | None,
    rounds: Rounds,
    progress: Progress | None = None,
) -> Team:
    """Boost the kinds, and combine those that together rank held-out rows best.

    Parameters
    ----------
    sample : Sample
    kinds : sequence of Boosting
        On a large table they run a race, from coarse to fine; on a small one all are boosted.
    held_out : array of shape (n_boosters, n_rows) or None
        1 for the held-out rows of a booster, 2 for those after them in time. Without held-out rows there is nothing to
        choose by, so one kind is boosted on all rows: the first of a pool, the second of a ladder; both have 16 leaves.
    rounds : Rounds
    progress : callable or None
        Called with the rounds of all kinds together, out of `most_rounds`.
    """
    if held_out is None:
        return _on_all_rows(sample, kinds, rounds, progress)
    if len(kinds) == 1:
        team = _single(sample, kinds[0], held_out, rounds, progress)
    elif sample.n_rows > MANY_ROWS:
        team = _raced(sample, kinds, held_out, rounds, progress)
    else:
        team = _pooled(sample, _with_tables(sample, kinds), held_out, rounds, progress)
    return _relearned(team, sample, rounds) if sample.hold_out.forward else team


def _relearned(team: Team, sample: Sample, rounds: Rounds) -> Team:
    """The same kinds with the same numbers of rounds, learned from all rows.

    Boosters that are judged forward in time have seen the first rows only, so they are not the model.
    """
    kinds = [trial.boosting for trial in team.trials if trial.weight > 0.0]
    members = []
    for member, kind in zip(team.members, kinds):
        n_boosters = 1 if kind.base == "threshold" else member.trees.n_boosters  # thresholds draw nothing
        none = np.zeros((n_boosters, sample.n_rows), dtype=np.uint8)
        n_rounds = member.trees.n_rounds
        found = boost(sample, kind, none, n_rounds=n_rounds, seed=rounds.seed, n_threads=rounds.n_threads)
        centre = member.centre + found.trees.start - member.trees.start
        members.append(replace(member, trees=found.trees, centre=centre))
    return replace(team, members=tuple(members))


def _boost(
    sample: Sample,
    kind: Boosting,
    held_out: np.ndarray,
    rounds: Rounds,
    progress: Progress | None,
    before: int,
    least_gain: float = LEAST_GAIN,
) -> Boosted:
    """Boost one kind; `before` are the rounds of the kinds before it."""
    return boost(
        sample, kind, held_out,
        n_rounds=rounds.n_rounds, patience=rounds.patience, least_gain=least_gain, seed=rounds.seed,
        n_threads=rounds.n_threads,
        progress=None if progress is None else lambda done: progress(before + done),
    )  # fmt: skip


def _on_all_rows(sample: Sample, kinds: Sequence[Boosting], rounds: Rounds, progress: Progress | None) -> Team:
    kind = kinds[1] if sample.n_rows > MANY_ROWS and len(kinds) > 1 else kinds[0]
    none = np.zeros((1, sample.n_rows), dtype=np.uint8)
    found = boost(
        sample, kind, none,
        n_rounds=rounds.n_rounds, seed=rounds.seed, n_threads=rounds.n_threads, progress=progress,
    )  # fmt: skip
    member = Member(found.trees, found.trees.start, 1.0)
    trial = BoostingTrial(kind, found.trees.n_rounds, np.nan, 1.0)
    return Team((member,), (trial,), None, None, member.share(np.asarray(found.fitted)))


def _single(sample: Sample, kind: Boosting, held_out: np.ndarray, rounds: Rounds, progress: Progress | None) -> Team:
    found = _boost(sample, kind, held_out, rounds, progress, 0)
    member = Member(found.trees, found.trees.start, 1.0)
    margins = member.share(np.asarray(found.held_out))
    auc = _auc(sample, margins, judging_blocks(held_out, sample.hold_out))
    trial = BoostingTrial(kind, found.trees.n_rounds, auc, 1.0)
    return Team((member,), (trial,), found.curve, margins)


# ---- large tables


def _raced(
    sample: Sample, ladder: Sequence[Boosting], held_out: np.ndarray, rounds: Rounds, progress: Progress | None
) -> Team:
    """The winner of the race and its partner share the folds: two kinds for the price of one."""
    runners = race(
        sample, ladder, held_out,
        n_rounds=rounds.n_rounds, seed=rounds.seed, n_threads=rounds.n_threads, progress=progress,
    )  # fmt: skip
    before = len(runners) * min(RACE_ROUNDS, rounds.n_rounds)
    each_once = bool((held_out.sum(axis=0) == 1).all())
    if rounds.joins_folds and each_once and len(held_out) % 2 == 0 and runners[0].promise > _LITTLE_NOISE:
        held_out = held_out[::2] | held_out[1::2]
    second = partner(runners) if len(held_out) > 1 else None
    tried = [(runner.boosters.boosting, runner.boosters.curve) for runner in runners]
    if second is not None:
        sharing = [(0, held_out[::2]), (runners.index(second), held_out[1::2])]
    else:
        leaves = tried[0][0].max_leaf_nodes
        few_will_do = sample.n_rows > VERY_MANY_ROWS or (leaves is not None and leaves >= FINE_LEAVES)
        few = few_will_do and not held_out.any(axis=0).all()
        sharing = [(0, held_out[:_ALONE] if few else held_out)]
    del runners, second  # their boosters take memory
    n_boosters = sum(len(folds) for _, folds in sharing)
    members, trials, curve, margins = [], [], None, np.full(sample.n_rows, np.nan)
    for place, folds in sharing:
        kind, _ = tried[place]
        found = _boost(sample, kind, folds, rounds, progress, before)
        before += rounds.n_rounds
        share = len(folds) / n_boosters
        members.append(Member(found.trees, found.trees.start, share))
        known = ~np.isnan(np.asarray(found.held_out))
        margins[known] = np.asarray(found.held_out)[known] - found.trees.start
        auc = _auc(sample, np.asarray(found.held_out), judging_blocks(folds, sample.hold_out))
        trials.append(BoostingTrial(kind, found.trees.n_rounds, auc, share))
        curve = found.curve if curve is None else curve
    kept = {place for place, _ in sharing}
    for place, (kind, curve_of) in enumerate(tried):
        if place not in kept:
            best = int(np.argmax(curve_of))
            trials.append(BoostingTrial(kind, best + 1, float(curve_of[best]), 0.0))
    return Team(tuple(members), tuple(trials), curve, margins)


# ---- small tables


def _with_tables(sample: Sample, pool: Sequence[Boosting]) -> list[Boosting]:
    """The pool, and its first kind with tables of categories if a category has many values."""
    first = pool[0]
    tables = first.loss == "log_loss" and has_tables(sample, first.constraints, of_one_feature=True)
    return [*pool, *([replace(first, tables=True)] if tables else [])]


def _pooled(
    sample: Sample, pool: Sequence[Boosting], held_out: np.ndarray, rounds: Rounds, progress: Progress | None
) -> Team:
    """All kinds on all folds; held-out AUC sets their weights."""
    tried = [
        _boost(sample, kind, held_out, rounds, progress, k * rounds.n_rounds, _LEAST_GAIN_IN_POOL)
        for k, kind in enumerate(pool)
    ]
    margins = [np.asarray(found.held_out) for found in tried]
    blocks = judging_blocks(held_out, sample.hold_out)
    aucs = [_auc(sample, margin, blocks) for margin in margins]
    shares = _shares(sample, margins, aucs, blocks)
    order = sorted(range(len(pool)), key=lambda k: (-shares[k], -aucs[k], k))
    members, together = [], np.zeros(sample.n_rows)
    for k in order:
        if shares[k] == 0.0:
            continue
        centre, spread = _centre_and_spread(margins[k]) if shares[k] < 1.0 else (tried[k].trees.start, 1.0)
        members.append(Member(tried[k].trees, centre, shares[k] / spread))
        together += members[-1].share(margins[k])
    trials = [BoostingTrial(pool[k], tried[k].trees.n_rounds, aucs[k], shares[k]) for k in order]
    return Team(tuple(members), tuple(trials), tried[order[0]].curve, together)


def _shares(
    sample: Sample, margins: list[np.ndarray], aucs: list[float], blocks: np.ndarray | None = None
) -> list[float]:
    """Weights by greedy selection: each step adds the kind (again) that raises the held-out AUC of the sum most."""
    standard = []
    for margin in margins:
        centre, spread = _centre_and_spread(margin)
        standard.append((margin - centre) / spread)
    picks = [int(np.argmax(aucs))]
    together = standard[picks[0]].copy()
    for _ in range(_PICKS - 1):
        found = [_auc(sample, together + each, blocks) for each in standard]
        picks.append(int(np.argmax(found)))
        together += standard[picks[-1]]
    return [picks.count(k) / len(picks) for k in range(len(margins))]


def _centre_and_spread(margins: np.ndarray) -> tuple[float, float]:
    known = margins[~np.isnan(margins)]
    spread = float(known.std())
    return float(known.mean()), spread if spread > 0.0 else 1.0


def _auc(sample: Sample, margins: np.ndarray, blocks: np.ndarray | None = None) -> float:
    if blocks is not None:
        return auc_within(sample.labels, margins, sample.weights, blocks)
    known = ~np.isnan(margins)
    weights = None if sample.weights is None else sample.weights[known]
    return local_auc(sample.labels[known], margins[known], 1.0, sample_weight=weights, pos_label=1)
