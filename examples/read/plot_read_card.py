"""
A scorecard to read
===================

`RankScore` gives each feature a few steps with whole points. The total ranks the rows, so that a person can add it up.
"""

from sklearn.datasets import load_breast_cancer

from rankforest import RankScore
from rankforest.plots import ShapesDisplay

data = load_breast_cancer(as_frame=True)
diagnosis = data.target.map({0: "malignant", 1: "benign"})
X = data.data[
    [
        "mean texture",
        "mean area",
        "mean smoothness",
        "mean concavity",
        "mean symmetry",
        "area error",
    ]
]
model = RankScore(max_steps=4, pos_label="malignant", random_state=0).fit(
    X, diagnosis
)
ShapesDisplay.from_estimator(model).plot()

# %%
# The card as a table, with the rate, the weight of evidence and the information value of each step:
print(model.export_text())

# %%
# The points of one patient:
print(model.points_of(X.iloc[0]))
