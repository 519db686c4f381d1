"""The labels of a file, however they are spelled."""

from __future__ import annotations

from collections import defaultdict

from ..yes_no import side_of
from .evidence import Evidence
from .findings import Finding
from .recipe import ColumnReading
from .spelling import folded, same_word

__all__ = ["is_unknown", "label_reading"]

_UNKNOWN = (
    "unknown",
    "unbekannt",
    "inconnu",
    "missing",
    "none",
    "na",
    "n/a",
    "n.a.",
    "k.a.",
    "not known",
    "not available",
)
_UNKNOWN_SIGNS = ("-", "--", ".", "tbd", "undetermined", "unclear", "pending")


def is_unknown(label: str) -> bool:
    """Whether a label says that there is none.

    Examples
    --------
    >>> is_unknown(" Unknown"), is_unknown("open")
    (True, False)
    """
    return folded(label) in _UNKNOWN + _UNKNOWN_SIGNS


def label_reading(
    seen: Evidence, how: ColumnReading, *, ordered: bool, as_text: bool = False
) -> tuple[ColumnReading, list[Finding]]:
    """How the labels are read, and what to say: words that differ in capitals and spaces are one label.

    So are different words for yes, and for no, if all labels are such words and there are two without them.

    Parameters
    ----------
    seen : Evidence
        Of the column of the labels.
    how : ColumnReading
        How it would be read as a feature.
    ordered : bool
        Whether the labels are ordered, and may be more than two.
    as_text : bool
        Whether numbers are text.

    Examples
    --------
    >>> import pyarrow as pa
    >>> seen = Evidence("paid")
    >>> seen.see(pa.array(["Yes", "Yes", "yes ", "Y", "no", "No", "No"]))
    >>> how, (said,) = label_reading(seen, ColumnReading("paid", "text"), ordered=False)
    >>> how.spellings
    (('no', 'No'), ('y', 'Yes'), ('yes', 'Yes'))
    """
    if seen.numbers and not as_text and max(-seen.low, seen.high) < 2**53:  # also with leading zeros
        return ColumnReading(how.name, "number", missing=how.missing), []
    if how.kind != "text" or not seen.words:
        return how, []
    groups: dict[str, list[str]] = defaultdict(list)
    for word in seen.words:
        groups[folded(word)].append(word)
    # without a plus a minus is no "no", but what a person types where nothing is known
    # and the name of the column is that of another header
    no_label = {key for key in groups if key == "-" and "+" not in groups}
    no_label |= {key for key, words in groups.items() if words == [how.name] and seen.words[how.name] == 1}
    sides = {key: None if key in no_label else side_of(key) for key in groups}
    if not ordered and len(groups) > 2 and set(sides.values()) == {"yes", "no"}:
        named = {side: [key for key in groups if sides[key] == side] for side in ("no", "yes")}
    else:
        named = {key: [key] for key in groups}
    spellings: dict[str, str] = {}
    told = []
    for keys in named.values():
        words = [word for key in keys for word in groups[key]]
        name = same_word(words, seen.words)
        if words != [name]:
            spellings |= dict.fromkeys(keys, name)
        if len(words) > 1:
            told.append(" and ".join(map(repr, sorted(words))))
    reading = ColumnReading(
        how.name, "text", missing=how.missing, fold=True, spellings=tuple(sorted(spellings.items()))
    )
    return reading, [Finding("labels", how.name, "; ".join(told))] if told else []
