"""Figure 14 of the TreeRank paper (2011): TreeRank, RankBoost and logistic regression on two real sets."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..estimators.threshold_rank_boost import ThresholdRankBoost
from ..estimators.tree_rank import TreeRank
from ..metrics import roc_auc
from ..splitting.leafrank import LeafRank
from ..tree.pruning_options import Pruning
from .bic_logistic import BicLogistic
from .ledger import Ledger, Outcome
from .options import Experiment, Report, RunOptions
from .real_sets import RealSet, breast_cancer, german_credit
from .replicate import Study, replicate
from .sheet import Sheet, SheetColumn, mean_and_sd

__all__ = ["REAL_SETS", "bootstrap_outcome", "method_scores"]

N_REPLICATIONS = 50
N_FOLDS = 8
SETS = {"breast": "Breast Cancer", "credit": "German credit"}
METHODS = {"tree": "TreeRank", "boost": "RankBoost", "logistic": "Logistic regression"}
# Mean and standard deviation of the AUC over 50 bootstrap replications.
PUBLISHED = {
    ("breast", "tree"): (0.923, 0.048),
    ("breast", "boost"): (0.967, 0.012),
    ("breast", "logistic"): (0.856, 0.185),
    ("credit", "tree"): (0.733, 0.060),
    ("credit", "boost"): (0.788, 0.053),
    ("credit", "logistic"): (0.718, 0.064),
}
_NOTES = (
    "The paper does not say which rows the bootstrap replications are tested on; here those that were not drawn.",
    "TreeRank: both trees pruned by 8-fold cross-validation, the rows drawn twice or more being weights, so that no "
    "row is learned from in one fold and tested on in another. RankBoost: 30 thresholds. Logistic regression: "
    "stepwise from the empty model by the Bayesian information criterion.",
    "The paper's credit set (216 rows) is lost: German credit (1000 rows) stands in for it, so only the order of the "
    "methods can be compared.",
)

Rows = NDArray[np.int64]


def method_scores(method: str, data: RealSet, learn: Rows, test: Rows, seed: int) -> NDArray[np.float64]:
    """Learn from some rows, which may be given more than once, and score others."""
    if method == "tree":
        distinct, copies = np.unique(learn, return_counts=True)
        tree = TreeRank(
            LeafRank(max_depth=None, min_mass_leaf=0.01, pruning=Pruning("cv", n_folds=N_FOLDS)),
            pruning=Pruning("cv", n_folds=N_FOLDS),
            categorical_features=data.categories or None,
            random_state=seed,
        )
        return tree.fit(data.X[distinct], data.y[distinct], copies).score_samples(data.X[test])
    model: Any = BicLogistic(data.groups) if method == "logistic" else ThresholdRankBoost(30)
    return model.fit(data.dummies[learn], data.y[learn]).decision_function(data.dummies[test])


def bootstrap_outcome(sets: dict[str, RealSet], seed: int, line: str, replication: int) -> Outcome:
    """One bootstrap replication: learn from rows drawn with replacement, test on the others."""
    name, method = line.split("-")
    data = sets[name]
    rng = np.random.default_rng([seed, list(SETS).index(name), replication])
    n = len(data.y)
    learn = rng.integers(n, size=n)
    test = np.setdiff1d(np.arange(n), learn)
    scores = method_scores(method, data, learn, test, int(rng.integers(2**31)))
    return Outcome({"auc": roc_auc(data.y[test], scores)})


def real_report(title: str, options: RunOptions) -> Report:
    """The table, and the ROC curves of one test sample."""
    sets = {"breast": breast_cancer()}
    notes = list(_NOTES)
    if options.data is not None:
        sets["credit"] = german_credit(options.data)
    else:
        notes.append("German credit was left out: give the folder that holds german_credit.csv.gz with --data.")
    n = options.n_replications(N_REPLICATIONS)
    ledger = Ledger(
        options.ledger_folder("real"), ["auc"], {"study": "real", "seed": options.seed, "version": __version__}
    )
    lines = [f"{name}-{method}" for name in sets for method in METHODS]
    run = partial(bootstrap_outcome, sets, options.seed)
    replicate(Study(lines, run), ledger, n, n_jobs=options.n_jobs)
    rows = []
    for name in sets:
        for method in METHODS:
            own = mean_and_sd(ledger.column(f"{name}-{method}", "auc", n).tolist())
            published, sd = PUBLISHED[name, method]
            rows.append([SETS[name], METHODS[method], published, own[0], sd, own[1]])
    columns = [
        SheetColumn("set"),
        SheetColumn("method"),
        SheetColumn("AUC published", ".3f"),
        SheetColumn("AUC ours", ".3f"),
    ]
    columns += [SheetColumn("sd published", ".3f"), SheetColumn("sd ours", ".3f")]
    sheet = Sheet(title, columns, rows, [f"Mean over {n} bootstrap replications, with the standard deviation.", *notes])
    return Report(sheet, partial(_draw, sets, options.seed))


def _draw(sets: dict[str, RealSet], seed: int) -> Any:
    """ROC curves on a fifth of the rows, drawn at random; the others were learned from."""
    from ..plots._figure import pyplot
    from ..plots.roc_display import RocDisplay

    figure, axes = pyplot().subplots(1, len(sets), figsize=(5.4 * len(sets), 5.6), layout="constrained", squeeze=False)
    for ax, (name, data) in zip(axes[0], sets.items()):
        rng = np.random.default_rng([seed, list(SETS).index(name)])
        rows = rng.permutation(len(data.y))
        test, learn = np.split(rows, [len(rows) // 5])
        for method, title in METHODS.items():
            scores = method_scores(method, data, learn, test, seed)
            RocDisplay.from_predictions(data.y[test], scores, name=title).plot(ax, linewidth=1.5)
        ax.set_title(f"{SETS[name]}: {len(learn)} rows learned, {len(test)} tested", fontsize=11)
    return figure


_TITLE = "TreeRank (2011), Figure 14: two real sets"
REAL_SETS = Experiment("fig14", _TITLE, partial(real_report, _TITLE))
