"""Honest figures: rows that a model has not seen, cross-validation, tuning, and rows that it was trained on."""

from .held_out import FoldScores, judge_folds
from .split import hold_out_share, k_folds
from .training_scores import held_out_if_training
from .tune import Trial, named_settings, simplest_first, tune

__all__ = [
    "FoldScores",
    "Trial",
    "held_out_if_training",
    "hold_out_share",
    "judge_folds",
    "k_folds",
    "named_settings",
    "simplest_first",
    "tune",
]
