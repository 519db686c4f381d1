"""
Flags with a guarantee
======================

`BestInstances(precision=0.8)` flags rows of a batch so that at least 80% of them are positive in expectation, whatever
the model and the data. The picture shows 40 batches: each point is the share of positives among the flagged rows.
"""

import matplotlib.pyplot as plt
import numpy as np

from rankforest import BestInstances, TreeRank
from rankforest.data import simulate

shares = []
for seed in range(40):
    sample, batch = (
        simulate.rf10_sparse(n, random_state=2 * seed + k)
        for k, n in enumerate((800, 400))
    )
    tree = TreeRank(max_depth=5, random_state=seed)
    model = BestInstances(tree, precision=0.8, random_state=seed).fit(
        sample.X, sample.y
    )
    found = model.select(batch.X)
    shares.append(
        (batch.y[found.flagged] > 0).mean() if found.flagged.any() else 1.0
    )
print(found)

fig, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
ax.scatter(
    shares,
    np.random.default_rng(0).uniform(-0.3, 0.3, 40),
    color="#4393c3",
    s=18,
)
ax.axvline(0.8, color="0.4", ls=":", label="promised in expectation")
ax.axvline(
    np.mean(shares),
    color="#b2182b",
    label=f"mean of 40 batches: {np.mean(shares):.3f}",
)
ax.set(
    yticks=[],
    ylim=(-0.6, 1.1),
    xlabel="share of positives among the flagged rows of a batch",
)
ax.legend(frameon=False, loc="upper left")
