"""Bytes of model files, and the seconds to save and load them, beside those of other libraries on the same rows.

Ours with their defaults, in version 1 of the format (every array as it is in memory), as they are saved now, and saved
for scoring only. Scikit-learn's forest of 500 trees by joblib, without and with compression; LightGBM's text file and
CatBoost's cbm with 500 trees each. All loaded models must give the scores that they gave before, bit for bit.

Claims: a file of `RankingForest()` takes less than a tenth of version 1, and less than scikit-learn's forest.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from _score_models import categorical_table, numeric_table
from _timing import interleaved, parser, peer, print_header, print_table
from sklearn.ensemble import RandomForestClassifier

from rankforest import OrdinalRankingForest, RankBoost, RankConsensus, RankingForest, load_model, save_model
from rankforest.storage.container import write_container
from rankforest.storage.packing import pack
from rankforest.storage.shelf import Shelf

N_TREES = 500


@dataclass(frozen=True)
class Filed:
    """A fitted model: ways to save it to a path, to load it again, and to score."""

    name: str
    save: Callable[[Path], Any]
    load: Callable[[Path], Any]
    score: Callable[[Any], np.ndarray]
    model: Any


def _as_version_1(model: Any) -> Callable[[Path], None]:
    def save(path: Path) -> None:
        shelf = Shelf()
        header = {"format": "rankforest", "version": 1, "library": "1", **pack(model, shelf)}
        path.write_bytes(write_container(json.dumps(header), shelf.arrays))

    return save


def _ours(X: Any, y: np.ndarray, quick: bool) -> Iterator[Filed]:
    few = {"n_estimators": 5} if quick else {}
    members = {"forest": RankingForest(**few), "booster": RankBoost(**few)} if quick else {}
    made = {
        "RankingForest": RankingForest(random_state=0, n_jobs=1, **few),
        "RankBoost": RankBoost(random_state=0, n_jobs=1, **few),
        "RankConsensus": RankConsensus(**members, random_state=0, n_jobs=1),
        "OrdinalRankingForest": OrdinalRankingForest(random_state=0, n_jobs=1, **few),
    }
    for name, model in made.items():
        model.fit(X, y)

        def score(found: Any) -> np.ndarray:
            return found.score_samples(X)

        ways = {
            "version 1": _as_version_1(model),
            "now": lambda path, model=model: save_model(model, path),
            "for scoring": lambda path, model=model: save_model(model, path, for_scoring=True),
        }
        for way, save in ways.items():
            yield Filed(f"{name}, {way}", save, load_model, score, model)


def _peers(X: Any, y: np.ndarray, quick: bool) -> Iterator[Filed]:
    n_trees = 5 if quick else N_TREES
    if isinstance(X, np.ndarray):
        forest = RandomForestClassifier(n_trees, random_state=0).fit(X, y)

        def score(found: Any) -> np.ndarray:
            return found.predict_proba(X)[:, 1]

        for level in (0, 3):
            name = "scikit-learn forest, joblib" + (f" compress={level}" if level else "")
            yield Filed(name, lambda p, level=level: joblib.dump(forest, p, compress=level), joblib.load, score, forest)
    lightgbm = peer("lightgbm")
    if lightgbm is not None:
        booster = lightgbm.LGBMClassifier(n_estimators=n_trees, n_jobs=1, verbose=-1).fit(X, y).booster_
        yield Filed(
            f"LightGBM, {n_trees} trees, text", lambda p: booster.save_model(p),
            lambda p: lightgbm.Booster(model_file=p), lambda found: found.predict(X), booster,
        )  # fmt: skip
    catboost = peer("catboost")
    if catboost is not None:
        names = [] if isinstance(X, np.ndarray) else [name for name in X if X[name].dtype == "category"]
        model = catboost.CatBoostClassifier(
            n_estimators=n_trees, cat_features=names, thread_count=1, verbose=False, allow_writing_files=False
        ).fit(X, y)
        yield Filed(
            f"CatBoost, {n_trees} trees, cbm", lambda p: model.save_model(str(p)),
            lambda p: catboost.CatBoostClassifier().load_model(str(p)),
            lambda found: found.predict_proba(X)[:, 1], model,
        )  # fmt: skip


def measure(X: Any, y: np.ndarray, quick: bool) -> list[list[str]]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for filed in (*_ours(X, y, quick), *_peers(X, y, quick)):
            path = Path(folder) / "model"
            tasks = {"save": lambda: filed.save(path), "load": lambda: filed.load(path)}  # noqa: B023
            best = interleaved(tasks, 1 if quick else 3, time.process_time)
            assert np.array_equal(filed.score(filed.load(path)), filed.score(filed.model)), filed.name
            rows.append([filed.name, f"{path.stat().st_size / 1e6:.3f}", f"{best['save']:.2f}", f"{best['load']:.2f}"])
    return rows


def main() -> None:
    options = parser(__doc__)
    args = options.parse_args()
    if not args.no_header:
        print_header()
    n = 300 if args.quick else 10_000
    for title, make in (("20 numbers", numeric_table), ("12 numbers and 8 columns of categories", categorical_table)):
        X, y = make(n, 0)
        rows = measure(X, y, args.quick)
        print(f"{n} rows, {title}; seconds of one processor\n")
        print_table(["file", "MB", "save, s", "load, s"], rows)


if __name__ == "__main__":
    main()
