"""
Missing values need no imputation
=================================

At every cut, missing values go to the side that ranks better. Here a value is missing more often in positive rows, so
that a hole is itself a hint; a forest uses it, and filling it with the mean throws it away.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

from rankforest import RankingForest
from rankforest.data import simulate
from rankforest.plots import RocDisplay


def with_holes(n, seed):
    """RF 20, in which x0 is missing in half of the positives and a tenth of the negatives."""
    drawn = simulate.rf20(n, random_state=seed)
    share = np.where(drawn.y > 0, 0.5, 0.1)
    drawn.X[np.random.default_rng(seed).random(n) < share, 0] = np.nan
    return drawn.X, drawn.y


X, y = with_holes(1000, 0)
X_new, y_new = with_holes(4000, 1)
plain = RankingForest(100, random_state=0).fit(X, y)
filled = make_pipeline(
    SimpleImputer(), RankingForest(100, random_state=0)
).fit(X, y)

fig, ax = plt.subplots(figsize=(5.4, 5), layout="constrained")
RocDisplay.from_predictions(
    y_new, plain.score_samples(X_new), name="as it is"
).plot(ax=ax)
RocDisplay.from_predictions(
    y_new, filled.predict_proba(X_new)[:, 1], name="filled with the mean"
).plot(ax=ax)
