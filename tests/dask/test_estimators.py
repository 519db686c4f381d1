"""Estimators on a cluster have the constructors of the local ones plus `client`."""

from __future__ import annotations

import inspect
import pickle

import pytest
from sklearn.base import clone

import rankforest
import rankforest.dask
from cluster_fits import KINDS, cluster_model, local_model, rows

NAMES = sorted(name for name in rankforest.dask.__all__ if name != "metrics")


@pytest.mark.parametrize("name", NAMES)
def test_constructors_differ_by_the_client_only(name: str) -> None:
    local, spread = getattr(rankforest, name), getattr(rankforest.dask, name)
    ours, theirs = inspect.signature(spread).parameters, inspect.signature(local).parameters
    assert list(ours) == [*theirs, "client"]
    assert all(ours[key] == theirs[key] for key in theirs)
    assert ours["client"].default is None
    assert issubclass(spread, local)
    assert spread.__name__ == name


@pytest.mark.parametrize("name", NAMES)
def test_fits_differ_by_the_way_only(name: str) -> None:
    local, spread = getattr(rankforest, name), getattr(rankforest.dask, name)
    ours, theirs = (list(inspect.signature(each.fit).parameters) for each in (spread, local))
    assert ours == [*theirs, "way"]


def test_times_are_refused_before_any_work() -> None:
    """Without a client, which the first step of a fit would ask for."""
    model = rankforest.dask.RankBoost(10)
    with pytest.raises(ValueError, match="time is given, and on a cluster folds do not go forward in time; fit the"):
        model.fit(None, None, time=[1, 2])


@pytest.mark.parametrize("kind", ["forest", "ordinal forest"])
def test_a_fitted_forest_gets_no_more_trees(kind: str) -> None:
    """The first fit asks for a client, a later one does not come to that."""
    model = cluster_model(kind, warm_start=True)
    with pytest.raises(ValueError, match="There is no Dask cluster"):
        model.fit("folder", "target")
    vars(model).update(vars(local_model(kind, warm_start=True).fit(*rows(kind))))
    with pytest.raises(ValueError, match="warm_start adds trees to a fitted model, and its rows left the cluster"):
        model.fit("folder", "target")


@pytest.mark.parametrize("kind", KINDS)
def test_parameters(kind: str) -> None:
    model = cluster_model(kind)
    local = local_model(kind)
    assert repr(model.to_local()) == repr(local)
    assert type(model.to_local()) is type(local)
    assert set(model.get_params(deep=False)) == {*local.get_params(deep=False), "client"}


def test_a_client_is_neither_copied_nor_pickled() -> None:
    client = object()
    model = rankforest.dask.TreeRank(max_depth=3, client=client)
    assert clone(model).client is client
    assert clone(model).max_depth == 3
    again = pickle.loads(pickle.dumps(model))
    assert again.client is None
    assert again.max_depth == 3
    assert model.set_params(max_depth=2).get_params()["max_depth"] == 2


def test_without_a_cluster() -> None:
    with pytest.raises(ValueError, match=r"^There is no Dask cluster; start one"):
        rankforest.dask.TreeRank().fit("folder", "target")
    with pytest.raises(TypeError, match=r"^client must be a distributed.Client, got str"):
        rankforest.dask.TreeRank(client="tcp://10.0.0.1:8786").fit("folder", "target")
