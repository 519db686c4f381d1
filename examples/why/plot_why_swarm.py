"""
What the model has learned
==========================

Each point is a row, its place on the axis the contribution of the feature to its score, and its colour the value of the
feature.
"""

from sklearn.datasets import load_breast_cancer

from rankforest import RankBoost
from rankforest.plots import BeeswarmDisplay

data = load_breast_cancer(as_frame=True)
diagnosis = data.target.map({0: "malignant", 1: "benign"})
model = RankBoost(n_folds=3, pos_label="malignant", random_state=0).fit(
    data.data, diagnosis
)
BeeswarmDisplay.from_estimator(
    model, data.data.iloc[:200], data.data.iloc[200:260]
).plot(max_features=8)

# %%
# The mean sizes of the contributions order the features:
found = model.explain(
    data.data.iloc[:200], background=data.data.iloc[200:260]
)
sizes = abs(found.values).mean(axis=0)
for feature in sizes.argsort()[::-1][:5]:
    print(f"{found.feature_names[feature]:24} {sizes[feature]:.3f}")
