"""What `regrade init` prints: the mapping with its reasons, what is missing, and trials as they were read."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from regrade.report.console import console, line, table
from regrade.report.page import plural
from regrade.signs import name as shown_name

KEPT = 100
"""Characters of a prompt, a gold, a reply, and of a reject's beginning."""
ALIKE = 2
"""Parts of a wide record that are listed; the rest are counted."""
REASONS = {
    "not_json": "no JSON",
    "not_utf8": "no UTF-8",
    "not_object": "no object",
    "too_long": "longer than a record may be",
    "missing_key": "a column that every trial needs is absent",
    "duplicate_key": "a mapped key twice in one object",
    "duplicate_trial": "the key of an earlier trial: map item, trial or run to what tells them apart",
    "bad_grade": "a grade that is none of the declared ones",
    "bad_turns": "messages or a reply that are not as chat APIs write them",
}
"""What a reject means for who maps a log."""


def print_start(done: dict[str, Any]) -> None:
    """Print what `init_log` gives."""
    _print(_start(done))


def print_made(made: Sequence[Path]) -> None:
    """Print what `make_folders` made."""
    if made:
        _print([line("Made:"), *(line(f"  {path}") for path in made)])
    else:
        _print([line("Nothing to make: rules/, transcripts/ and reports/ are there, each with a README.md.")])
    _print([line("Next: regrade init LOG")])


def _print(shown: Iterator[RenderableType] | Sequence[RenderableType]) -> None:
    out = console()
    for part in shown:
        out.print(part, soft_wrap=isinstance(part, Text))


def _start(done: dict[str, Any]) -> Iterator[RenderableType]:
    yield line(f"{done['corpus']}: {plural(done['files'], 'file')}, {done['format']}", "bold")
    yield line(done["about"])
    if done["left_out"]:
        yield line(f"Left out, of another format or none: {_some(done['left_out'])}")
    yield line("")
    what = "Guessed" if done["guessed"] else f"As {done['format']} has it"
    rows = list(_rows(done))
    columns = ["column", "path", *(["why"] if done["guessed"] else [])]
    yield table(what, columns, [row[: len(columns)] for row in rows], left=3)
    if done["missing"] or done["notes"]:
        yield line("")
    if done["missing"]:
        absent = [key.replace("columns.", "") for key in done["missing"]]
        yield line(f"Not found: {', '.join(absent)}. {done['corpus']} has a commented line for each.")
    for note in done["notes"]:
        yield line(f"Note: {note}.")
    yield from _read(done)
    yield line("")
    yield line(f"Next: regrade audit {shlex.quote(done['next'])}")


def _rows(done: dict[str, Any]) -> Iterator[Sequence[object]]:
    mapping, why = done["mapping"], done["why"]
    for key, value in done["own"].items():
        yield _row(key, value, "")
    for key, value in mapping.get("columns", {}).items():
        yield _row(key, value, why.get(f"columns.{key}", ""))
    for axis, keys in mapping.get("frozen", {}).items():
        for key, value in keys.items():
            yield _row(f"frozen.{axis}.{key}", value, why.get(f"frozen.{axis}.{key}", ""))
    parts = mapping.get("each", [])
    for number, part in enumerate(parts[:ALIKE]):
        for key, value in part.items():
            if key != "frozen":
                first = why.get("each", "") if key == "configuration" and not number else ""
                yield _row(f"each {number + 1}: {key}", value, why.get(f"each.{number}.{key}", first))
        for axis, keys in part.get("frozen", {}).items():
            for key, value in keys.items():
                yield _row(
                    f"each {number + 1}: frozen.{axis}.{key}", value, why.get(f"each.{number}.frozen.{axis}.{key}", "")
                )
    if len(parts) > ALIKE:
        yield [f"and {len(parts) - ALIKE} more alike", ", ".join(str(p["configuration"]) for p in parts[ALIKE:]), ""]
    for key, value in mapping.get("bank", {}).get("columns", {}).items():
        yield _row(f"bank.{key}", value, why.get(f"bank.columns.{key}", ""))


def _row(key: str, value: Any, why: str) -> Sequence[object]:
    key = key.replace("bank.columns.", "bank.").removeprefix("columns.")
    return [key, ", ".join(map(str, value)) if isinstance(value, list) else str(value), why]


def _read(done: dict[str, Any]) -> Iterator[RenderableType]:
    read = done["read"]
    rejected = sum(read["rejected"].values())
    yield line("")
    whole = "All" if read["whole"] else "The first"
    loaded = plural(read["records"] - rejected, "trial")
    yield line(f"{whole} {plural(read['records'], 'record')} read: {loaded}, {plural(rejected, 'reject')}.")
    for reason, count in read["rejected"].items():
        yield line(
            f"  {count:,} {reason}: {REASONS.get(reason, reason)}. The first: {_cut(read['examples'][reason], 160)}"
        )
    yield line("")
    yield line(f"{plural(len(done['trials']), 'trial')} as read:")
    for trial in done["trials"]:
        yield line("")
        yield line(trial["trial_id"], "bold")
        for axis, grade in trial["frozen"].items():
            more = ", ".join(f"{key} {_cut(grade[key])}" for key in ("code", "answer") if grade[key] is not None)
            yield line(f"  frozen {axis}: {grade['status']}{f', {more}' if more else ''}")
        if not trial["frozen"]:
            yield line("  frozen: no grade")
        if trial["turns"] is not None:
            yield line(f"  turns:  {trial['turns']}")
        for key in ("prompt", "gold", "reply"):
            if trial[key] is not None:
                yield line(f"  {f'{key}:':<7} {_cut(trial[key]) or '(empty)'}")


def _cut(text: str, kept: int = KEPT) -> str:
    """The beginning of a text on one line."""
    shown = " ".join(text.split())
    return shown if len(shown) <= kept else f"{shown[:kept]}... ({len(text):,} characters)"


def _some(paths: Sequence[str], most: int = 5) -> str:
    listed = ", ".join(shown_name(path) for path in paths[:most])
    return f"{listed} and {len(paths) - most:,} more" if len(paths) > most else listed
