"""Files with rows that a model was fitted on: figures of them are too good, unless held-out scores are used."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ..fitting.calibration import cross_fitted
from ..judging import held_out_if_training
from ..words import area, count, figure_name
from ._drift import FileDrift
from ._known_rows import KnownRows
from ._model import Loaded
from ._scoring import Scored

__all__ = ["Recognised", "recognise", "rows_to_judge"]

_HELD_OUT = ("held_out_auc", "out_of_bag_auc", "held_out_routing_auc", "out_of_bag_c_index", "held_out_c_index")
_ENOUGH = 10  # rows of a label, for figures of fresh rows alone


@dataclass(frozen=True)
class Recognised:
    """A scored file, and what is said if it has rows of the fit.

    Attributes
    ----------
    scored : Scored
        The rows that are judged, with the held-out scores of the fit if they were in it and the model has such scores.
    source : {"given", "held-out", "fresh", "training"}
        Whether the rows are others than those of the fit; or rows of the fit with held-out scores, the rows that were
        not in the fit, or rows of the fit with in-sample scores.
    said : str or None
        A sentence about the rows of the fit.
    """

    scored: Scored
    source: str
    said: str | None = None

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {"source": self.source, **({} if self.said is None else {"said": self.said})}


def recognise(loaded: Loaded, scored: Scored, drift: FileDrift) -> Recognised:
    """Recognise the rows of the fit; `drift` has seen all rows of the file."""
    model = loaded.model
    if not model.ordered and scored.labels is not None:
        positive = np.asarray(scored.labels == model.pos_label_)
        held_out = held_out_if_training(model, positive, scored.scores, scored.weights)
        if held_out is not None:
            return _with_held_out(scored, held_out, loaded, f"{loaded.path} was fitted on these rows")
    known = drift.known_rows(scored)
    if known is not None:
        return _of_known(loaded, scored, known)
    if not drift.has_training_rows(scored):
        return Recognised(scored, "given")
    return _too_good(loaded, scored, f"{loaded.path} was fitted on these rows")


def _enough_labels(labels: np.ndarray, model: Any) -> bool:
    """Whether there are rows enough of each label for figures of their own."""
    return all(int((labels == label).sum()) >= _ENOUGH for label in model.classes_)


def _of_known(loaded: Loaded, scored: Scored, known: KnownRows) -> Recognised:
    """Never both kinds of scores in one figure: of held-out scores and of fresh rows, the more numerous ones."""
    held_out, fresh = known.held_out(loaded.model), known.fresh
    labels = scored.labels
    assert labels is not None
    n_fresh = 0 if fresh is None else int(fresh.sum())
    if fresh is not None and not _enough_labels(labels[fresh], loaded.model):
        n_fresh = 0
    if held_out is not None and _enough_labels(labels[~np.isnan(held_out)], loaded.model) and n_fresh <= known.n_known:
        return _with_held_out(scored, held_out, loaded, known.said)
    if fresh is not None and n_fresh:
        said = f"{known.said}, and are left out. All figures are of the other {count(n_fresh)}."
        return Recognised(_part(scored, fresh), "fresh", said)
    return _too_good(loaded, scored, known.said)


def rows_to_judge(loaded: Loaded, known: KnownRows, labels: np.ndarray) -> tuple[np.ndarray, str] | None:
    """The rows of a file in memory that a report judges, and what it says of them.

    Those that were not in the fit, if they are enough. All rows of the fit come in the order of the fit, in which a
    report knows them and takes their held-out scores. None for all rows as they are, if nothing needs to be said.
    """
    fresh, n_rows = known.fresh, len(labels)
    if fresh is not None and _enough_labels(labels[fresh], loaded.model):
        return np.flatnonzero(fresh), f"{known.said}, and are left out. All figures are of the others."
    if known.places is not None and known.all_known:
        order = np.argsort(known.places, kind="stable")
        whole = np.array_equal(known.places[order], np.arange(n_rows)) and known.n_of_fit == n_rows
        if whole and known.held_out(loaded.model) is not None:
            return None if (order == np.arange(n_rows)).all() else (order, f"{known.said}.")
    return np.arange(n_rows), f"{known.said}, so that the figures are too good; give other rows."


def _too_good(loaded: Loaded, scored: Scored, said: str) -> Recognised:
    figures = loaded.model.figures().items()
    known = [f"{figure_name(name)} {area(value)}" for name, value in figures if name in _HELD_OUT]
    at_fit = f" At the fit, held-out rows gave: {', '.join(known)}." if known else ""
    return Recognised(
        scored,
        "training",
        f"{said}, so that the figures are too good; give other rows, or judge the fit with rankforest fit --test or "
        f"--cv.{at_fit}",
    )


def _part(scored: Scored, rows: np.ndarray) -> Scored:
    """Some of the rows."""
    kept: dict[str, Any] = {field.name: getattr(scored, field.name) for field in fields(scored)}
    together = kept.pop("together")
    if together is not None and not rows.all():
        together = together.filter(rows.tolist())
    n_rows = len(rows)
    some = {name: value if value is None or len(value) != n_rows else value[rows] for name, value in kept.items()}
    return replace(scored, **some, together=together)


def _with_held_out(scored: Scored, held_out: np.ndarray, loaded: Loaded, said: str) -> Recognised:
    known = ~np.isnan(held_out)
    kept, own = _part(scored, known), held_out[known]
    positive = np.asarray(kept.labels == loaded.model.pos_label_)
    weights = kept.weights
    counted = np.ones(len(own), dtype=bool) if weights is None else weights > 0
    probability = np.full(len(own), np.nan)
    probability[counted] = cross_fitted(
        own[counted], positive[counted], None if weights is None else weights[counted], seed=0
    )
    summary = loaded.model.summary_
    kind = (
        "out-of-bag" if summary is not None and summary.scores and summary.scores.source == "out-of-bag" else "held-out"
    )
    n_without = int((~known).sum())
    without = f" {count(n_without)} row{'s have none and are' if n_without > 1 else ' has none and is'} left out."
    return Recognised(
        replace(kept, scores=own, cells=None, probabilities=probability if counted.all() else None),
        "held-out",
        f"{said}. All figures are of its {kind} scores, which come from models that have not seen the row."
        + (without if n_without else ""),
    )
