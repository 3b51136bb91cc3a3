"""Writing the corpus so that the same seed gives the same bytes."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

from broken_campus_sim.cases import CASES
from broken_campus_sim.configurations import CONFIGURATIONS


def pack(records: list[dict[str, Any]]) -> bytes:
    """Gzipped JSON lines without a time or a name in the header."""
    lines = [json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n" for record in records]
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=packed, mtime=0) as out:
        out.write("".join(lines).encode())
    return packed.getvalue()


def listing(entries: list[dict[str, Any]]) -> bytes:
    """A JSON list with one entry a line."""
    return ("[\n" + ",\n".join("  " + json.dumps(entry, ensure_ascii=False) for entry in entries) + "\n]\n").encode()


def write(folder: Path, corpus: dict[str, list[dict[str, Any]]]) -> int:
    """Write everything; returns the bytes of the trial files."""
    trials = folder / "trials"
    trials.mkdir(parents=True, exist_ok=True)
    for stale in trials.glob("*.jsonl.gz"):
        if stale.name.removesuffix(".jsonl.gz") not in corpus:
            stale.unlink()
    packed = {name: pack(records) for name, records in corpus.items()}
    for name, content in packed.items():
        (trials / f"{name}.jsonl.gz").write_bytes(content)
    (folder / "bank.json").write_bytes(listing([case.entry() for case in CASES]))
    (folder / "configurations.json").write_bytes(listing([who.entry() for who in CONFIGURATIONS]))
    return sum(map(len, packed.values()))
