"""The benchmarks are scripts in a folder of their own, which is no package; here their modules can be imported."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
