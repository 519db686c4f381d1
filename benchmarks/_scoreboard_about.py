"""What the figures of a scoreboard were taken with: the machine, the versions, the settings of the models."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

from _timing import processor, version

import rankforest

__all__ = ["about"]

PACKAGES = (
    "numpy", "scipy", "scikit-learn", "lightgbm", "xgboost", "catboost", "perpetual", "chimeraboost", "interpret-core",
    "pandas",
)  # fmt: skip


def about() -> dict[str, dict[str, str]]:
    """The machine and the versions, as text; nothing that names the machine or its folders."""
    machine = {
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
    }
    # the library may run from its sources, without being installed
    ours = {"python": version("python"), "rankforest": rankforest.__version__ + _commit()}
    versions = ours | {name: version(name) for name in PACKAGES}
    return {"machine": machine, "versions": versions}


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GiB"
    except (AttributeError, OSError, ValueError):
        return "unknown"


def _commit() -> str:
    """The commit that the figures belong to, where it is known."""
    try:
        asked = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True
        )
    except OSError:
        return ""
    return f" ({asked.stdout.strip()})" if asked.returncode == 0 else ""
