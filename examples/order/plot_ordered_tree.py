"""
Ordered labels
==============

Grades and ratings are ordered: predicting 1 for a 5 is worse than predicting 4. The ordinal tree cuts by the ranking
impurity and predicts the median label of each leaf. Left are the data, right the regions of the tree.
"""

import matplotlib.pyplot as plt
import numpy as np

from rankforest import OrdinalRankingTree
from rankforest.data import simulate
from rankforest.metrics import evaluate_ordinal

train, test = (
    simulate.ordinal_square(2000, random_state=seed) for seed in (0, 1)
)
model = OrdinalRankingTree(random_state=0).fit(train.X, train.y)

grid = np.linspace(0, 1, 300)
square = np.array([(a, b) for b in grid for a in grid])
fig, axes = plt.subplots(
    1, 2, figsize=(9.5, 4.2), layout="constrained", sharex=True, sharey=True
)
axes[0].scatter(*train.X.T, c=train.y, s=6, cmap="RdYlBu_r")
regions = model.predict(square).reshape(300, 300)
image = axes[1].imshow(
    regions, origin="lower", extent=(0, 1, 0, 1), cmap="RdYlBu_r"
)
axes[0].set(aspect="equal", title="2000 rows")
axes[1].set(title="predicted labels")
fig.colorbar(image, ax=axes, ticks=model.classes_, label="label", shrink=0.8)

# %%
# How good it is on fresh rows:
print(
    evaluate_ordinal(
        test.y, model.score_samples(test.X), model.predict(test.X)
    )
)
