"""Two words of which one says yes: which label is positive where the alphabet would have to decide."""

from __future__ import annotations

import unicodedata
from typing import Any

__all__ = ["positive_first", "yes_of"]

# One pair per line, yes before no, as `_plain` leaves them: small letters, no accents.
_PAIRS = """
yes no          y n             true false      t f             positive negative
pos neg         1 0             1 -1            +1 -1           + -
ja nein         j n             wahr falsch     positiv negativ
oui non         vrai faux       positif negatif
si no           s n             verdadero falso positivo negativo
sim nao         verdadeiro falso
vero falso      ja nee          waar onwaar     positief negatief
ja nej          ja nei          sann falsk      sant falskt     sand falsk      sandt falsk
kylla ei        jah ei          tosi epatosi
tak nie         prawda fałsz    ano ne          ano nie         pravda nepravda
igen nem        igaz hamis      da nu           da ne           taip ne         ja ne
да нет          да не           да ні           так ні          так не          истина ложь
ναι οχι         evet hayır      evet hayir
""".split()
_KNOWN = dict.fromkeys(zip(_PAIRS[::2], _PAIRS[1::2]))


def yes_of(one: Any, other: Any) -> Any:
    """The label that says yes, of two labels that say yes and no in one language; None if they are no such words.

    Capitals, accents and spaces around the words do not count. The languages are the larger ones of Europe; true and
    false, positive and negative, and the texts 1 and 0 count too.

    Examples
    --------
    >>> yes_of("Nein", "Ja"), yes_of("sí", "no"), yes_of("0", "1")
    ('Ja', 'sí', '1')
    >>> yes_of("bad", "good") is None
    True
    """
    if not (isinstance(one, str) and isinstance(other, str)):
        return None
    words = _plain(one), _plain(other)
    if words in _KNOWN:
        return one
    return other if words[::-1] in _KNOWN else None


def positive_first(lower: Any, greater: Any) -> bool:
    """Whether, of two labels in sorted order, the first is the positive one: only where it says yes, as "ja" does.

    Examples
    --------
    >>> positive_first("ja", "nein"), positive_first("no", "yes"), positive_first("bad", "good"), positive_first(0, 1)
    (True, False, False, False)
    """
    found = yes_of(lower, greater)
    return found is not None and found == lower


def _plain(word: str) -> str:
    parts = unicodedata.normalize("NFKD", word.strip().casefold())
    return "".join(part for part in parts if not unicodedata.combining(part))
