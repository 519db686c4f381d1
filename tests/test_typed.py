"""The public names have types throughout: what `py.typed` promises to the type checkers of users."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import rankforest

MODULES = ["rankforest", *(f"rankforest.{name}" for name in rankforest._MODULES)]


def functions(public: Any) -> Iterator[Callable[..., Any]]:
    """A function itself, or the methods and properties of a class that rankforest has written."""
    if inspect.isfunction(public):
        yield public
    if inspect.isclass(public):
        for name, member in inspect.getmembers(public):
            one = getattr(member, "fget", member)
            ours = inspect.isroutine(one) and (getattr(one, "__module__", None) or "").startswith("rankforest")
            if ours and (name in ("__init__", "__call__") or not name.startswith("_")):
                yield one


def untyped(function: Callable[..., Any]) -> list[str]:
    signature = inspect.signature(function)
    names = [
        name
        for name, one in signature.parameters.items()
        if name not in ("self", "cls") and one.annotation is one.empty
    ]
    result = signature.return_annotation is signature.empty and function.__name__ != "__init__"
    return [*names, *["the result"] * result]


@pytest.mark.parametrize("module", MODULES)
def test_every_parameter_and_result_has_a_type(module: str) -> None:
    found = importlib.import_module(module)
    checked = {
        f"{name}.{one.__name__}": untyped(one) for name in found.__all__ for one in functions(getattr(found, name))
    }
    assert {name: missing for name, missing in checked.items() if missing} == {}
    assert checked or module == "rankforest.data"  # it has a module alone


def test_what_has_no_type_is_found() -> None:
    def half(x, y: int = 0):  # type: ignore[no-untyped-def]
        return x + y

    assert untyped(half) == ["x", "the result"]
