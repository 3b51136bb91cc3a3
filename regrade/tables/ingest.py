"""Load a corpus's transcript files into a store: trials, frozen grades, items, configurations, rejects.

`records = loaded + rejected` in every file, asserted. Memory is bounded by a batch of lines.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

import duckdb
import pyarrow as pa

from regrade.errors import CorpusError, one_line
from regrade.files.bank import ConfigurationEntry, Item, read_bank, read_configurations
from regrade.files.corpus import Corpus
from regrade.files.loaders import MAX_LINE, loader_named
from regrade.files.manifest import FileDigest
from regrade.tables.mapping import MACROS, Reader
from regrade.tables.schema import BY_NAME, KEPT
from regrade.tables.store import Store

TRIAL_ID = "concat_ws('/', encode_part(configuration), encode_part(item), encode_part(run), encode_part(trial))"
"""`concat_ws` leaves a null run out."""

CHUNK = 32 * 1024 * 1024
"""Bytes of records that are read by one statement."""

STAGED = """
create or replace temp table staged (
  record bigint, file_id bigint, member varchar, line bigint, part bigint, trial_id varchar, reason varchar,
  excerpt varchar,
  graded struct(axis varchar, present boolean, status varchar, code varchar, answer varchar, score double)[]
)
"""


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
    con.execute(MACROS)
    con.execute("create or replace temp macro encode_part(t) as replace(replace(t, '%', '%25'), '/', '%2F')")
    con.execute("begin")
    con.execute(STAGED)
    con.execute("create or replace temp table found_items (item varchar, family json, prompt json, gold json)")
    bank = read_bank(corpus)
    known = None if bank is None else [i.item for i in bank]
    con.execute("create or replace temp table known_items as select unnest(?::varchar[]) as item", [known or []])
    reader = Reader(corpus)
    seen = [0] * (1 + len(reader.slots))
    for chunk in _chunks(corpus, digests, max_line, progress):
        counts = _stage(con, corpus, reader, chunk, bank is not None)
        seen = [a + b for a, b in zip(seen, counts, strict=True)]
    _reject_repeated(con, [d.path for d in digests])
    _settle(con, digests, corpus.format)
    _fill_items(store, bank)
    _fill_configurations(store, read_configurations(corpus))
    _check(con, corpus)
    absent = [path for path, n in zip(reader.slots, seen[1:], strict=True) if seen[0] and not n]
    store.remember({"absent": json.dumps(absent)})
    for name in ("staged", "found_items", "known_items"):
        con.execute(f"drop table temp.{name}")
    con.execute("commit")


def _chunks(
    corpus: Corpus, digests: list[FileDigest], max_line: int, progress: Callable[[str, int, int], None]
) -> Iterator[pa.Table]:
    """The records of all files in order, small files together: RECORDS after `record` (its number), file_id, stem."""
    loader = loader_named(corpus.format)
    held: list[pa.Table] = []
    record = size = 0
    for file_id, digest in enumerate(digests):
        progress(digest.path, file_id, len(digests))
        for batch in loader.records(corpus.root / digest.path, max_line):
            rows = batch.num_rows
            place = {"file_id": pa.array([file_id] * rows), "stem": pa.array([_stem(digest.path)] * rows)}
            numbers = {"record": pa.array(range(record, record + rows), pa.int64())}
            held.append(pa.table({**numbers, **place, **dict(zip(batch.schema.names, batch.columns, strict=True))}))
            record += rows
            size += held[-1].nbytes
            if size > CHUNK:
                yield pa.concat_tables(held)
                held, size = [], 0
    if held:
        yield pa.concat_tables(held)


def _stage(
    con: duckdb.DuckDBPyConnection, corpus: Corpus, reader: Reader, chunk: pa.Table, has_bank: bool
) -> list[int]:
    """Load one chunk; return how many objects it has, and in how many of them each mapped path is."""
    con.register("chunk", chunk)
    con.execute(
        "insert into staged select record, file_id, member, line, p.part, null, reason, excerpt, [] from chunk, "
        f"range({len(corpus.parts)}) as p(part) where reason is not null"
    )
    con.register("lax", _lax(con))
    con.execute(
        "create or replace temp view lines as select record, file_id, stem, member, line, text from chunk "
        "where reason is null"
    )
    con.execute(f"create or replace temp table parsed as {reader.parsed()}")
    unknown = "when not exists (from known_items k where k.item = s.item) then 'unknown_item'" if has_bank else ""
    for index in range(len(corpus.parts)):
        con.execute(
            "create or replace temp table part as select * replace "
            f"(case when reason is not null then reason {unknown} end as reason, "
            f"left(if(reason is null, 'item ' || item || ' in ', '') || excerpt, {KEPT}) as excerpt), "
            f"case when reason is null then {TRIAL_ID} end as trial_id from ({reader.staged(index)}) s"
        )
        con.execute(
            "insert into staged select record, file_id, member, line, part, trial_id, reason, excerpt, graded from part"
        )
        con.execute(
            "insert into trials select trial_id, configuration, item, run, trial, file_id, line, reply, turns, state,"
            " extra from part where reason is null"
        )
        con.execute(
            "insert into found_items select distinct item, family, prompt, gold from part where reason is null "
            "except select * from found_items"
        )
    [counts] = con.execute(reader.counted()).fetchall()
    con.unregister("chunk")
    con.unregister("lax")
    return list(counts)


def _lax(con: duckdb.DuckDBPyConnection) -> pa.Table:
    """Numbers of the records that the engine takes for JSON though a comma stands before a closing bracket."""
    likely = con.sql(
        "select record, text from chunk where reason is null and regexp_matches(text, ',[ \\t\\r\\n]*[\\]}]')"
    ).fetchall()
    return pa.table({"record": pa.array([n for n, text in likely if not _is_json(text)], pa.int64())})


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _stem(path: str) -> str:
    name = PurePosixPath(path).name
    for ending in (".gz", ".zst"):
        name = name.removesuffix(ending)
    return PurePosixPath(name).stem


def _reject_repeated(con: duckdb.DuckDBPyConnection, paths: list[str]) -> None:
    """Reject each later record of a trial key, unless it grades axes that the earlier ones do not."""
    rows = con.execute(
        "select trial_id, record, part, file_id, line, "
        "list_transform(list_filter(graded, lambda g: g.present), lambda g: g.axis) "
        "from staged where reason is null and trial_id in (select trial_id from staged where reason is null "
        "group by trial_id having count(*) > 1) order by trial_id, record, part"
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
        axes[trial_id] |= set(graded)
    columns = list(zip(*repeated, strict=True)) if repeated else [(), (), ()]
    kinds = {"record": pa.int64(), "part": pa.int64(), "excerpt": pa.string()}
    con.register("repeated", pa.table({n: pa.array(c, t) for (n, t), c in zip(kinds.items(), columns, strict=True)}))
    con.execute(
        "update staged set reason = 'duplicate_trial', excerpt = r.excerpt from repeated r "
        "where staged.record = r.record and staged.part = r.part"
    )
    con.unregister("repeated")
    # Within a chunk one part's trials stand before the next one's, so the place counts before the order of insertion.
    con.execute(
        "delete from trials where rowid in (select rowid from (select rowid, row_number() over "
        "(partition by trial_id order by file_id, line, rowid) as n from trials) where n > 1)"
    )


def _settle(con: duckdb.DuckDBPyConnection, digests: list[FileDigest], format_name: str) -> None:
    con.execute(
        "insert into rejects select file_id, member, line, reason, excerpt from staged where reason is not null "
        "order by record, part"
    )
    # Of records that grade one axis of a trial, the first that has the field counts.
    con.execute(
        "insert into frozen_grades select trial_id, axis, g.status, g.code, g.answer, g.score, true from ("
        "select trial_id, g.axis as axis, first(g order by not g.present, record, part) as g "
        "from (select trial_id, record, part, unnest(graded) as g from staged where reason is null) "
        "group by trial_id, g.axis)"
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


def _fill_items(store: Store, bank: list[Item] | None) -> None:
    if bank is not None:
        store.insert(
            "items",
            [(i.item, i.family, i.prompt, json.dumps(i.gold), json.dumps(i.extra) if i.extra else None) for i in bank],
        )
        return
    fields = ("family", "prompt", "gold")
    for field in fields:
        # A null says nothing, so it yields to what another record of the item has.
        present = f"case when json_type({field}) <> 'NULL' then {field}::varchar end"
        twice = store.con.execute(
            f"select item, min({present}), max({present}) from found_items group by item "
            f"having min({present}) <> max({present}) order by item limit 1"
        ).fetchone()
        if twice:
            item, one, other = twice
            raise CorpusError(
                f"[bank.columns] {field}: the item {item!r} has {one_line(one)[:80]} in one record and "
                f"{one_line(other)[:80]} in another. Map item to a field that tells them apart."
            )
    picked = [f"max(case when json_type({f}) <> 'NULL' then {f}::varchar end)::json as {f}" for f in fields]
    store.con.execute(
        f"insert into items select item, scalar_text(family), scalar_text(prompt), gold, null "
        f"from (select item, {', '.join(picked)} from found_items group by item) order by item"
    )


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
