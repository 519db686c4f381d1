"""A real browser, if installed, that fails a test on any error and on any network request."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip

Open = Callable[..., Any]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        reason = f"no browser: none of {', '.join(_NAMES)} is installed"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install playwright")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=program, args=list(_FLAGS))
        yield running
        running.close()


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """Write HTML to a file and open it; at the end of the test there must have been no error and no request."""
    problems: list[str] = []
    contexts: list[Any] = []

    def opened(html: str, **options: Any) -> Any:
        file = tmp_path / "page.html"
        file.write_text(html, encoding="utf-8")
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.set_default_timeout(30_000)
        page.on("console", lambda message: problems.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: _refuse(request.url, file, problems))
        page.goto(file.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []


def _refuse(url: str, file: Path, problems: list[str]) -> None:
    if url != file.as_uri() and not url.startswith(("blob:", "about:", "data:")):
        problems.append(f"request: {url}")


@pytest.fixture(scope="session")
def credit() -> tuple[pd.DataFrame, np.ndarray]:
    """Loans: numbers, categories, missing values, two labels in words."""
    rng, n = np.random.default_rng(0), 900
    frame = pd.DataFrame(
        {
            "income": rng.lognormal(8, 0.6, n).round(),
            "age": rng.integers(18, 80, n).astype(float),
            "purpose": pd.Categorical(rng.choice(["car", "house", "education", "business"], n)),
            "duration": rng.integers(4, 72, n).astype(float),
        }
    )
    frame.loc[rng.random(n) < 0.1, "income"] = np.nan
    margin = 0.06 * (frame["duration"] - 36) - 0.8 * np.log(frame["income"].fillna(3000) / 3000)
    margin += frame["purpose"].isin(["car", "business"]) * 0.9 - 1
    return frame, np.where(rng.random(n) < 1 / (1 + np.exp(-margin)), "default", "paid")
