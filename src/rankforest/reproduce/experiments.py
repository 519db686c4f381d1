"""All experiments, by their name on the command line."""

from __future__ import annotations

from .bootstrap_sizes import BOOTSTRAP_SIZES
from .forest_tables import FOREST_TABLES
from .options import Experiment
from .ordinal_growth_tables import ORDINAL_FIGURES
from .ordinal_tables import ORDINAL
from .real_tables import REAL_SETS
from .square_tables import SQUARE_FIGURES

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in [*FOREST_TABLES, BOOTSTRAP_SIZES, *SQUARE_FIGURES, REAL_SETS, ORDINAL, *ORDINAL_FIGURES]
}
