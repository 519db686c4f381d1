"""How the score depends on single features, as plain values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..estimators.fitted_model import FittedModel
from ..interpret.dependence import dependence_of
from .plain import rounded
from .rows import spread

__all__ = ["dependence_facts"]

_MOST_FEATURES = 8
_MOST_ROWS = 300


def dependence_facts(
    model: FittedModel, n_rows: int, values_of: Callable[[np.ndarray], np.ndarray]
) -> list[dict[str, Any]]:
    """The score along the most important features.

    Parameters
    ----------
    model : FittedModel
    n_rows : int
    values_of : callable
        Positions among the rows -> a coded block.
    """
    schema, importance = model.schema_, model.importance()
    values = np.ones(schema.n_features) if importance is None else importance
    block = values_of(spread(np.arange(n_rows), _MOST_ROWS))
    facts = []
    for j in np.argsort(-values, kind="stable")[:_MOST_FEATURES].tolist():
        if values[j] <= 0 or np.isnan(block[:, j]).all():
            continue
        found = dependence_of(model.score_coded, block, [j], schema, 30)
        categorical = found.is_categorical[0]
        facts.append(
            {
                "name": found.names[0],
                "categorical": categorical,
                "grid": [str(value) for value in found.grids[0]] if categorical else rounded(found.grids[0]),
                "value": rounded(found.values),
                "observed": rounded(found.observed[0]),
            }
        )
    return facts
