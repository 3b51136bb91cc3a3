"""Debian's Chromium, headless, for tests that look at a page."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


def open_chromium(profile: Path, downloads: Path | None = None) -> Any:
    """Start it on a profile, which outlives it; the caller quits it. Without it the test is skipped."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("Debian's chromium and chromium-driver are absent")
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    page = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    if downloads is not None:
        page.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)})
    return page


def at_width(page: Any, width: int) -> None:
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    )


def press(page: Any, *keys: str) -> None:
    """Press keys one after another, wherever the page has its focus; a key that is held stands before its `+`."""
    from selenium.webdriver import ActionChains, Keys

    for key in keys:
        *held, last = [getattr(Keys, name, name) for name in key.split("+")]
        actions = ActionChains(page)
        for modifier in held:
            actions.key_down(modifier)
        actions.send_keys(last)
        for modifier in held:
            actions.key_up(modifier)
        actions.perform()


def requested(page: Any) -> list[str]:
    """What files that were opened have asked for since this was last called, themselves left out."""
    events = (json.loads(entry["message"])["message"] for entry in page.get_log("performance"))
    asked = [e["params"] for e in events if e["method"] == "Network.requestWillBeSent"]
    opened = [a for a in asked if a["documentURL"].startswith("file:")]
    return [a["request"]["url"] for a in opened if a["request"]["url"] != a["documentURL"]]


def in_theme(page: Any, theme: str) -> None:
    """Look at pages as those who asked their system for this theme: light or dark."""
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})
