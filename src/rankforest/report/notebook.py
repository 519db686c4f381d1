"""A fitted model in a notebook: the page of the report in an iframe, from the data of the fit."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from .card_facts import card_facts
from .forest_facts import forest_facts
from .judged import judge_at_fit
from .page import needs_jinja, render
from .reported import reported
from .tree_facts import tree_facts

__all__ = ["notebook_view"]

_MOST_LETTERS = 200_000
_MOST_LEAVES = 64  # of a larger tree the notebook shows a subtree on its pruning path
_MOST_CELLS = 2000  # rows whose steps a notebook contains, so that points can be changed in it
_HEIGHT = 720


def notebook_view(model: Any) -> str | None:
    """HTML of a fitted model; None if there is none, and scikit-learn's HTML is used.

    Parameters
    ----------
    model : estimator
    """
    try:
        fitted = reported(model)
        needs_jinja()
    except (ValueError, NotFittedError, ImportError):
        return None
    if fitted.ordered:
        return None
    one, card = fitted.one_tree(), fitted.one_card()
    if one is not None:
        facts = tree_facts(fitted, one, None, fold_to=_MOST_LEAVES)
    elif card is not None:
        kept = fitted.kept_rows()
        n_rows = 0 if kept is None else len(kept.rows.labels)
        # the figures of all rows, or points that can be changed
        facts = card_facts(fitted, card, None, np.arange(n_rows if n_rows <= _MOST_CELLS else 0))
    else:
        facts = forest_facts(fitted, judge_at_fit(fitted), simulations=200)
    view = _in_frame(render(facts | {"title": type(model).__name__}, compact=True), type(model).__name__)
    return view if len(view) <= _MOST_LETTERS else None


def _in_frame(page: str, name: str) -> str:
    """The page as a sandboxed iframe."""
    inside = page.replace("&", "&amp;").replace("'", "&#39;")
    return (
        f"<iframe title='{escape(name)} report' sandbox='allow-scripts allow-downloads'"
        f" width='100%' height='{_HEIGHT}' style='border:0' srcdoc='{inside}'></iframe>"
    )
