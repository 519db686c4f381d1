"""
How sure is a ROC curve?
========================

The band contains the whole true curve of the score in 95% of the samples. With 300 rows it is wide.
"""

import matplotlib.pyplot as plt

from rankforest import RankingForest
from rankforest.data import simulate
from rankforest.plots import RocBandsDisplay

train = simulate.rf20(1000, random_state=0)
model = RankingForest(100, random_state=0).fit(train.X, train.y)

fig, axes = plt.subplots(1, 2, figsize=(10, 4.8), layout="constrained")
for ax, n in zip(axes, (300, 3000)):
    test = simulate.rf20(n, random_state=1)
    RocBandsDisplay.from_estimator(
        model, test.X, test.y, optimal=test.roc_star, name=f"{n} rows"
    ).plot(ax=ax)
