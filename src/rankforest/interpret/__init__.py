"""Why the list is as it is."""

from .importance import importance
from .strata import StrataTable, strata_table

__all__ = ["StrataTable", "importance", "strata_table"]
