"""Pages in Chromium by axe-core, at both widths and in both themes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from regrade.review.page import review_page
from tests.axe import axe_source, grave_violations
from tests.browser import at_width, in_theme
from tests.conftest import ROOT
from tests.review.packets import KEY, packet

pytestmark = pytest.mark.browser
REPORTS = ROOT / "reports"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The stored reports, whose charts are drawn, and a review page."""
    review = tmp_path_factory.mktemp("review") / "review.html"
    review.write_text(review_page(packet(3), KEY), "utf-8", newline="")
    return {
        "report": REPORTS / "tool_loop_v1" / "report.html",
        "report that has its trials": REPORTS / "broken_campus" / "report.html",
        "page of trials": REPORTS / "tool_loop_v1" / "trials" / "012.html",
        "review": review,
    }


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", ["report", "report that has its trials", "page of trials", "review"])
def test_no_grave_violation(chromium: Any, pages: dict[str, Path], name: str, width: int, theme: str) -> None:
    source = axe_source()
    at_width(chromium, width)
    in_theme(chromium, theme)
    chromium.get(pages[name].as_uri())
    assert grave_violations(chromium, source) == []
    in_theme(chromium, "")


def test_axe_finds_a_violation_that_is_there(chromium: Any, tmp_path: Path) -> None:
    source = axe_source()
    bad = tmp_path / "bad.html"
    bad.write_text("<!doctype html><html lang=en><title>x</title><main><input type=text></main>", "utf-8")
    chromium.get(bad.as_uri())
    assert any("label" in found for found in grave_violations(chromium, source))
