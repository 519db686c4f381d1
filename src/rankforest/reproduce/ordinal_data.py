"""The three data sets of the ordinal ranking tree paper (2008), and how one trial is drawn from each.

Two of them are files that the user keeps in a folder, as .csv or .csv.gz with a line of names:

=============================  ================================================================
cystic_fibrosis_judgments      rew, colleagues, postdoc, jbw: four ratings 0, 1, 2 of 4819 pairs
ml100k_ratings                 user_id, movie_id, timestamp, target: ratings 1 to 5
=============================  ================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data import simulate
from .files import table_path

__all__ = [
    "MovieRatings",
    "TrainTest",
    "cystic_fibrosis_trial",
    "load_cystic_fibrosis",
    "load_movie_ratings",
    "movie_trial",
    "square_trial",
]

RATERS = ("rew", "colleagues", "postdoc", "jbw")
N_TEST_PAIRS = 572
# The paper says "over 300", and counts 54 people: one of them rated exactly 300.
MIN_RATINGS = 300
N_MOVIES, N_TEST_MOVIES = 300, 90
NOT_SEEN = 3


class TrainTest(NamedTuple):
    """Training rows and test rows."""

    X_train: NDArray[np.float64]
    y_train: NDArray[np.int64]
    X_test: NDArray[np.float64]
    y_test: NDArray[np.int64]


def square_trial(rng: np.random.Generator, *, n_train: int = 50_000, n_test: int = 1000) -> TrainTest:
    """Five ordered classes on the unit square (section 5.1).

    Examples
    --------
    >>> square_trial(np.random.default_rng(0), n_train=100).X_train.shape
    (100, 2)
    """
    sample = simulate.ordinal_square(n_train + n_test, random_state=rng)
    return TrainTest(sample.X[:n_train], sample.y[:n_train], sample.X[n_train:], sample.y[n_train:])


def load_cystic_fibrosis(folder: str | Path) -> NDArray[np.int64]:
    """Ratings 1 (not relevant) to 3 (highly relevant) of pairs of a query and a document, one column per rater."""
    return _read(folder, "cystic_fibrosis_judgments", RATERS) + 1


def cystic_fibrosis_trial(ratings: NDArray[np.int64], rng: np.random.Generator) -> TrainTest:
    """One rater, drawn at random, is predicted from the other three; 572 pairs, drawn at random, are the test set."""
    target = int(rng.integers(ratings.shape[1]))
    return _split(np.delete(ratings, target, axis=1), ratings[:, target], N_TEST_PAIRS, rng)


@dataclass(frozen=True)
class MovieRatings:
    """Ratings of the people who rated many movies.

    Attributes
    ----------
    ratings : array of shape (people, movies)
        1 to 5, and 3 where a person has not seen a movie.
    first : array of shape (people, 300)
        The movies that each person rated first, by position.
    """

    ratings: NDArray[np.int64]
    first: NDArray[np.int64]


def load_movie_ratings(folder: str | Path) -> MovieRatings:
    """MovieLens 100k: the 54 people with 300 ratings or more."""
    table = _read(folder, "ml100k_ratings", ("user_id", "movie_id", "timestamp", "target"))
    person, movie, time, rating = table.T
    people, counts = np.unique(person, return_counts=True)
    people = people[counts >= MIN_RATINGS]
    if len(people) < 2:
        raise ValueError(
            f"ml100k_ratings in {str(folder)!r} has {len(people)} people with {MIN_RATINGS} ratings or more, and two "
            "at least are needed; give the whole of MovieLens 100k."
        )
    ratings = np.full((len(people), int(movie.max()) + 1), NOT_SEEN, dtype=np.int64)
    first = np.empty((len(people), N_MOVIES), dtype=np.int64)
    for i, who in enumerate(people):
        rows = person == who
        ratings[i, movie[rows]] = rating[rows]
        # many ratings have the same timestamp; ties are broken by the number of the movie
        first[i] = movie[rows][np.lexsort((movie[rows], time[rows]))][:N_MOVIES]
    return MovieRatings(ratings, first)


def movie_trial(movies: MovieRatings, rng: np.random.Generator) -> TrainTest:
    """One person, drawn at random, is predicted from all others; of 300 movies 90 are the test set."""
    who = int(rng.integers(len(movies.ratings)))
    seen = movies.ratings[:, movies.first[who]]
    return _split(np.delete(seen, who, axis=0).T, seen[who], N_TEST_MOVIES, rng)


def _split(X: NDArray[np.int64], y: NDArray[np.int64], n_test: int, rng: np.random.Generator) -> TrainTest:
    order = rng.permutation(len(y))
    train, test = order[n_test:], order[:n_test]
    return TrainTest(X[train].astype(np.float64), y[train], X[test].astype(np.float64), y[test])


def _read(folder: str | Path, name: str, columns: tuple[str, ...]) -> NDArray[np.int64]:
    path = table_path(folder, name)
    names = np.loadtxt(path, delimiter=",", dtype=str, max_rows=1).tolist()
    missing = [column for column in columns if column not in names]
    if missing:
        raise ValueError(f"{path.name} has no column {missing[0]!r} (it has {', '.join(names)}); give the right file.")
    return np.loadtxt(path, delimiter=",", skiprows=1, usecols=[names.index(c) for c in columns], dtype=np.int64)
