"""Writing the corpus so that the same seed gives the same bytes."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

from tool_loop_sim.bank import ITEMS
from tool_loop_sim.configurations import Configuration

NOTES = [
    (
        "T14",
        "ambiguous",
        "The first turn asks for 3=<value>; the second does not say if that form still holds. State it.",
    ),
    (
        "T09",
        "convention",
        "That notes.txt is no report is a private convention. State it, and define what a grounded question earns.",
    ),
    *[
        (
            item,
            "conflicting_cue",
            "The menu at the end of the request competes with the answer line. Ask for the word behind the prefix.",
        )
        for item in ("T17", "T18", "T19", "T20")
    ],
    *[
        (item, "retire", "No strong configuration ever missed it; it no longer tells configurations apart.")
        for item in ("T01", "T02", "T15", "T33", "T35", "T42", "T43")
    ],
    *[
        (item, "canary", "Never missed by a strong configuration; keep it unscored, to notice a broken route.")
        for item in ("T07", "T25", "T48")
    ],
]


def dump(value: Any) -> str:
    """One compact JSON line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pack(records: list[dict[str, Any]]) -> bytes:
    """Gzipped JSON lines without a time or a name in the header."""
    text = "".join(dump(record) + "\n" for record in records)
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=packed, mtime=0) as out:
        out.write(text.encode())
    return packed.getvalue()


def listing(entries: list[dict[str, Any]]) -> str:
    """A JSON list with one entry a line."""
    return "[\n" + ",\n".join("  " + json.dumps(entry, ensure_ascii=False) for entry in entries) + "\n]\n"


def notes_text() -> str:
    """The notes on items, as TOML."""
    parts = [
        f"[[note]]\nitem = {json.dumps(item)}\nkind = {json.dumps(kind)}\ntext = {json.dumps(text)}\n"
        for item, kind, text in NOTES
    ]
    return "# Written by simulate.py.\n\n" + "\n".join(parts)


def write(folder: Path, everybody: list[Configuration], corpus: dict[str, list[dict[str, Any]]]) -> int:
    """Write everything; returns the bytes of the trial files."""
    trials = folder / "trials"
    trials.mkdir(parents=True, exist_ok=True)
    for stale in trials.glob("*.jsonl.gz"):
        if stale.name.removesuffix(".jsonl.gz") not in corpus:
            stale.unlink()
    size = 0
    for name, records in corpus.items():
        packed = pack(records)
        (trials / f"{name}.jsonl.gz").write_bytes(packed)
        size += len(packed)
    (folder / "bank.json").write_bytes(listing([item.entry() for item in ITEMS]).encode())
    (folder / "configurations.json").write_bytes(listing([who.entry() for who in everybody]).encode())
    (folder / "notes.toml").write_bytes(notes_text().encode())
    return size
