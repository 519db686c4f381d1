"""The two scoreboards: which sets and models, how they are split, and what is written of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from _large_models import large_entries
from _large_sets import LARGE, QUICK_LARGE
from _scoreboard_fit import Rules, Source, Task, halves, thirds
from _scoreboard_models import entries
from _scoreboard_parts import Published, large_part, small_part
from _sets import SETS, RealSet, found_in, present
from _timing import peer

__all__ = ["Board", "check_names", "large_board", "small_board"]

QUICK_SETS = ("wdbc", "car")
QUICK_TREES, TREES = 10, 500


@dataclass(frozen=True)
class Board:
    """A scoreboard."""

    stem: str  # of its dated files
    rules: Rules
    repeats: int  # usually
    sets: Callable[[Path, Sequence[str] | None], Sequence[Source]]  # in a folder, those that are wanted
    part: Callable[[Published], list[str]]  # of the page

    def models(self) -> list[str]:
        """Those that are installed; the others are named."""
        found = self.rules.entries(self.rules.n_trees)
        return [name for name, one in found.items() if one.package is None or peer(one.package) is not None]

    def tasks(self, chosen: Sequence[Source], models: Sequence[str], repeats: int, folder: Path) -> Iterator[Task]:
        """Repeat 0 of all sets before repeat 1 of any; the models of a part side by side."""
        for repeat in range(repeats):
            for source in chosen:
                if repeat == 0 or source.several:
                    for fold in range(self.rules.n_folds):
                        for model in models:
                            yield Task(source, repeat, fold, model, folder, self.rules)


def small_board(quick: bool, most_rows: int | None) -> Board:
    """2-fold cross-validation on all binary sets of the folder, known or found in it."""

    def sets(folder: Path, wanted: Sequence[str] | None) -> list[RealSet]:
        wanted = wanted or (QUICK_SETS if quick else None)
        others = found_in(folder) if wanted is None or not set(wanted) <= set(SETS) else {}
        known = SETS | others
        check_names("set", wanted or (), known)
        return [known[name] for name in present(folder, wanted or known)]

    most_rows = most_rows or (80 if quick else 10_000)
    rules = Rules(entries, halves, QUICK_TREES if quick else TREES, n_folds=2, most_rows=most_rows, orders=True)
    return Board("scoreboard", rules, 1 if quick else 5, sets, small_part)


def large_board(quick: bool, most_seconds: float, others: bool = False) -> Board:
    """One split of large sets; a fit that takes too long is ended. `others` are the sets that a folder has."""

    def sets(folder: Path, wanted: Sequence[str] | None) -> Sequence[Source]:
        if others:
            found = found_in(folder)
            check_names("set", wanted or (), found)
            return [found[name] for name in wanted or found]
        known = QUICK_LARGE if quick else LARGE
        check_names("set", wanted or (), known)
        files = {name: one.files for name, one in known.items()}
        return [known[name] for name in present(folder, wanted or known, files)]

    rules = Rules(large_entries, thirds, QUICK_TREES if quick else TREES, n_folds=1, most_seconds=most_seconds)
    return Board("scoreboard-large", rules, 1, sets, large_part)


def check_names(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    for name in given:
        if name not in known:
            raise SystemExit(f"There is no {what} {name!r}; choose among {', '.join(known)}.")
