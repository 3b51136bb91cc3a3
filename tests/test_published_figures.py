"""The bundled corpus gives every published figure, from its text alone, and one changed trial moves them by one."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from regrade.audit import Audit, audit
from regrade.errors import GateFailed
from tests.conftest import TOOL_LOOP, simulation
from tests.figures import PUBLISHED, figures

authors_grade = simulation("grader").grade


def test_every_published_figure(tool_loop: Audit, tool_loop_store: duckdb.DuckDBPyConnection) -> None:
    assert figures(tool_loop, tool_loop_store) == PUBLISHED


def test_parity_is_proved_on_every_trial(tool_loop: Audit) -> None:
    assert tool_loop.summary["axes"]["pass"]["parity"] == {"trials": 13_615, "agree": 13_615, "allowed": False}
    assert tool_loop.summary["corpus"]["simulated"] is True
    assert tool_loop.warnings == ()


def test_both_directions_show_and_every_move_has_a_smallest_cause(
    tool_loop: Audit, tool_loop_store: duckdb.DuckDBPyConnection
) -> None:
    candidates = tool_loop.summary["axes"]["pass"]["candidates"]
    assert candidates["issued_tokens"]["tiers"]["strong"]["pass_to_fail"]["trials"] > 0
    assert candidates["last_equals"]["tiers"]["usable"]["pass_to_fail"]["trials"] > 0
    moved = "(g.status <> f.status or g.code is distinct from f.code)"
    query = (
        "select count(*) from grades g join (select trial_id, status, code from grades where candidate = 'frozen') f "
        "using (trial_id) where candidate <> 'frozen' and "
    )
    assert tool_loop_store.execute(f"{query} {moved} and decided_by is null").fetchall() == [(0,)]
    assert tool_loop_store.execute(f"{query} not {moved} and decided_by is not null").fetchall() == [(0,)]
    assert tool_loop_store.execute(
        "select count(*) from grades where len(decided_by) > 1 and candidate = 'lenient'"
    ).fetchall() != [(0,)], "some trial needs two rules"


def test_every_limit_has_its_row_and_the_published_ones_stand_on_theirs(tool_loop: Audit) -> None:
    axis = tool_loop.summary["axes"]["pass"]
    rows = axis["curve"]["all"]["rows"]
    step = {at: next(row for row in rows if row["min_pass_rate"] >= at) for at in (0.2, 0.3, 0.4, 0.9)}
    told = {at: (row["configurations"], row["failed"]) for at, row in step.items()}
    assert told == {0.2: (65, 2169), 0.3: (64, 2064), 0.4: (64, 2064), 0.9: (22, 186)}
    assert step[0.3] is step[0.4]
    needs = axis["candidates"]["lenient"]["tiers"]["usable"]["needs"]
    assert {tuple(need["rules"]): need["fail_to_pass"]["trials"] for need in needs}["last_line_fallback_v1",] == 477


def test_who_would_change_tier_is_who_the_grades_of_the_candidate_say(
    tool_loop: Audit, tool_loop_store: duckdb.DuckDBPyConnection
) -> None:
    rate = "count(*) filter (status = 'passed') / count(*) filter (status in ('passed', 'failed'))"
    by = "select configuration, candidate, {} as rate from grades join trials using (trial_id) group by all"
    tier = "case when {} >= 0.9 then 'strong' when {} >= 0.3 then 'usable' else 'none' end"
    expected = tool_loop_store.execute(
        f"with r as ({by.format(rate)}) select n.candidate, n.configuration, {tier.format(*['f.rate'] * 2)} as old, "
        f"{tier.format(*['n.rate'] * 2)} as new from r n join r f using (configuration) "
        "where f.candidate = 'frozen' and old <> new order by all"
    ).fetchall()
    changes = tool_loop.summary["axes"]["pass"]["tier_changes"]
    assert expected == sorted(
        (candidate, row["configuration"], *(row[end][0] if row[end] else "none" for end in ("from", "to")))
        for candidate, rows in changes.items()
        for row in rows
    )


COPIED_WITHOUT = shutil.ignore_patterns("tool_loop_sim", "SHA256SUMS", "__pycache__", "reviews")
"""What was said of the sample is of its draw, and that of a changed corpus is another."""


class Copy:
    """A copy of the bundled corpus in which records are changed and graded anew by the benchmark's own program."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(TOOL_LOOP, folder, ignore=COPIED_WITHOUT)
        self.bank = {entry["item"]: entry for entry in json.loads((folder / "bank.json").read_text())}

    def change(self, wanted: Callable[[Path, dict[str, Any]], bool], edit: Callable[[dict[str, Any]], None]) -> str:
        """Edit the first record that is wanted, let the author's grader say, and return the trial's key."""
        for path in sorted(self.folder.glob("trials/*.gz")):
            lines = gzip.decompress(path.read_bytes()).decode().splitlines()
            for number, line in enumerate(lines):
                record = json.loads(line)
                if wanted(path, record):
                    edit(record)
                    record["grade"] = self.grade(record)
                    lines[number] = json.dumps(record)
                    path.write_bytes(gzip.compress("".join(f"{one}\n" for one in lines).encode(), mtime=0))
                    return f"{record['config']}/{record['episode']}/{record['rep']}"
        raise AssertionError("no such record")

    def grade(self, record: dict[str, Any]) -> dict[str, Any]:
        return authors_grade(self.bank[record["episode"]]["gold"], record["messages"])

    def figures(self) -> dict[str, Any]:
        done = audit(self.folder, self.folder / "out")
        with duckdb.connect(str(done.out / "audit.duckdb"), read_only=True) as con:
            return figures(done, con)


