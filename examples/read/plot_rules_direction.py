"""
A score that never moves the wrong way
======================================

Noise bends the curve of a model where there are few rows. If it is known that the rate rises with a feature, the model
can be told so, and every score keeps to it.
"""

import matplotlib.pyplot as plt
import numpy as np

from rankforest import RankBoost

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, size=(400, 3))
y = rng.random(400) < 1 / (1 + np.exp(-X[:, 0] - 0.5 * X[:, 1]))
free = RankBoost(n_folds=3, random_state=0).fit(X, y)
rising = RankBoost(n_folds=3, monotonic_cst=[1, 0, 0], random_state=0).fit(
    X, y
)
print(rising.constraints())

grid = np.linspace(-2, 2, 200)
rows = np.column_stack([grid, np.zeros((200, 2))])
fig, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
ax.plot(grid, free.score_samples(rows), color="#4393c3", label="free")
ax.plot(
    grid, rising.score_samples(rows), color="#b2182b", label="never falls"
)
ax.set(xlabel="first feature, the others at 0", ylabel="score")
ax.legend(frameon=False)
