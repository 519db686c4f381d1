"""The scoreboard as a page: every sentence about a model is made from the figures of a dated file."""

from __future__ import annotations

import json
import os
from collections.abc import Collection
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


def publish(frame: pd.DataFrame, about: dict[str, Any], path: Path) -> None:
    """The figures as CSV and what they were taken with as JSON beside it."""
    path.parent.mkdir(exist_ok=True)
    _replace(path.with_suffix(".json"), json.dumps(about, indent=1) + "\n")
    _replace(path, frame.to_csv(index=False, lineterminator="\n"))


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
    auc, ours = rankings["AUC"], about["ours"]
    models = list(auc.ranks.index)
    repeats = frame.groupby("set")["repeat"].nunique()
    times = f"{repeats.min()}" if repeats.min() == repeats.max() else f"{repeats.min()} to {repeats.max()}"
    machine, versions = about["machine"], about["versions"]
    parts = [
        "# Scoreboard",
        f"{len(models)} models on {len(auc.means)} sets with two labels: {times} times 2-fold cross-validation, the same "
        f"halves for all, at most {int(frame['rows'].max()):,} rows of a set, one setting of each model for all sets, one "
        "thread. Ours are in bold. A rank of 1 is the best; ranks are of the means over the folds of a set, averaged over "
        "the sets.",
        f"![Average ranks and critical differences]({picture})" if picture else "",
        _in_words(rankings, ours),
        "## Average ranks",
        table(
            ["", *rankings],
            [[_bold(name, ours), *(f"{found.ranks[name]:.2f}" for found in rankings.values())] for name in models]
            + [["critical difference", *(f"{found.critical_difference:.2f}" for found in rankings.values())]]
            + [["Friedman's p", *(f"{found.p_value:.1g}" for found in rankings.values())]],
        ),
        "Two models whose average ranks differ by less than the critical difference (Nemenyi's test, 5%) are not told apart "
        "by these sets. Local AUC and hit ratio are those of the top 1%, 5% and 10% of the list.",
        "## Sets won and lost, by AUC",
        _wins_table(wins(auc, ours)),
        "## AUC of every set",
        _auc_table(frame, auc, ours),
        "## What they take",
        _costs_table(frame, about, models, ours),
        f"Times are processor seconds in one thread as multiples of {REFERENCE}'s, the geometric mean over the sets. Memory "
        "is what a fit has at its peak beyond what was in use before it, the mean over the sets. Instability is the share "
        "of pairs of rows that two fits to different halves put in different order, on rows that neither has seen.",
        "## Models",
        table(["", "setting"], [[_bold(name, ours), about["settings"][name]] for name in models]),
        "Categories go as such to those who take them (ours, HistGB, LightGBM, XGBoost, CatBoost), as codes to RandomForest "
        "and ExtraTrees, as one-hot columns to logistic and RankSVM. Sets of ordered labels, numbers and relevances are cut "
        "in two. The defaults of ours were chosen on artificial data and on other splits of twelve of these sets, so that "
        "they are not independent of them; those of the others may well have met some of these sets too.",
        "## How it was made",
        f"{about['date']}; {machine['processor']}, {machine['cores']} cores, {machine['memory']}, {machine['system']}; "
        + ", ".join(f"{name} {text}" for name, text in versions.items())
        + f". All figures: `benchmarks/results/{source}`.",
        "This page is made from that file, and a new one from a new run:",
        "```\n"
        f"python benchmarks/scoreboard.py --page benchmarks/results/{source}\n"
        "python benchmarks/scoreboard.py --data FOLDER --results FILE --jobs 2\n"
        "python benchmarks/scoreboard.py --results FILE --repeats 0 --publish\n"
        "```",
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts if part) + "\n"


def _in_words(rankings: dict[str, Ranking], ours: Collection[str]) -> str:
    """Who leads, by which metric, and whether that counts; where the best of ours is ahead and where it is behind."""
    lines = []
    for metric in DRAWN:
        found = rankings[metric]
        mine = next(name for name in found.ranks.index if name in ours)
        theirs = next(name for name in found.ranks.index if name not in ours)
        gap = found.ranks[theirs] - found.ranks[mine]
        counts = "significant" if abs(gap) >= found.critical_difference else "not significant"
        first, second = (mine, theirs) if gap > 0 else (theirs, mine)
        compared = f"ahead of {second} ({found.ranks[second]:.2f})" if gap else f"level with {second}"
        below = [
            n
            for n in found.ranks.index
            if n not in ours and found.ranks[n] - found.ranks[mine] >= found.critical_difference
        ]
        beaten = (
            f"{mine} is significantly better than {', '.join(below)}"
            if below
            else f"{mine} is significantly better than none"
        )
        lines.append(
            f"- **{metric}**: {first} has the best average rank, {found.ranks[first]:.2f}, {compared}; the difference is "
            f"{counts}. Of the other libraries' models, {beaten}."
        )
    auc = rankings["AUC"]
    mine = next(name for name in auc.ranks.index if name in ours)
    theirs = auc.means[[name for name in auc.means if name not in ours]]
    lead = auc.means[mine] - theirs.max(axis=1)
    worst, best = lead.idxmin(), lead.idxmax()
    lines.append(
        f"- **Sets**: by AUC, {mine} is ahead of all models of the other libraries on {(lead > 0).sum()} of {len(lead)} "
        f"sets. Against the best of them on each set it does best on {best} ({lead[best]:+.4f}, {theirs.loc[best].idxmax()}) "
        f"and worst on {worst} ({lead[worst]:+.4f}, {theirs.loc[worst].idxmax()})."
    )
    return "\n".join(lines)


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