def differences(found: dict[str, Any]) -> dict[str, Any]:
    """The figures that are not the published ones, key by key, as (published, found)."""
    moved: dict[str, Any] = {}
    for name, value in PUBLISHED.items():
        if isinstance(value, dict) and isinstance(found[name], dict):
            moved.update({f"{name}: {k}": (v, found[name].get(k)) for k, v in value.items() if found[name].get(k) != v})
        elif found[name] != value:
            moved[name] = (value, found[name])
    return moved


@pytest.fixture
def strong(tool_loop: Audit) -> dict[str, Any]:
    """The strong configurations with room for one more failure, and their gains."""
    gains = tool_loop.summary["axes"]["pass"]["gains"]
    return {c: g for c, g in gains.items() if "strong" in g["tiers"] and g["failed"] < 14}


ENDING = re.compile(r"(^|\n)ANSWER: [^\n]+\s*$")


def last_line_is_the_answer(record: dict[str, Any]) -> bool:
    content = record["messages"][-1].get("content")
    return isinstance(content, str) and content.count("ANSWER") == 1 and bool(ENDING.search(content))


@pytest.mark.slow
def test_a_dropped_prefix_moves_the_fallback_by_one(tmp_path: Path, tool_loop: Audit, strong: dict[str, Any]) -> None:
    copy = Copy(tmp_path / "copy")
    plain = {c for c, g in strong.items() if not g["candidates"].get("last_line_fallback")}
    items = tool_loop.summary["axes"]["pass"]["items"]["strong"]

    def wanted(path: Path, record: dict[str, Any]) -> bool:
        gold = copy.bank[record["episode"]]["gold"]
        return (
            record["config"] in plain
            and not items[record["episode"]]["always_passed"]
            and record["grade"]["pass"]
            and gold["kind"] == "text"
            and gold["code"] == "STALE_DATA"
            and "menu" not in gold
            and last_line_is_the_answer(record)
        )

    def drop(record: dict[str, Any]) -> None:
        last = record["messages"][-1]
        last["content"] = last["content"].replace("ANSWER:", "")

    copy.change(wanted, drop)
    assert differences(copy.figures()) == {
        "strong: failed": (186, 187),
        "usable: failed": (2_064, 2_065),
        "at 20%: failed": (2_169, 2_170),
        "at 20%: fallback": (479, 480),
        "at 40%: failed": (2_064, 2_065),
        "at 40%: fallback": (477, 478),
        "fallback, usable: fail_to_pass": (477, 478),
        "fallback, strong: fail_to_pass": (40, 41),
        "signals: fallback": (477, 478),
        "signals: total": (2_064, 2_065),
        "sample frame": (477, 478),
    }


@pytest.mark.slow
def test_a_swapped_value_moves_last_equals_by_one(tmp_path: Path, strong: dict[str, Any]) -> None:
    copy = Copy(tmp_path / "copy")
    several = {c for c, g in strong.items() if g["candidates"].get("last_equals", {}).get("gain", 0) >= 2}
    lineages: dict[str, int] = {}
    for g in strong.values():
        lineages[g["lineage"]] = lineages.get(g["lineage"], 0) + 1
    several = {c for c in several if strong[c]["lineage"] != max(lineages, key=lambda k: lineages[k])}
    reading = re.compile(r"(ANSWER: *3 *= *)7(\.0)?\b")

    def wanted(path: Path, record: dict[str, Any]) -> bool:
        content = record["messages"][-1].get("content")
        return record["config"] in several and isinstance(content, str) and bool(reading.search(content))

    def swap(record: dict[str, Any]) -> None:
        last = record["messages"][-1]
        last["content"] = reading.sub(r"\g<1>9.9", last["content"])

    copy.change(wanted, swap)
    assert differences(copy.figures()) == {
        "unit item, last equals: flips": (19, 18),
        "unit item, last equals: stay": (6, 7),
    }


