"""Where the goals of our models are met and where they are missed, set by set.

The price of `RankBoost` beside CatBoost's at equal or better AUC, the price of `RankConsensus` beside `RankBoost`'s,
its AUC beside that of its better member, and the distance of both from the best model of each set.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd
from _scoreboard_stats import Ranking, behind
from _timing import table

__all__ = [
    "behind_in_words",
    "compared",
    "goals",
    "goals_in_words",
    "goals_table",
    "most_behind_table",
    "spoken_of",
]

BOOST, FOREST, CONSENSUS, PEER = "RankBoost", "RankingForest", "RankConsensus", "CatBoost"
CONSENSUS_PRICE, MEMBER_LOSS, MOST_BEHIND = 1.3, 0.0005, 0.001


def spoken_of(models: Collection[str]) -> list[str]:
    """The models that the goals compare."""
    return [name for name in (BOOST, FOREST, CONSENSUS, PEER) if name in models]


def compared(models: Collection[str]) -> bool:
    """Whether the models are there that the goals speak of."""
    return {BOOST, CONSENSUS, PEER} <= set(models)


def goals(frame: pd.DataFrame) -> pd.DataFrame:
    """For each set: ratios of the seconds of a fit, and differences of AUC with their standard errors over the fits."""
    members = [name for name in (BOOST, FOREST) if name in set(frame["model"])]
    fits = frame.pivot_table(index=["set", "repeat", "fold"], columns="model", values="AUC", sort=False)
    seconds = frame.pivot_table(index="set", columns="model", values="fit seconds", sort=False)
    found = {}
    for name, aucs in fits.groupby(level="set", sort=False):
        better = aucs[members].mean().idxmax()
        lead, gain = aucs[BOOST] - aucs[PEER], aucs[CONSENSUS] - aucs[better]
        found[name] = {
            "folds": len(lead),
            "boost price": seconds.loc[name, BOOST] / seconds.loc[name, PEER],
            "lead": lead.mean(),
            "lead error": lead.std() / np.sqrt(len(lead)),
            "consensus price": seconds.loc[name, CONSENSUS] / seconds.loc[name, BOOST],
            "gain": gain.mean(),
            "gain error": gain.std() / np.sqrt(len(gain)),
        }
    return pd.DataFrame.from_dict(found, orient="index")


def goals_table(found: pd.DataFrame) -> str:
    rows = [
        [
            name,
            f"{one['folds']:.0f}",
            f"{one['boost price']:.2f}",
            _difference(one, "lead"),
            f"{one['consensus price']:.2f}",
        ]
        + [_difference(one, "gain")]
        for name, one in found.iterrows()
    ]
    header = ["", "folds", f"fit, {BOOST} / {PEER}", f"AUC, {BOOST} - {PEER}", f"fit, {CONSENSUS} / {BOOST}"]
    return table([*header, f"AUC, {CONSENSUS} - better member"], rows)


def goals_in_words(found: pd.DataFrame, share: float) -> str:
    """Each goal, and the sets that miss it; `share` is what `RankBoost` may take of CatBoost's seconds."""
    dear, worse = found["boost price"] > share, found["lead"].round(6) < 0
    slow, lost = found["consensus price"] > CONSENSUS_PRICE, found["gain"].round(6) < -MEMBER_LOSS
    price, peer_price = ([f"{value:.2f}" for value in found[name]] for name in ("boost price", "consensus price"))
    lead, gain = ([_difference(one, name) for _, one in found.iterrows()] for name in ("lead", "gain"))
    of_member = (
        f"{lost.sum()} of {len(found)} sets miss it: {_listed(found, lost, gain)}.{_clearly(found, lost, 'gain')}"
    )
    return "\n".join(
        [
            f"- **{BOOST}'s price**, at most {share:g} of {PEER}'s: {_told(found, dear, price)}",
            f"- **{BOOST}'s AUC**, at least {PEER}'s: {_told(found, worse, lead)}{_clearly(found, worse, 'lead')}",
            f"- **{CONSENSUS}'s price**, at most {CONSENSUS_PRICE:g} of {BOOST}'s: {_told(found, slow, peer_price)}",
            f"- **{CONSENSUS}'s AUC**, at most {MEMBER_LOSS:g} behind its better member: "
            + (of_member if lost.any() else "met on every set."),
        ]
    )


def behind_in_words(rankings: Mapping[str, Ranking], ours: Collection[str]) -> str:
    """By each metric the sets on which ours are more than .001 behind the best model."""
    lines = []
    for metric, found in rankings.items():
        for name in (one for one in (CONSENSUS, BOOST) if one in ours):
            lost = behind(found)[name]
            missed = lost > MOST_BEHIND
            said = [f"{value:.4f}" for value in lost]
            lines.append(f"- **{metric}**, {name}: {_told(lost.to_frame(), missed, said)}")
    return "\n".join(lines)


def most_behind_table(rankings: Mapping[str, Ranking], models: Collection[str], ours: Collection[str]) -> str:
    """How far each model is behind the best on its worst set, by each metric."""
    rows = [
        [
            metric,
            *("-" if np.isnan(value) else f"{value:.4f}" for value in behind(found)[list(models)].max(skipna=False)),
        ]
        for metric, found in rankings.items()
    ]
    return table(["", *(f"**{name}**" if name in ours else name for name in models)], rows)


def _told(found: pd.DataFrame, missed: pd.Series, said: list[str]) -> str:
    if not missed.any():
        return "met on every set."
    return f"missed on {missed.sum()} of {len(found)} sets: {_listed(found, missed, said)}."


def _clearly(found: pd.DataFrame, missed: pd.Series, name: str) -> str:
    """How many misses are beyond noise; nothing if there are none, or no errors."""
    if not missed.any() or found[f"{name} error"].isna().all():
        return ""
    clear = missed & (found[name] + 2 * found[f"{name} error"] < 0)
    return f" {clear.sum() or 'None'} of them by more than two standard errors."


def _listed(found: pd.DataFrame, chosen: pd.Series, said: list[str]) -> str:
    return ", ".join(f"{name} ({text})" for name, text, one in zip(found.index, said, chosen) if one)


def _difference(one: pd.Series, name: str) -> str:
    error = one[f"{name} error"]
    return f"{one[name]:+.4f}" + ("" if np.isnan(error) else f" ± {error:.4f}")
