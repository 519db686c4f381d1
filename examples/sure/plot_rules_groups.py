"""
Repeated customers: honest held-out figures
===========================================

Each customer has five rows that look almost the same. A model that has seen one of them recognises the others, so its
out-of-bag AUC is too good. With `groups` the rows of a customer are held out together.
"""

import matplotlib.pyplot as plt

from rankforest import RankingForest
from rankforest.data.customers import customers
from rankforest.metrics import roc_auc

rows = customers(400, 5, random_state=2)
fresh = customers(4000, 1, random_state=3)
by_row = RankingForest(100, random_state=0)
by_customer = RankingForest(100, random_state=0)
models = {
    "rows held out one by one": by_row.fit(rows.X, rows.y),
    "customers held out": by_customer.fit(rows.X, rows.y, groups=rows.groups),
}

fig, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
for place, (name, model) in enumerate(models.items()):
    true = roc_auc(fresh.y, model.score_samples(fresh.X))
    told = model.oob_auc_
    print(f"{name}: out of bag {told:.3f}, fresh customers {true:.3f}")
    ax.plot([true, told], [place, place], color="0.7", zorder=0)
    out_of_bag = ax.scatter(told, place, color="#4393c3")
    of_fresh = ax.scatter(true, place, color="#b2182b")
ax.set(yticks=[0, 1], yticklabels=list(models), xlabel="AUC")
ax.margins(y=0.5)
ax.legend(
    [out_of_bag, of_fresh],
    ["out of bag", "4000 fresh customers"],
    frameon=False,
    loc="center right",
)
