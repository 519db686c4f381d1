"""
Is the list fair to every group?
================================

A list may be good for all rows together and not for some of them. Here the scores of one region are too low: the list
within the region is as good as any, but its positives rank below the negatives of the others.
"""

import matplotlib.pyplot as plt
import numpy as np

from rankforest.metrics import by_group

rng = np.random.default_rng(0)
y = rng.random(1500) < 0.4
region = rng.choice(["east", "north", "west"], 1500)
score = y + rng.normal(size=1500) - 0.8 * (region == "west")
table = by_group(y, score, region, flagged=score > 1)

fig, axes = plt.subplots(
    1, 3, figsize=(10, 2.6), layout="constrained", sharey=True
)
for ax, figure in zip(axes, ("auc", "bnsp_auc", "recall")):
    for place, group in enumerate(("west", "north", "east")):
        value = table[figure, group].value
        ax.hlines(place, value.low, value.high, color="#4393c3", lw=4)
        ax.plot(value.estimate, place, "o", color="#b2182b")
    ax.set(title=figure)
    ax.set_yticks(range(3), ["west", "north", "east"])
    ax.margins(y=0.3)

# %%
# BNSP compares the positives of the group with the negatives of the others. The recall of each group, its
# difference to the others, and the p-value of this difference:
print(table.to_frame().loc["recall"].round(3).to_string())
