"""The pictures in the README and the guides: made of the bundled report in Debian's Chromium.

`pytest -m browser tests/test_screenshots.py --screenshots` makes them anew in `docs/screenshots/`.
"""

from __future__ import annotations

import base64
import re
import struct
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from regrade.report.shown import anchor
from tests.browser import at_width, in_theme
from tests.conftest import ROOT

STORED = ROOT / "docs" / "screenshots"
REPORT = ROOT / "reports" / "tool_loop_v1"


TRIAL = "varnholt-27b_plinthd_fp8_on/T14/2"


class View(NamedTuple):
    """A place of a page as it is shown."""

    selector: str
    width: int
    height: int
    theme: str = "light"


VIEWS = {
    "answer": View("#answer", 1280, 1100),
    "transitions": View("figure[id^=chart-flow]", 1000, 560, "dark"),
    "ranks": View("#ranks figure", 1000, 700),
    "evidence": View("#evidence", 1280, 900),
    "trial": View(f"article[id='{anchor('t', TRIAL)}']", 1000, 640),
    "narrow": View("#answer", 390, 844),
}


@pytest.mark.browser
@pytest.mark.parametrize("name", VIEWS)
def test_the_picture_is_of_the_bundled_report(
    name: str, chromium: Any, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    view = VIEWS[name]
    at_width(chromium, view.width, view.height)
    in_theme(chromium, view.theme)
    chromium.get(page(name).as_uri())
    chromium.execute_script("document.querySelector(arguments[0]).scrollIntoView()", view.selector)
    chromium.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    shot = chromium.execute_cdp_cmd("Page.captureScreenshot", {})
    made = tmp_path / f"{name}.png"
    made.write_bytes(base64.b64decode(shot["data"]))
    assert size(made) == (view.width, view.height)
    if request.config.getoption("--screenshots"):
        STORED.mkdir(exist_ok=True)
        (STORED / made.name).write_bytes(made.read_bytes())
    assert size(STORED / made.name) == size(made)


def page(name: str) -> Path:
    """The page that a picture is of."""
    if name != "trial":
        return REPORT / "report.html"
    return next(
        p for p in sorted((REPORT / "trials").glob("*.html")) if f'id="{anchor("t", TRIAL)}"' in p.read_text("utf-8")
    )


def size(path: Path) -> tuple[int, int]:
    width, height = struct.unpack(">II", path.read_bytes()[16:24])
    return width, height


def test_every_picture_that_is_shown_is_made_here_and_every_one_made_is_shown() -> None:
    texts = {path: path.read_text("utf-8") for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))}
    shown = [
        (path.parent / target).resolve()
        for path, text in texts.items()
        for target in re.findall(r"!\[[^\]]+\]\((\S+)\)", text)
    ]
    assert {*shown} == {STORED / f"{name}.png" for name in VIEWS}
    assert all(path.is_file() for path in shown)


def test_the_page_on_reading_a_report_has_every_section() -> None:
    known = (ROOT / "docs" / "reading-a-report.md").read_text("utf-8")
    for report in (ROOT / "reports").glob("*/report.html"):
        for title in re.findall(r'<h2 id="[^"]+">(.*?)</h2>', report.read_text("utf-8")):
            assert f"| {title} |" in known, title
