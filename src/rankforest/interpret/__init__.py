"""Explanations of any model: permutation importance, partial dependence, swaps; and of trees: strata, rules, rows."""

from ..fitting.permutation import PermutationImportance
from ..tree.explain import Contrast, Explanation, Step, coded_row, explain, why
from ..tree.importance import importance
from ..tree.strata import StrataTable, strata_table
from .dependence import PartialDependence, partial_dependence
from .permutation_importance import permutation_importance
from .swaps import SwapEffects, swap_effects

__all__ = [
    "Contrast",
    "Explanation",
    "PartialDependence",
    "PermutationImportance",
    "Step",
    "StrataTable",
    "SwapEffects",
    "coded_row",
    "explain",
    "importance",
    "partial_dependence",
    "permutation_importance",
    "strata_table",
    "swap_effects",
    "why",
]
