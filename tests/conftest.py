"""In CI property tests use fixed examples; elsewhere they search for new ones. Figures are closed after each test."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    """A worker runs many tests, and matplotlib warns of more than 20 open figures."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
