"""Maps from scores to probabilities, as arrays."""

from __future__ import annotations

import numpy as np

from ..fitting.calibration import Calibration
from .checks import check_finite
from .errors import require
from .shelf import Shelf

__all__ = ["put_calibration", "take_calibration"]


def put_calibration(shelf: Shelf, found: Calibration) -> None:
    shelf.put("score", found.score)
    shelf.put("probability", found.probability)


def take_calibration(shelf: Shelf) -> Calibration:
    """The map, checked: it never falls, and probabilities are some."""
    score = shelf.take("score", np.float64, None)
    probability = shelf.take("probability", np.float64, len(score))
    check_finite(score, "calibration")
    check_finite(probability, "calibration", least=0.0)
    require(len(score) >= 1 and (probability <= 1.0).all(), "its calibration gives values that are not probabilities")
    rises = (score[1:] >= score[:-1]).all() and (probability[1:] >= probability[:-1]).all()
    require(rises, "its calibration falls")
    return Calibration(score, probability)
