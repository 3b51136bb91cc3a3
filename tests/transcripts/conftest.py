"""The bundled simulated corpus, read once, and the modules that wrote it."""

import gzip
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import TOOL_LOOP as FOLDER
from tests.conftest import simulation


def lines_of(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]


@pytest.fixture(scope="session")
def sim():
    return SimpleNamespace(**{name: simulation(name) for name in ("figures", "forms", "grader", "whatif")})


@pytest.fixture(scope="session")
def bank():
    return {entry["item"]: entry for entry in json.loads((FOLDER / "bank.json").read_text(encoding="utf-8"))}


@pytest.fixture(scope="session")
def lineage():
    entries = json.loads((FOLDER / "configurations.json").read_text(encoding="utf-8"))
    return {entry["configuration"]: entry["lineage"] for entry in entries}


@pytest.fixture(scope="session")
def corpus():
    return {
        path.name.removesuffix(".jsonl.gz"): [json.loads(line) for line in lines_of(path)]
        for path in sorted((FOLDER / "trials").glob("*.jsonl.gz"))
    }


@pytest.fixture(scope="session")
def rows(sim, bank, corpus):
    return sim.figures.rows_of(corpus, {item: entry["gold"] for item, entry in bank.items()})


@pytest.fixture(scope="session")
def replies(sim, rows):
    return [sim.grader.last_reply(row.record["messages"]) for row in rows]


@pytest.fixture(scope="session")
def masked(sim, replies):
    return [sim.forms.mask(text) for text in replies]


@pytest.fixture(scope="session")
def readme():
    return " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())
