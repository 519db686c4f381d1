"""
The right size of a plain tree
==============================

A tree that is grown to its limits knows its training rows by heart. Cross-validation finds the size that ranks held-out
rows best.
"""

from rankforest import LeafRank, TreeRank
from rankforest.data import simulate
from rankforest.metrics import roc_auc
from rankforest.plots import PruningDisplay

train = simulate.rf10_sparse(1000, random_state=0)
fresh = simulate.rf10_sparse(5000, random_state=1)
model = TreeRank(LeafRank(), pruning="cv", random_state=0).fit(
    train.X, train.y
)
PruningDisplay.from_estimator(model).plot()

# %%
# The AUC on fresh rows, of the pruned tree and of the tree as it was grown:
grown = TreeRank(LeafRank()).fit(train.X, train.y)
for name, tree in {"pruned": model, "grown": grown}.items():
    auc = roc_auc(fresh.y, tree.score_samples(fresh.X))
    print(f"{name}: {tree.tree_.n_leaves} strata, AUC {auc:.3f}")
