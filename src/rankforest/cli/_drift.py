"""How far a file is from the training sample, counted while it streams by."""

from __future__ import annotations

from typing import Any

from ._model import Loaded

__all__ = ["DriftMeter"]


class DriftMeter:
    def __init__(self, loaded: Loaded) -> None: ...

    def see(self, features: Any) -> None: ...

    def found(self, scored: Any) -> dict[str, Any] | None:
        return None
