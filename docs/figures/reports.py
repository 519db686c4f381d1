"""Pictures of reports: `python docs/figures/reports.py docs/images` (needs Chromium and playwright).

The loans are simulated, so the pictures show no one's data.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from rankforest import OrdinalRankingTree, RankingForest, RankScore, TreeRank
from rankforest.report import write_report

WIDTH, BORDER = 1030, 20
FILES = {"data": "loans-2026.csv", "train_data": "loans-2025.csv"}
# A report has the date on which it was made; the pictures have this one, so that they change only with the report.
DATE = "2026-11-16"
SET_DATE = """date => [...document.querySelectorAll(".about dt")].find(name => name.textContent === "Date")
    .nextElementSibling.textContent = date"""


def loans(seed: int, n: int = 3000) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    """Loans with their status, grade and region."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "income": rng.lognormal(8, 0.6, n).round(-1),
            "age": rng.integers(18, 80, n),
            "purpose": rng.choice(["car", "house", "education", "business"], n),
            "duration in months": rng.integers(4, 72, n),
            "housing": rng.choice(["own", "rent", "free"], n, p=[0.6, 0.3, 0.1]),
        }
    )
    frame.loc[rng.random(n) < 0.1, "income"] = np.nan
    margin = 0.05 * (frame["duration in months"] - 38) - 0.8 * np.log(frame["income"].fillna(3000) / 3000)
    margin += 0.8 * frame["purpose"].isin(["car", "business"]) + 0.4 * (frame["housing"] == "rent") - 0.8
    status = np.where(margin + rng.logistic(0, 1, n) > 0, "default", "paid")
    grade = np.array(list("ABCDE"))[np.digitize(margin + rng.normal(0, 0.4, n), [-1.8, -0.8, 0.2, 1.2])]
    return frame, status, grade, rng.choice(["north", "south", "east", "west"], n)


def write_reports(folder: Path) -> None:
    X, y, grade, _ = loans(0)
    X_new, y_new, grade_new, region = loans(1)
    top: dict[str, Any] = {"pos_label": "default", "random_state": 0}
    forest = RankingForest(100, **top).fit(X, y)
    told: dict[str, Any] = {"title": "Consumer credit: who defaults?", "target": "status", "train": (X, y), **FILES}
    write_report(
        TreeRank(size="readable", max_leaf_nodes=8, **top).fit(X, y), X_new, y_new, folder / "tree.html", **told
    )
    write_report(RankScore(**top).fit(X, y), X_new, y_new, folder / "card.html", max_rows=3000, **told)
    write_report(forest, X_new, y_new, folder / "forest.html", by={"region": region}, **told)
    write_report(forest, X_new, y_new, folder / "rows.html", max_rows=200, **told)
    grades = OrdinalRankingTree(max_leaf_nodes=12, order=list("ABCDE"), random_state=0).fit(X, grade)
    told |= {"title": "Consumer credit: which grade?", "target": "grade", "train": (X, grade)}
    write_report(grades, X_new, grade_new, folder / "ordinal.html", **told)


def part(page: Page, first: str | None, last: str | None, height: int = 0) -> Image.Image:
    """The page from the head or a section to a section, named by the ids of their titles; or its first pixels."""

    def edge(title: str, side: str) -> float:
        return float(
            page.locator(f"section[aria-labelledby={title}]").evaluate(f"s => s.getBoundingClientRect().{side}")
        )

    page.evaluate("window.scrollTo(0, 0)")
    above = 0.0 if first is None else edge(first, "top") - BORDER
    below = height if last is None else edge(last, "bottom") + BORDER
    clip = {"x": 0, "y": above, "width": page.viewport_size["width"], "height": below - above}  # type: ignore[index]
    drawn = page.screenshot(full_page=True, clip=clip)  # type: ignore[arg-type]
    return (
        Image.open(BytesIO(drawn)).convert("RGB").quantize(method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    )


def take_pictures(folder: Path, images: Path) -> None:
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])

        def opened(name: str, width: int = WIDTH) -> Page:
            page = browser.new_page(viewport={"width": width, "height": 1000})
            page.goto((folder / f"{name}.html").as_uri())
            page.wait_for_timeout(1000)
            page.evaluate(SET_DATE, DATE)
            return page

        def save(name: str, image: Image.Image) -> None:
            image.save(images / f"report-{name}.png", optimize=True)
            print(images / f"report-{name}.png")

        save("tree", part(opened("tree"), "tree-title", "path-title"))
        save("card", part(opened("card", 1180), None, None, 1700))
        forest = opened("forest")
        save("committee", part(forest, None, "drift-title"))
        save("forest", part(forest, "importance-title", "stability-title"))
        rows = opened("rows")
        rows.locator("#reason-row").select_option("4")
        rows.locator("#reason-against").select_option("40")
        save("reasons", part(rows, "swarm-title", "row-title"))
        save("ordinal", part(opened("ordinal"), None, "tree-title"))
        browser.close()


def main() -> None:
    images = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        write_reports(Path(folder))
        take_pictures(Path(folder), images)


if __name__ == "__main__":
    main()
