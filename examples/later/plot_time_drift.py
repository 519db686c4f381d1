"""
Has the data changed?
=====================

A model keeps how its training rows were spread. `DriftMeter` compares new rows with them, batch by batch: an index
above what chance gives means that a feature has moved.
"""

import matplotlib.pyplot as plt

from rankforest import RankingForest
from rankforest.data import simulate
from rankforest.metrics import DriftMeter

train = simulate.rf10_sparse(2000, random_state=0)
model = RankingForest(50, random_state=0).fit(train.X, train.y)

moved, score_moved, chance = [], [], []
for month in range(12):
    new = simulate.rf10_sparse(500, random_state=month + 1).X
    new[:, 0] += 0.08 * month  # one feature drifts slowly
    meter = DriftMeter(model.summary_, model.schema_)
    meter.see(new)
    moved.append(meter.features()["x0"])
    score_moved.append(meter.scores(model.score_samples(new)))

fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.plot(
    range(1, 13),
    [drift.index for drift in moved],
    "o-",
    color="#b2182b",
    label="feature x0",
)
ax.plot(
    range(1, 13),
    [drift.index for drift in score_moved],
    "o-",
    color="#4393c3",
    label="scores",
)
ax.axhline(moved[0].by_chance, color="0.5", ls=":", label="by chance, up to")
ax.set(xlabel="month", ylabel="population stability index")
ax.legend(frameon=False)

# %%
# In words, in the first and in the last month:
print(moved[0])
print(moved[-1])
