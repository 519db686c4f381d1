"""Files with the rows that a model was fitted on: figures of them are too good, unless held-out scores are used."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..fitting.calibration import cross_fitted
from ..judging import held_out_if_training
from ..words import area, figure_name
from ._drift import FileDrift
from ._model import Loaded
from ._scoring import Scored

__all__ = ["Recognised", "recognise"]

_HELD_OUT = ("held_out_auc", "out_of_bag_auc", "held_out_routing_auc", "out_of_bag_c_index", "held_out_c_index")


@dataclass(frozen=True)
class Recognised:
    """A scored file, and what is said if it has the training rows.

    Attributes
    ----------
    scored : Scored
        With the held-out scores of the fit, if these are the training rows and the model has such scores.
    source : {"given", "held-out", "training"}
        Whether the rows are others than those of the fit, or the training rows with held-out or in-sample scores.
    said : str or None
        A sentence about the training rows.
    """

    scored: Scored
    source: str
    said: str | None = None

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {"source": self.source, **({} if self.said is None else {"said": self.said})}


def recognise(loaded: Loaded, scored: Scored, drift: FileDrift) -> Recognised:
    """Recognise the training rows; `drift` has seen all rows of the file."""
    model = loaded.model
    if not model.ordered and scored.labels is not None:
        positive = np.asarray(scored.labels == model.pos_label_)
        held_out = held_out_if_training(model, positive, scored.scores, scored.weights)
        if held_out is not None:
            return _with_held_out(scored, positive, held_out, loaded)
    if not drift.has_training_rows(scored):
        return Recognised(scored, "given")
    known = [f"{figure_name(name)} {area(value)}" for name, value in model.figures().items() if name in _HELD_OUT]
    at_fit = f" At the fit, held-out rows gave: {', '.join(known)}." if known else ""
    return Recognised(
        scored,
        "training",
        f"{loaded.path} was fitted on these rows, so that the figures are too good; give other rows, or judge the fit "
        f"with rankforest fit --test or --cv.{at_fit}",
    )


def _with_held_out(scored: Scored, positive: np.ndarray, held_out: np.ndarray, loaded: Loaded) -> Recognised:
    known = ~np.isnan(held_out)

    def of(values: Any) -> Any:
        return None if values is None else values[known]

    weights = of(scored.weights)
    counted = np.ones(int(known.sum()), dtype=bool) if weights is None else weights > 0
    own = held_out[known]
    probability = np.full(len(own), np.nan)
    probability[counted] = cross_fitted(
        own[counted], positive[known][counted], None if weights is None else weights[counted], seed=0
    )
    summary = loaded.model.summary_
    kind = (
        "out-of-bag" if summary is not None and summary.scores and summary.scores.source == "out-of-bag" else "held-out"
    )
    left_out = f" {int((~known).sum())} rows have none and are left out." if not known.all() else ""
    together = scored.together if scored.together is None or known.all() else scored.together.filter(known.tolist())
    return Recognised(
        replace(
            scored,
            scores=own,
            cells=None,
            probabilities=probability if counted.all() else None,
            labels=of(scored.labels),
            weights=weights,
            groups=of(scored.groups),
            together=together,
        ),
        "held-out",
        f"{loaded.path} was fitted on these rows. All figures are of its {kind} scores, which come from models that "
        f"have not seen the row.{left_out}",
    )
