"""The sets of the large scoreboard: real tables from 15 000 rows on, sets of many categories, simulated ones.

Two of them are made here. `ml100k` joins the ratings of MovieLens with its users and films: a rating of 4 or 5 is
positive. `category_pairs` is drawn: its signal lies in categories with up to 300 values and in pairs of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from _scoreboard_fit import MOST_TEST_ROWS
from _sets import SETS, RealSet, drawn_rows, frame_of

from rankforest.data import simulate

__all__ = ["LARGE", "QUICK_LARGE", "LargeSet", "category_pairs", "movie_ratings"]

Table = tuple[pd.DataFrame, np.ndarray]
_SEED = 16
_RATINGS, _USERS, _FILMS = "ml100k_ratings", "ml100k_users", "ml100k_items"


@dataclass(frozen=True)
class LargeSet:
    """A set of the large scoreboard: how it is read or drawn, and the files that it needs."""

    name: str
    read: Callable[[Path], Table]
    files: tuple[str, ...] = ()
    several: bool = False  # small enough for more than one split

    def table(self, folder: Path) -> Table:
        return self.read(folder)


def movie_ratings(folder: Path) -> Table:
    """Who rates which film 4 or 5: users, films, occupations and zip codes are categories."""
    ratings, users, films = (frame_of(folder, name) for name in (_RATINGS, _USERS, _FILMS))
    films["year"] = pd.to_datetime(films["release_date"], format="%d-%b-%Y").dt.year
    films = films.drop(columns=["movie_title", "release_date", "video_release_date", "IMDb_URL"])
    frame = ratings.merge(users, on="user_id").merge(films, on="movie_id")
    y = (frame.pop("target") >= 4).to_numpy().astype(int)
    categories = ("user_id", "movie_id", "gender", "occupation", "zip_code")
    frame = frame.astype(dict.fromkeys(categories, "category"))
    return frame.set_axis([f"x{j}" for j in range(frame.shape[1])], axis=1), y


def category_pairs(folder: Path | None, *, n: int) -> Table:
    """Five categories with 300 to 10 values, frequent and rare ones, and five numbers, two of which matter.

    The log-odds are a sum of one effect for each value of the first three categories, one for each pair of values of
    two pairs of columns, and a little of the numbers.
    """
    rng = np.random.default_rng(_SEED)
    sizes = (300, 200, 100, 30, 10)
    codes = [rng.choice(size, size=n, p=_frequencies(size)) for size in sizes]
    X = pd.DataFrame(rng.normal(size=(n, 5))).add_prefix("n")
    logit = 0.5 * X["n0"].to_numpy() + 0.5 * np.abs(X["n1"].to_numpy()) - 1.0
    for j in range(3):
        logit += rng.normal(scale=0.6, size=sizes[j])[codes[j]]
    for i, j in ((0, 4), (2, 3)):
        logit += rng.normal(scale=0.8, size=(sizes[i], sizes[j]))[codes[i], codes[j]]
    for j, code in enumerate(codes):
        X[f"c{j}"] = pd.Categorical.from_codes(code, [f"v{k}" for k in range(sizes[j])])
    return X, (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(int)


def _frequencies(size: int) -> np.ndarray:
    """The k-th value is drawn in proportion to k^(-1/2)."""
    weight = np.arange(1, size + 1) ** -0.5
    return weight / weight.sum()


def _part(folder: Path, *, real: RealSet, n: int) -> Table:
    X, y = real.table(folder)
    kept = drawn_rows(len(y), n)
    return X.iloc[kept].reset_index(drop=True), y[kept]


def _simulated(folder: Path | None, *, draw: Callable[..., simulate.Simulated], n: int) -> Table:
    sample = draw(n, random_state=_SEED)
    return pd.DataFrame(sample.X).add_prefix("x"), (sample.y == 1).astype(int)


def _by_name(*sets: LargeSet) -> dict[str, LargeSet]:
    return {one.name: one for one in sets}


# the cheapest first; 100k and 1m are the rows to learn from
LARGE = _by_name(
    *(
        LargeSet(name, SETS[name].table, (name,), several=True)
        for name in ("california", "mq2008", "taiwan_default", "bank_marketing", "adult")
    ),
    LargeSet("category_pairs", partial(category_pairs, n=60_000)),
    LargeSet("ml100k", movie_ratings, (_RATINGS, _USERS, _FILMS)),
    LargeSet("rf20_100k", partial(_simulated, draw=simulate.rf20, n=150_000)),
    LargeSet("covtype_100k", partial(_part, real=SETS["covtype"], n=150_000), ("covtype",)),
    LargeSet("covtype", SETS["covtype"].table, ("covtype",)),
    LargeSet("rf20_1m", partial(_simulated, draw=simulate.rf20, n=1_000_000 + MOST_TEST_ROWS)),
)
QUICK_LARGE = _by_name(
    LargeSet("category_pairs", partial(category_pairs, n=240)),
    LargeSet("rf20_100k", partial(_simulated, draw=simulate.rf20, n=240)),
)
