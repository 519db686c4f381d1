"""Arrays that a model file was asked to leave out: what needs them raises one sentence."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["LeftOut", "NotInFile"]


class NotInFile(ValueError, AttributeError):
    """Something that the model file was asked to leave out."""


class LeftOut:
    """Stands for an array that is not in the file; any use raises `NotInFile`.

    Examples
    --------
    >>> LeftOut("oob_scores")[0]
    Traceback (most recent call last):
    rankforest.data.left_out.NotInFile: The model was saved for scoring only, without oob_scores, which ...
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise NotInFile(
            f"The model was saved for scoring only, without {self.name}, which rules, importances or reports need; "
            "load a file that was saved without for_scoring."
        )

    __getitem__ = __len__ = __iter__ = __array__ = __bool__ = __float__ = _refuse

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked by copy, pickle and the like
            raise AttributeError(name)
        self._refuse()

    def __repr__(self) -> str:
        return f"LeftOut({self.name!r})"
