"""Figures of a fitted model: of the rows that were held out, or of another file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..data.data_file import DataFile, DataFileError
from ..data.errors import listed
from ..data.many_files import open_files
from ..judging import FoldScores
from ..metrics import JudgedFold, concordance_index, roc_auc
from ..words import rows
from ._drift import FileDrift
from ._errors import note
from ._judge import Judging, figures_of, how_judged, judged_figures
from ._model import Loaded
from ._recognised import recognise
from ._say import bar
from ._scoring import check_file, read_scored
from ._tell_fit import Outcome
from ._training import Choice

__all__ = ["judge_file", "judge_held_out", "test_rows"]


def test_rows(path: str, layout: Any, choice: Choice, columns: Sequence[str]) -> DataFile:
    """The opened file of --test-file, which must have the columns of the training file."""
    file = open_files(path, layout)
    absent = [name for name in columns if name not in choice.ignored and name not in file.names]
    if absent:
        several = "columns" if len(absent) > 1 else "column"
        raise DataFileError(f"{file.path}, the file of --test-file, has no {several} {listed(absent)}; add it.")
    return file


def judge_held_out(outcome: Outcome, found: list[FoldScores], judging: Judging, top: float | None) -> None:
    """Add the figures of the held-out rows."""
    model, training = outcome.estimator, outcome.training
    with bar("Drawing intervals"):
        outcome.judged = judged_figures(found, training, model, top)
    outcome.how = how_judged(judging, training, outcome.choice, outcome.judged.n_rows)
    if judging.cv is not None:
        outcome.of_folds = [_order(training, each, model) for each in found]


def _order(training: Any, found: FoldScores, model: Any) -> float:
    labels = training.labels[found.rows]
    weights = None if training.weights is None else training.weights[found.rows]
    if model.ordered:
        return concordance_index(labels, found.scores, order=model.classes_, sample_weight=weights)
    return roc_auc(labels, found.scores, pos_label=model.pos_label_, sample_weight=weights)


def judge_file(outcome: Outcome, file: DataFile, notes: Mapping[str, Any], top: float | None, *, quiet: bool) -> None:
    """Add the figures of the rows of another file."""
    loaded = Loaded(outcome.estimator, dict(notes), outcome.output)
    choice = outcome.choice
    check_file(loaded, file)
    drift = FileDrift(loaded)
    with bar("Scoring", quiet=quiet) as tell:
        scored = read_scored(
            loaded, file, target=choice.target, weight=choice.weight, group=choice.group, tell=tell, watch=drift.see
        )
    known = recognise(loaded, scored, drift)
    if known.said is not None:
        note(known.said)
    scored = known.scored
    fold = JudgedFold(scored.labels, scored.scores, scored.predicted, scored.weights, scored.together)
    outcome.judged = figures_of([fold], outcome.estimator, top)
    outcome.how = f"{rows(scored.n_rows)} of {file.path}"
    outcome.on_all_rows = False
