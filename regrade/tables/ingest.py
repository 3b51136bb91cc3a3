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

import duckdb
import pyarrow as pa

from regrade.errors import CorpusError, one_line
from regrade.files.bank import ConfigurationEntry, Item, read_bank_file, read_configurations
from regrade.files.corpus import Corpus
from regrade.files.loaders import MAX_LINE, loader_named
from regrade.files.loaders.loader import Records
from regrade.files.manifest import FileDigest
from regrade.tables.about import CONFIGURATION_FIELDS, ITEM_FIELDS, Told
from regrade.tables.decoding import encode, scalar_text
from regrade.tables.mapping import Place, Reader, Refused
from regrade.tables.schema import WORLD
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
    bank = read_bank_file(corpus)
    reader = Reader(corpus, None if bank is None else frozenset(i.item for i in bank.items))
    loader = loader_named(corpus.format)
    cut = loader.records if bank is None or loader.beside is None else loader.beside(bank.document)
    items = Told("item", "bank.columns", ITEM_FIELDS)
    configurations = Told("configuration", "configurations.columns", CONFIGURATION_FIELDS)
    told = (items, configurations)
    with _no_collector(), Writer(con) as writer:
        for piece in _pieces(corpus, digests, cut, reader, told, max_line, progress):
            writer.write(piece)
    _reject_repeated(con, [d.path for d in digests])
    _settle(con, digests, corpus.format)
    store.insert("items", _told_items(items) if bank is None else map(_item_row, bank.items))
    _fill_configurations(store, read_configurations(corpus), configurations)
    _check(con, corpus)
    store.remember({"absent": json.dumps(reader.absent()), WORLD: encode(None if bank is None else bank.world)})
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
    cut: Records,
    reader: Reader,
    told: tuple[Told, Told],
    max_line: int,
    progress: Callable[[str, int, int], None],
) -> Iterator[Piece]:
    """The records of all files in order, small files together."""
    piece = Piece()
    record = 0
    for file_id, digest in enumerate(digests):
        progress(digest.path, file_id, len(digests))
        stem = _stem(digest.path)
        for batch in cut(corpus.root / digest.path, max_line):
            for member, line, text, reason, excerpt in zip(*(c.to_pylist() for c in batch.columns), strict=True):
                place = Place(file_id, stem, line, member)
                if reason is not None:
                    for part in range(len(reader.parts)):
                        piece.refuse(record, part, place, reason, excerpt)
                else:
                    _read(reader, told, piece, record, place, text)
                record += 1
            piece.size += batch.nbytes
            if piece.size > PIECE:
                yield piece
                piece = Piece()
    yield piece


def _read(reader: Reader, told: tuple[Told, Told], piece: Piece, record: int, place: Place, text: str) -> None:
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
            items, configurations = told
            items.add(row.trial[2], row.about_item)
            if row.about_configuration:
                configurations.add(row.trial[1], row.about_configuration)


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


def _told_items(told: Told) -> list[tuple[str | None, ...]]:
    """Rows of the table `items`, by item."""
    return [
        (item, scalar_text(family), scalar_text(prompt), None if gold is None else encode(gold), None, None)
        for item, (family, prompt, gold) in told.each()
    ]


def _fill_configurations(store: Store, entries: list[ConfigurationEntry], told: Told) -> None:
    """Join the configurations file with what the trials tell; where both speak, the file counts."""
    names = CONFIGURATION_FIELDS[:-1]
    listed = {e.configuration: ([getattr(e, n) for n in names], e.extra) for e in entries}
    said = {name: ([scalar_text(v) for v in values], extra) for name, (*values, extra) in told.each()}
    met = [r[0] for r in store.con.execute("select distinct configuration from trials order by 1").fetchall()]
    rows = []
    for name in dict.fromkeys([*listed, *met]):
        values, extra = listed.get(name, ([None] * len(names), {}))
        told_values, told_extra = said.get(name, ([None] * len(names), None))
        if told_extra is not None and not isinstance(told_extra, dict):
            told_extra = {"extra": told_extra}
        extra = {**(told_extra or {}), **extra}
        both = (one if one is not None else other for one, other in zip(values, told_values, strict=True))
        rows.append((name, *both, json.dumps(extra) if extra else None, name in listed))
    store.insert("configurations", rows)


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
