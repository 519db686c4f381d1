"""What a report is about: target, data, date, model and parameters, and the words for the positive label."""

from __future__ import annotations

from datetime import date
from typing import Any

from ..data.yes_no import side_of
from ..estimators.fitted_model import FittedModel
from ..words import count

__all__ = ["about_facts", "event_name"]


def event_name(label: Any, target: str | None) -> str:
    """The positive label as a person says it: a word alone, or with the name of its column.

    Examples
    --------
    >>> event_name("default", "status"), event_name(1, "default"), event_name("yes", "churn"), event_name(1, None)
    ('default', 'default = 1', 'churn = yes', 'label = 1')
    """
    text = str(label)
    says_it = isinstance(label, str) and len(text) > 1 and any(map(str.isalpha, text)) and side_of(text) is None
    return text if says_it else f"{'label' if target is None else target} = {text}"


def about_facts(model: FittedModel, *, target: str | None, data: str | None, train: str | None) -> list[list[str]]:
    """Names and values for the head of the page.

    Parameters
    ----------
    model : FittedModel
    target : str or None
        Column of the labels.
    data, train : str or None
        Where the rows of the evaluation and the training rows come from.
    """
    labels = [str(label) for label in model.classes_.tolist()]
    shown = " < ".join(labels) if model.ordered else f"{model.pos_label_} (the other is {_other(model)})"
    found = [
        ("Target", target),
        ("Labels" if model.ordered else "At the top", shown),
        ("Data", data),
        ("Training data", train),
        ("Date", date.today().isoformat()),
        ("Model", type(model).__name__),
        ("Parameters", _parameters(model)),
        ("Fitted on", _fitted_on(model)),
    ]
    return [[name, value] for name, value in found if value is not None]


def _other(model: FittedModel) -> str:
    return str(next(label for label in model.classes_.tolist() if label != model.pos_label_))


def _parameters(model: FittedModel) -> str:
    """Parameters that differ from their defaults."""
    default, given = (each.get_params(deep=False) for each in (type(model)(), model))
    changed = [
        f"{name}={value!r}" for name, value in given.items() if name != "n_jobs" and repr(value) != repr(default[name])
    ]
    return "; ".join(changed) + ("; all others are the defaults" if changed else "the defaults")


def _fitted_on(model: FittedModel) -> str | None:
    summary = model.summary_
    if summary is None:
        return None
    by = "" if model.holding_out is None else f"; rows held out: {model.holding_out}"
    return f"{count(summary.n_rows)} rows, {count(len(summary.features))} features{by}"
