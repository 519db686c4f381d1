"""Two words of which one says yes: which label is positive where the alphabet would have to decide."""

from __future__ import annotations

import unicodedata
from typing import Any

__all__ = ["default_positive", "says_yes_or_no", "side_of", "yes_of"]

# Yes before no, as `_plain` leaves them: small letters, no accents.
_WORDS = {
    "signs": "1 0, 1 -1, +1 -1, + -",
    "Bulgarian": "да не",
    "Czech and Slovak": "ano ne, ano nie, pravda nepravda",
    "Danish, Norwegian, Swedish": "ja nej, ja nei, sand falsk, sandt falsk, sann falsk, sant falskt",
    "Dutch": "ja nee, waar onwaar, positief negatief",
    "English": "yes no, y n, true false, t f, positive negative, pos neg",
    "Estonian": "jah ei",
    "Finnish": "kylla ei, tosi epatosi",
    "French": "oui non, vrai faux, positif negatif",
    "German": "ja nein, j n, wahr falsch, positiv negativ",
    "Greek": "ναι οχι",
    "Hungarian": "igen nem, igaz hamis",
    "Italian": "si no, s n, vero falso, positivo negativo",
    "Latvian and Lithuanian": "ja ne, taip ne",
    "Polish": "tak nie, prawda fałsz",
    "Portuguese": "sim nao, s n, verdadeiro falso, positivo negativo",
    "Romanian": "da nu, adevarat fals",
    "Russian": "да нет, истина ложь",
    "Serbian, Croatian, Slovene": "da ne, да не",
    "Spanish": "si no, s n, verdadero falso, positivo negativo",
    "Turkish": "evet hayır, evet hayir",
    "Ukrainian": "так ні",
}
# Any yes with any no of its language: a file that spells its labels in many ways may be left with "Y" and "no".
_KNOWN = {
    (yes, no)
    for pairs in ([pair.split() for pair in words.split(", ")] for words in _WORDS.values())
    for yes, _ in pairs
    for _, no in pairs
}
_YES, _NO = ({pair[k] for pair in _KNOWN} for k in (0, 1))


def yes_of(one: Any, other: Any) -> Any:
    """The label that says yes, of two labels that say yes and no in one language; None if they are no such words.

    Capitals, accents and spaces around the words do not count. The languages are the larger ones of Europe; true and
    false, positive and negative, and the texts 1 and 0 count too.

    Examples
    --------
    >>> yes_of("Nein", "Ja"), yes_of("sí", "no"), yes_of("0", "1"), yes_of("no", "Y")
    ('Ja', 'sí', '1', 'Y')
    >>> yes_of("bad", "good") is None
    True
    """
    if not (isinstance(one, str) and isinstance(other, str)):
        return None
    words = _plain(one), _plain(other)
    if words in _KNOWN:
        return one
    return other if words[::-1] in _KNOWN else None


def side_of(word: str) -> str | None:
    """Whether a word says yes or no, in any of the languages; None if it says neither, or either by language.

    Examples
    --------
    >>> side_of("Y"), side_of("nein"), side_of("maybe")
    ('yes', 'no', None)
    """
    plain = _plain(word)
    sides = {side for side, words in (("yes", _YES), ("no", _NO)) if plain in words}
    return sides.pop() if len(sides) == 1 else None


def says_yes_or_no(word: str) -> bool:
    """Whether a word says yes or no in any of the languages, so that it means nothing without its column.

    Examples
    --------
    >>> says_yes_or_no("Y"), says_yes_or_no("ne"), says_yes_or_no("default")
    (True, True, False)
    """
    return _plain(word) in _YES | _NO


def default_positive(lower: Any, greater: Any) -> Any:
    """The default positive label of two sorted labels: the word that means yes, else the greater one.

    Examples
    --------
    >>> default_positive("ja", "nein"), default_positive("no", "yes"), default_positive("bad", "good")
    ('ja', 'yes', 'good')
    >>> default_positive(-1, 1)
    1
    """
    found = yes_of(lower, greater)
    return greater if found is None else found


def _plain(word: str) -> str:
    parts = unicodedata.normalize("NFKD", word.strip().casefold())
    return "".join(part for part in parts if not unicodedata.combining(part))
