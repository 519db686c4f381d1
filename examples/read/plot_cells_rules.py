"""
How a cell is cut
=================

A ranking tree cuts cells in two, and the rule that cuts is a parameter: a small tree inside each cell (LeafRank), the
cubes of a grid, or any scikit-learn classifier. The colour is the score: red is the top of the list.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from rankforest import Dyadic, LeafRank, TreeRank
from rankforest.data import simulate
from rankforest.metrics import roc_auc

train, test = (
    simulate.conditional_gaussians(1000, random_state=seed) for seed in (0, 1)
)
rules = {
    "LeafRank": TreeRank(
        LeafRank(max_depth=3, min_mass_leaf=0.05), max_depth=3
    ),
    "Dyadic": TreeRank(Dyadic(2), max_depth=3),
    "logistic regression": TreeRank(LogisticRegression(), max_depth=3),
}

grid = np.linspace(0, 1, 200)
square = np.array([(a, b) for b in grid for a in grid])
fig, axes = plt.subplots(
    1, 3, figsize=(11, 3.9), layout="constrained", sharey=True
)
for ax, (name, model) in zip(axes, rules.items()):
    score = (
        model.fit(train.X, train.y).score_samples(square).reshape(200, 200)
    )
    ax.imshow(score, origin="lower", extent=(0, 1, 0, 1), cmap="RdBu_r")
    auc = roc_auc(test.y, model.score_samples(test.X))
    ax.set(title=f"{name}: test AUC {auc:.3f}")

# %%
# The best possible AUC of this law:
print(round(train.auc_star, 3))
