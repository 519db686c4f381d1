"""
The top of the list: local AUC
==============================

If only the best 20% of a list will be read, the order below does not matter. The local AUC is the shaded area: a
positive ranks above a negative and is in the top. The control line shows where the top ends.
"""

from rankforest import RankingForest
from rankforest.data import simulate
from rankforest.metrics import hit_ratio, local_auc, recall_at
from rankforest.plots import LocalRocDisplay

train = simulate.rf20(1500, random_state=0)
fresh = simulate.rf20(4000, random_state=1)
model = RankingForest(100, top=0.2, random_state=0).fit(train.X, train.y)
LocalRocDisplay.from_estimator(model, fresh.X, fresh.y, u=0.2).plot()

# %%
# One call gives the metrics of several shares:
score = model.score_samples(fresh.X)
for share in (0.05, 0.1, 0.2):
    print(
        f"best {share:4.0%}: local AUC {local_auc(fresh.y, score, share):.3f}, "
        f"positives in it {hit_ratio(fresh.y, score, share):.1%}, "
        f"share of all positives {recall_at(fresh.y, score, share):.1%}"
    )
