"""Both pages on a phone, in the dark, on paper, with hostile names, and in a notebook."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from cards import small_card
from hand_card import HandCard
from rankforest import LeafRank, OrdinalRankingTree, RankConsensus, RankingForest, ThresholdRankBoost, TreeRank
from rankforest.data import simulate
from rankforest.metrics import auc_interval, gains_table, hit_ratio, local_auc, recall_at
from rankforest.report import report_html

# Least contrast (WCAG 2) between any text on the page and what is behind it.
_CONTRAST = """() => {
  const parse = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => {
    const shape = e.closest('.node')?.querySelector('.shape');
    if (shape) return parse(getComputedStyle(shape).fill);
    for (let at = e; at; at = at.parentElement) {
      const found = parse(getComputedStyle(at).backgroundColor);
      if (found.length < 4 || found[3] > 0.99) return found;
    }
    return [255, 255, 255];
  };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    const hidden = e.closest('script, title, desc, :disabled, .unseen') || !e.getClientRects().length;
    if (hidden || !walk.currentNode.textContent.trim()) continue;
    const style = getComputedStyle(e), ink = parse(e.namespaceURI.endsWith('svg') ? style.fill : style.color);
    const [a, b] = [light(ink), light(behind(e))].sort((x, y) => y - x);
    found.push([(a + 0.05) / (b + 0.05), e.outerHTML.slice(0, 80)]);
  }
  found.sort((x, y) => x[0] - y[0]);
  return [found.length, ...found[0]];
}"""


_KINDS = ["tree", "forest", "card", "ordinal"]


@pytest.fixture(scope="module")
def forest(credit: Any) -> RankingForest:
    frame, y = credit
    return RankingForest(20, splitter=LeafRank(max_features="sqrt"), pos_label="default", random_state=0).fit(
        frame[:500], y[:500]
    )


@pytest.fixture(scope="module")
def pages(credit: Any, forest: RankingForest) -> dict[str, str]:
    frame, y = credit
    tree = TreeRank(max_depth=3, pos_label="default", random_state=0).fit(frame[:500], y[:500])
    of_card = frame[["age", "purpose", "income", "duration"]]  # the kinds of columns that the card by hand has
    card = HandCard(small_card(pairs=True), pos_label="default").fit(of_card[:500], y[:500])
    return {
        "tree": report_html(tree, frame[500:], y[500:], max_rows=100, by=frame["purpose"][500:]),
        "forest": report_html(forest, frame[500:], y[500:], max_rows=100, train=(frame[:500], y[:500])),
        "card": report_html(card, of_card[500:], y[500:], max_rows=400),
        "ordinal": _graded(frame),
    }


def _graded(frame: Any) -> str:
    """The page of a tree of ordered labels."""
    grade = np.digitize(frame["duration"] + 15 * frame["purpose"].isin(["car"]), [20, 40, 60])
    model = OrdinalRankingTree(max_leaf_nodes=6, random_state=0).fit(frame[:500], grade[:500])
    return report_html(model, frame[500:], grade[500:])


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read(kind: str, scheme: str, pages: dict[str, str], open_page: Any) -> None:
    page = open_page(pages[kind], color_scheme=scheme)
    texts, least, where = page.evaluate(_CONTRAST)
    assert texts > 100
    assert least >= 4.5, where
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (dark == "rgb(252, 252, 250)") == (scheme == "light")


@pytest.mark.parametrize("kind", _KINDS)
def test_a_phone_shows_it_all_without_scrolling_sideways(kind: str, pages: dict[str, str], open_page: Any) -> None:
    page = open_page(pages[kind], viewport={"width": 380, "height": 800}, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    for drawn in page.locator("main svg[role=img]").all():
        assert 200 <= drawn.bounding_box()["width"] <= 380
    page.set_viewport_size({"width": 900, "height": 700})  # charts are painted again for the new width
    page.wait_for_function("() => document.querySelector('main svg[role=img]').getBoundingClientRect().width > 350")


@pytest.mark.parametrize("kind", _KINDS)
def test_paper_is_light_and_has_no_controls(kind: str, pages: dict[str, str], open_page: Any) -> None:
    page = open_page(pages[kind], color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for control in page.locator("input, button:not(th button)").all():
        assert control.is_hidden()
    assert page.locator("main svg[role=img]").first.is_visible()
    least = page.evaluate(_CONTRAST)[1]
    assert least >= 4.5
    assert page.pdf().startswith(b"%PDF")


def test_the_parts_have_names_for_a_screen_reader(pages: dict[str, str], open_page: Any) -> None:
    for html in pages.values():
        page = open_page(html)
        assert page.locator("html").get_attribute("lang") == "en"
        for drawn in page.locator("main svg[role=img]").all():
            named = drawn.get_attribute("aria-labelledby")
            words = [page.locator(f"#{each}").text_content() for each in named.split()] if named else []
            assert drawn.get_attribute("aria-label") or all(words)
        for section in page.locator("section").all():
            assert page.locator(f"#{section.get_attribute('aria-labelledby')}").inner_text()
        for control in page.locator("input").all():
            assert control.get_attribute("aria-label") or control.evaluate("each => each.labels.length") == 1
        assert page.locator("table caption").count() == page.locator("table").count()
        assert page.locator("th:not([scope])").count() == 0
        assert page.locator("[role=status]").count() >= 1
    items = open_page(pages["tree"]).locator("[role=tree] [role=treeitem]")
    assert all(item.get_attribute("aria-label") for item in items.all())


def test_figures_of_a_forest_are_those_of_python(
    credit: Any, forest: RankingForest, pages: dict[str, str], open_page: Any
) -> None:
    X, y = credit[0][500:], credit[1][500:]
    page, score = open_page(pages["forest"]), forest.score_samples(X)
    given = {"pos_label": "default"}

    def value(identity: str) -> float:
        return float(page.locator(f"#{identity}").get_attribute("data-value"))

    assert value("auc") == pytest.approx(auc_interval(y, score, **given).estimate, abs=1e-12)
    for place, u in ((19, 0.1), (0, 0.005), (80, 0.405), (199, 1.0)):
        page.locator("#u").fill(str(place))
        assert value("local-auc") == pytest.approx(local_auc(y, score, u, **given), abs=1e-12)
        assert value("capture") == pytest.approx(recall_at(y, score, u, **given), abs=1e-12)
        assert value("hits") == pytest.approx(hit_ratio(y, score, u, **given), abs=1e-12)
    table = gains_table(y, score, **given)
    rows = page.locator("#gains-table tbody tr").evaluate_all(
        "all => all.map(r => Number(r.children[2].dataset.value))"
    )
    np.testing.assert_allclose(rows, table.positives, atol=1e-9)
    assert page.locator("#single circle.faint").count() == 20
    assert page.locator("#dependence figure").count() == 4
    assert page.locator("#roc polygon.band").count() == 1
    for each in ("#gains", "#lift", "#importance", "#calibration", "#stability"):
        assert page.locator(f"{each} svg").is_visible()


def small_booster(n_folds: int) -> ThresholdRankBoost:
    return ThresholdRankBoost(5, n_folds=n_folds, random_state=0)


_HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "\" onload='alert(3)' x=\"",
    "{{ 7 * 7 }} <!-- ü 漢字 \u2028 & &lt;",
    "=1+1",
)


def test_hostile_names_are_only_text(open_page: Any) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 4)), columns=list(_HOSTILE[:4]))
    frame[_HOSTILE[4]] = pd.Categorical(rng.choice(_HOSTILE, 300))
    hit = (frame[_HOSTILE[0]] > 0) ^ frame[_HOSTILE[4]].isin(_HOSTILE[:2])
    y = np.where(hit ^ (rng.random(300) < 0.1), "<b>yes</b>", "</title><script>alert(4)</script>")
    tree = TreeRank(max_depth=4, pos_label="<b>yes</b>").fit(frame, y)
    page = open_page(
        report_html(
            tree, frame, y, title=_HOSTILE[0], max_rows=50, by={_HOSTILE[1]: frame[_HOSTILE[4]]}, target=_HOSTILE[0]
        )
    )
    assert page.title() == _HOSTILE[0]
    assert page.locator("h1").inner_text() == _HOSTILE[0]
    assert page.locator("script").count() == 2
    assert page.locator("img, b b").count() == 0
    page.locator("#trace-row").fill("3")
    for node in page.locator("[role=treeitem]").all():
        node.hover()
    assert (
        "<img src=x onerror=alert(2)>"
        in page.locator("#strata").inner_text() + page.locator("#importance").inner_text()
    )
    model = RankingForest(5, splitter=LeafRank(), pos_label="<b>yes</b>", random_state=0).fit(frame, y)
    page = open_page(report_html(model, frame, y, title=_HOSTILE[1], data=_HOSTILE[0], max_rows=50))
    assert page.title() == _HOSTILE[1]
    assert page.locator("script").count() == 2
    assert page.locator("img").count() == 0
    page = open_page(f"<!doctype html><body>{tree._repr_html_()}</body>")
    inside = page.frame_locator("iframe")
    assert inside.locator("#tree").is_visible()
    assert inside.locator("img").count() == 0


def test_notebook_views_work_in_their_frames(open_page: Any) -> None:
    sample = simulate.rf20(300, random_state=0)
    models = (
        TreeRank(max_depth=3),
        RankingForest(5, splitter=LeafRank(), random_state=0),
        small_booster(2),
        RankConsensus(RankingForest(5, splitter=LeafRank()), small_booster(2), random_state=0),
    )
    for model in models:
        view = model.fit(sample.X, sample.y)._repr_html_()
        assert len(view) < 200_000
        assert model._repr_mimebundle_()["text/html"].startswith("<iframe")
        inside = open_page(f"<!doctype html><body>{view}</body>").frame_locator("iframe")
        assert inside.locator("h1").inner_text() == type(model).__name__
        assert inside.locator("#importance svg").is_visible()
    page = open_page(f"<!doctype html><body>{models[0]._repr_html_()}</body>")
    inside = page.frame_locator("iframe")
    inside.locator('[data-node="0"]').click()
    assert inside.locator("#strata-count").get_attribute("data-value") == "1"
    assert float(inside.locator("#auc").get_attribute("data-value")) == 0.5


def test_a_tree_of_200_leaves_can_be_looked_at_whole_or_enlarged(open_page: Any) -> None:
    sample = simulate.rf20(3000, random_state=0)
    model = TreeRank(LeafRank(max_depth=1), max_depth=None, max_leaf_nodes=200).fit(sample.X, sample.y)
    assert model.tree_.n_leaves == 200
    html = report_html(model, sample.X, sample.y)
    assert len(html.encode()) < 2_000_000
    page = open_page(html)
    wide = "document.getElementById('tree').getBoundingClientRect().width"
    assert page.locator("[role=treeitem]").count() == 399
    assert page.evaluate(wide) <= 1280
    page.get_by_role("button", name="Enlarge").click()
    assert page.evaluate(wide) > 3000
    page.get_by_role("button", name="Show whole").click()
    page.locator("#step").fill(str(len(model.pruning_path()) - 2))
    assert page.get_by_role("button", name="Enlarge").is_hidden()
