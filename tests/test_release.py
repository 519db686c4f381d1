"""The version has one place, and what speaks of a release agrees with it."""

import importlib.metadata
import json
import re
from pathlib import Path

import rankforest

ROOT = Path(__file__).parents[1]


def test_the_version_is_semantic_and_that_of_the_package() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+|(a|b|rc)\d+)?", rankforest.__version__)
    assert importlib.metadata.version("rankforest") == rankforest.__version__


def test_citation_and_changelog_know_the_version() -> None:
    assert f"\nversion: {rankforest.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    sections = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    assert sections[0] == "Unreleased"
    assert sections[1].split()[0] == rankforest.__version__


def test_the_package_is_marked_as_typed() -> None:
    assert (Path(rankforest.__file__).parent / "py.typed").is_file()


def test_the_bill_of_materials_names_every_version() -> None:
    files = importlib.metadata.files("rankforest") or []
    [bill] = [file for file in files if file.name == "rankforest.cdx.json"]
    content = json.loads(bill.read_text(encoding="utf-8"))
    parts = [content["metadata"]["component"], *content["components"]]
    assert {part["name"] for part in parts} >= {"rankforest", "nanobind", "robin-map"}
    for part in parts:
        name, _, version = part["purl"].rpartition("@")
        assert name.endswith("/" + part["name"])
        assert version.removeprefix("v") == part["version"]
        assert re.fullmatch(r"\d+\.\d+\.\d+\S*", part["version"])
