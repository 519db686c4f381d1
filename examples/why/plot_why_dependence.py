"""
The score as one or two features vary
=====================================

Partial dependence sets a feature of all rows to one value and averages the scores. Two features together show whether
one changes the effect of the other: in this law the score grows with both, and no more than the sum.
"""

import matplotlib.pyplot as plt

from rankforest import RankingForest
from rankforest.data import simulate
from rankforest.plots import DependenceDisplay

train = simulate.rf10_sparse(1500, random_state=0)
model = RankingForest(100, random_state=0).fit(train.X, train.y)

fig, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
DependenceDisplay.from_estimator(model, train.X[:300], 0).plot(ax=axes[0])
DependenceDisplay.from_estimator(model, train.X[:300], (0, 1)).plot(
    ax=axes[1]
)
