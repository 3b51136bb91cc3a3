"""Read log files with a loader, alone and into a store."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from regrade.files.corpus_toml import corpus_from
from regrade.files.loaders import MAX_LINE, RECORDS, loader_named
from regrade.files.manifest import digest_files
from regrade.tables.ingest import load
from regrade.tables.store import Store

FIXTURES = Path(__file__).parent / "fixtures"


def rows(loader: str, path: Path, max_line: int = MAX_LINE) -> list[tuple[int, Any, str | None]]:
    """The records of a file as (line, value, reason)."""
    found: list[tuple[int, Any, str | None]] = []
    for batch in loader_named(loader).records(path, max_line):
        assert batch.schema == RECORDS and batch.num_rows
        for row in batch.to_pylist():
            assert (row["text"] is None) == (row["reason"] is not None) == (row["excerpt"] is not None)
            found.append((row["line"], None if row["text"] is None else _value(row["text"]), row["reason"]))
    return found


def rows_of(loader: str, data: bytes, max_line: int = MAX_LINE) -> list[tuple[int, Any, str | None]]:
    """The records of bytes."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "log").write_bytes(data)
        return rows(loader, Path(folder) / "log", max_line)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


@contextmanager
def loaded(paths: Sequence[Path], **tables: Any) -> Iterator[duckdb.DuckDBPyConnection]:
    """The store of a corpus of these files, all in one folder; keywords are tables of its corpus.toml."""
    head = {"name": "log", "files": [path.name for path in paths], **tables.pop("corpus", {})}
    corpus = corpus_from({"corpus": head, **tables}, paths[0].parent, "corpus.toml")
    with Store.create(Path(":memory:")) as store:
        load(store, corpus, digest_files(corpus))
        yield store.con


def written(folder: Path, **files: bytes | str) -> list[Path]:
    """Write files, named by keyword with `__` for a dot."""
    paths = []
    for name, content in files.items():
        path = folder / name.replace("__", ".")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        paths.append(path)
    return paths


def grades(con: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """The statuses on each axis, in the order of trials."""
    found: dict[str, list[str]] = {}
    for axis, status in con.execute(
        "select axis, status from frozen_grades join trials using (trial_id) order by axis, trial_id"
    ).fetchall():
        found.setdefault(axis, []).append(status)
    return found


def rejects(con: duckdb.DuckDBPyConnection) -> list[tuple[int, str]]:
    """The line and reason of each reject."""
    return con.execute("select line, reason from rejects order by file_id, line").fetchall()
