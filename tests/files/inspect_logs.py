"""Small Inspect logs, built as bytes, and what is loaded of them."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import zstandard

from regrade.files.corpus_toml import corpus_from
from regrade.files.manifest import digest_files
from regrade.tables.ingest import load
from regrade.tables.store import Store

HEADER = {
    "version": 2,
    "status": "success",
    "eval": {"task": "sums", "run_id": "r1", "eval_id": "e1", "model": "mockllm/model"},
    "plan": {"name": "plan", "steps": []},
}


def sample(id: Any = 1, epoch: Any = 1, reply: Any = "4", value: Any = "C", **changes: Any) -> dict[str, Any]:
    """A sample of one question and one answer, graded by one scorer."""
    said = {"role": "assistant", "content": reply}
    return {
        "id": id,
        "epoch": epoch,
        "input": "2 + 2?",
        "target": "4",
        "messages": [{"role": "user", "content": "2 + 2?"}, said],
        "output": {"choices": [{"message": said, "stop_reason": "stop"}]},
        "scores": {"match": {"value": value, "answer": "four", "explanation": "as said"}},
        "metadata": {},
        "events": [{"event": "model"}],
        "attachments": {},
        **changes,
    }


def document(*samples: Any, **changes: Any) -> bytes:
    """A `.json` log."""
    return json.dumps({**HEADER, **changes, "samples": list(samples)}).encode()


def archive(members: Iterable[tuple[str, bytes]] | Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive; 93 is zstd, each member in two frames."""
    pairs = members.items() if isinstance(members, Mapping) else members
    if method != 93:
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", method) as file:
            for name, data in pairs:
                file.writestr(name, data)
        return made.getvalue()
    body, directory, count = b"", b"", 0
    for name, data in pairs:
        pack = zstandard.ZstdCompressor().compress
        stored = pack(data[:100]) + pack(data[100:])
        sizes = (0, 93, 0, 0, zlib.crc32(data), len(stored), len(data), len(name), 0)
        place = struct.pack("<HHH", 0, 0, 0) + struct.pack("<LL", 0, len(body))
        directory += b"PK\x01\x02" + struct.pack("<HHHHHHLLLHH", 63, 63, *sizes) + place + name.encode()
        body += b"PK\x03\x04" + struct.pack("<HHHHHLLLHH", 63, *sizes) + name.encode() + stored
        count += 1
    end = struct.pack("<HHHHLLH", 0, 0, count, count, len(directory), len(body), 0)
    return body + directory + b"PK\x05\x06" + end


def members(*samples: Any, **changes: Any) -> dict[str, bytes]:
    """The members of an `.eval` log; a sample given as bytes is written as it is, by its place."""
    named = {
        f"samples/{n}_epoch_0.json" if isinstance(s, bytes) else f"samples/{s['id']}_epoch_{s['epoch']}.json": (
            s if isinstance(s, bytes) else json.dumps(s).encode()
        )
        for n, s in enumerate(samples)
    }
    return {
        "_journal/start.json": json.dumps({"version": 2, "eval": HEADER["eval"]}).encode(),
        **named,
        "header.json": json.dumps({**HEADER, **changes}).encode(),
    }


@contextmanager
def loaded(folder: Path, log: bytes | Mapping[str, bytes], **tables: Any) -> Iterator[Any]:
    """Load logs as a corpus would and give the connection; further tables of corpus.toml by name."""
    folder.mkdir(exist_ok=True)
    files = log if isinstance(log, Mapping) else {"log": log}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    corpus = corpus_from(
        {"corpus": {"name": "c", "format": "inspect", "files": list(files)}, **tables}, folder, "corpus.toml"
    )
    path = folder / "store.duckdb"
    path.unlink(missing_ok=True)
    store = Store.create(path)
    try:
        load(store, corpus, digest_files(corpus))
        yield store.con
    finally:
        store.close()
