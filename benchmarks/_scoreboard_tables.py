"""Tables and sentences of a scoreboard, in Markdown; every sentence about a model is made from figures."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
import pandas as pd
from _scoreboard_stats import Ranking, behind, costs, wins
from _timing import table

__all__ = [
    "REFERENCE",
    "auc_table",
    "behind_table",
    "costs_table",
    "in_words",
    "ranks_table",
    "seconds_table",
    "settings_table",
    "side_table",
    "wins_table",
]

REFERENCE = "LightGBM"


def in_words(rankings: dict[str, Ranking], metrics: Iterable[str], ours: Collection[str]) -> str:
    """Who leads, by which metric, and whether that counts; where the best of ours is ahead and where it is behind."""
    lines = [f"- **{metric}**: {_who_leads(rankings[metric], ours)}" for metric in metrics]
    auc = rankings["AUC"]
    mine = next(name for name in auc.ranks.index if name in ours)
    theirs = auc.means[[name for name in auc.means if name not in ours]]
    lead = (auc.means[mine] - theirs.max(axis=1)).round(6)
    worst, best = (
        f"{name} ({lead[name]:+.4f} to {theirs.loc[name].idxmax()})" for name in (lead.idxmin(), lead.idxmax())
    )
    lines.append(
        f"- **Sets**: by AUC, {mine} is ahead of every model of the other libraries on {(lead > 0).sum()} of "
        f"{len(lead)} sets and behind at least one on {(lead < 0).sum()}. Compared with the best of them on each set, "
        f"its best result is on {best}, and its worst on {worst}."
    )
    return "\n".join(lines)


def _who_leads(found: Ranking, ours: Collection[str]) -> str:
    ranks, least = found.ranks, found.critical_difference
    mine = next(name for name in ranks.index if name in ours)
    theirs = next(name for name in ranks.index if name not in ours)
    first, second = (mine, theirs) if ranks[mine] <= ranks[theirs] else (theirs, mine)
    gap = ranks[second] - ranks[first]
    counts = "a significant difference" if gap >= least else "not a significant difference"
    below = [name for name in ranks.index if name not in ours and ranks[name] - ranks[mine] >= least]
    above = [name for name in ranks.index if name not in ours and ranks[mine] - ranks[name] >= least]
    whose = "the others" if first == mine else "ours"
    said = (
        f"{first} has the best average rank ({ranks[first]:.2f}), the best of {whose} is {second} "
        f"({ranks[second]:.2f}), {counts}. "
    )
    if gap < 1e-9:
        said = f"{first} and {second} share the best average rank ({ranks[first]:.2f}). "
    said += f"{mine} is significantly better than {', '.join(below) or 'none of the other libraries'}"
    return said + (f", and significantly worse than {', '.join(above)}." if above else ".")


def ranks_table(rankings: dict[str, Ranking], ours: Collection[str]) -> str:
    found = rankings.values()
    rows = [[_bold(name, ours), *(f"{one.ranks[name]:.2f}" for one in found)] for name in rankings["AUC"].ranks.index]
    rows.append(["critical difference", *(f"{one.critical_difference:.2f}" for one in found)])
    rows.append(["Friedman's p", *(f"{one.p_value:.1g}" for one in found)])
    return table(["", *rankings], rows)


def wins_table(auc: Ranking, ours: Collection[str]) -> str:
    found = wins(auc, ours)
    return table(["", *found.columns], [[f"**{name}**", *row] for name, row in zip(found.index, found.to_numpy())])


def auc_table(frame: pd.DataFrame, auc: Ranking, ours: Collection[str]) -> str:
    """The best of every set in bold; a fit that was ended has no AUC, only the seconds that it had."""
    limits = _by_set(frame, auc, "fit seconds")
    rows = []
    for name, means in auc.means.iterrows():
        cells = [
            _ended(limits.loc[name, model])
            if np.isnan(value)
            else f"**{value:.4f}**"
            if value == means.max()
            else f"{value:.4f}"
            for model, value in means.items()
        ]
        rows.append([*_size(frame, name), *cells])
    rows.append(["mean", "", "", *(_number(value, 4) for value in auc.means.mean(skipna=False))])
    return table(["", "size", "positive", *(_bold(name, ours) for name in auc.means)], rows)


def behind_table(auc: Ranking, ours: Collection[str]) -> str:
    """How far every model is behind the best AUC of each set, and at most."""
    found = behind(auc)
    rows = [[name, *(_number(value, 4) for value in row)] for name, row in zip(found.index, found.to_numpy())]
    rows.append(["most", *(_number(value, 4) for value in found.max(skipna=False))])
    return table(["", *(_bold(name, ours) for name in auc.means)], rows)


def seconds_table(frame: pd.DataFrame, auc: Ranking, figure: str, ours: Collection[str]) -> str:
    """Processor seconds on every set; "> 900 s" for a fit that was ended then."""
    seconds = _by_set(frame, auc, figure)
    rows = []
    for name, values in seconds.iterrows():
        ended = auc.means.loc[name].isna()
        cells = [
            "-" if np.isnan(value) else _ended(value) if ended[model] else _multiple(value)
            for model, value in values.items()
        ]
        rows.append([*_size(frame, name)[:2], *cells])
    return table(["", "size", *(_bold(name, ours) for name in seconds)], rows)


def side_table(frame: pd.DataFrame, models: list[str], ours: Collection[str]) -> str:
    """AUC and seconds of a fit of sets that not all models were run on; "-" was not run, "> 300 s" was ended."""
    aucs, seconds = (
        frame.pivot_table(index="set", columns="model", values=figure, sort=False, dropna=False).reindex(columns=models)
        for figure in ("AUC", "fit seconds")
    )
    rows = []
    for name, values in aucs.iterrows():
        took = seconds.loc[name]
        cells = [
            "-" if np.isnan(took[model]) else _ended(took[model])
            if np.isnan(value) else f"{value:.4f} ({_multiple(took[model])})"
            for model, value in values.items()
        ]  # fmt: skip
        rows.append([*_size(frame, name)[:2], *cells])
    return table(["", "size", *(_bold(name, ours) for name in models)], rows)


def costs_table(frame: pd.DataFrame, about: dict[str, Any], models: list[str], ours: Collection[str]) -> str:
    reference = REFERENCE if REFERENCE in models else models[0]
    found = costs(frame, reference)
    unstable = about["instability"]
    rows = []
    for name in models:
        values = [by_model[name] for by_model in unstable.values() if name in by_model]
        rows.append(
            [_bold(name, ours), _multiple(found.loc[name, "fit seconds"]), _multiple(found.loc[name, "score seconds"])]
            + [_number(found.loc[name, "peak MiB"], 1)]
            + ([f"{np.mean(values):.3f}" if values else ""] if unstable else [])
        )
    header = ["", f"fit, x {reference}", f"score, x {reference}", "peak MiB", *(["instability"] if unstable else [])]
    return table(header, rows)


def settings_table(about: dict[str, Any], models: list[str], ours: Collection[str]) -> str:
    return table(["", "setting"], [[_bold(name, ours), about["settings"][name]] for name in models])


def _by_set(frame: pd.DataFrame, auc: Ranking, figure: str) -> pd.DataFrame:
    """Means of a figure, sets and models in the order of the ranking."""
    found = frame.pivot_table(index="set", columns="model", values=figure, dropna=False)
    return found.reindex(index=auc.means.index, columns=auc.means.columns)


def _size(frame: pd.DataFrame, name: Any) -> list[str]:
    size = frame[frame["set"] == name].iloc[0]
    return [name, f"{int(size['rows'])} x {int(size['features'])}", f"{size['positives'] / size['rows']:.0%}"]


def _ended(seconds: float) -> str:
    return f"> {seconds:.0f} s"


def _number(value: float, digits: int) -> str:
    return "-" if np.isnan(value) else f"{value:.{digits}f}"


def _multiple(value: float) -> str:
    return _number(value, 2 if value < 10 else 0)


def _bold(name: str, ours: Collection[str]) -> str:
    return f"**{name}**" if name in ours else name
