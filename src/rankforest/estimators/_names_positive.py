"""The repr of a fitted model of two classes, with its positive label."""

from __future__ import annotations

import copy

import numpy as np
from sklearn.base import BaseEstimator

__all__ = ["NamesPositive"]


class NamesPositive(BaseEstimator):
    """Mixin of estimators with the parameter `pos_label` and the fitted attribute `pos_label_`."""

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """scikit-learn's repr; a fitted model always shows its positive label."""
        shown = copy.copy(self)
        if hasattr(self, "pos_label_"):
            shown.pos_label = self.pos_label_.item() if isinstance(self.pos_label_, np.generic) else self.pos_label_
        # scikit-learn breaks lines only for classes with its own __repr__
        shown.__class__ = type(type(self).__name__, (type(self),), {"__repr__": BaseEstimator.__repr__})
        return BaseEstimator.__repr__(shown, N_CHAR_MAX)
