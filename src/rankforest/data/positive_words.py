"""The positive label in a person's words: "default", "target = 1" or "label 1"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .yes_no import says_yes_or_no

__all__ = ["POSITIVE", "PositiveWords", "positive_words"]


@dataclass(frozen=True)
class PositiveWords:
    """What rows of the positive label are called.

    Attributes
    ----------
    name : str
        As the subject of a sentence: "default", "target = 1", "label 1", or "positive" if the label is unknown.
    of_rows : str
        After a number of rows or a share of them: "default", "with target = 1".
    """

    name: str
    of_rows: str

    @property
    def more_likely_if(self) -> str:
        """The words before a rule.

        Examples
        --------
        >>> positive_words("default").more_likely_if, positive_words().more_likely_if
        ('default more likely if', 'positive more likely if')
        """
        return f"{self.name} more likely if"


POSITIVE = PositiveWords("positive", "positive")


def positive_words(label: Any = None, target: str | None = None) -> PositiveWords:
    """The words for a positive label.

    Parameters
    ----------
    label : object
        None if it is unknown.
    target : str or None
        Name of the label column. It is used for labels that say nothing without it, such as 1 and "yes".

    Examples
    --------
    >>> positive_words("default", "status").of_rows, positive_words(1, "default").of_rows, positive_words("yes").of_rows
    ('default', 'with default = 1', 'with label yes')
    """
    if label is None:
        return POSITIVE
    said = str(label)
    if isinstance(label, str) and any(letter.isalpha() for letter in said) and not says_yes_or_no(said):
        return PositiveWords(said, said)
    name = f"label {said}" if target is None else f"{target} = {said}"
    return PositiveWords(name, f"with {name}")
