"""Words that differ in capitals and spaces only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

__all__ = ["folded", "merged_spellings", "same_word"]


@lru_cache(maxsize=100_000)
def folded(text: str) -> str:
    """The text without capitals, and with single spaces between its words only.

    Examples
    --------
    >>> folded("  New   York ")
    'new york'
    """
    return " ".join(text.split()).casefold()


def merged_spellings(counts: Mapping[str, int]) -> dict[str, str]:
    """What to call words that are written in several ways: the most frequent one, by the folded word.

    Examples
    --------
    >>> merged_spellings({"Paris": 5, "paris ": 2, "Oslo": 1})
    {'paris': 'Paris'}
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for word in counts:
        groups[folded(word)].append(word)
    several = {key: words for key, words in groups.items() if len(words) > 1}
    return {key: same_word(words, counts) for key, words in several.items()}


def same_word(words: Iterable[str], counts: Mapping[str, int]) -> str:
    """The name of words that mean the same: the most frequent one without spaces around it, the first of equal ones."""
    best = min(words, key=lambda word: (-counts[word], word != word.strip(), word))
    return " ".join(best.split())
