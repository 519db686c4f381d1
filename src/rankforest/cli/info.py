"""``rankforest info``: what is in a model file."""

from __future__ import annotations

from typing import Any

from ._options import AsJson, Model

__all__ = ["info"]

_LISTED = 20


def info(model: Model, as_json: AsJson = False) -> None:
    """Describe a model: its kind, its labels, its columns with types and categories, its parameters.

    Example: rankforest info loans.rankforest
    """
    from ._model import load
    from ._say import print_json

    loaded = load(model)
    found = _found(loaded)
    if as_json:
        print_json(found)
    else:
        _tell(found)


def _found(loaded: Any) -> dict[str, Any]:
    import os

    from ..data.left_out import NotInFile
    from ..storage import read_header
    from ._describe import fitted_figures

    model, header = loaded.model, read_header(loaded.path)
    try:
        known = model.importance()
    except NotInFile:  # saved for scoring only
        known = None
    importance = [None] * loaded.schema.n_features if known is None else known.tolist()
    return {
        "file": loaded.path,
        "bytes": os.path.getsize(loaded.path),
        "library": header["library"],
        "kind": type(model).__name__,
        "target": loaded.notes.get("target"),
        "labels": model.classes_,
        **fitted_figures(model),
        "constraints": model.constraints(),
        **({"history": [str(each) for each in model.history]} if model.history else {}),
        "weight": loaded.notes.get("weight"),
        "ignored": loaded.notes.get("ignored", []),
        "missing": loaded.notes.get("missing"),
        "features": [
            {"name": f.name, "kind": f.kind, "categories": f.categories, "importance": counts}
            for f, counts in zip(loaded.schema.features, importance)
        ],
        "parameters": _changed(model),
    }


def _changed(model: Any) -> dict[str, Any]:
    """Parameters that differ from their defaults."""
    default = type(model)().get_params(deep=False)
    given = model.get_params(deep=False)
    return {name: value for name, value in given.items() if name != "n_jobs" and repr(value) != repr(default[name])}


def _tell(found: dict[str, Any]) -> None:
    from ..words import count, figure_name, more_features, number, percent
    from ._say import plain, print_table, say

    say(f"{found['file']}: {found['kind']}, {count(found['bytes'])} bytes")
    for name, value in found.items():
        if name in ("file", "bytes", "kind", "features", "parameters", "history") or value is None:
            continue
        shown = number(value, 4) if isinstance(value, float) else count(value) if type(value) is int else value
        if name == "constraints":
            shown = " ".join(value)
        if name in ("labels", "ignored", "missing"):
            shown = ", ".join("nothing" if one == "" else str(one) for one in plain(value))
        if shown != "":
            say(f"  {figure_name(name)}: {shown}")
    for each in found.get("history", ()):
        say(f"  {each}")
    if found["parameters"]:
        say("  parameters: " + ", ".join(f"{name}={value!r}" for name, value in found["parameters"].items()))
    features = sorted(found["features"], key=lambda one: -(one["importance"] or 0.0))
    rows = [
        [one["name"], one["kind"], "" if one["importance"] is None else percent(one["importance"]), _categories(one)]
        for one in features[:_LISTED]
    ]
    print_table(["feature", "kind", "importance", "categories"], rows, left=2)
    if len(features) > _LISTED:
        say(f"{more_features(len(features) - _LISTED)}; --json has all of them.")


def _categories(feature: dict[str, Any]) -> str:
    values = feature["categories"]
    if values is None:
        return ""
    some = ", ".join(map(str, values[:6]))
    return some if len(values) <= 6 else f"{some}, ... ({len(values)})"
