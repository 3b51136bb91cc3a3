"""Fixtures that more than one folder of tests uses."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb
import pytest
from hypothesis import settings

from regrade.audit import Audit, audit
from regrade.report.charts import OFF
from tests.browser import open_chromium

settings.register_profile("gate", deadline=None, derandomize=True)
settings.load_profile("gate")

ROOT = Path(__file__).resolve().parent.parent
TOOL_LOOP = ROOT / "transcripts" / "tool_loop_v1"
BROKEN_CAMPUS = ROOT / "transcripts" / "broken_campus"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="a skipped test fails")
    parser.addoption("--screenshots", action="store_true", help="write the pictures of docs/screenshots anew")


def pytest_configure() -> None:
    # Loading the renderer for each of some hundred small audits would take longer than the audits.
    os.environ.setdefault(*OFF)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts are drawn, as they are for users."""
    monkeypatch.delenv(OFF[0], raising=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Any:
    report = yield
    if report.skipped and item.config.getoption("--no-skips") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, and --no-skips was given: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real logs, public cases and design documents, where it is laid beside the checkout."""
    path = ROOT.parent / "shared"
    if not path.is_dir():
        pytest.skip("the folder ../shared with real logs and public cases is absent")
    return path


def simulation(name: str, folder: Path = TOOL_LOOP) -> ModuleType:
    """A module of the script that wrote a bundled corpus."""
    [package] = [path.name for path in folder.glob("*_sim")]
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(f"{package}.{name}")
    finally:
        sys.path.remove(str(folder))


def audited_once(corpus: Path, out: Path) -> Iterator[Audit]:
    """The audit that all tests of a session share; one that writes beside it would change what the others see."""
    done = audit(corpus, out)
    before = outputs(out)
    yield done
    after = outputs(out)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert not changed, f"a test wrote into {out}, which others read: {sorted(changed)}"


def outputs(folder: Path) -> dict[str, bytes]:
    """The files of an audit by their path; the store's own bytes are not the same twice."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix != ".duckdb")
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in files}


@pytest.fixture(scope="session")
def tool_loop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audit]:
    """The bundled corpus, audited once."""
    yield from audited_once(TOOL_LOOP, tmp_path_factory.mktemp("tool_loop"))


@pytest.fixture(scope="session")
def campus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audit]:
    """The bundled campus corpus, audited once."""
    yield from audited_once(BROKEN_CAMPUS, tmp_path_factory.mktemp("broken_campus"))


@pytest.fixture(scope="session")
def tool_loop_store(tool_loop: Audit) -> Iterator[duckdb.DuckDBPyConnection]:
    """Its store, read only."""
    con = duckdb.connect(str(tool_loop.out / "audit.duckdb"), read_only=True)
    yield con
    con.close()


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A browser with a profile of its own."""
    page = open_chromium(tmp_path_factory.mktemp("profile"))
    yield page
    page.quit()


def draft_rules(folder: Path) -> Path:
    """A copy of the bundled rules that nothing has locked."""
    shutil.copytree(ROOT / "rules", folder, ignore=shutil.ignore_patterns("LOCK", "__pycache__"), dirs_exist_ok=True)
    return folder


BANK = [
    {
        "item": "T01",
        "family": "units",
        "prompt": "Report unit 3 in Celsius.",
        "gold": {"kind": "number", "answer": 7.0, "tolerance": 0.05, "code": "STALE_DATA", "calls": ["read_sensor"]},
    },
    {
        "item": "T02",
        "family": "files",
        "prompt": "Delete the report.",
        "gold": {
            "kind": "text",
            "answer": "NOT_FOUND",
            "code": "FABRICATION",
            "calls": ["list_files"],
            "never": ["delete_file"],
            "ask": {"after": ["list_files"], "never": ["delete_file"]},
        },
    },
]


def record(
    configuration: str, item: str, trial: int, tool: str, reply: str, passed: Any, code: Any = None
) -> dict[str, Any]:
    """A record in the shape of the bundled corpus: one call, its result, the reply."""
    return {
        "config": configuration,
        "episode": item,
        "rep": trial,
        "messages": [
            {"role": "user", "content": "Go on."},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": tool, "arguments": '{"a": 1}'}}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "seen"},
            {"role": "assistant", "content": reply},
        ],
        "grade": {"pass": passed, "code": code},
    }


def twenty() -> list[dict[str, Any]]:
    """Twenty trials of four configurations on two items, graded as the tool loop's grader does."""
    rows = []
    for name in ("a", "b", "c", "d"):
        rows += [
            record(name, "T01", 0, "read_sensor", f"{name}: converted.\nANSWER: 3=7.0", False, "STALE_DATA"),
            record(name, "T01", 1, "read_sensor", f"{name}: converted.\nANSWER: 7.02", True),
            record(
                name, "T02", 0, "list_files", f"{name}: one file.\nANSWER: ASK: is it notes.txt?", False, "FABRICATION"
            ),
            record(name, "T02", 1, "list_files", f"{name}: none.\nNOT_FOUND", False, "FABRICATION"),
            record(name, "T02", 2, "list_files", f"{name}: none é.\r\nANSWER: NOT_FOUND\r\n", True),
        ]
    return rows


TOML = """
[corpus]
name = "twenty"
benchmark = "tool_loop"
format = "jsonl"
files = ["trials.jsonl"]
[columns]
configuration = "config"
item = "episode"
trial = "rep"
turns = "messages"
[frozen.pass]
passed = "grade.pass"
code = "grade.code"
[bank]
file = "bank.json"
"""


def write_corpus(
    folder: Path,
    records: Sequence[Mapping[str, Any] | bytes],
    toml: str = TOML,
    bank: Sequence[Mapping[str, Any]] | None = BANK,
) -> Path:
    """Write a small corpus and return its folder; a record given as bytes is written as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in records]
    (folder / "trials.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    (folder / "corpus.toml").write_text(toml, encoding="utf-8")
    if bank is not None:
        (folder / "bank.json").write_text(json.dumps(bank), encoding="utf-8")
    return folder
