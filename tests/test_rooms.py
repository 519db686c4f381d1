"""The map in CONTRIBUTING.md, the import-linter contract and the packages agree."""

import ast
import re
import tomllib
from pathlib import Path

import rankforest

ROOT = Path(__file__).parents[1]
PACKAGES = {path.parent.name: path for path in Path(rankforest.__file__).parent.glob("*/__init__.py")}


def mapped() -> dict[str, str]:
    """The packages of the map, lowest first, and their lines."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.split("| package | what it holds |\n|---|---|\n")[1].split("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)/` \| (.*) \|$", table, flags=re.MULTILINE)
    return {name: line for name, line in rows if name != "core"}  # the compiled one is no Python package


def test_the_map_has_the_order_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = [layer.split(" | ") for layer in contracts[0]["layers"]]
    in_contract = [name for layer in reversed(layers) for name in layer if name in PACKAGES]
    assert list(mapped()) == in_contract
    assert set(in_contract) == set(PACKAGES)


def test_the_map_says_what_the_packages_say_of_themselves() -> None:
    for name, line in mapped().items():
        said = ast.get_docstring(ast.parse(PACKAGES[name].read_text(encoding="utf-8"))) or ""
        assert said.splitlines()[0].replace("``", "`") == line, name
