"""What all estimators on a cluster share: they are the local ones, fitted on partitions and asked lazily."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar, Self

import dask
from sklearn.base import BaseEstimator, clone

from ..estimators.learner import Learner
from ..partitions import fit_on_parts
from ._collections import is_array
from .engine import DaskEngine, client_of
from .metrics import concordance_index, roc_auc
from .pieces import pieces_of
from .ranks import lazy_ranks
from .reading import ClusterReading
from .scoring import ask

__all__ = ["OnCluster", "on_cluster"]

_LAZY = ("score_samples", "decision_function", "predict", "predict_proba", "predict_cumulative_proba", "apply")
_OF_THE_CLUSTER = ("client", "traffic_")


class OnCluster(BaseEstimator):
    """An estimator whose rows are in the partitions of a Dask cluster; made by `on_cluster`."""

    local_class: ClassVar[type]  # the estimator of the same name for rows in memory
    client: Any

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        time: Any = None,
        way: str | None = None,
    ) -> Self:
        """Fit on the rows of all partitions; the model is that of a local fit on them, byte by byte.

        Parameters
        ----------
        X : Dask array or frame, path, or list of paths
            Rows are numbered in the order of the partitions. A path is a Parquet file, a folder of them, or a pattern;
            the workers read the files themselves.
        y : Dask array or series, or name of a column of `X`
            In the partitions of `X`. A partition may be empty, or hold one label only.
        sample_weight : Dask array or series, name of a column of `X`, or None
            Non-negative. Rows of weight 0 are left out.
        groups : Dask array or series, name of a column of `X`, or None
            In the partitions of `X`. As in the local fit; the client knows the groups of all rows.
        time : None
            Folds on a cluster do not go forward in time; times raise ValueError.
        way : {"trees", "bags", "histograms"} or None
            Where the work is done: "trees" copies the codes of all rows to every worker, which grows whole trees;
            "bags" sends the rows that were drawn for a tree to the worker that grows it; "histograms" leaves all rows
            where they are. None chooses by size. The model is the same.
        """
        if time is not None:
            raise ValueError(
                "time is given, and on a cluster folds do not go forward in time; fit the local "
                f"{self.local_class.__name__} on a frame or a stream of the files."
            )
        if getattr(self, "warm_start", False) and hasattr(self, "classes_"):
            raise ValueError(
                "warm_start adds trees to a fitted model, and its rows left the cluster with its fit; set warm_start "
                f"to False and fit all trees at once, or fit the local {self.local_class.__name__}."
            )
        client = client_of(self.client)
        local = self.to_local()
        learner = Learner(local)
        learner.check_bins_suffice()
        with DaskEngine(client) as engine:
            reading = ClusterReading(client, engine, pieces_of(X, y, sample_weight, client, groups))
            labels = reading.labels(learner.read_labels)
            learner.check_classes(labels, reading.weights)
            hold_out = reading.groups()
            hold_out = hold_out.called(_name_of(groups)) if _name_of(groups) else hold_out
            schema, bins = reading.survey(local.categorical_features, max_bins=learner.most_bins)
            learner.check_parameters(schema, reading.n_rows)
            parts, bins = reading.parts(schema, bins)
            fit_on_parts(
                local, engine, parts,
                schema=schema, bins=bins, labels=labels, weights=reading.weights, hold_out=hold_out, way=way,
            )  # fmt: skip
            self.traffic_ = engine.traffic
        _forget_rows(local)
        self.__dict__.update({name: value for name, value in vars(local).items() if name not in local.get_params()})
        return self

    def to_local(self) -> Any:
        """The plain estimator with the same parameters and, after `fit`, the same model, without a cluster."""
        local: Any = object.__new__(self.local_class)
        local.__dict__.update({name: value for name, value in vars(self).items() if name not in _OF_THE_CLUSTER})
        return local

    def rank(self, X: Any, **arguments: Any) -> Any:
        """Exact ranks of the rows of all partitions by `score_samples`: 1 is the best, ties share their mean rank."""
        local = self.to_local()
        if not dask.is_dask_collection(X):
            return local.rank(X, **arguments)
        return lazy_ranks(ask(local, "score_samples", X, **arguments), few=local.one_tree() is not None)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """AUC of `score_samples` on the rows of all partitions; the C-index of ordered labels."""
        local = self.to_local()
        if not dask.is_dask_collection(X):
            return float(local.score(X, y, sample_weight))
        scores = ask(local, "score_samples", X)
        if local.ordered:
            return concordance_index(y, scores, sample_weight=sample_weight, client=self.client)
        return roc_auc(y, scores, sample_weight=sample_weight, pos_label=local.pos_label_, client=self.client)

    def explain(self, X: Any, background: Any = None, *, interactions: bool = False) -> Any:
        """As the local model; for rows in memory only."""
        if dask.is_dask_collection(X) or dask.is_dask_collection(background):
            raise TypeError("Explanations need rows in memory; give some rows, for instance X.head(1000).")
        return self.to_local().explain(X, background, interactions=interactions)

    def why(self, x: Any, other: Any, *, interactions: bool = False) -> Any:
        """As the local model."""
        return self.to_local().why(x, other, interactions=interactions)

    # ---- a client is neither copied nor pickled

    def __sklearn_clone__(self) -> Any:
        copied = type(self)(**clone(self.to_local()).get_params(deep=False))
        copied.client = self.client
        return copied

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "client": None}


def _name_of(groups: Any) -> str:
    """The name of the column of groups; empty if it has none."""
    name = groups if isinstance(groups, str) else getattr(groups, "name", None)
    return name if isinstance(name, str) and not is_array(groups) else ""


def _forget_rows(model: Any) -> None:
    """Drop the training rows that forests keep: they were in the partitions, which are gone after the fit."""
    for forest in (model, getattr(model, "forest_", None)):
        for name in getattr(forest, "_not_stored", ()):
            vars(forest).pop(name, None)


def on_cluster(local: type) -> type:
    """The estimator of the same name on a cluster: the constructor and the methods of the local one, plus `client`."""

    def __init__(self: Any, *arguments: Any, client: Any = None, **named: Any) -> None:
        local.__init__(self, *arguments, **named)  # type: ignore[misc]
        self.client = client

    signature = inspect.signature(local.__init__)  # type: ignore[misc]
    client = inspect.Parameter("client", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Any")
    __init__.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*signature.parameters.values(), client]
    )
    body = {
        "__init__": __init__,
        "__doc__": f"`rankforest.{local.__name__}` on a Dask cluster: the same parameters and `client`.",
        "__module__": f"{__package__}.estimators",
        "local_class": local,
        **{name: _lazy(local, name) for name in _LAZY if hasattr(local, name)},
    }
    return type(local.__name__, (OnCluster, local), body)


def _lazy(local: type, name: str) -> Callable[..., Any]:
    """A method that is lazy on Dask collections, and the local one on everything else."""
    method = getattr(local, name)

    def asked(self: OnCluster, X: Any, **arguments: Any) -> Any:
        if dask.is_dask_collection(X):
            return ask(self.to_local(), name, X, **arguments)
        return method(self.to_local(), X, **arguments)

    asked.__name__, asked.__qualname__ = name, f"OnCluster.{name}"
    asked.__doc__ = method.__doc__
    return asked
