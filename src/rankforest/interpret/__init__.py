"""Why the list is as it is."""

from .dependence import PartialDependence, partial_dependence
from .explain import Comparison, Explanation, Step, coded_row, explain, why
from .importance import PermutationImportance, importance, permutation_importance
from .strata import StrataTable, strata_table

__all__ = [
    "Comparison",
    "Explanation",
    "PartialDependence",
    "PermutationImportance",
    "Step",
    "StrataTable",
    "coded_row",
    "explain",
    "importance",
    "partial_dependence",
    "permutation_importance",
    "strata_table",
    "why",
]
