"""
A model that is refreshed
=========================

The world has changed: one of four features says nothing any more. A refresh keeps as many of the old trees as still
rank well, and grows the others on 150 new rows. It is judged by rows that the new trees have not seen.
"""

import matplotlib.pyplot as plt

from rankforest import RankingForest
from rankforest.data import simulate
from rankforest.plots import RocDisplay

old, new, fresh = (
    simulate.rf10_sparse(n, random_state=k)
    for k, n in enumerate((2000, 150, 4000))
)
for rows in (new, fresh):
    rows.X[:, 0] = simulate.rf10_sparse(len(rows.X), random_state=9).X[:, 0]
model = RankingForest(100, random_state=0).fit(old.X, old.y)
later = model.refresh(new.X, new.y)
print(later.refreshes_[-1])

fig, ax = plt.subplots(figsize=(5.4, 5), layout="constrained")
scratch = RankingForest(100, random_state=0).fit(new.X, new.y)
for name, ranker in {
    "old": model,
    "new rows alone": scratch,
    "refreshed": later,
}.items():
    RocDisplay.from_estimator(ranker, fresh.X, fresh.y, name=name).plot(ax=ax)
