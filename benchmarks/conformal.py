"""The share of false discoveries among the rows that `BestInstances(precision=...)` flags, over repeated samples.

Claims: over 200 samples the mean share of negatives among the rows that `select` flags is at most 1 - precision (up to
its standard error), for every model and precision; the threshold for single rows misses the precision in at most 5% of
the samples. Beside them a threshold on probabilities that scikit-learn calibrates (flag a row if the mean calibrated
probability of the rows above it reaches the precision) and MAPIE's control of the precision, on the same held-out rows.

RF10 sparse with a quarter of positives: 700 rows to learn from, 300 held-out ones, a batch of 500 and 4000 fresh rows.

The last table has several rows of a held-out customer. Claim: with one row of each counted the guarantees hold; if all
rows counted they would not.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from _experiments import FIRST_SEED, over_seeds
from _timing import parser, peer, print_header, print_table
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from rankforest import LeafRank, RankBoost, RankingForest, TreeRank
from rankforest.data import simulate
from rankforest.data.customers import customers
from rankforest.metrics import conformal_selection, precision_threshold

PRECISIONS = (0.6, 0.8, 0.9)
CONFIDENCE = 0.95
MODELS = {
    "RankingForest": RankingForest(
        50,
        splitter=LeafRank(max_depth=6, max_features="sqrt"),
        max_depth=6,
        aggregation="proba",
        n_jobs=1,
        random_state=0,
    ),
    "RankBoost": RankBoost(40, n_folds=(2, 1), n_jobs=1, random_state=0),
    "TreeRank": TreeRank(max_depth=4),
}
TRAIN, HELD_OUT, BATCH, FRESH = 700, 300, 500, 4000


def draw(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """RF10 sparse, thinned out to a quarter of positives."""
    drawn = simulate.rf10_sparse(2 * n + 200, random_state=seed)
    rng = np.random.default_rng(seed)
    kept = np.flatnonzero((drawn.y < 0) | (rng.random(len(drawn.y)) < 1 / 3))[:n]
    return drawn.X[kept], drawn.y[kept] > 0


def flags_of(model: Any, precision: float, held_out: Any, batch: Any, fresh: Any) -> dict[str, tuple[Any, Any]]:
    """Flags of the batch and of the fresh rows, by every way."""
    X, y = held_out
    scores = [model.score_samples(rows) for rows in (X, batch, fresh)]
    line = precision_threshold(y, scores[0], precision, confidence=CONFIDENCE).threshold
    found = {
        "select": (conformal_selection(y, scores[0], scores[1], precision).flagged, None),
        "threshold": (scores[1] > line, scores[2] > line),
    }
    for method in ("isotonic", "sigmoid"):
        calibrated = CalibratedClassifierCV(FrozenEstimator(model), method=method).fit(X, y)
        found[f"calibrated, {method}"] = tuple(
            _precise(calibrated.predict_proba(rows)[:, 1], precision) for rows in (batch, fresh)
        )
    mapie = peer("mapie.risk_control")
    if mapie is not None:
        control = mapie.BinaryClassificationController(
            model.predict_proba, risk="precision", target_level=precision, confidence_level=CONFIDENCE
        ).calibrate(X, y.astype(int))
        best = control.best_predict_param
        chances = [model.predict_proba(rows)[:, 1] for rows in (batch, fresh)]
        found["MAPIE"] = tuple(rows >= (np.inf if best is None else best) for rows in chances)
    return found


def _precise(probability: np.ndarray, precision: float) -> np.ndarray:
    """Flag the most rows whose mean probability reaches the precision."""
    order = np.argsort(-probability, kind="stable")
    means = np.cumsum(probability[order]) / np.arange(1, len(order) + 1)
    flagged = np.zeros(len(order), dtype=bool)
    flagged[order[: np.append(0, np.flatnonzero(means >= precision) + 1)[-1]]] = True
    return flagged


def one_run(name: str, precisions: tuple[float, ...], seed: int) -> dict[tuple[float, str], tuple[float, float, float]]:
    """False share of the batch, share of its positives that are flagged, and whether the precision is missed."""
    train, held_out, batch, fresh = (draw(n, 10 * seed + k) for k, n in enumerate((TRAIN, HELD_OUT, BATCH, FRESH)))
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MODELS[name].fit(*train)
        for precision in precisions:
            for way, (flagged, later) in flags_of(model, precision, held_out, batch[0], fresh[0]).items():
                y, truth = batch[1], fresh[1]
                missed = np.nan if later is None or not later.any() else float(truth[later].mean() < precision)
                false = (flagged & ~y).sum() / max(flagged.sum(), 1)
                found[precision, way] = float(false), float((flagged & y).sum() / y.sum()), missed
    return found


@dataclass(frozen=True)
class Repeated:
    """Held-out customers, the rows of each, the standard deviation of what sets them apart, and the precision."""

    n_customers: int
    rows_each: int
    effect: float
    precision: float


REPEATED = (Repeated(40, 20, 1.5, 0.8), Repeated(100, 5, 1.5, 0.7), Repeated(20, 20, 6.0, 0.7))
BATCHES = {"200 customers": (200, 1), "60 of 8 rows": (60, 8), "60 of 8 rows, groups": (60, 8)}


def repeated_run(setting: Repeated, seed: int) -> dict[str, tuple[float, float, float]]:
    """As `one_run`, for a logistic regression and customers with several rows."""

    def drawn(n: int, each: int, k: int) -> Any:
        return customers(n, each, effect=setting.effect, random_state=10 * seed + k)

    train, held_out, fresh = drawn(200, 5, 0), drawn(setting.n_customers, setting.rows_each, 1), drawn(FRESH, 1, 2)
    model = LogisticRegression().fit(train.X, train.y)
    scores, later = model.decision_function(held_out.X), model.decision_function(fresh.X)
    found = {}
    for counted, of in (("all rows", None), ("one of each", held_out.groups)):
        line = precision_threshold(held_out.y, scores, setting.precision, groups=of, random_state=seed).threshold
        flagged = later > line
        missed = float(flagged.any() and fresh.y[flagged].mean() < setting.precision)
        for k, (name, (n, each)) in enumerate(BATCHES.items()):
            batch = drawn(n, each, 3 + k)
            beside = {"groups": batch.groups} if name.endswith("groups") else {}
            chosen = conformal_selection(
                held_out.y, scores, model.decision_function(batch.X), setting.precision,
                held_out_groups=of, random_state=seed, **beside,
            ).flagged  # fmt: skip
            false = (chosen & (batch.y == 0)).sum() / max(chosen.sum(), 1)
            found[f"{counted}; {name}"] = float(false), float(chosen @ batch.y / batch.y.sum()), missed
    return found


def repeated_customers(runs: int) -> None:
    """The table of customers with several rows."""
    print(f"Several rows of a customer: false discoveries of {runs} samples with 95% interval\n", flush=True)
    rows = []
    for setting in REPEATED:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = [repeated_run(setting, seed) for seed in range(FIRST_SEED, FIRST_SEED + runs)]
        for way in results[0]:
            values = np.array([result[way] for result in results])
            rows.append([
                f"{setting.n_customers} x {setting.rows_each}", f"{setting.effect:g}", *way.split("; "),
                f"{1 - setting.precision:.2f}", _with_interval(values[:, 0]), f"{values[:, 1].mean():.3f}",
                f"{values[:, 2].mean():.1%}",
            ])  # fmt: skip
    header = [
        "held out",
        "effect",
        "counted",
        "batch",
        "level",
        "false discoveries",
        "positives found",
        "threshold missed",
    ]
    print_table(header, rows)


def _with_interval(values: np.ndarray) -> str:
    mean, error = values.mean(), values.std(ddof=1) / np.sqrt(len(values))
    return f"{mean:.3f} [{max(mean - 1.96 * error, 0):.3f}, {mean + 1.96 * error:.3f}]"


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--runs", type=int, help="samples of each model")
    options.add_argument("--models", nargs="+", choices=MODELS, help="only these")
    args = options.parse_args()
    if not args.no_header:
        print_header()
    runs = args.runs or (3 if args.quick else 200)
    precisions = PRECISIONS[1:2] if args.quick else PRECISIONS
    peer("mapie.risk_control")
    for name in args.models or (["TreeRank"] if args.quick else list(MODELS)):
        results = over_seeds(
            lambda seed, name=name: one_run(name, precisions, seed), range(FIRST_SEED, FIRST_SEED + runs)
        )
        print(
            f"{name}: false discoveries among the flagged rows, mean of {runs} samples with 95% interval\n", flush=True
        )
        rows = []
        for precision, way in results[0]:
            values = np.array([result[precision, way] for result in results])
            known = values[~np.isnan(values[:, 2]), 2]
            rows.append(
                [
                    f"{precision:g}", way, f"{1 - precision:.2f}",
                    _with_interval(values[:, 0]),
                    f"{values[:, 1].mean():.3f}",
                    "" if way == "select" else f"{known.sum() / runs:.1%}",
                ]
            )  # fmt: skip
        header = ["precision", "by", "level", "false discoveries", "positives found", "precision missed later"]
        print_table(header, rows)
    if args.models is None:
        repeated_customers(runs)


if __name__ == "__main__":
    main()
