"""
Is one model better than another?
=================================

Two models that score the same rows make similar mistakes, so their difference is known more precisely than either AUC.
`compare` uses paired tests and corrects them for the number of models.
"""

import matplotlib.pyplot as plt
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from rankforest import RankingForest
from rankforest.data import simulate
from rankforest.metrics import compare

train = simulate.rf10(1000, random_state=0)
test = simulate.rf10(1500, random_state=1)
models = {
    "RankingForest": RankingForest(150, random_state=0),
    "random forest": RandomForestClassifier(150, random_state=0),
    "logistic": LogisticRegression(),
}
for model in models.values():
    model.fit(train.X, train.y)
table = compare(models, test.X, test.y, u=0.1)
print(table)

# %%
# The differences to the best model, with their intervals:
rows = [row for row in table.rows if row.metric == "AUC" and row.difference]
fig, ax = plt.subplots(figsize=(7, 2), layout="constrained")
for place, row in enumerate(rows):
    found = row.difference
    ax.hlines(place, found.low, found.high, color="#4393c3", lw=4)
    ax.plot(found.estimate, place, "o", color="#b2182b")
ax.axvline(0, color="0.5", ls=":")
ax.set(
    yticks=range(len(rows)),
    yticklabels=[row.model for row in rows],
    xlabel="difference of AUC to RankingForest",
)
ax.margins(y=0.4)
