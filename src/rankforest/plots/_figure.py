"""Where displays get matplotlib from."""

from __future__ import annotations

from typing import Any

__all__ = ["pyplot"]


def pyplot() -> Any:
    """matplotlib.pyplot, or one sentence that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "Drawing needs matplotlib, which is not installed; run `pip install rankforest[plot]`."
        ) from None
    return plt
