"""Load a corpus's transcript files into a store: trials, frozen grades, items, configurations, rejects.

`records = loaded + rejected` in every file, asserted. Memory is bounded by a batch of lines.
"""

from __future__ import annotations

import gc
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any

import duckdb
import pyarrow as pa

from regrade.errors import CorpusError, one_line
from regrade.files.bank import ConfigurationEntry, Item, read_bank, read_configurations
from regrade.files.corpus import Corpus
from regrade.files.loaders import MAX_LINE, loader_named
from regrade.files.manifest import FileDigest
from regrade.tables.decoding import ABSENT, alike, encode, scalar_text
from regrade.tables.mapping import ITEM_FIELDS, Place, Reader, Refused
from regrade.tables.schema import BY_NAME
from regrade.tables.staging import COLUMNS, PIECE, Piece, make_staging
from regrade.tables.store import Store
from regrade.tables.writer import Writer


def load(
    store: Store,
    corpus: Corpus,
    digests: list[FileDigest],
    *,
    max_line: int = MAX_LINE,
    progress: Callable[[str, int, int], None] = lambda path, done, total: None,
) -> None:
    """Fill an empty store from the corpus.

    Args:
        store: the store, just made.
        corpus: what to load.
        digests: its transcript files with their SHA-256, in path order.
        max_line: bytes of a line beyond which it is a reject.
        progress: called with (path, files done, files in all).

    Raises:
        CorpusError: no record could be read, or a file cannot be decompressed.
    """
    con = store.con
    con.execute("begin")
    make_staging(con)
    bank = read_bank(corpus)
    reader = Reader(corpus, None if bank is None else frozenset(i.item for i in bank))
    items = FoundItems()
    with _no_collector(), Writer(con) as writer:
        for piece in _pieces(corpus, digests, reader, items, max_line, progress):
            writer.write(piece)
    _reject_repeated(con, [d.path for d in digests])
    _settle(con, digests, corpus.format)
    store.insert("items", items.rows() if bank is None else map(_item_row, bank))
    _fill_configurations(store, read_configurations(corpus))
    _check(con, corpus)
    store.remember({"absent": json.dumps(reader.absent())})
    for name in (*COLUMNS, "twice"):
        con.execute(f"drop table temp.{name}")
    con.execute("commit")


@contextmanager
def _no_collector() -> Iterator[None]:
    # Millions of tuples and no cycle: looking for cycles would take a third of the time.
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _pieces(
    corpus: Corpus,
    digests: list[FileDigest],
    reader: Reader,
    items: FoundItems,
    max_line: int,
    progress: Callable[[str, int, int], None],
) -> Iterator[Piece]:
    """The records of all files in order, small files together."""
    loader = loader_named(corpus.format)
    piece = Piece()
    record = 0
    for file_id, digest in enumerate(digests):
        progress(digest.path, file_id, len(digests))
        stem = _stem(digest.path)
        for batch in loader.records(corpus.root / digest.path, max_line):
            for member, line, text, reason, excerpt in zip(*(c.to_pylist() for c in batch.columns), strict=True):
                place = Place(file_id, stem, line, member)
                if reason is not None:
                    for part in range(len(reader.parts)):
                        piece.refuse(record, part, place, reason, excerpt)
                else:
                    _read(reader, items, piece, record, place, text)
                record += 1
            piece.size += batch.nbytes
            if piece.size > PIECE:
                yield piece
                piece = Piece()
    yield piece


def _read(reader: Reader, items: FoundItems, piece: Piece, record: int, place: Place, text: str) -> None:
    """Read one record: each of its parts is a trial or a reject."""
    try:
        values = reader.values(text)
    except Refused as refused:
        for number in range(len(reader.parts)):
            piece.refuse(record, number, place, refused.reason, refused.excerpt(text))
        return
    for number, part in enumerate(reader.parts):
        try:
            row = part.read(text, values, place)
        except Refused as refused:
            piece.refuse(record, number, place, refused.reason, refused.excerpt(text))
        else:
            piece.load(record, number, place, row)
            items.add(row.trial[2], row.about_item)


def _stem(path: str) -> str:
    name = PurePosixPath(path).name
    for ending in (".gz", ".zst"):
        name = name.removesuffix(ending)
    return PurePosixPath(name).stem


