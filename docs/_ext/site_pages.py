"""Pages of the site that are not written in docs/: the tree of contents, files of the repository, and llms.txt."""

from __future__ import annotations

import html
import os
import re
import tomllib
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

DOCS = Path(__file__).resolve().parent.parent
ROOT = DOCS.parent
TOC: dict[str, list[str]] = tomllib.loads((DOCS / "_toc.toml").read_text())
DESCRIPTIONS: dict[str, str] = tomllib.loads((DOCS / "_descriptions.toml").read_text())
# files beside docs/ that are pages of the site too
OUTSIDE = {
    ROOT / "benchmarks" / "README.md": DOCS / "auto_pages" / "benchmarks.md",
    ROOT / "CHANGELOG.md": DOCS / "auto_pages" / "changelog.md",
    ROOT / "CONTRIBUTING.md": DOCS / "auto_pages" / "contributing.md",
    ROOT / "CODE_OF_CONDUCT.md": DOCS / "auto_pages" / "code-of-conduct.md",
    ROOT / "SECURITY.md": DOCS / "auto_pages" / "security.md",
}
GALLERY, EXAMPLES = DOCS / "auto_examples", ROOT / "examples"
LINK = re.compile(r"(\]\()([^)#\s]+)(#[^)\s]*)?(\))")
# two blocks of code that do the same, as the pages for those who come from another library have them
PAIR = re.compile(r"^((?:In|With) [\w-]+:\n\n```\w+\n.*?^```)\n\n(Here:\n\n```\w+\n.*?^```)$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page_of(place: Path) -> Path:
    """The page of the site that shows a file of the repository, or the file itself."""
    if EXAMPLES in place.parents:
        shown = GALLERY / place.relative_to(EXAMPLES)
        return shown.with_name("index.rst") if place.stem == "README" else shown.with_suffix(".rst")
    return OUTSIDE.get(place, place)


def links_moved(text: str, old: Path, new: Path) -> str:
    """The text of the file `old`, with relative links that lead to the same places from `new`."""

    def moved(match: re.Match[str]) -> str:
        opening, target, anchor, closing = match.groups()
        if re.match(r"[a-z]+:", target):
            return match.group()
        place = page_of(Path(os.path.normpath(old.parent / target)))
        if not place.exists():
            return match.group()
        return f"{opening}{os.path.relpath(place, new.parent)}{anchor or ''}{closing}"

    return LINK.sub(moved, text)


def llms_text() -> str:
    """What the site has, for programs that read: one line per page, with its plain text."""
    lines = [(DOCS / "_llms_head.md").read_text()]
    for section, pages in TOC.items():
        found = [(name, DOCS / f"{name}.md") for name in pages if (DOCS / f"{name}.md").exists()]
        if not found:
            continue
        lines.append(f"\n## {_title((DOCS / f'{section}.md').read_text()) if section != 'index' else 'Start'}\n")
        for name, path in found:
            lines.append(f"- [{_title(path.read_text())}](_sources/{name}.md.txt): {DESCRIPTIONS[name]}")
    return "\n".join(lines) + "\n"


def _title(text: str) -> str:
    return next(line for line in text.splitlines() if line.startswith("# "))[2:]


def side_by_side(text: str) -> str:
    """The text with each pair of blocks in two columns, where a window is wide enough."""
    return PAIR.sub(r"::::{container} side-by-side\n:::{container}\n\1\n:::\n:::{container}\n\2\n:::\n::::", text)


def without_last_lines(text: str) -> str:
    """The text without the empty line that ends an example at the prompt: doctest needs it, a reader does not."""
    return CODE.sub(lambda found: f"```python\n{found[1].rstrip()}\n```", text)


def write_pages(app: Sphinx) -> None:
    for page in OUTSIDE.values():  # first all of them, because they link to each other
        page.parent.mkdir(exist_ok=True)
        page.touch()
    for path, page in OUTSIDE.items():
        text = links_moved(path.read_text(), path, page)
        if page.read_text() != text:
            page.write_text(text)
    live = DOCS / "_live"
    live.mkdir(exist_ok=True)
    (live / "llms.txt").write_text(llms_text())


def add_contents(app: Sphinx, name: str, content: list[str]) -> None:
    path = Path(app.env.doc2path(name))
    if path.suffix == ".md":
        content[0] = side_by_side(without_last_lines(links_moved(content[0], path, path)))
    if pages := TOC.get(name):
        entries = [f"/{page}" for page in pages]
        if path.suffix == ".md":
            content[0] += "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(entries) + "\n```\n"
        else:
            content[0] += "\n\n.. toctree::\n   :hidden:\n\n" + "\n".join(f"   {entry}" for entry in entries) + "\n"


def add_description(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """What search engines show below the title."""
    if said := DESCRIPTIONS.get(name):
        context["metatags"] = f'{context.get("metatags", "")}\n<meta name="description" content="{html.escape(said)}">'


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write_pages, priority=100)
    app.connect("source-read", add_contents)
    app.connect("html-page-context", add_description)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
