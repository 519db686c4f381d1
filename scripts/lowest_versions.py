"""Prints the lower bounds of pyproject.toml as exact versions, constraints for pip: `make oldest` tests with them.

>>> exact("numpy>=1.26")
'numpy==1.26'
>>> exact("dask[array,dataframe]>=2025.1")
'dask==2025.1'
>>> exact("rankforest[plot]") is None
True
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

# Extras that users install; the others hold tools of the developers.
EXTRAS = ("plot", "cli", "report", "storage", "dask", "export", "excel", "database")


def exact(requirement: str) -> str | None:
    """The lowest version that a requirement allows."""
    found = re.fullmatch(r"([\w.-]+)(?:\[.*\])?>=([\w.]+)", requirement)
    return f"{found[1]}=={found[2]}" if found else None


def main() -> None:
    project = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    listed = [*project["dependencies"], *(one for name in EXTRAS for one in extras[name])]
    unbounded = [one for one in listed if exact(one) is None]
    if unbounded:
        sys.exit(f"{unbounded[0]!r} in pyproject.toml has no lower bound; give it one, as in 'numpy>=1.26'.")
    print("\n".join(dict.fromkeys(version for one in listed if (version := exact(one)))))


if __name__ == "__main__":
    main()
