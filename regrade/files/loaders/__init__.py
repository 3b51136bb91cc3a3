"""Loaders: one file a transcript format, listed here in the order in which a file's content is tried."""

from __future__ import annotations

from pathlib import Path

from regrade.errors import CorpusError, near
from regrade.files.loaders import chat, csv_table, inspect, json_list, jsonl, kremis, lm_eval, parquet, tau_bench
from regrade.files.loaders.loader import MAX_LINE, RECORDS, Loader
from regrade.files.streams import open_stream

__all__ = ["LOADERS", "MAX_LINE", "RECORDS", "Loader", "detect", "loader_named", "open_stream"]

LOADERS: tuple[Loader, ...] = (
    tau_bench.LOADER,
    kremis.LOADER,
    inspect.LOADER,
    lm_eval.LOADER,
    chat.LOADER,
    json_list.LOADER,
    jsonl.LOADER,
    parquet.LOADER,
    csv_table.LOADER,
)

HEAD = 64 * 1024
"""Bytes of a file that a loader sees to know it."""


def loader_named(name: str) -> Loader:
    """The loader of a name.

    Raises:
        CorpusError: There is none; it lists those there are.
    """
    for loader in LOADERS:
        if loader.name == name:
            return loader
    raise CorpusError(f"Unknown format {name!r}.{near(name, (loader.name for loader in LOADERS))}")


def detect(path: Path) -> Loader:
    """The first loader that knows a file by what it holds; its name says nothing.

    Raises:
        CorpusError: The file cannot be read, is empty, or is of no known format.
    """
    with open_stream(path) as stream:
        head = stream.read(HEAD)
    for loader in LOADERS:
        if loader.looks_like(head):
            return loader
    if not head:
        raise CorpusError(f"{path}: it is an empty file. Name a log that has records.")
    found = repr(head[:40].decode(errors="replace"))
    known = ", ".join(loader.name for loader in LOADERS)
    raise CorpusError(f"{path}: no known format; it begins with {found}. Name one with format = (known: {known}).")
