"""
A tree to read
==============

`TreeRank()` gives few groups, called strata. Each is described by a few conditions, and they are ordered by their rates
of positives. Such a tree can be shown to a person, printed, and checked line by line.
"""

from sklearn.datasets import load_breast_cancer

from rankforest import TreeRank
from rankforest.plots import plot_tree

data = load_breast_cancer(as_frame=True)
diagnosis = data.target.map({0: "malignant", 1: "benign"})
model = TreeRank(
    size="readable",
    max_leaf_nodes=5,
    pos_label="malignant",
    random_state=0,
)
model.fit(data.data, diagnosis)
plot_tree(model)

# %%
# The boxes without a line below are the strata. The same as a table: how many rows, which rate of malignant tumours,
# and which share of all malignant ones is caught if all strata up to this one are looked at.
print(model.strata())

# %%
# And in words:
print(model.strata().rules())

# %%
# Five strata were asked for. Without `max_leaf_nodes` held-out rows decide how many there are:
model = TreeRank(pos_label="malignant", random_state=0)
print(model.fit(data.data, diagnosis).pruning_)
