"""
From one tree to a consensus
============================

A tree can be read, a forest and boosting rank better, and a consensus of the two often ranks best. The bars are the AUC
of rows that no model has seen, with 95% intervals.
"""

import matplotlib.pyplot as plt

from rankforest import (
    RankBoost,
    RankConsensus,
    RankingForest,
    RankScore,
    TreeRank,
)
from rankforest.data import simulate
from rankforest.metrics import auc_interval

train = simulate.rf20(1000, random_state=0)
fresh = simulate.rf20(5000, random_state=1)
models = [
    TreeRank(random_state=0),
    RankScore(random_state=0),
    RankingForest(100, random_state=0),
    RankBoost(n_folds=3, random_state=0),
    RankConsensus(RankingForest(60), RankBoost(n_folds=3), random_state=0),
]
names, found = [], []
for model in models:
    score = model.fit(train.X, train.y).score_samples(fresh.X)
    names.append(type(model).__name__)
    found.append(auc_interval(fresh.y, score))

fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for place, interval in enumerate(reversed(found)):
    ax.hlines(place, interval.low, interval.high, color="#4393c3", lw=4)
    ax.plot(interval.estimate, place, "o", color="#b2182b")
ax.axvline(train.auc_star, color="0.5", ls=":", label="best possible")
ax.set(
    yticks=range(len(names)),
    yticklabels=names[::-1],
    xlabel="AUC on 5000 fresh rows",
)
ax.legend(frameon=False)

# %%
# Which weights the consensus gives to its two members:
print(models[-1].weights_)
