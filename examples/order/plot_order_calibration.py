"""
Probabilities that can be trusted
=================================

A ranking needs no probabilities, but decisions often do. `predict_proba` of a forest is calibrated on out-of-bag
scores, without a sample set aside.
"""

import matplotlib.pyplot as plt

from rankforest import RankingForest
from rankforest.data import simulate
from rankforest.metrics import calibration_error, reliability

train = simulate.rf10_sparse(1500, random_state=0)
fresh = simulate.rf10_sparse(5000, random_state=1)
model = RankingForest(100, random_state=0).fit(train.X, train.y)
probability = model.predict_proba(fresh.X)[:, 1]
positive = (fresh.y > 0).astype(float)
groups = reliability(probability, positive, None)

fig, ax = plt.subplots(figsize=(5, 4.6), layout="constrained")
ax.plot([0, 1], [0, 1], color="0.6", ls=":", label="perfect")
found = (groups.predicted, groups.observed)
ax.plot(*found, "o-", color="#b2182b", label="ten groups of fresh rows")
ax.set(
    xlabel="predicted probability of a positive",
    ylabel="observed rate of positives",
    aspect="equal",
)
ax.legend(frameon=False)

# %%
# The error that the forest expects from its out-of-bag rows, and that of fresh rows:
error = calibration_error(probability, positive, None)
print(f"{model.calibration_error_:.3f}, {error:.3f}")
