"""Facts -> HTML: one file with its own style, script and data, which may load nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from ..extras import needed
from ..words import count

__all__ = ["needs_jinja", "render", "script_json"]

_HERE = Path(__file__).parent
_STYLE = ("page.css", "charts.css", "reasons.css", "committee.css", "card.css", "ordinal.css")
_REASONS = ("swarm.js", "ranges.js", "waterfall.js")
_COMMON = ("words.js", "chart.js", "table.js", "bars.js", *_REASONS, "reasons.js", "evaluation.js")
_SCRIPTS = {
    "tree": (*_COMMON, "curve.js", "model.js", "drawing.js", "trace.js", "tree.js"),
    "card": (*_COMMON, "curve.js", "points.js", "panels.js", "card.js"),
    "ordinal": ("words.js", "chart.js", "bars.js", *_REASONS, "reasons.js", "dependence.js", "ordinal.js"),
    "forest": (*_COMMON, "dependence.js", "forest.js"),
}


def render(facts: dict[str, Any], *, compact: bool = False) -> str:
    """The page of the facts.

    Parameters
    ----------
    facts : dict
        As `report_facts` makes them.
    compact : bool
        For a notebook: without the notes around the figures.
    """
    style, script = _static(_STYLE), _script(facts["kind"])
    template = _environment().get_template(f"{facts['kind']}.html.j2")
    page: str = template.render(
        facts=facts,
        compact=compact,
        has_rows=_has_rows(facts),
        style=style,
        script=script,
        data=script_json(facts),
        policy=(
            f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
            "base-uri 'none'; form-action 'none'"
        ),
    )
    return page.encode("utf-8", "replace").decode()  # replaces unpaired surrogates


def _has_rows(facts: dict[str, Any]) -> bool:
    """Whether single rows of the data are in the file."""
    reasons = facts["reasons"]
    return any(facts.get(name) for name in ("trace", "cells")) or (reasons is not None and reasons["swarm"] is not None)


def script_json(value: Any) -> str:
    """JSON that is safe inside a script element: it cannot end the element or open another.

    Examples
    --------
    >>> script_json({"name": "</script>"})
    '{"name":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text.encode("utf-8", "backslashreplace").decode()


def needs_jinja() -> Any:
    """The template engine; raises ImportError if it is not installed."""
    return needed("jinja2", "A report needs", "report")


@cache
def _environment() -> Any:
    jinja2 = needs_jinja()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["count_words"] = count
    return environment


@cache
def _static(names: tuple[str, ...]) -> str:
    return "\n".join((_HERE / "static" / name).read_text(encoding="utf-8") for name in names)


def _script(kind: str) -> str:
    return '(() => {\n"use strict";\n' + _static(_SCRIPTS[kind]) + "\n})();"


def _digest(text: str) -> str:
    """The hash by which the content security policy allows one text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
