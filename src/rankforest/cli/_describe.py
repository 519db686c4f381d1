"""A fitted model in a few figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..estimators.fitted_model import FittedModel

__all__ = ["fitted_figures"]


def fitted_figures(model: FittedModel) -> dict[str, Any]:
    """The positive label, the size of the model, and its out-of-bag or held-out figures, if it has any."""
    import numpy as np

    figures = model.figures()
    if model.holding_out is not None:
        figures["holding_out"] = model.holding_out
    if model.ordered:
        return figures
    label = model.pos_label_
    return {"positive": label.item() if isinstance(label, np.generic) else label, **figures}
