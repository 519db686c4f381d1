"""
A forest and its out-of-bag curve
=================================

Every tree of a forest leaves out about a third of the rows. Scored by the trees that did not see them, the training
rows give an honest ROC curve, and no test sample is needed. Here the curve of fresh rows is drawn too, and the best
possible one, which is known because the data is simulated.
"""

from rankforest import RankingForest
from rankforest.data import simulate
from rankforest.plots import RocDisplay

train = simulate.rf10_sparse(1000, random_state=0)
fresh = simulate.rf10_sparse(4000, random_state=1)
model = RankingForest(100, random_state=0).fit(train.X, train.y)

display = RocDisplay.from_predictions(
    train.y,
    model.oob_scores_,
    name="out of bag, 1000 training rows",
    optimal=train.roc_star,
).plot()
RocDisplay.from_estimator(
    model, fresh.X, fresh.y, name="4000 fresh rows"
).plot(ax=display.ax_)

# %%
# The forest has chosen the kinds of its trees by itself.
print(
    f"out-of-bag AUC {model.oob_auc_:.3f}, best possible AUC {train.auc_star:.3f}"
)
print(model)
