"""
A consensus of rankings
=======================

Six judges rank twelve items. The Kemeny ranking disagrees with them on as few pairs as possible; the result says
whether that is proved. Lines are the judges, and the items are sorted by the consensus.
"""

import matplotlib.pyplot as plt
import numpy as np

from rankforest.consensus import (
    kendall_tau,
    mean_pairwise_distance,
    median_ranking,
    ranks_from_scores,
)

rng = np.random.default_rng(4)
quality = np.linspace(1, 0, 12)
profile = ranks_from_scores(quality + rng.normal(scale=0.25, size=(6, 12)))
result = median_ranking(profile)
print(result)
print(
    f"mean distance between two judges: {mean_pairwise_distance(profile):.3f}"
)

order = np.argsort(result.ranking, kind="stable")
fig, ax = plt.subplots(figsize=(7.5, 4), layout="constrained")
for judge, ranks in enumerate(profile):
    ax.plot(
        ranks[order],
        "o-",
        alpha=0.6,
        label=f"judge {judge + 1}: tau {kendall_tau(ranks, result.ranking):.2f}",
    )
ax.plot(result.ranking[order], color="black", lw=3, label="consensus")
ax.set(
    xlabel="items, in the order of the consensus",
    ylabel="rank, 1 is the top",
    xticks=range(12),
    xticklabels=order,
)
ax.invert_yaxis()
ax.legend(frameon=False, fontsize="small")
