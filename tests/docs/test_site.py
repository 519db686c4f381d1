"""The site is complete without building it: names in the reference, pages in the contents, examples, links, code."""

import ast
import importlib
import re
import tomllib
from pathlib import Path

import pytest

import rankforest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))
GENERATED = ("auto_examples", "auto_pages", "_live")
# pages that are made of other files by the build
OUTSIDE = [
    "benchmarks/README.md",
    *(f"{name}.md" for name in ("CHANGELOG", "CODE_OF_CONDUCT", "CONTRIBUTING", "SECURITY")),
]
MADE = {
    "auto_examples/index",
    *(f"auto_pages/{name}" for name in ("benchmarks", "changelog", "code-of-conduct", "contributing", "security")),
}
PAGES = sorted(page for page in DOCS.rglob("*.md") if page.relative_to(DOCS).parts[0] not in GENERATED)
TEXTS = [*PAGES, *(ROOT / name for name in ("README.md", *OUTSIDE))]
MODULES = [
    *(f"rankforest.{name}" for name in rankforest._MODULES if name != "data"),
    "rankforest.data.simulate",
    "rankforest.dask",
    "rankforest.dask.metrics",
    "rankforest.partitions",
    "rankforest.storage",
]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def in_reference() -> set[str]:
    """Full names of everything that the pages of the reference list."""
    found = set()
    for page in (DOCS / "reference").glob("*.rst"):
        module = ""
        for line in page.read_text().splitlines():
            if line.startswith(".. currentmodule::"):
                module = line.split()[-1]
            elif re.fullmatch(r"   \w+", line):
                found.add(f"{module}.{line.strip()}")
    return found


def outside_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


def anchors(path: Path) -> set[str]:
    """Anchors of the headings of a page, as forges and MyST make them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_every_public_name_is_in_the_reference() -> None:
    public = {f"rankforest.{name}" for name in rankforest.__all__ if name not in ("__version__", *rankforest._MODULES)}
    for module in MODULES:
        public |= {f"{module}.{name}" for name in importlib.import_module(module).__all__}
    listed = in_reference()
    public -= {"rankforest.dask.metrics"}  # a module
    public -= {f"rankforest.storage.{name}" for name in ("load_model", "read_header", "save_model")}
    assert public - listed == set()
    assert listed - public == set()


def test_bars_in_docstrings_are_code() -> None:
    """Sphinx reads ``|x|`` in a text as a substitution, which the build refuses."""
    for name in sorted(in_reference()):
        module, _, short = name.rpartition(".")
        text = (getattr(importlib.import_module(module), short).__doc__ or "").partition("    Examples\n")[0]
        assert not re.search(r"\|[^\s|][^|\n]*\|", re.sub(r"`+[^`]*`+", "", text)), name


def test_every_page_is_in_the_contents_once() -> None:
    contents = tomllib.loads((DOCS / "_toc.toml").read_text())
    listed = [page for pages in contents.values() for page in pages]
    assert len(listed) == len(set(listed))
    written = {page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES if page.name != "_llms_head.md"}
    written |= {page.relative_to(DOCS).with_suffix("").as_posix() for page in (DOCS / "reference").glob("*.rst")}
    assert set(listed) - MADE == written - {"index"}
    assert set(contents) <= {"index", *listed}


def test_every_page_says_what_it_is_about() -> None:
    said = tomllib.loads((DOCS / "_descriptions.toml").read_text())
    written = {page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES if page.name != "_llms_head.md"}
    assert set(said) == (written | MADE) - {"index", "auto_examples/index"}
    assert len(set(said.values())) == len(said)
    for line in said.values():
        assert 30 < len(line) < 120, line
        assert line.endswith(".")


@pytest.mark.parametrize("path", sorted((DOCS / "coming-from").glob("[!i]*.md")), ids=lambda path: path.stem)
def test_code_of_other_libraries_can_stand_beside_ours(path: Path) -> None:
    """The build puts the two blocks into two columns (docs/_ext/site_pages.py), which are narrow."""
    block = r"```\w+\n(.*?)^```"
    pairs = re.findall(
        rf"^(?:In|With) [\w-]+:\n\n{block}\n\nHere:\n\n{block}$", path.read_text(), re.MULTILINE | re.DOTALL
    )
    assert len(pairs) == 1
    assert max(len(line) for code in pairs[0] for line in code.splitlines()) <= 60


def test_every_benchmark_says_what_it_claims() -> None:
    scripts = {path.name for path in (ROOT / "benchmarks").glob("[!_]*.py")} - {"run_all.py"}
    table = (ROOT / "benchmarks" / "README.md").read_text()
    assert scripts == set(re.findall(r"^\| `(\w+\.py)` \|", table, re.MULTILINE))


def test_there_are_enough_examples() -> None:
    assert len(EXAMPLES) >= 15


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path) -> None:
    text = path.read_text()
    assert path.name.startswith("plot_")
    assert len(text.splitlines()) <= 60
    title, line, empty, *_ = (ast.get_docstring(ast.parse(text)) or "").splitlines()
    assert line == "=" * len(title)
    assert empty == ""
    assert "rankforest" in text
    assert re.search(r"\bplt\.subplots|\.plot\(|plot_tree\(", text)


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_links(path: Path) -> None:
    text = outside_code(path.read_text())
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):  # other sites cannot be reached from a test: their form only
            assert re.fullmatch(r"https://[\w.-]+\.[a-z]{2,}(/[\w./~%+-]*)?(\?[\w=&-]+)?(#[\w-]+)?", target), target
            continue
        place, _, anchor = target.partition("#")
        found = path if not place else (path.parent / place).resolve()
        assert found.exists(), target
        assert found == path or found.is_relative_to(ROOT), target
        if anchor:
            assert anchor in anchors(found), target


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_python_blocks_are_python(path: Path) -> None:
    for block in re.findall(r"^```python\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL):
        if ">>>" not in block:  # test_examples.py runs those of docs/
            ast.parse(block)


def test_examples_at_the_prompt_are_in_blocks() -> None:
    for path in PAGES:
        rest = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
        assert not re.search(r"^>>>", rest, re.MULTILINE), path
