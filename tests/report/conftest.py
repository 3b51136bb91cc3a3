from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from regrade.audit import Audit
from tests.conftest import TOML, record, twenty
from tests.report.corpora import TIERS, audited
from tests.report.judged import judged, simulated

__all__ = ["judged", "simulated"]

HOSTILE_REPLY = "<script>alert(1)</script>\x1b[2J \x00 \u202eevil\u202c\n\n</pre>&amp; שלום\nANSWER: 3=7.0 <b>x</b>"
HOSTILE_NAME = '"><img src=x onerror=alert(1)>\x1b[31m'


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """Twenty trials of four configurations, two candidates' worth of flips, one tier, a partition, a sample."""
    return audited(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="session")
def loud(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """A simulated corpus with hostile text, rejects, an ungraded trial, a parity gap, and one lineage."""
    folder = tmp_path_factory.mktemp("loud")
    records: list[Any] = [
        *twenty(),
        record(HOSTILE_NAME, "T01", 7, "read_sensor", HOSTILE_REPLY, False, "STALE_DATA"),
        record("a", "T01", 5, "read_sensor", "ANSWER: 7.0", None),
        b"<i>no json</i> \x1b[31m",
        record("a", "T99", 0, "read_sensor", "ANSWER: 7.0", True),
    ]
    (folder / "corpus").mkdir()
    names = [{"configuration": n, "weights": f"w{n}", "lineage": "Same"} for n in ("a", "b", "c", "d")]
    (folder / "corpus" / "configurations.json").write_text(json.dumps(names), "utf-8")
    toml = (
        TOML.replace("benchmark =", "simulated = true\nbenchmark =")
        + '[configurations]\nfile = "configurations.json"\n'
    )
    return audited(folder, toml + TIERS, records, allow_parity_gap=True)


@pytest.fixture
def carried(tmp_path: Path) -> Audit:
    """A corpus whose benchmark has no rules: nothing can be regraded."""
    return audited(tmp_path, TOML.replace('benchmark = "tool_loop"', 'benchmark = "elsewhere"'))
