"""How well one tree ranks: test AUC of `TreeRank(size=None)`, one setting for everything, no pruning.

Claim: on the artificial sets of the Ranking Forests paper (n = 2000, test 5000, 20 seeds) at least .632 on RF10, .618
on RF20 and .830 on RF10 sparse; the paper's single trees have .628, .613, .826.

Every model is scored by scikit-learn's "roc_auc" scorer, which takes the `decision_function` where there is one (ours:
the ranking) and `predict_proba` elsewhere (scikit-learn's trees). The AUC of our `predict_proba` stands beside it:
strata that share a probability are ties there.

With `--data FOLDER`, also cross-validated AUC on real sets: `FOLDER/<name>.csv.gz`, the label in the column `target`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from _experiments import FIRST_SEED, mean_and_error
from _sets import SETS, present, read
from _stand_ins import data_folder
from _timing import parser, print_header, print_table
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.metrics import get_scorer, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from rankforest import LeafRank, TreeRank
from rankforest.data import simulate

N_TRAIN, N_TEST = 2000, 5000


@dataclass(frozen=True)
class Experiment:
    """An artificial set, the paper's figure for a single tree, and ours to reach."""

    name: str
    draw: Callable[..., simulate.Simulated]
    paper: float
    target: float


EXPERIMENTS = [
    Experiment("RF10", simulate.rf10, 0.628, 0.632),
    Experiment("RF20", simulate.rf20, 0.613, 0.618),
    Experiment("RF10 sparse", simulate.rf10_sparse, 0.826, 0.830),
]


# the defaults were compared with others on these
REAL_SETS = (
    "mammography",
    "phoneme",
    "churn",
    "german_credit",
    "spambase",
    "wdbc",
    "taiwan_default",
    "bank_marketing",
)

PROBA = "its predict_proba"
OURS = TreeRank(size=None, random_state=0)
SKLEARN_50 = DecisionTreeClassifier(min_samples_leaf=50, random_state=0)
MODELS: dict[str, Any] = {
    "TreeRank(size=None)": OURS,
    'LeafRank(criterion="auc")': TreeRank(LeafRank(criterion="auc"), random_state=0),
    "scikit-learn tree": DecisionTreeClassifier(random_state=0),
    "scikit-learn, leaves of 50": SKLEARN_50,
}


def aucs_on_test(models: dict[str, Any], X_train: Any, y_train: Any, X_test: Any, y_test: Any) -> dict[str, float]:
    """Test AUC of each model, and of our probabilities."""
    found = {}
    for name, model in models.items():
        fitted = clone(model).fit(X_train, y_train)
        found[name] = float(get_scorer("roc_auc")(fitted, X_test, y_test))
        if model is OURS:
            found[PROBA] = float(roc_auc_score(y_test, fitted.predict_proba(X_test)[:, 1]))
    return found


def artificial(n_seeds: int) -> None:
    print(f"Artificial sets: n = {N_TRAIN}, test {N_TEST}, {n_seeds} seeds; mean test AUC ± standard error\n")
    rows = []
    for experiment in EXPERIMENTS:
        found: list[dict[str, float]] = []
        for seed in range(FIRST_SEED, FIRST_SEED + n_seeds):
            rng = np.random.default_rng(seed)
            train, test = experiment.draw(N_TRAIN, rng), experiment.draw(N_TEST, rng)
            found.append(aucs_on_test(MODELS, train.X, train.y, test.X, test.y))
        ours, *others = (mean_and_error([aucs[name] for aucs in found]) for name in found[0])
        reference = [f">= {experiment.target:.3f}", f"{experiment.paper:.3f}"]
        rows.append([experiment.name, ours, *reference, *others, f"{test.auc_star:.3f}"])
    ours_name, *other_names = found[0]
    print_table(["", ours_name, "target", "paper", *other_names, "AUC*"], rows)


def real_sets(folder: Path) -> None:
    print("Real sets: AUC of 2-fold cross-validation, twice; mean ± standard error over the 4 folds")
    print("(the folds share rows, so that error is only a rough one)\n")
    one_hot = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")), remainder="passthrough"
    )
    models = {"TreeRank(size=None)": OURS, "scikit-learn, leaves of 50": make_pipeline(one_hot, SKLEARN_50)}
    rows = []
    for name in present(folder, list(REAL_SETS)):
        real = SETS[name]
        X, y = read(folder, real)
        folds = RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0).split(X, y)
        found = [aucs_on_test(models, X.iloc[train], y[train], X.iloc[test], y[test]) for train, test in folds]
        ours, proba, theirs = ([aucs[name] for aucs in found] for name in found[0])
        difference = np.mean(ours) - np.mean(theirs)
        size = [f"{len(y):,}", str(X.shape[1]), f"{100 * y.mean():.1f}"]
        means = map(mean_and_error, (ours, proba, theirs))
        rows.append([real.name, *size, *means, f"{difference:+.4f}"])
    if rows:
        print_table(["", "rows", "features", "% positive", *found[0], "difference"], rows)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, help="folder with the real sets")
    args = options.parse_args()
    if not args.no_header:
        print_header()
    print(f"The one setting is {OURS!r}, that is")
    for part in (OURS, LeafRank()):
        named = ", ".join(f"{name}={value!r}" for name, value in part.get_params(deep=False).items())
        print(f"- {type(part).__name__}: {named}")
    print()
    artificial(n_seeds=2 if args.quick else 20)
    with data_folder(args.data, quick=args.quick) as folder:
        if folder is not None:
            real_sets(folder)


if __name__ == "__main__":
    main()
