"""The scoreboard as a page: every sentence about a model is made from the figures of a dated file."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _scoreboard_picture import draw
from _scoreboard_stats import Ranking, common, costs, ranking, wins
from _timing import table

__all__ = ["page", "publish", "read_published", "write_page"]

DRAWN = ("AUC", "local AUC 5%", "local AUC 10%")
REFERENCE = "LightGBM"
_ABOUT = ("machine", "versions")
_WHAT = """\
This page compares {models} models on {sets} data sets with two labels by {times} 2-fold cross-validation. All models
have the same folds, at most {most_rows} rows of a set, one setting for all sets, and one thread. Our models are in
bold. The models are ranked on each set by their mean over the folds, and these ranks are averaged over the sets; 1 is
the best. For every metric here, higher is better. The sentences below compare the best of our models with those of
the other libraries. They are generated from the figures."""
_RANKS = """\
If the average ranks of two models differ by less than the critical difference (Nemenyi's test at 5%), these sets do
not show a significant difference. Local AUC and hit ratio are those of the top 1%, 5% and 10% of the list.
RankingForest(top) is fitted for the top 10% and is the same model in all columns."""
_COSTS = f"""\
Times are processor seconds in one thread, as multiples of {REFERENCE}'s, and geometric means over the sets. Memory is
the peak of a fit minus what was in use before it, averaged over the sets. Instability is the share of pairs of rows
that two fits to different halves put in different order, on rows that neither was trained on, a mean over the sets."""
_MODELS = """\
Models that support categories get them as categories (ours, HistGB, LightGBM, XGBoost, CatBoost). RandomForest and
ExtraTrees get them as codes, logistic and RankSVM as one-hot columns. Sets with ordered labels, numbers or relevances
are turned into two labels. Our defaults were chosen on artificial data and on other splits of twelve of these sets,
the weights of RankConsensus and the folds of RankBoost on other splits of all sets, so these figures are not
independent of those choices. The other models have their defaults or a common setting, with two exceptions: the C of
RankSVM and the way in which XGBoost's ranking draws its pairs were chosen, in their favour, on other splits of four
of the sets."""
_HOW = """\
This page is generated from that file. To generate it again, and to run the benchmark:

```
python benchmarks/scoreboard.py --page benchmarks/results/{source}
python benchmarks/scoreboard.py --data FOLDER --results FILE --jobs 2
python benchmarks/scoreboard.py --results FILE --repeats 0 --publish
```"""


def publish(columns: Sequence[str], rows: Iterable[Sequence[str]], about: dict[str, Any], path: Path) -> None:
    """Write the figures as CSV, and versions and machine as JSON next to it."""
    path.parent.mkdir(exist_ok=True)
    _replace(path.with_suffix(".json"), json.dumps(about, indent=1) + "\n")
    _replace(path, "".join(",".join(row) + "\n" for row in (columns, *rows)))


def read_published(path: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    return pd.read_csv(path), json.loads(path.with_suffix(".json").read_text())


def write_page(path: Path, page_path: Path, picture: Path) -> None:
    """Page and picture of a published file."""
    frame, about = read_published(path)
    frame = common(frame, sorted(frame["model"].unique()))
    rankings = {metric: ranking(frame, metric) for metric in about["metrics"]}
    beside = picture.with_name(f"part-{picture.name}")
    draw([rankings[metric] for metric in DRAWN], about["ours"], beside)
    os.replace(beside, picture)
    _replace(page_path, page(frame, rankings, about, path.name, os.path.relpath(picture, page_path.parent)))


def page(
    frame: pd.DataFrame, rankings: dict[str, Ranking], about: dict[str, Any], source: str, picture: str = ""
) -> str:
    """The whole page in Markdown."""
    auc, ours = rankings["AUC"], [name for name in about["ours"] if name in rankings["AUC"].ranks.index]
    models = list(auc.ranks.index)
    compared = 0 < len(ours) < len(models)
    repeats = frame.groupby("set")["repeat"].nunique()
    times = f"{repeats.min()}" if repeats.min() == repeats.max() else f"{repeats.min()} to {repeats.max()}"
    times = "once" if times == "1" else f"{times} times"
    most_rows = f"{int(frame['rows'].max()):,}"
    parts = [
        "# Scoreboard",
        _WHAT.format(models=len(models), sets=len(auc.means), times=times, most_rows=most_rows),
        f"![Average ranks and critical differences]({picture})" if picture else "",
        _in_words(rankings, ours) if compared else "",
        "## Average ranks",
        _ranks_table(rankings, ours),
        _RANKS,
        *(["## Sets won and lost, by AUC", _wins_table(wins(auc, ours))] if compared else []),
        "## AUC of every set",
        _auc_table(frame, auc, ours),
        "## Time, memory and stability",
        _costs_table(frame, about, models, ours),
        _COSTS,
        "## Models",
        table(["", "setting"], [[_bold(name, ours), about["settings"][name]] for name in models]),
        _MODELS,
        "## How it was made",
        "; ".join([about["date"], *(", ".join(f"{k} {v}" for k, v in about[part].items()) for part in _ABOUT)])
        + f". All figures: `benchmarks/results/{source}`.",
        _HOW.format(source=source),
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts if part) + "\n"


def _in_words(rankings: dict[str, Ranking], ours: Collection[str]) -> str:
    """Who leads, by which metric, and whether that counts; where the best of ours is ahead and where it is behind."""
    lines = [f"- **{metric}**: {_who_leads(rankings[metric], ours)}" for metric in DRAWN]
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


def _ranks_table(rankings: dict[str, Ranking], ours: Collection[str]) -> str:
    found = rankings.values()
    rows = [[_bold(name, ours), *(f"{one.ranks[name]:.2f}" for one in found)] for name in rankings["AUC"].ranks.index]
    rows.append(["critical difference", *(f"{one.critical_difference:.2f}" for one in found)])
    rows.append(["Friedman's p", *(f"{one.p_value:.1g}" for one in found)])
    return table(["", *rankings], rows)


def _wins_table(found: pd.DataFrame) -> str:
    return table(["", *found.columns], [[f"**{name}**", *row] for name, row in zip(found.index, found.to_numpy())])


def _auc_table(frame: pd.DataFrame, auc: Ranking, ours: Collection[str]) -> str:
    sizes = frame.drop_duplicates("set").set_index("set")
    rows = []
    for name, means in auc.means.iterrows():
        size = sizes.loc[name]
        cells = [f"**{value:.4f}**" if value == means.max() else f"{value:.4f}" for value in means]
        rows.append(
            [name, f"{int(size['rows'])} x {int(size['features'])}", f"{size['positives'] / size['rows']:.0%}", *cells]
        )
    rows.append(["mean", "", "", *(f"{value:.4f}" for value in auc.means.mean())])
    return table(["", "size", "positive", *(_bold(name, ours) for name in auc.means)], rows)


def _costs_table(frame: pd.DataFrame, about: dict[str, Any], models: list[str], ours: Collection[str]) -> str:
    reference = REFERENCE if REFERENCE in models else models[0]
    found = costs(frame, reference)
    unstable = about["instability"]
    rows = []
    for name in models:
        values = [by_model[name] for by_model in unstable.values() if name in by_model]
        rows.append(
            [_bold(name, ours), _multiple(found.loc[name, "fit seconds"]), _multiple(found.loc[name, "score seconds"])]
            + [f"{found.loc[name, 'peak MiB']:.1f}", f"{np.mean(values):.3f}" if values else ""]
        )
    return table(["", f"fit, x {reference}", f"score, x {reference}", "peak MiB", "instability"], rows)


def _multiple(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def _bold(name: str, ours: Collection[str]) -> str:
    return f"**{name}**" if name in ours else name


def _replace(path: Path, text: str) -> None:
    beside = path.with_name(f"{path.name}.part")
    beside.write_text(text)
    os.replace(beside, path)
