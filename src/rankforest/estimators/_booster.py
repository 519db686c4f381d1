"""Base of the boosters of trees and of thresholds, as scikit-learn estimators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs

from ..boosting.boost_team import Rounds, boost_team, most_rounds
from ..boosting.early_stopping import EarlyStopping
from ..boosting.kinds import MANY_ROWS, VERY_MANY_ROWS
from ..boosting.rounds import Boosting, held_out_folds, judging_blocks
from ..boosting.squash import squash
from ..boosting.team import BoostingTrial, Team
from ..data.constraints import CodedConstraints, Constraints, resolve_constraints
from ..data.parameters import at_least
from ..data.parts import Parts, need
from ..data.sample import Sample
from ..data.table import Table
from ..data.training_rows import blocks_on_all_rows, on_all_rows
from ..fitting.calibration import Calibration, calibrate
from ..fitting.progress import Meter
from ..metrics.within import auc_within
from ..program import Program
from ..program.calibrated import calibrated
from ..program.of_boosting import margin_of_team
from ..program.program import Squash
from ..shapley.of_trees import part_of_team
from ..shapley.score_parts import ScoreParts
from ..words import area, importance_lines
from ._ranker import Ranker
from ._table_model import Training, check_fitted
from .fitted_model import HeldOut

__all__ = ["Booster"]

_FOLDS = 5
# With fewer rows in a class, single folds are too noisy, and the rows are split into folds three times; twice if there
# are many rows of the other class.
_FEW_ROWS = 200
_MANY_OTHERS = 2_000
# On a large table each booster leaves out a tenth of the rows. With more rows, and enough of the rarer class, fewer
# boosters are averaged.
_FOLDS_OF_MANY = 10
_ENOUGH_ROWS = 50_000
_ENOUGH_OF_A_CLASS = 5_000
# Rounds if a class has a single row, so that no row can be held out for early stopping.
_BLIND_ROUNDS = 100


class Booster(Ranker):
    """Base of the boosting estimators: several boosters in parallel, with early stopping by held-out AUC."""

    parameter_parts: ClassVar = {"n_folds": EarlyStopping, "monotonic_cst": Constraints}
    _patience: ClassVar[int]  # usual number of rounds without improvement before early stopping
    _blocks: np.ndarray | None = None  # the booster that each row judges, if folds go forward in time

    def _kinds(self, n_rows: int) -> list[Boosting]:
        """The kinds to boost; with several kinds, held-out AUC chooses among them."""
        raise NotImplementedError

    def _constrained(self, n_rows: int, constraints: CodedConstraints | None) -> list[Boosting]:
        kinds = self._kinds(n_rows)
        if constraints is None:
            return kinds
        return [replace(kind, constraints=constraints) for kind in kinds if not kind.symmetric]

    # ---- fitting

    def _learn(self, training: Training) -> Self:
        sample, n_rounds = training.sample, self.n_estimators
        kinds, stopping = self._constrained(sample.n_rows, training.growth), EarlyStopping.of(self.n_folds)
        held_out = self._held_out(sample, training.seed)
        if held_out is None and stopping.n_folds is not None:
            n_rounds = min(n_rounds, _BLIND_ROUNDS)
        with Meter(most_rounds(sample, kinds, n_rounds, held_out), unit="rounds") as meter:
            tick = meter.tick

            def progress(done: int) -> None:
                while tick is not None and meter.done < done:
                    tick(0)

            rounds = Rounds(
                n_rounds, stopping.patience(self._patience), training.seed, training.n_threads,
                joins_folds=stopping.is_auto,
            )  # fmt: skip
            team = boost_team(sample, kinds, held_out, rounds, None if tick is None else progress)
        blocks = None if held_out is None else judging_blocks(held_out, sample.hold_out)
        measured = self._measured(team, training, blocks)

        # set all attributes at the end: an interrupted fit leaves the model unchanged
        self._blocks = None
        for name in ("validation_curve_", "held_out_scores_", "held_out_auc_"):
            self.__dict__.pop(name, None)
        self.team_ = team.without_rows()
        for name, value in measured.items():
            setattr(self, name, value)
        self._keep_names(training)
        return self

    def _held_out(self, sample: Sample, seed: int) -> np.ndarray | None:
        """Held-out rows of each booster; None if there are none."""
        stopping = EarlyStopping.of(self.n_folds)
        if stopping.n_folds is None:
            return None
        labels = sample.labels
        rarer, n_rows = int(np.bincount(labels).min()), len(labels)
        repeats = 1 if rarer >= _FEW_ROWS else 3 if n_rows <= _MANY_OTHERS else 2
        folds, n_boosters = stopping.n_folds, None
        if stopping.is_auto:
            folds = _FOLDS_OF_MANY if n_rows > MANY_ROWS and repeats == 1 else _FOLDS
            if n_rows > _ENOUGH_ROWS and rarer > _ENOUGH_OF_A_CLASS:
                n_boosters = 5 if n_rows <= VERY_MANY_ROWS else 3
        elif isinstance(folds, (tuple, list)):
            folds, repeats = folds
        found = held_out_folds(labels, folds, repeats, seed, sample.hold_out)
        return None if found is None else found[:n_boosters]

    def _checked(self, table: Table) -> CodedConstraints | None:
        constraints = resolve_constraints(self.monotonic_cst, table.schema)
        for kind in self._constrained(table.n_rows, constraints):
            kind.to_core(table.n_features, 0)
        at_least("n_estimators", self.n_estimators, 1)
        EarlyStopping.of(self.n_folds).check()
        return constraints

    def _measured(self, team: Team, training: Training, blocks: np.ndarray | None) -> dict[str, Any]:
        """Held-out scores, AUC and calibration; without held-out rows the calibration uses the training rows."""
        sample = training.sample
        if team.held_out is None:
            scores = squash(np.asarray(team.fitted))
            return {"_calibration": calibrate(scores, sample.labels, sample.weights)}
        scores = squash(team.held_out)
        known = ~np.isnan(scores)
        labels, weights = sample.labels[known], None if sample.weights is None else sample.weights[known]
        return {
            "validation_curve_": team.curve,
            "held_out_scores_": on_all_rows(scores, training.kept),
            "held_out_auc_": auc_within(sample.labels, scores, sample.weights, blocks),
            "_blocks": None if blocks is None else blocks_on_all_rows(blocks, training.kept),
            "_calibration": calibrate(scores[known], labels, weights),
        }

    # ---- scoring

    def _fitted(self) -> Team:
        check_fitted(self, "team_")
        return self.team_

    @property
    def trials_(self) -> tuple[BoostingTrial, ...]:
        """The kinds of trees that were tried, the greatest weight first."""
        return self._fitted().trials

    @property
    def n_iter_(self) -> int:
        """Largest number of rounds of a kind."""
        return self._fitted().n_rounds

    def margin(self, X: Any) -> np.ndarray:
        """The sum of all trees, a real number; in standard deviations if several kinds are combined."""
        table, n_threads = self._read(X), effective_n_jobs(self.n_jobs)
        return np.concatenate([self.team_.margin(block, n_threads) for block in table.blocks()])

    def score_samples(self, X: Any) -> np.ndarray:
        """Score in (0, 1), higher is better: 1/2 + m / (2 + 2|m|), with m the margin."""
        return squash(self.margin(X))

    def staged_score_samples(self, X: Any) -> Iterator[np.ndarray]:
        """The scores after 1, 2, ... rounds; the last are those of `score_samples`."""
        table, n_threads, team = self._read(X), effective_n_jobs(self.n_jobs), self.team_
        blocks = list(table.blocks())
        margins = np.full(table.n_rows, team.start())
        for r in range(team.n_rounds):
            margins = margins + np.concatenate([team.added(block, r, r + 1, n_threads) for block in blocks])
            yield squash(margins)

    def score_coded(self, block: np.ndarray) -> np.ndarray:
        """`score_samples` of a float64 block, categories coded as in the schema of the trees."""
        return squash(self._fitted().margin(block, effective_n_jobs(self.n_jobs)))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the two labels, in the order of `classes_`.

        Calibrated on the held-out scores and monotone in the score. Without folds they are calibrated on the training
        scores and are too extreme.
        """
        return super().predict_proba(X)

    def _probabilities(self) -> Calibration:
        return self._calibration

    # ---- reading

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each feature in the decrease of the loss by all cuts; the sum is 1."""
        return self._fitted().importance

    # ---- the protocol

    def held_out_scores(self) -> HeldOut | None:
        return (
            None
            if self._fitted().held_out is None
            else HeldOut(self.held_out_scores_, self.held_out_auc_, self._blocks)
        )

    def figures(self) -> dict[str, Any]:
        found = self.held_out_scores()
        return {"rounds": int(self.n_iter_), **({} if found is None else {"held_out_auc": float(found.auc)})}

    def summary(self) -> list[tuple[str, str]]:
        kept = [trial for trial in self.trials_ if trial.weight > 0]
        said = [("Kinds of trees", f"{len(kept)} of {len(self.trials_)} tried"), ("Rounds", f"{self.n_iter_}")]
        found = self.held_out_scores()
        return said if found is None else [*said, ("Held-out AUC", f"{found.auc:.4f}")]

    def text(self) -> str:
        found = self.held_out_scores()
        lines = [f"{type(self).__name__}: {self.n_iter_} rounds"]
        if found is not None:
            lines[0] += f", held-out AUC {area(found.auc)}"
        for trial in self.trials_:
            figures = f"weight {area(trial.weight, 3)}, {trial.n_rounds} rounds, AUC {area(trial.auc)}"
            lines.append(f"  {figures}: {trial.boosting}")
        return "\n".join([*lines, *importance_lines(self.schema_.names, self.feature_importances_)])

    def score_parts(self) -> ScoreParts:
        return ScoreParts("margin", (part_of_team(self._fitted()),))

    def program(self) -> Program:
        graphs, margin = margin_of_team(self._fitted())
        return calibrated(type(self).__name__, self.schema_, graphs, Squash(margin), self._calibration, self.pos_label_)

    def to_parts(self) -> dict[str, Any]:
        found = self.held_out_scores()
        return {
            **self._fitted().to_parts(),
            **({} if found is None else found.to_parts()),
            "measures": {} if found is None else {"held_out_auc_": float(found.auc)},
            "calibration": self._calibration.to_parts(),
        }

    def from_parts(self, parts: Parts) -> None:
        self.team_ = Team.from_parts(parts)
        measured = parts.numbers("measures", ("held_out_auc_",))
        need((self.team_.held_out is None) == (not measured), "its held-out AUC is missing")
        self._blocks = None
        if self.team_.held_out is not None:
            self.held_out_auc_ = measured["held_out_auc_"]
            self.held_out_scores_, self._blocks = HeldOut.arrays_of(parts)
        if self.team_.curve is not None:
            self.validation_curve_ = self.team_.curve
        self._calibration = Calibration.from_parts(parts.below("calibration"))
