"""What `regrade diff` prints for a person."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from regrade.flips.diff import SIDES
from regrade.flips.tallies import DIRECTIONS, SPREAD_KEYS
from regrade.report.console import console, line, spread_text, table
from regrade.report.page import has_gap, plural
from regrade.report.shown import cut

LISTED = 5
"""Names in a line; the rest are counted."""
SHORT = 12
"""Characters of a hash that are shown."""
TOLD = 60
"""Characters kept at each end of an answer, a value or what the bank says."""
NOUNS = {
    "files": "file",
    "items": "item",
    "configurations": "configuration",
    "graders": "grader",
    "rules": "rule",
}


def print_diff(found: Mapping[str, Any]) -> None:
    """Print what `compare` gives: what A and B are, the cells of each pair, what moved, and what else differs."""
    out = console()
    for part in _diff(found):
        # A line is left for the terminal to fold, so that a name in it can be copied whole.
        out.print(part, soft_wrap=isinstance(part, Text))


def _diff(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    for name in SIDES:
        yield from _side(name.upper(), found[name])
    trials = found["changes"]["trials"]
    yield line(
        f"Trials: {trials['both']:,} in both, {trials['only_in_a']:,} only in A, {trials['only_in_b']:,} only in B;"
        f" another transcript in {trials['changed']:,}",
        "" if trials["both"] else "yellow",
    )
    yield line("")
    yield line(f"A cell is the grade of a trial on an axis; in brackets {'/'.join(SPREAD_KEYS[1:])} of a count.")
    yield _cells(found["compared"])
    for name in SIDES:
        for column in found[f"only_in_{name}"]:
            yield line(
                f"Only in {name.upper()}: {column['candidate']} on {column['axis']}, {plural(column['cells'], 'cell')}"
            )
    for block in found["compared"]:
        yield from _pair(block)
    yield from _changes(found["changes"])


def _side(name: str, side: Mapping[str, Any]) -> Iterator[Text]:
    stamp = " (SIMULATED)" if side["simulated"] else ""
    candidate = f", candidate {side['candidate']}" if side["candidate"] not in (None, side["given"]) else ""
    yield line(
        f"{name}: {side['kind']} {side['given']}{candidate}; corpus {side['corpus']}{stamp},"
        f" sha256 {side['sha256'][:SHORT]}",
        "bold",
    )
    for axis, parity in side["parity"].items():
        if has_gap(parity):
            told = f"{parity['agree']:,} of {parity['trials']:,} trials agree"
            yield line(f"   Parity on {axis}: {told}. GAP: every figure below bears it", "red")


def _cells(compared: Sequence[Mapping[str, Any]]) -> Table:
    ungraded = [d for d in DIRECTIONS if d.endswith("ungraded") and any(block[d]["trials"] for block in compared)]
    shown = ["recoded", "fail_to_pass", "pass_to_fail", *ungraded, "only_in_a", "only_in_b"]
    rows = [
        [
            block["axis"],
            _name(block),
            block["a"]["cells"],
            block["b"]["cells"],
            block["same"]["trials"],
            *(spread_text(block[key]) for key in shown),
        ]
        for block in compared
    ]
    words = {"only_in_a": "only in A", "only_in_b": "only in B"}
    headings = [words.get(key, key.replace("_", " ")) for key in shown]
    return table("Cells", ["axis", "candidate", "A", "B", "same", *headings], rows, left=2)


def _name(block: Mapping[str, Any]) -> str:
    one, other = (block[name]["candidate"] for name in SIDES)
    return str(one) if one == other else f"{one} -> {other}"


def _pair(block: Mapping[str, Any]) -> Iterator[RenderableType]:
    rules = [block[name]["rules"] for name in SIDES]
    if not block["transitions"] and rules[0] == rules[1]:
        return
    yield line("")
    yield line(f"{block['axis']}, {_name(block)}", "bold")
    if rules[0] != rules[1]:
        for name, named in zip(SIDES, rules, strict=True):
            yield line(f"  {name.upper()} is made of {', '.join(named) or 'the frozen grader alone'}")
    if block["transitions"]:
        rows = [[_grade(t["from"]), _grade(t["to"]), spread_text(t)] for t in block["transitions"]]
        yield table("Changed", ["A", "B", "cells"], rows, left=2)
    for trial in block["trials"]:
        yield line(f"  {trial['trial_id']}")
        for name in SIDES:
            yield line(f"    {name.upper()} {_read(trial[name])}")
    changed = block["moved"]["trials"] + block["recoded"]["trials"]
    if changed > len(block["trials"]) > 0:
        yield line(f"  and {changed - len(block['trials']):,} more; -n lists them")


def _grade(grade: Sequence[str | None]) -> str:
    return " ".join(part for part in grade if part)


def _read(read: Mapping[str, Any]) -> str:
    told = [_grade((read["status"], read["code"]))]
    told += [f"{what} {_json(read[what])}" for what in ("answer", "value") if read[what] is not None]
    return "; ".join([*told, *([f"missed {', '.join(read['missed'])}"] if read["missed"] else [])])


def _json(value: Any) -> str:
    return cut(json.dumps(value, ensure_ascii=False), TOLD).replace("\n", " ")


def _changes(changes: Mapping[str, Any]) -> Iterator[Text]:
    lines = [told for part, noun in NOUNS.items() for told in _part(noun, changes[part])]
    if lines:
        yield line("")
        yield line("What else differs", "bold")
        yield from map(line, lines)


def _part(noun: str, part: Mapping[str, Any]) -> Iterator[str]:
    for change in part["changed"][:LISTED]:
        key = next(value for name, value in change.items() if name not in SIDES)
        one, other = (change[name] for name in SIDES)
        for what in one:
            if what == "doc":
                yield f"  {noun} {key}: another text; --json and --html have both"
                continue
            old, new = (_value(what, value) for value in _apart(one[what], other[what]))
            yield f"  {noun} {key}: {what} {old} in A, {new} in B"
    if len(part["changed"]) > LISTED:
        yield f"  and {plural(len(part['changed']) - LISTED, noun)} more changed; --json lists them"
    for name in SIDES:
        if only := part[f"only_in_{name}"]:
            more = f" and {len(only) - LISTED:,} more" if len(only) > LISTED else ""
            yield f"  {plural(len(only), noun)} only in {name.upper()}: {', '.join(only[:LISTED])}{more}"


def _apart(one: Any, other: Any) -> tuple[Any, Any]:
    """Two values, of two objects the keys alone in which they differ."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return one, other
    keys = [key for key in {**one, **other} if _json(one.get(key)) != _json(other.get(key))]
    return {k: one[k] for k in keys if k in one}, {k: other[k] for k in keys if k in other}


def _value(what: str, value: Any) -> str:
    return str(value)[:SHORT] if what in ("fingerprint", "sha256") else _json(value)