def _reject_repeated(con: duckdb.DuckDBPyConnection, paths: list[str]) -> None:
    """Reject each later record of a trial key, unless it grades axes that the earlier ones do not."""
    con.execute(
        "create or replace temp table twice as "
        "select trial_id from staged where reason is null group by trial_id having count(*) > 1"
    )
    rows = con.execute(
        "with graded as (select record, part, list(axis order by axis) as axes from staged_grades "
        "where present and trial_id in (from twice) group by record, part) "
        "select trial_id, record, part, file_id, line, axes from staged left join graded using (record, part) "
        "where trial_id in (from twice) order by trial_id, record, part"
    ).fetchall()
    if not rows:
        return
    first: dict[str, str] = {}
    axes: dict[str, set[str]] = defaultdict(set)
    repeated = []
    for trial_id, record, part, file_id, line, graded in rows:
        if trial_id in first and not (graded and axes[trial_id] and not axes[trial_id] & set(graded)):
            repeated.append((record, part, f"{trial_id} is loaded from {first[trial_id]}"))
            continue
        first.setdefault(trial_id, f"{paths[file_id]}, line {line}")
        axes[trial_id] |= set(graded or ())
    columns = list(zip(*repeated, strict=True)) if repeated else [(), (), ()]
    kinds = {"record": pa.int64(), "part": pa.int64(), "excerpt": pa.string()}
    con.register("repeated", pa.table({n: pa.array(c, t) for (n, t), c in zip(kinds.items(), columns, strict=True)}))
    con.execute(
        "update staged set reason = 'duplicate_trial', excerpt = r.excerpt from repeated r "
        "where staged.record = r.record and staged.part = r.part"
    )
    con.execute("delete from staged_grades where (record, part) in (select (record, part) from repeated)")
    con.unregister("repeated")
    con.execute(
        "delete from trials where rowid in (select rowid from (select rowid, row_number() over "
        "(partition by trial_id order by rowid) as n from trials) where n > 1)"
    )


def _settle(con: duckdb.DuckDBPyConnection, digests: list[FileDigest], format_name: str) -> None:
    con.execute(
        "insert into rejects select file_id, member, line, reason, excerpt from staged where reason is not null "
        "order by record, part"
    )
    # Of records that grade one axis of a trial, the first that has the field counts.
    con.execute(
        "insert into frozen_grades select trial_id, axis, status, code, answer, score, true from staged_grades "
        "qualify row_number() over (partition by trial_id, axis order by not present, record, part) = 1 "
        "order by record, part"
    )
    counts = {
        row[0]: row[1:]
        for row in con.execute(
            "select file_id, count(*), count(*) filter (reason is null), count(*) filter (reason is not null) "
            "from staged group by file_id"
        ).fetchall()
    }
    con.executemany(
        "insert into files values (?, ?, ?, ?, ?, ?, ?, ?)",
        [(i, d.path, d.sha256, d.bytes, format_name, *counts.get(i, (0, 0, 0))) for i, d in enumerate(digests)],
    )


def _item_row(item: Item) -> tuple[str | None, ...]:
    return item.item, item.family, item.prompt, encode(item.gold), json.dumps(item.extra) if item.extra else None, None


class FoundItems:
    """The items that the trials themselves tell of."""

    def __init__(self) -> None:
        self._found: dict[str, list[Any]] = {}
        self._twice: dict[tuple[int, str], set[str]] = {}

    def add(self, item: str, values: tuple[Any, ...]) -> None:
        """Take what one record says; a null says nothing, so it yields to what another record of the item has."""
        known = self._found.setdefault(item, [None] * len(ITEM_FIELDS))
        for at, value in enumerate(values):
            if value is None or value is ABSENT or value is known[at]:
                continue
            if known[at] is None:
                known[at] = value
            elif not alike(value, known[at]):
                self._twice.setdefault((at, item), {encode(known[at])}).add(encode(value))

    def rows(self) -> list[tuple[str | None, ...]]:
        """Rows of the table `items`, by item. CorpusError where two records say different things of one."""
        if self._twice:
            at, item = min(self._twice)
            one, *_, other = sorted(self._twice[at, item])
            raise CorpusError(
                f"[bank.columns] {ITEM_FIELDS[at]}: the item {item!r} has {one_line(one)[:80]} in one record and "
                f"{one_line(other)[:80]} in another. Map item to a field that tells them apart."
            )
        return [
            (item, scalar_text(family), scalar_text(prompt), None if gold is None else encode(gold), None, None)
            for item, (family, prompt, gold) in sorted(self._found.items())
        ]


def _fill_configurations(store: Store, entries: list[ConfigurationEntry]) -> None:
    names = [c.name for c in BY_NAME["configurations"].columns if c.name not in ("extra", "listed")]
    store.insert(
        "configurations",
        [(*(getattr(e, n) for n in names), json.dumps(e.extra) if e.extra else None, True) for e in entries],
    )
    store.con.execute(
        "insert into configurations (configuration, listed) select distinct configuration, false from trials "
        "where configuration not in (select configuration from configurations) order by 1"
    )


def _check(con: duckdb.DuckDBPyConnection, corpus: Corpus) -> None:
    off = con.execute("select path, records, loaded, rejected from files where records <> loaded + rejected").fetchall()
    assert not off, f"records = loaded + rejected does not hold in {off}"
    (trials,) = con.execute("select count(*) from trials").fetchone() or (0,)
    if not trials:
        reasons = con.execute(
            "select reason, count(*), first(excerpt order by file_id, line) from rejects "
            "group by reason order by 2 desc, 1"
        ).fetchall()
        found = "; ".join(f"{n} x {reason} ({one_line(excerpt or '')[:160]})" for reason, n, excerpt in reasons)
        raise CorpusError(
            f"No trial could be loaded from {corpus.name}: found {found or 'no records'}. Check files and [columns] in"
            " corpus.toml."
        )
