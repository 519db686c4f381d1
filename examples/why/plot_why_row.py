"""
Why is this row where it is?
============================

`explain` gives every feature its contribution to the score of a row, compared with other rows. The contributions add up
to the score exactly; `why` does the same for the difference of two rows.
"""

from sklearn.datasets import load_breast_cancer

from rankforest import RankingForest
from rankforest.plots import WaterfallDisplay

data = load_breast_cancer(as_frame=True)
diagnosis = data.target.map({0: "malignant", 1: "benign"})
X, patients = data.data.iloc[:400], data.data.iloc[400:]
model = RankingForest(100, pos_label="malignant", random_state=0).fit(
    X, diagnosis.iloc[:400]
)

WaterfallDisplay.from_estimator(model, patients.iloc[0], X.iloc[:100]).plot(
    max_features=8
)

# %%
# Why the first patient is above the second:
print(model.why(patients.iloc[0], patients.iloc[1]))
