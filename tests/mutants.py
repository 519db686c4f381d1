"""Small fitted models, their files, and mutants of these files, as examples of hostile or broken files."""

import contextlib
import copy
import json
import warnings
from functools import lru_cache

import numpy as np
import pandas as pd

from rankforest import (
    OAPBPM,
    BestInstances,
    Dyadic,
    FalseAlarmConstrained,
    LeafRank,
    OrdinalRankingForest,
    OrdinalRankingTree,
    PRank,
    Pruning,
    RankBoost,
    RankConsensus,
    RankingForest,
    RankScore,
    TreeRank,
    load_model,
    save_model,
)
from rankforest.forest.aggregation import KEMENY
from rankforest.storage import ModelFileError, layout, lean
from rankforest.storage.codec import decoded
from rankforest.storage.container import read_container, write_container
from rankforest.storage.packing import pack
from rankforest.storage.shelf import Shelf

_ORDERED = (OrdinalRankingTree, OrdinalRankingForest, PRank, OAPBPM)
_UNWEIGHTED = (PRank, OAPBPM)


def mixed_table(n_rows, seed=0):
    """Numbers, text, codes and missing values, with two labels, three ordered ones, and weights."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=["age", "income", "debt"])
    X["city"] = rng.choice(["Bonn", "Lyon", "Oslo", "Rome", "Wien"], n_rows)
    X["code"] = pd.Categorical(rng.choice([1, 2, 70], n_rows))
    margin = 1.5 * X["income"] - X["age"] + (X["city"] < "Oslo") + rng.logistic(size=n_rows)
    X.loc[rng.random(n_rows) < 0.1, "age"] = np.nan
    X.loc[rng.random(n_rows) < 0.1, "city"] = None
    y = np.where(margin > 0.5, "yes", "no")
    levels = np.digitize(margin, [-1.0, 1.0]) + 1
    return X, y, levels, rng.uniform(0.1, 2.0, n_rows)


def models():
    """Estimators by name, not yet fitted: every kind that can be stored, small."""
    return {
        "tree": TreeRank(max_depth=3),
        "pruned tree": TreeRank(LeafRank(max_depth=2), max_depth=3, pruning=Pruning("cv", n_folds=3), random_state=0),
        "structural tree": TreeRank(LeafRank(max_depth=1), max_depth=3, pruning=Pruning("structural", penalty=0.0)),
        "tree of rules": TreeRank([LeafRank(max_depth=1), Dyadic(1)], max_depth=3, max_features=2, random_state=0),
        "oblique tree": TreeRank(LeafRank(max_depth=1), oblique=True, max_depth=3, random_state=0),
        "forest": RankingForest(6, random_state=0),
        "kemeny forest": RankingForest(5, splitter=LeafRank(), aggregation="kemeny", max_depth=2, random_state=0),
        "boosting": RankBoost(4, n_folds=(2, 1), random_state=0),
        "scorecard": RankScore(n_estimators=20, n_folds=2, random_state=0),
        "consensus": RankConsensus(
            RankingForest(4, splitter=LeafRank(max_depth=2)), RankBoost(3, n_folds=(2, 1)), random_state=0
        ),
        "best instances": BestInstances(RankingForest(6, splitter=LeafRank(max_depth=2), random_state=0), top=0.2),
        "bounded false alarms": FalseAlarmConstrained(TreeRank(LeafRank(max_depth=2)), alpha=0.2, random_state=0),
        "best by precision": BestInstances(TreeRank(LeafRank(max_depth=2), max_depth=2), precision=0.5, random_state=0),
        "best strata": BestInstances(TreeRank(LeafRank(max_depth=2), max_depth=2), top=0.2, cv=2, random_state=0),
        "ordinal tree": OrdinalRankingTree(max_depth=4, pruning=Pruning("cv", n_folds=3), random_state=0),
        "ordinal forest": OrdinalRankingForest(4, max_depth=4, random_state=0),
        "perceptron": PRank(random_state=0),
        "kernel perceptron": PRank("rbf", n_epochs=2, random_state=0),
        "perceptrons": OAPBPM(5, random_state=0),
    }


def fitted(model, n_rows=150):
    """The model, fitted on a mixed table."""
    X, y, levels, weights = mixed_table(n_rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if isinstance(model, _UNWEIGHTED):
            return model.fit(X, levels)
        return model.fit(X, levels if isinstance(model, _ORDERED) else y, sample_weight=weights)


def fresh_rows():
    """50 rows with missing values, a category that was not seen, and numbers out of any range."""
    X = mixed_table(50, seed=1)[0]
    X.loc[::7, "city"] = "Unseen"
    X.loc[3, "age"], X.loc[4, "income"] = 1e30, -1e30
    return X


@contextlib.contextmanager
def small_too():
    """Also small trees and arrays are squeezed, as those of large models are."""
    nodes, size = lean.LEAST_NODES, layout.LEAST_BYTES
    lean.LEAST_NODES, layout.LEAST_BYTES = 1, 1
    try:
        yield
    finally:
        lean.LEAST_NODES, layout.LEAST_BYTES = nodes, size


def file_of(model, folder, *, squeezed=False):
    path = folder / "model.rankforest"
    with small_too() if squeezed else contextlib.nullcontext():
        save_model(model, path)
    return path.read_bytes()


def stored_in(data):
    """Header and arrays of a file, inflated; arrays that were left out of it are still missing."""
    text, stored = read_container(data)
    header = json.loads(text)
    packed = header["layout"]["packed"]
    header["layout"]["packed"] = {}
    return header, {name: decoded(packed[name], a.tobytes()) if name in packed else a for name, a in stored.items()}


def outcome(data, path, X, features):
    """How a file fares; any other exception than the file's own is let through.

    "refused"; "scores"; or, where it is a sound model of a table with other features, "other table".
    """
    path.write_bytes(data)
    try:
        model = load_model(path)
    except ModelFileError:
        return "refused"
    if model.schema_ != features:
        with contextlib.suppress(ValueError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.score_samples(X)
        return "other table"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numbers may have become absurd, but nothing worse
        scores = model.score_samples(X)
        assert len(scores) == len(X)
        assert len(model.predict(X)) == len(X)
        for method in ("predict_proba", "apply", "rank"):
            if hasattr(model, method) and getattr(model, "aggregation_", "") not in KEMENY:
                assert len(getattr(model, method)(X)) == len(X)
        if isinstance(model, TreeRank):
            model.strata().rules()
            model.path_of(X.iloc[[0]])
            model.export_text()
            model.pruning_path().prune(0.01)
        repr(model)
        pack(model, Shelf())  # what was loaded can be stored again
    return "scores"


# ---- mutants


def mutant(data, rng):
    """A changed copy of the file, by one of several kinds of mutation."""
    kind = rng.integers(10)
    if kind == 0:
        return _flipped(data, rng)
    if kind == 1:
        return _cut(data, rng)
    text, arrays = _parts(data, squeezed=kind <= 4)
    header = json.loads(text)
    for _ in range(1 + rng.integers(3)):
        if kind <= 4:
            header = _other_header(header, rng)
        else:
            arrays = _other_arrays(arrays, rng)
    return write_container(json.dumps(header, sort_keys=True, separators=(",", ":")), arrays)


@lru_cache
def _parts(data, *, squeezed):
    if squeezed:
        return read_container(data)
    header, arrays = stored_in(data)
    return json.dumps(header), arrays


def _flipped(data, rng):
    """Some bytes replaced: near the beginning, where the header is, or anywhere."""
    found = bytearray(data)
    reach = len(found) if rng.random() < 0.5 else min(len(found), 4000)
    for place in rng.integers(reach, size=1 + rng.integers(8)):
        found[place] = rng.integers(256)
    return bytes(found)


def _cut(data, rng):
    """A part dropped, doubled, or put elsewhere."""
    first, last = np.sort(rng.integers(len(data) + 1, size=2))
    return (data[:first], data[:first] + data[last:], data[:last] + data[first:], data[last:])[rng.integers(4)]


_VALUES = (
    None, True, False, 0, 1, -1, 2, 3, 1000, 2**31 - 1, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**30, 0.0, 0.5, -1.0,
    1e308, 5e-324, "", "a", "kemeny", "forest", "LeafRank", "nan", [], {}, [1], [[]], {"type": "tuple", "value": []},
    {"type": "float", "value": "nan"}, {"type": "LeafRank", "value": {}}, {"type": "dict", "value": [[1, 2]]},
    {"type": "array", "value": [1], "dtype": "int64", "shape": [1]}, {"type": "RankingForest", "value": {}},
    {"type": "object", "value": 1}, {"type": "str_", "value": "x"}, {"type": "int64", "value": 3},
)  # fmt: skip


def _other_header(header, rng):
    """One place of the header changed: another value, one left out, one doubled, two swapped."""
    places = list(_places(header))
    holder, key = places[rng.integers(len(places))]
    how = rng.integers(6)
    if how <= 2:
        holder[key] = copy.deepcopy(_VALUES[rng.integers(len(_VALUES))])
    elif how == 3:
        del holder[key]
    elif how == 4 and isinstance(holder, list):
        holder.insert(int(rng.integers(len(holder) + 1)), copy.deepcopy(holder[key]))
    else:
        other, place = places[rng.integers(len(places))]
        holder[key] = copy.deepcopy(other[place])
    return header


def _places(value):
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in list(entries):
        yield value, key
        if isinstance(each, dict | list):
            yield from _places(each)


def _other_arrays(arrays, rng):
    """One array changed: an entry, its length, its type, its name, or two arrays swapped."""
    names = sorted(arrays)
    name = names[rng.integers(len(names))]
    array, how = arrays[name].copy(), rng.integers(12)
    arrays = arrays | {name: array}
    if how <= 5 and array.size:
        flat = array.reshape(-1)
        flat[rng.integers(array.size)] = _entry(array, rng)
    elif how == 6 and array.size:
        flat = array.reshape(-1)
        one, other = rng.integers(array.size, size=2)
        flat[[one, other]] = flat[[other, one]]
    elif how == 7 and len(array):
        arrays[name] = np.delete(array, rng.integers(len(array)), axis=0)
    elif how == 8 and len(array):
        arrays[name] = np.repeat(array, 2, axis=0)[: len(array) + 1 + rng.integers(3)]
    elif how == 9:
        other = names[rng.integers(len(names))]
        arrays[name], arrays[other] = arrays[other], arrays[name]
    elif how == 10:
        types = (np.float64, np.int64, np.uint64, np.int32, np.uint32, np.uint8)
        with np.errstate(all="ignore"):
            arrays[name] = array.astype(types[rng.integers(len(types))])
    else:
        del arrays[name]
    return arrays


def _entry(array, rng):
    """A value that is likely to be just in range, just out of it, or absurd."""
    if array.dtype.kind == "f":
        value = rng.choice([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e308, -1e308, 5e-324, rng.normal()])
        return value if rng.random() < 0.7 else rng.choice(array.reshape(-1))
    limits = np.iinfo(array.dtype)
    near = int(rng.choice(array.reshape(-1))) + int(rng.integers(-2, 3))
    wild = (0, 1, -1, -2, len(array), len(array) - 1, ~len(array), limits.max, limits.min, near)
    value = near if rng.random() < 0.5 else wild[rng.integers(len(wild))]
    return min(max(value, limits.min), limits.max)
