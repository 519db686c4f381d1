"""Base of all forests, whatever their trees: fitting, and what is computed from the trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.validation import check_is_fitted

from ..data.folds import Folds
from ..data.hold_out import HoldOut
from ..data.parameters import at_least
from ..data.parts import InvalidParts, Parts, need
from ..data.training_rows import TrainingRows, blocks_on_all_rows
from ..fitting.permutation import PermutationImportance, shuffled_drops
from ..fitting.progress import Meter
from ..forest.aggregation import KEMENY
from ..forest.contest import KEPT, Contest, Trial, choose_groves, first_trees, rounds_of, trees_to_choose
from ..forest.forward import N_FOLDS, forward_draw, whole_rounds
from ..forest.groves import Grove, GrowTrees, equal_shares, grow_grove
from ..forest.sampling import Draw, GroupDraw, Sampling
from ..forest.tree_instability import tree_instability
from ..shapley.out_of_bag import OutOfBagRows, SumOfTree
from ..shapley.score_parts import TrainingAverage
from ._table_model import TableModel, Training, check_fitted
from .fitted_model import KeptRows

__all__ = ["Forest"]

_MOST_GROVES = 1000
_MOST_JUDGES = 200  # trees that judge a forest forward in time


@dataclass(frozen=True)
class Grown:
    """What was grown in a fit; `judges` are trees that are not of the model, if folds go forward in time."""

    groves: list[Grove]
    draw: Draw
    trials: list[Trial]
    judges: tuple[list[Grove], Draw] | None = None


class Forest(TableModel):
    """Base of the forests: estimators whose trees are stored in groves.

    A fit sets `_groves`, `_draw`, `_rows` and `_kept`. The training rows are not stored with the model.

    A subclass defines the kinds of trees and how they are compared, how a grove is grown, how the trees' scores are
    aggregated, and how out-of-bag scores are evaluated.
    """

    _groves: list[Grove]
    _draw: Draw
    _rows: TrainingRows
    _kept: np.ndarray | None  # mask of the training rows with a weight above 0; None means all rows
    trials_: list[Trial]
    _judges: tuple[list[Grove], Draw] | None  # trees of earlier rows alone, if the forest is judged forward in time
    _blocks: np.ndarray | None = None  # the fold that each row judges, if folds go forward in time
    _not_stored: ClassVar[tuple[str, ...]] = ("_rows", "_kept", "_judges")
    _of_these_trees: ClassVar[tuple[str, ...]] = ()  # attributes that are valid for the current trees only
    _measures: ClassVar[tuple[str, ...]] = ()  # numbers that a fit may set
    _tree_class: ClassVar[type]

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name not in self._not_stored}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_groves")

    @property
    def trees_(self) -> list[Any]:
        """The trees, those of the best kind of splitting first."""
        check_fitted(self, "_groves")
        return [tree for grove in self._groves for tree in grove.trees]

    # ---- what differs between forests

    def _kinds(self, growth: Any, n_rows: int) -> list[Any]:
        """The kinds of trees to choose from, for so many rows; with a single kind nothing is chosen."""
        raise NotImplementedError

    def _usual(self, kinds: Sequence[Any], training: Training) -> Any:
        """The kind that is grown if there is no choice, or no out-of-bag rows to choose by."""
        raise NotImplementedError

    def _contest(self, sample: Any) -> Contest:
        """How the kinds are compared."""
        raise NotImplementedError

    def _grows(self, growth: Any) -> GrowTrees:
        """How trees of one kind are grown: a function that can be pickled, so that it can run anywhere."""
        raise NotImplementedError

    def _changes_pilots(self) -> bool:
        """Whether the trees of the forest are grown differently from the trees of the comparison."""
        return False

    def _measured(
        self, groves: list[Grove], draw: Draw, rows: TrainingRows | None, kept: np.ndarray | None, n_threads: int
    ) -> dict[str, Any]:
        """Attributes computed from the trees and the aggregation; without training rows no out-of-bag attributes."""
        raise NotImplementedError

    def _keep_for_storage(self) -> None:
        """Compute what a stored forest, which has no training rows, will need."""

    def _check_aggregation(self, aggregation: str) -> None:
        """Raise ValueError if the aggregation is invalid."""
        raise NotImplementedError

    def _out_of_bag_figure(self, rows: TrainingRows, n_threads: int, X: np.ndarray | None) -> float:
        """Quality of the out-of-bag order of the training rows, or of other values in their place."""
        raise NotImplementedError

    @staticmethod
    def _scores_of_trees(trees: Sequence[Any], X: np.ndarray, n_threads: int) -> np.ndarray:
        """Score of every row (first axis) by every tree (second)."""
        raise NotImplementedError

    # ---- fitting

    def _learn(self, training: Training) -> Self:
        sample, n_threads = training.sample, training.n_threads
        grown = self._grown_forward(training) if sample.hold_out.forward else self._grown(training)
        rows = sample.training_rows()
        judges = grown.judges or (grown.groves, grown.draw)
        measured = self._measured(*judges, rows, training.kept, n_threads)
        blocks = judges[1].blocks

        # set all attributes at the end: an interrupted fit leaves the model unchanged
        self._groves, self._draw, self.trials_ = grown.groves, grown.draw, grown.trials
        self._rows, self._kept, self._judges = rows, training.kept, grown.judges
        self._blocks = None if blocks is None else blocks_on_all_rows(blocks, training.kept)
        self._forget()
        self._keep(measured)
        self._keep_for_storage()
        self._keep_names(training)
        return self

    def _grown(self, training: Training) -> Grown:
        """Trees on draws of all rows, judged by their own out-of-bag rows."""
        n_trees, sample, n_threads = self.n_estimators, training.sample, training.n_threads
        groves, draw, trials = self._start(training)
        n_before = self._check_only_grows(n_trees, groves)
        kinds = [] if groves else self._kinds(training.growth, sample.n_rows)
        tries = len(kinds) > 1 and draw.leaves_rows_out
        n_first = first_trees(n_trees, sample.n_rows)
        rounds = rounds_of(n_first, sample.n_rows)
        n_tried = trees_to_choose(len(kinds), rounds) if tries else 0
        if tries and not self._changes_pilots():  # this many trees of the comparison stay
            n_before = sum(min(3 * n_first, share) for share in equal_shares(n_trees, KEPT))
        with Meter(n_tried + n_trees - n_before) as meter:
            if tries:
                groves, trials = choose_groves(
                    kinds, sample, draw, self._contest(sample),
                    rounds=rounds, n_threads=n_threads, progress=meter.tick,
                )  # fmt: skip
                if self._changes_pilots():
                    groves = [replace(grove, trees=()) for grove in groves]
            elif not groves:
                groves = [Grove(self._usual(kinds, training), 0)]
            shares = equal_shares(n_trees, len(groves))
            groves = [replace(grove, trees=grove.trees[:share]) for grove, share in zip(groves, shares)]
            meter.total = meter.done + n_trees - sum(len(grove.trees) for grove in groves)
            groves = self._extended(groves, n_trees, training, draw, meter)
        return Grown(groves, draw, trials)

    def _grown_forward(self, training: Training) -> Grown:
        """Trees on draws of all rows, and others of the same kinds on earlier rows, which are judged by later ones."""
        n_trees, sample = self.n_estimators, training.sample
        sampling = Sampling.of(self.sampling)
        draw = sampling.draw(sample.labels, training.seed)
        folds = self._forward_folds(sample.hold_out, sample.labels)
        judging = forward_draw(sampling, folds, sample.hold_out.groups, training.seed)
        kinds = self._kinds(training.growth, sample.n_rows)
        trials: list[Trial] = []
        n_first = whole_rounds(first_trees(n_trees, sample.n_rows), folds, of=2)
        n_judges = whole_rounds(min(n_trees, _MOST_JUDGES), folds) if sampling.oob else 0
        rounds = rounds_of(n_first, 0)  # two rounds: their batches are whole rounds of the folds
        n_tried = trees_to_choose(len(kinds), rounds) if len(kinds) > 1 else 0
        with Meter(n_tried + n_judges + n_trees) as meter:
            if len(kinds) > 1:
                judges, trials = choose_groves(
                    kinds, sample, judging, self._contest(sample),
                    rounds=rounds, n_threads=training.n_threads, progress=meter.tick,
                )  # fmt: skip
            else:
                judges = [Grove(self._usual(kinds, training), 0)]
            meter.total = meter.done + n_trees + max(0, n_judges - sum(len(grove.trees) for grove in judges))
            groves = [replace(grove, trees=()) for grove in judges]
            judges = self._extended(judges, n_judges, training, judging, meter)
            groves = self._extended(groves, n_trees, training, draw, meter)
        return Grown(groves, draw, trials, (judges, judging))

    def _extended(
        self, groves: Sequence[Grove], n_trees: int, training: Training, draw: Draw, meter: Meter
    ) -> list[Grove]:
        """The groves with so many trees together, in equal shares; those that have more keep them."""
        shares = equal_shares(n_trees, len(groves))
        return [
            grow_grove(
                grove, share - len(grove.trees), training.sample, draw, self._grows(grove.growth),
                n_threads=training.n_threads, progress=meter.tick,
            )
            for grove, share in zip(groves, shares)
        ]  # fmt: skip

    def _judged_by(self) -> tuple[list[Grove], Draw]:
        """Trees whose out-of-bag rows judge the forest, and their draw: its own, or those of earlier rows alone."""
        self._drawing()
        return getattr(self, "_judges", None) or (self._groves, self._draw)

    def _forward_folds(self, hold_out: HoldOut, codes: np.ndarray) -> Folds:
        """At most five folds forward in time; ValueError if there is none."""
        found = hold_out.folds_at_most(codes, N_FOLDS, 0)
        assert found is not None, "checked before any work"
        return found

    def _check_hold_out(self, hold_out: HoldOut, codes: np.ndarray) -> None:
        Sampling.of(self.sampling).check_hold_out(hold_out)
        super()._check_hold_out(hold_out, codes)
        if not hold_out.forward:
            return
        if self.warm_start:
            raise ValueError("warm_start adds no trees to a forest that is judged forward in time; set it to False.")
        if self.aggregation in KEMENY:
            raise ValueError(
                f"aggregation is {self.aggregation!r}, a median ranking of the training rows, which cannot be judged "
                "forward in time; set it to 'auto', or leave time out."
            )
        if self._changes_pilots():
            raise ValueError("Trees that are pruned are not judged forward in time; set pruning to None.")
        self._forward_folds(hold_out, codes)

    def _start(self, training: Training) -> tuple[list[Grove], Draw, list[Trial]]:
        """State before the first tree: empty, or, with `warm_start`, the trees of the last fit."""
        if self.warm_start and hasattr(self, "_groves"):
            if any(grove.earlier for grove in self._groves):
                raise ValueError("warm_start cannot add trees to a refreshed forest; set it to False to start anew.")
            if not self._same_data(training.sample):
                raise ValueError("warm_start adds trees to a forest of the same data; set it to False to start anew.")
            return self._groves, self._draw, self.trials_
        sample = training.sample
        return [], Sampling.of(self.sampling).draw(sample.labels, training.seed, sample.hold_out), []

    def _same_data(self, sample: Any) -> bool:
        groups = Sampling.of(self.sampling).draw(sample.labels, 0, sample.hold_out).groups
        same_groups = np.array_equal(groups, self._draw.groups)  # type: ignore[arg-type]
        same_features = bool(sample.table.schema == self.trees_[0].schema)
        return same_features and same_groups and self._rows_kept().same_as(sample.training_rows())

    def _check_only_grows(self, n_trees: int, groves: list[Grove]) -> int:
        """Number of trees before the fit; `warm_start` keeps them."""
        grown = sum(len(grove.trees) for grove in groves)
        if grown > n_trees:
            raise ValueError(
                f"n_estimators is {n_trees}, and the forest has {grown} trees already; with warm_start it can only "
                "grow."
            )
        return grown

    def set_aggregation(self, aggregation: str) -> Self:
        """Change the aggregation without fitting again."""
        self._check_aggregation(aggregation)
        self.aggregation = aggregation
        if not hasattr(self, "_groves"):
            return self
        rows, n_threads = getattr(self, "_rows", None), effective_n_jobs(self.n_jobs)
        groves, draw = getattr(self, "_judges", None) or (self._groves, self._draw)
        self._keep(self._measured(groves, draw, rows, getattr(self, "_kept", None), n_threads))
        if rows is not None:
            self._keep_for_storage()
            self._keep_summary(self.summary_)
        elif self.summary_ is not None:  # the stored training scores belong to the old aggregation
            self.summary_ = self.summary_.with_scores(None)
        return self

    def _rows_kept(self) -> TrainingRows:
        check_is_fitted(self, "_groves")
        if not hasattr(self, "_rows"):
            raise AttributeError(
                "This needs the training rows, which a stored forest does not carry along; ask before it is stored, or "
                "fit again."
            )
        return self._rows

    def _drawing(self) -> Draw:
        check_is_fitted(self, "_groves")
        if not self._draw.leaves_rows_out and getattr(self, "_judges", None) is None:
            raise ValueError('Every tree has seen every row, so nothing is out of bag; set sampling to "auto".')
        return self._draw

    def _keep(self, measured: dict[str, Any]) -> None:
        for name, value in measured.items():
            setattr(self, name, value)

    def _forget(self) -> None:
        """Drop attributes that were computed from other trees."""
        for name in self._of_these_trees:
            self.__dict__.pop(name, None)

    # ---- reading

    def oob_permutation_importance(self, *, n_repeats: int = 3, random_state: int = 0) -> PermutationImportance:
        """Mean drop of the out-of-bag AUC, or C-index, when the values of a feature are shuffled."""
        self._drawing()
        rows, n_threads = self._rows_kept(), effective_n_jobs(self.n_jobs)
        names, repeats = self.trees_[0].schema.names, at_least("n_repeats", n_repeats, 1)
        return shuffled_drops(
            lambda X: self._out_of_bag_figure(rows, n_threads, X), rows, names, n_repeats=repeats, seed=random_state
        )

    @property
    def instability_(self) -> float:
        """Mean Kendall distance between the rankings of two trees, on at most 2000 training rows."""
        if not hasattr(self, "_instability"):
            self._instability = tree_instability(
                self.trees_, self._rows_kept(),
                seed=self._draw.seed, n_threads=effective_n_jobs(self.n_jobs), scores_of=self._scores_of_trees,
            )  # fmt: skip
        return self._instability

    # ---- the protocol

    def out_of_bag_background(self) -> TrainingAverage:
        check_is_fitted(self, "_groves")
        if not self._draw.leaves_rows_out:
            raise ValueError("background is 'oob', and every tree has seen every row; give rows to compare with.")
        return OutOfBagRows(self._groves, self._draw, self._rows_kept(), self._sum_of_tree())

    def _sum_of_tree(self) -> SumOfTree:
        """From a tree to its score, whose mean over the trees is the score; ValueError if it is no such mean."""
        raise NotImplementedError

    def kept_rows(self) -> KeptRows | None:
        return KeptRows(self._rows, self._kept) if hasattr(self, "_rows") else None

    def to_parts(self) -> dict[str, Any]:
        check_is_fitted(self, "_groves")
        return {
            "trees": self.trees_,
            "groves": [_grove_parts(grove) for grove in self._groves],
            "draw": self._draw.without_groups,
            **({} if self._draw.groups is None else {"drawn_groups": self._draw.groups}),
            **({} if self._blocks is None else {"held_out_blocks": self._blocks}),
            "trials": list(self.trials_),
            "measures": {name: float(getattr(self, name)) for name in self._measures if hasattr(self, name)},
        }

    def from_parts(self, parts: Parts) -> None:
        trees: list[Any] = parts.list_of("trees", self._tree_class)
        need(trees, "it has no tree")
        self._groves, begin = [], 0
        for grove in parts.each("groves", _MOST_GROVES):
            growth, end = grove["growth"], begin + grove.whole("n_trees", 0, len(trees) - begin)
            try:
                self._check_growth(growth)
            except (ValueError, TypeError, OverflowError, AttributeError):
                raise InvalidParts("the parameters of its trees are invalid") from None
            earlier = "earlier" in grove and grove["earlier"]
            need(type(earlier) is bool, "it is not known when its trees were grown")
            number = grove.whole("number", 0, _MOST_GROVES)
            self._groves.append(Grove(growth, number, tuple(trees[begin:end]), earlier))
            begin = end
        need(begin == len(trees), "some of its trees are in no grove")
        self._draw = parts.object("draw", Draw)
        self._draw.check()
        if "drawn_groups" in parts:
            self._draw = GroupDraw.of(self._draw, parts.array("drawn_groups", np.int32, None))
        self._blocks = parts.array("held_out_blocks", np.int32, None) if "held_out_blocks" in parts else None
        self.trials_ = parts.list_of("trials", Trial)
        self._keep(parts.numbers("measures", self._measures))

    def _check_growth(self, growth: Any) -> None:
        """Raise ValueError if the parameters of the trees are invalid."""
        raise NotImplementedError


def _grove_parts(grove: Grove) -> dict[str, Any]:
    earlier = {"earlier": True} if grove.earlier else {}
    return {"growth": grove.growth, "number": grove.number, "n_trees": len(grove.trees), **earlier}
