"""
A campaign that works down the list
===================================

Capture is the share of all positives that are found after a share of the list has been looked at; lift compares it with
chance. One row in ten is positive here.
"""

import matplotlib.pyplot as plt
import numpy as np

from rankforest import RankingForest, TreeRank
from rankforest.data import simulate
from rankforest.metrics import gains_table
from rankforest.plots import GainsDisplay


def rare(n, seed):
    """RF 20 with every ninth positive kept."""
    drawn = simulate.rf20(n, random_state=seed)
    kept = (drawn.y == -1) | (np.cumsum(drawn.y == 1) % 9 == 0)
    return drawn.X[kept], drawn.y[kept]


X, y = rare(4000, 0)
X_new, y_new = rare(10_000, 1)
models = [
    RankingForest(100, random_state=0).fit(X, y),
    TreeRank(random_state=0).fit(X, y),
]

fig, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for ax, kind in zip(axes, ("capture", "lift")):
    for model in models:
        GainsDisplay.from_estimator(model, X_new, y_new).plot(
            ax=ax, kind=kind
        )

# %%
# The table of the forest, by tenths of the list:
print(gains_table(y_new, models[0].score_samples(X_new)))