@pytest.mark.slow
def test_a_deleted_listing_moves_the_grounded_asks_by_one(tmp_path: Path, strong: dict[str, Any]) -> None:
    copy = Copy(tmp_path / "copy")
    single = {c for c, g in strong.items() if g["candidates"].get("ask_accepted", {}).get("gain", 0) == 1}

    def wanted(path: Path, record: dict[str, Any]) -> bool:
        ask = copy.bank[record["episode"]]["gold"].get("ask")
        text = record["messages"][-1].get("content")
        return bool(ask) and record["config"] in single and "run" not in record and "ANSWER: ASK" in str(text)

    def delete(record: dict[str, Any]) -> None:
        record["messages"] = [m for m in record["messages"] if m["role"] != "tool" and not m.get("tool_calls")]

    copy.change(wanted, delete)
    assert differences(copy.figures()) == {
        "delete item, ask: flips": (16, 15),
        "delete item, ask: asks that fail": (4, 5),
    }


@pytest.mark.slow
def test_one_inverted_grade_stops_the_audit_and_is_named(tmp_path: Path) -> None:
    copy = Copy(tmp_path / "copy")

    def invert(record: dict[str, Any]) -> None:
        grader = copy.grade
        copy.grade = lambda r: {**grader(r), "pass": not grader(r)["pass"]}  # type: ignore[method-assign]

    key = copy.change(lambda path, record: "run" not in record and record["rep"] == 2, invert)
    with pytest.raises(GateFailed, match=rf"1 of 13615 trials: {re.escape(key)}: frozen"):
        audit(copy.folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_other_names_and_another_layout_give_the_same_figures(tmp_path: Path) -> None:
    """Nothing leans on the names of items, families, configurations and tools, nor on the layout of the files."""
    bank = json.loads((TOOL_LOOP / "bank.json").read_text())
    configurations = json.loads((TOOL_LOOP / "configurations.json").read_text())
    tools: dict[str, str] = {}
    lines = []
    for path in sorted(TOOL_LOOP.glob("trials/*.gz"), reverse=True):
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            record = json.loads(line)
            for message in record["messages"]:
                for call in message.get("tool_calls") or ():
                    tools.setdefault(call["function"]["name"], f"op{len(tools)}")
            lines.append(record)
    word = re.compile(r"\b(" + "|".join(sorted(tools, key=len, reverse=True)) + r")\b")

    def renamed(value: Any) -> Any:
        return json.loads(word.sub(lambda m: tools[m[0]], json.dumps(value)))

    items = {entry["item"]: f"episode/{99 - i}" for i, entry in enumerate(bank)}
    families = {
        entry["family"]: f"group {i}" for i, entry in enumerate(sorted(bank, key=lambda e: e["family"], reverse=True))
    }
    names = {entry["configuration"]: f"machine {999 - i}%" for i, entry in enumerate(configurations)}
    folder = tmp_path / "renamed"
    folder.mkdir()
    with (folder / "all.log").open("w", encoding="utf-8") as log:
        for record in lines:
            moved = {
                "who": {"is": names[record["config"]]},
                "what": items[record["episode"]],
                "n": record["rep"],
                "session": record.get("run"),
                "chat": renamed(record["messages"]),
                "verdict": ["ok" if record["grade"]["pass"] else "no", record["grade"]["code"]],
            }
            log.write(json.dumps(moved) + "\r\n\n")
    changed = [{**renamed(e), "item": items[e["item"]], "family": families[e["family"]]} for e in bank]
    (folder / "bank.json").write_text(json.dumps(changed[::-1]))
    (folder / "who.json").write_text(
        json.dumps([{**e, "configuration": names[e["configuration"]]} for e in configurations])
    )
    notes = (TOOL_LOOP / "notes.toml").read_text()
    (folder / "notes.toml").write_text(re.sub(r'item = "(\w+)"', lambda m: f'item = "{items[m[1]]}"', notes))
    toml = (TOOL_LOOP / "corpus.toml").read_text()
    start = toml.index("[columns]")
    rest = toml[toml.index("[[tier]]") :]
    head = toml[:start].replace("trials/*.jsonl.gz", "all.log")
    (folder / "corpus.toml").write_text(
        head + '[columns]\nconfiguration = "who.is"\nitem = "what"\ntrial = "n"\nrun = "session"\nturns = "chat"\n'
        '[frozen.pass]\nvalue = "verdict.0"\npassed_values = ["ok"]\nfailed_values = ["no"]\ncode = "verdict.1"\n'
        '[bank]\nfile = "bank.json"\nnotes = "notes.toml"\n[configurations]\nfile = "who.json"\n' + rest
    )
    done = audit(folder, tmp_path / "out")
    assert done.summary["axes"]["pass"]["parity"]["agree"] == 13_615
    with duckdb.connect(str(done.out / "audit.duckdb"), read_only=True) as con:
        assert differences({**figures(done, con), "files": 134}) == {}
