"""The two parts of the scoreboard's page: up to 10 000 rows, and large tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
from _scoreboard_fit import MOST_TEST_ROWS, learned_rows
from _scoreboard_goals import (
    behind_in_words,
    compared,
    goals,
    goals_in_words,
    goals_table,
    most_behind_table,
    spoken_of,
)
from _scoreboard_stats import Ranking, common, ranking
from _scoreboard_tables import (
    REFERENCE,
    auc_table,
    behind_table,
    costs_table,
    in_words,
    ranks_table,
    seconds_table,
    settings_table,
    side_table,
    wins_table,
)

__all__ = ["DRAWN", "Published", "large_part", "small_part"]

DRAWN = ("AUC", "local AUC 5%", "local AUC 10%")
LARGE_METRICS = ("AUC", "local AUC 1%", "local AUC 5%", "local AUC 10%")
_ABOUT = ("machine", "versions")
_SMALL = """\
{models} models on {sets} data sets with two labels by {times} 2-fold cross-validation. All models have the same folds,
at most {most_rows} rows of a set, one setting for all sets, and one thread. The models are ranked on each set by their
mean over the folds, and these ranks are averaged over the sets; 1 is the best. For every metric here, higher is better.
The sentences below compare the best of our models with those of the other libraries. They are generated from the
figures."""
_RANKS = """\
If the average ranks of two models differ by less than the critical difference (Nemenyi's test at 5%), these sets do
not show a significant difference. Friedman's p is for the question whether all models rank alike. Local AUC and hit
ratio are those of the top 1%, 5% and 10% of the list. RankingForest(top) is fitted for the top 10% and is the same
model in all columns."""
_COSTS = f"""\
Times are processor seconds in one thread, as multiples of {REFERENCE}'s, and geometric means over the sets. Memory
is the peak of a fit minus what was in use before it, averaged over the sets. "-" was not measured on every set."""
_INSTABILITY = """\
Instability is the share of pairs of rows that two fits to different halves put in different order, on rows that neither
was trained on, a mean over the sets."""
_MODELS = """\
Models that support categories get them as categories (ours, HistGB, LightGBM, XGBoost, CatBoost). RandomForest and
ExtraTrees get them as codes, logistic and RankSVM as one-hot columns. Sets with ordered labels, numbers or relevances
are turned into two labels. Our defaults were chosen on artificial data and on other splits of twelve of these sets,
the weights and the forest of RankConsensus and the kinds and folds of RankBoost on other splits of all sets, so these
figures are not independent of those choices. The other models have their defaults or a common setting, with two
exceptions: the C of RankSVM and the way in which XGBoost's ranking draws its pairs were chosen, in their favour, on
other splits of four of the sets."""
_LARGE = """\
{models} models on {sets} data sets with two labels, of {least_rows} to {most_rows} rows. Two thirds of the rows are
learned from and one third is tested on, {test_rows} rows at most; {times}, the same for all models. Every model has one
setting for all sets, and one thread.{ended}"""
_ENDED = " Fits that took more processor time than their limit were ended: they share the last rank of the set."
_LARGE_COSTS = f"""\
Times are processor seconds in one thread, as multiples of {REFERENCE}'s, and geometric means over the sets. Memory
is the peak of a fit minus what was in use before it, averaged over the sets. "-" was not measured on every set."""
_LARGE_MODELS = """\
Models that support categories get them as categories. RandomForest and ExtraTrees get them as codes, and so do
HistGB in columns with more than 255 and perpetual in columns with more than 1000 of them. `ml100k` joins the ratings
of MovieLens with its users and films (a rating of at least 4 is positive). `category_pairs` is simulated: its signal
lies in categories of up to 300 values and in pairs of them. `rf20` is simulated by `rankforest.data.simulate.rf20`.
Our defaults were chosen with other splits of these sets in view, so these figures are not independent of those
choices."""
_GOALS = """\
Differences of AUC are means over the folds, with their standard errors where there are several folds. These models
may have been through more folds than the others. Folds share rows, so the errors are somewhat too small. The better
member of RankConsensus is RankBoost or RankingForest, as they are on this page; its own forest has 80 trees at most."""
_EQUAL_AUC = """\
Where RankBoost takes more, it goes on to a higher AUC. Stopped where it ranks as well as CatBoost, it takes .11
(covtype with 100 000 rows), .06 (all of covtype) and .13 (RF20, a million rows) of CatBoost's seconds:
[the price of CatBoost's AUC](notes/accuracy.md#the-price-of-catboosts-auc)."""
_BEHIND = """\
The goal is to be at most .001 behind the best model of each set, by each metric; in brackets how far it is missed."""
_SIDE = """\
Not all models were run on all tables. The table has the AUC, in brackets the seconds of the fit, of the sets and models
that the ranks leave out; "-" was not run."""
SMALL_SHARE, LARGE_SHARE = 1.0, 0.25  # of CatBoost's seconds
_HOW = "All figures: `benchmarks/results/{source}`."


@dataclass(frozen=True)
class Published:
    """The figures of a scoreboard, and what they were taken with."""

    frame: pd.DataFrame  # all fits
    about: dict[str, Any]
    source: str  # the name of the dated file

    @property
    def common(self) -> pd.DataFrame:
        """The fits of folds that all ranked models have been through, and the rows that they have learned from."""
        return self._learned(common(self.frame, self.ranked))

    @property
    def ranked(self) -> list[str]:
        """The models but those that stand beside the ranks, because they were run on some of the sets."""
        return sorted(set(self.frame["model"]) - set(self.about.get("beside", ())))

    @property
    def left_out(self) -> pd.DataFrame:
        """The fits of the sets that a ranked model has not been through, or that were given to models beside them."""
        beside = self.frame["model"].isin(self.about.get("beside", ()))
        sets = set(self.frame["set"]) - set(self.common["set"]) | set(self.frame[beside]["set"])
        return self.frame[self.frame["set"].isin(sets)]

    @property
    def largest(self) -> pd.DataFrame:
        """The sets that a ranked model has not been through, and the ranked models that have been through them all."""
        frame = self.frame[~self.frame["set"].isin(set(self.common["set"])) & self.frame["model"].isin(self.ranked)]
        through = frame.groupby("model")["set"].nunique()
        return self._learned(frame[frame["model"].isin(through[through == frame["set"].nunique()].index)])

    def _learned(self, found: pd.DataFrame) -> pd.DataFrame:
        n_folds = self.frame["fold"].nunique()
        return found.assign(learned=[learned_rows(int(rows), n_folds) for rows in found["rows"]])

    def rankings(self) -> dict[str, Ranking]:
        frame = self.common
        return {metric: ranking(frame, metric) for metric in self.about["metrics"]}


def small_part(published: Published) -> list[str]:
    frame, about, rankings = published.common, published.about, published.rankings()
    auc, models, ours = _who(rankings, about)
    both = 0 < len(ours) < len(models)
    repeats = frame.groupby("set")["repeat"].nunique()
    times = f"{repeats.min()}" if repeats.min() == repeats.max() else f"{repeats.min()} to {repeats.max()}"
    times = "one" if times == "1" else f"{times} times"
    most_rows = f"{int(frame['rows'].max()):,}"
    return [
        _SMALL.format(models=len(models), sets=len(auc.means), times=times, most_rows=most_rows),
        *about.get("notes", ()),
        in_words(rankings, DRAWN, ours) if both else "",
        "### Average ranks",
        ranks_table(rankings, ours),
        _RANKS,
        *(["### Sets won and lost, by AUC", wins_table(auc, ours)] if both else []),
        "### AUC of every set",
        auc_table(frame, auc, ours),
        *_goals("### Goals on every set", published, models, SMALL_SHARE),
        "### Time, memory and stability",
        costs_table(frame, about, models, ours),
        _COSTS,
        _INSTABILITY if about["instability"] else "",
        "### Models",
        settings_table(about, models, ours),
        _MODELS,
        "### How it was made",
        _how(published),
    ]


def large_part(published: Published) -> list[str]:
    frame, about = published.common, published.about
    rankings = {metric: found for metric, found in published.rankings().items() if metric in LARGE_METRICS}
    auc, models, ours = _who(rankings, about)
    both = 0 < len(ours) < len(models)
    repeats = int(frame["repeat"].astype(int).max()) + 1
    return [
        _LARGE.format(
            models=len(models),
            sets=len(auc.means),
            least_rows=f"{int(frame['rows'].min()):,}",
            most_rows=f"{int(frame['rows'].max()):,}",
            test_rows=f"{MOST_TEST_ROWS:,}",
            times="one split" if repeats == 1 else f"{repeats} splits, one for the largest sets",
            ended=_ENDED if frame["AUC"].isna().any() else "",
        ),
        *about.get("notes", ()),
        in_words(rankings, LARGE_METRICS, ours) if both else "",
        "### Average ranks on large tables",
        ranks_table(rankings, ours),
        "### AUC of every large set",
        auc_table(frame, auc, ours),
        "Behind the best model of the set:",
        behind_table(auc, ours),
        "Most behind the best, on the worst set of each model:",
        most_behind_table(rankings, models, ours),
        *([_BEHIND, behind_in_words(rankings, ours)] if compared(models) else []),
        *_goals("### Goals on every large set", published, models, LARGE_SHARE),
        _EQUAL_AUC if compared(models) else "",
        "### Seconds of a fit",
        seconds_table(frame, auc, "fit seconds", ours),
        "### Seconds of scoring",
        seconds_table(frame, auc, "score seconds", ours),
        "These are processor seconds in one thread for all test rows.",
        "### Time and memory on large tables",
        costs_table(frame, about, models, ours),
        _LARGE_COSTS,
        *_side(published, models),
        "### Models on large tables",
        settings_table(about, [*models, *about.get("beside", ())], ours),
        _LARGE_MODELS,
        "### How the large scoreboard was made",
        _how(published),
    ]


def _goals(title: str, published: Published, models: list[str], share: float) -> list[str]:
    """The models of the goals may have been through more folds than the others."""
    if not compared(models):
        return []
    ranked = published.frame[published.frame["set"].isin(set(published.common["set"]))]
    found = goals(common(ranked, spoken_of(models)))
    return [title, goals_in_words(found, share), goals_table(found), _GOALS]


def _side(published: Published, models: list[str]) -> list[str]:
    frame, about = published.left_out, published.about
    if frame.empty:
        return []
    return [
        "### Sets and models without ranks",
        _SIDE,
        side_table(frame, [*models, *about.get("beside", ())], about["ours"]),
        *about.get("beside notes", ()),
    ]


def _who(rankings: dict[str, Ranking], about: dict[str, Any]) -> tuple[Ranking, list[str], list[str]]:
    """The ranking by AUC, the models in its order, and ours among them."""
    auc = rankings["AUC"]
    return auc, list(auc.ranks.index), [name for name in about["ours"] if name in auc.ranks.index]


def _how(published: Published) -> str:
    about = published.about
    taken = "; ".join([about["date"], *(", ".join(f"{k} {v}" for k, v in about[part].items()) for part in _ABOUT)])
    return f"{taken}. {_HOW.format(source=published.source)}"
