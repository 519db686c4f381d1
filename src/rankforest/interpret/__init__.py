"""Explanations of any model: rows, pairs of rows, permutation importance, partial dependence; and of trees: strata."""

from ..fitting.permutation import PermutationImportance
from ..shapley.comparison import Comparison
from ..shapley.explanation import Explanation
from ..shapley.places import Places
from ..tree.importance import importance
from ..tree.path import Contrast, Step, TreePath, coded_row, contrast, path_of
from ..tree.strata import StrataTable, strata_table
from .dependence import PartialDependence, partial_dependence
from .explain import explain, why
from .permutation_importance import permutation_importance

__all__ = [
    "Comparison",
    "Contrast",
    "Explanation",
    "PartialDependence",
    "PermutationImportance",
    "Places",
    "Step",
    "StrataTable",
    "TreePath",
    "coded_row",
    "contrast",
    "explain",
    "importance",
    "partial_dependence",
    "path_of",
    "permutation_importance",
    "strata_table",
    "why",
]
