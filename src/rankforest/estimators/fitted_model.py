"""The protocol of a fitted model: everything that files, exports, reports, explanations, plots and the CLI use.

An estimator inherits from `FittedModel` and registers once (`registry.register`). It must implement three methods: the
score of coded rows, its parts, and how it is rebuilt from them. All other methods have a default that means "not
available"; the caller then raises an error with a clear sentence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..data.constraints import resolve_constraints
from ..data.left_out import LeftOut
from ..data.options import TakesOptions
from ..data.parts import Parts, need
from ..data.positive_words import PositiveWords, positive_words
from ..data.schema import Schema
from ..data.summary import TrainingSummary
from ..data.training_rows import TrainingRows
from ..fitting.calibration import Calibration
from ..growing.chosen_size import ChosenSize
from ..growing.right_size import CrossValidated
from ..growing.structural import Structural
from ..program import ExportError, Program
from ..program.text import text_of
from ..scorecard.card import Scorecard
from ..scorecard.curve import TotalCurve
from ..tree.master_tree import MasterTree
from ..tree.ordinal_tree import OrdinalTree
from ..words import figure_name, number
from ._reasons import GivesReasons

__all__ = ["FittedModel", "HeldOut", "KeptRows", "OneCard", "OneTree", "Voters"]


@dataclass(frozen=True)
class HeldOut:
    """Held-out scores of the training rows (NaN if a row has none), and their AUC.

    With `blocks`, the fold that judged each row, folds go forward in time, and the AUC is the mean of the folds.
    """

    scores: np.ndarray
    auc: float
    blocks: np.ndarray | None = None

    def to_parts(self) -> dict[str, np.ndarray]:
        """The arrays, for a model file."""
        blocks = {} if self.blocks is None else {"held_out_blocks": self.blocks}
        return {"held_out_scores": self.scores, **blocks}

    @staticmethod
    def arrays_of(parts: Parts) -> tuple[np.ndarray, np.ndarray | None]:
        """Scores and blocks again, checked."""
        scores = parts.array("held_out_scores", np.float64, None)
        if "held_out_blocks" not in parts:
            return scores, None
        blocks = parts.array("held_out_blocks", np.int32, None)
        kept = not isinstance(scores, LeftOut) and not isinstance(blocks, LeftOut)
        need(not kept or len(blocks) == len(scores), "its held-out scores and their folds differ in length")
        return scores, blocks


@dataclass(frozen=True)
class KeptRows:
    """The binned training rows, and their mask among the rows given to `fit`; None means all rows."""

    rows: TrainingRows
    kept: np.ndarray | None


@dataclass(frozen=True)
class OneTree:
    """The ranking tree of a model that is a single tree, before and after pruning, and how its size was chosen."""

    tree: MasterTree
    grown: MasterTree
    pruning: ChosenSize | CrossValidated | Structural | None


@dataclass(frozen=True)
class Voters:
    """The ranking trees of a forest, and a function (labels, rows) -> whether each row is out of bag for each tree."""

    trees: Sequence[MasterTree]
    unseen: Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class OneCard:
    """The scorecard of a model that is one, and its map from totals to probabilities with the rows behind it."""

    card: Scorecard
    calibration: Calibration
    curve: TotalCurve


class FittedModel(GivesReasons, TakesOptions, ABC):
    """Interface of a fitted model.

    Attributes
    ----------
    schema_ : Schema
        Names, kinds and categories of the features.
    classes_ : array
        The labels: two, or from the lowest to the highest.
    pos_label_ : label
        The positive label; only of models of two labels.
    summary_ : TrainingSummary or None
        Summary of the training rows.
    """

    ordered: ClassVar[bool] = False  # whether the model is for ordered labels, not for two
    can_refresh: ClassVar[bool] = False  # whether it has a method `refresh` for new rows
    has_report: ClassVar[bool] = True  # whether `rankforest report` has a page for it
    command: ClassVar[str | None] = None  # its name in `rankforest fit --model`; set by `register`

    schema_: Schema
    classes_: np.ndarray
    pos_label_: Any
    summary_: TrainingSummary | None = None

    # ---- scores

    @abstractmethod
    def score_coded(self, block: np.ndarray) -> np.ndarray:
        """Score of each row of a float64 block, categories coded as in the schema; higher is better."""

    @abstractmethod
    def score_samples(self, X: Any) -> np.ndarray:
        """Score of each row of any table."""

    @abstractmethod
    def predict(self, X: Any) -> np.ndarray:
        """Label of each row."""

    def place(self, X: Any) -> tuple[np.ndarray, np.ndarray | None]:
        """Scores, and for a single tree the leaf of each row, counted from 0."""
        return self.score_samples(X), None

    def positive_probability(self, X: Any) -> np.ndarray | None:
        """Probability of `pos_label_`; None if the model has no probabilities."""
        return None

    def probability_of(self, scores: np.ndarray) -> np.ndarray | None:
        """The same for rows with these scores; None if the model has no map from scores to probabilities."""
        return None

    # ---- the fit

    @property
    def best_share(self) -> float:
        """Best share of the list that the model was fitted for; 1 is the whole list."""
        return 1.0

    def held_out_scores(self) -> HeldOut | None:
        """Out-of-bag or cross-validated scores of the training rows; None if the model has none."""
        return None

    def kept_rows(self) -> KeptRows | None:
        """The training rows, if the model still has them; model files do not store them."""
        return None

    def refresh(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None) -> Self:
        """The model refreshed on new rows; TypeError if it cannot be, as where `can_refresh` is False."""
        raise TypeError(
            f"A {type(self).__name__} cannot be refreshed; fit it again on all rows. Forests (RankingForest) and "
            "scorecards (RankScore) can."
        )

    @property
    def history(self) -> tuple[Any, ...]:
        """What was done to the model since its fit, the first one first: each in words by `str`."""
        return tuple(getattr(self, "refreshes_", ()))

    # ---- the inside

    def one_tree(self) -> OneTree | None:
        """The ranking tree, if the model is a single one; None for all other models."""
        return None

    def one_ordinal_tree(self) -> OrdinalTree | None:
        """The tree of ordered labels, if the model is a single one; None for all other models."""
        return None

    def one_card(self) -> OneCard | None:
        """The scorecard, if the model is one; None for all other models."""
        return None

    def voters(self) -> Voters | None:
        """The ranking trees, if the model is a forest or contains one; None for all other models."""
        return None

    def importance(self) -> np.ndarray | None:
        """Importance of each feature, with the sum 1; None if the cuts are not on single features."""
        return getattr(self, "feature_importances_", None)

    # ---- in words and figures

    def name_target(self, name: str | None) -> None:
        """Say what the label column is called, for the words of the positive label."""
        self._target_name = name

    @property
    def positive_words(self) -> PositiveWords:
        """What rows of the positive label are called: "default", or "target = 1" if the label alone says nothing."""
        return positive_words(getattr(self, "pos_label_", None), getattr(self, "_target_name", None))

    def constraints(self) -> list[str]:
        """The constraints that the score keeps, a sentence for each; empty if there are none."""
        check_is_fitted(self)
        found = resolve_constraints(getattr(self, "monotonic_cst", None), self.schema_)
        return [] if found is None else found.sentences(self.schema_)

    def figures(self) -> dict[str, Any]:
        """Size and quality in plain values, by keys such as "trees" and "held_out_auc"."""
        return {}

    def summary(self) -> list[tuple[str, str]]:
        """The same in words, for the head of a report."""
        named = ((figure_name(key), value) for key, value in self.figures().items())
        return [(name[:1].upper() + name[1:], number(v, 4) if isinstance(v, float) else str(v)) for name, v in named]

    @property
    def holding_out(self) -> str | None:
        """How the fit held rows out, in words; None: row by row."""
        return None if self.summary_ is None else self.summary_.held_out

    def text(self) -> str:
        """The model as text to read; by default that of its program."""
        return text_of(self.program(), self.importance())

    # ---- elsewhere

    def to_local(self) -> Any:
        """The estimator for rows in memory: itself, unless it belongs to a cluster."""
        return self

    def program(self) -> Program:
        """The model as a program, which exports print."""
        raise ExportError(
            f"There is no export of a {type(self).__name__}, which has no program; score with rankforest itself."
        )

    @abstractmethod
    def to_parts(self) -> dict[str, Any]:
        """The result of the fit as plain data, as defined in `rankforest.data.parts`."""

    @abstractmethod
    def from_parts(self, parts: Parts) -> None:
        """Set the attributes that a fit would set; parameters, schema, labels and summary are already set."""

    def restore(
        self, parts: Parts, *, schema: Schema, classes: np.ndarray, pos_label: Any, summary: TrainingSummary | None
    ) -> None:
        """Restore the fitted model from its parts."""
        self.schema_, self.classes_ = schema, classes
        if not self.ordered:
            self.pos_label_ = pos_label
            self.name_target(None)
        if summary is not None:
            self.summary_ = summary
        self.n_features_in_ = schema.n_features
        if schema.named:
            self.feature_names_in_ = np.asarray(schema.names, dtype=object)
        self.from_parts(parts)
        parts.check_all_taken()
