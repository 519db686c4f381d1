"""The splitting rule of the parameter `splitter`."""

from __future__ import annotations

from typing import Any

from sklearn.base import is_classifier

from .candidates import Candidates
from .cell import SplittingRule
from .leafrank import LeafRank
from .weighted_erm import WeightedERM

__all__ = ["as_rule"]


def as_rule(splitter: Any) -> SplittingRule:
    """A rule from None, a rule, a scikit-learn classifier, or a list of them.

    Examples
    --------
    >>> as_rule(None)
    LeafRank()
    """
    if splitter is None:
        return LeafRank()
    if isinstance(splitter, SplittingRule):
        return splitter
    if isinstance(splitter, (list, tuple)) and len(splitter) > 0:
        if len(splitter) == 1:
            return as_rule(splitter[0])
        if not any(isinstance(entry, (list, tuple)) for entry in splitter):
            return Candidates([as_rule(entry) for entry in splitter])
    if not isinstance(splitter, type) and hasattr(splitter, "fit") and is_classifier(splitter):
        return WeightedERM(splitter)
    raise TypeError(
        f"splitter is {splitter!r}; give a LeafRank, a Dyadic, a scikit-learn classifier, or a list of these to choose "
        "from in every cell."
    )
