"""The program of a score that is calibrated to probabilities."""

from __future__ import annotations

from typing import Any

from ..data.schema import Schema
from ..fitting.calibration import Calibration
from .program import Expression, Graph, Program, interpolation

__all__ = ["calibrated"]


def calibrated(
    name: str,
    schema: Schema,
    graphs: tuple[Graph, ...],
    score: Expression,
    calibration: Calibration,
    pos_label: Any,
) -> Program:
    """A score, and the probability of the positive label that its calibration gives.

    Parameters
    ----------
    name : str
        Of the estimator.
    schema : Schema
    graphs : tuple of Graph
    score : Expression
    calibration : Calibration
    pos_label : label
    """
    outputs = {"score": score, "probability": interpolation(score, calibration.score, calibration.probability)}
    return Program(name, schema.features, graphs, outputs, (pos_label,))
