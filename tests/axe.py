"""axe-core, which finds what keeps people with a keyboard or a screen reader from using a page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

VARIABLE = "REGRADE_AXE"
"""The variable of the environment that names the file axe.min.js, which `.ci/run` installs."""

GRAVE = ("serious", "critical")


def axe_source() -> str:
    """The script; without it the test is skipped."""
    path = os.environ.get(VARIABLE)
    if not path or not Path(path).is_file():
        pytest.skip(f"axe-core is absent: {VARIABLE} names no file (npm install axe-core)")
    return Path(path).read_text("utf-8")


def grave_violations(page: Any, source: str) -> list[str]:
    """What axe finds serious or critical on the page that is open."""
    page.set_script_timeout(120)
    # By the driver, which the page's policy does not bind.
    page.execute_script(source)
    found = page.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run(document, {resultTypes: ['violations']}).then(r => done(r.violations), e => done(String(e)))"
    )
    assert isinstance(found, list), found
    return [
        f"{v['impact']} {v['id']}: {v['help']} {[n['target'] for n in v['nodes'][:3]]}"
        for v in found
        if v["impact"] in GRAVE
    ]
