"""Grade a store: every candidate over every trial, families alike at a time, and parity of the frozen grader.

What is graded already stays: only what is new, or rests on something new, is graded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import polars as pl
import pyarrow as pa

from regrade.errors import RuleError
from regrade.grades.batch import Batch, in_scope
from regrade.grades.describing import describe
from regrade.grades.items import Items, read_items
from regrade.grades.kept import drop_others, pending
from regrade.grades.plan import FROZEN, Column
from regrade.grades.proof import fill_unstored, prove_parity
from regrade.grades.proving import in_world, prove_bank
from regrade.grades.rulebook import Rulebook
from regrade.grades.scan import Scan
from regrade.grades.stages import Grader
from regrade.grades.trial import FRAME
from regrade.tables.schema import BY_NAME, KEPT
from regrade.tables.store import Store
from regrade.tables.writer import Writer

STORED = ("frozen_status", "frozen_code")


class Rows(NamedTuple):
    """What one column gives of the trials of families alike."""

    grades: pl.DataFrame
    """Rows of the table `grades`."""
    measures: Sequence[pl.DataFrame]
    """Rows of the table `measures`, a frame a measure."""


@dataclass(frozen=True)
class Grades:
    """Rows for a `Writer`."""

    parts: Sequence[Rows]

    def tables(self) -> dict[str, pa.Table]:
        """The rows of each table are written by one statement."""
        frames = {"grades": [p.grades for p in self.parts], "measures": [m for p in self.parts for m in p.measures]}
        return {name: pl.concat(some).to_arrow() for name, some in frames.items() if some}


Graded = dict[str, dict[str, int]]
"""Trials graded, by axis and candidate."""


def grade(
    store: Store,
    book: Rulebook,
    columns: Sequence[Column],
    *,
    allow_parity_gap: bool = False,
    progress: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> Graded:
    """Fill `grades`, `candidates`, `graders`, `rules` and `graded`, and prove parity.

    Returns:
        How many trials were graded, by axis and candidate; what was graded before does not count.

    Raises:
        CorpusError: the bank's golds cannot be proved; nothing is graded.
        GateFailed: the frozen grader, replayed, does not give the frozen grades, and no gap is allowed.
        RuleError: a rule raised or returned what a stage cannot return.
    """
    con = store.con
    items = read_items(store.con)
    columns = in_world(store, columns)
    prove_bank(store, columns, items)
    con.execute("begin")
    for table in ("candidates", "graders", "rules"):
        con.execute(f"delete from {table}")
    describe(store, book, columns)
    missing = pending(store, columns)
    drop_others(store)
    graded: Graded = {c.axis: {} for c in columns}
    [(trials,)] = con.execute("select count(*) from trials").fetchall()
    done = 0
    for wanted, where, bound in missing:
        _forget(store, where, bound, wanted)
        with Writer(con) as writer:
            for batch in _scan(columns, wanted, items, where, bound).batches(store):
                progress("", min(done, trials), trials)
                done += batch.height
                rows = list(grades_of(batch, wanted, items))
                for part, _ in rows:
                    axis, candidate = part.item(0, "axis"), part.item(0, "candidate")
                    graded[axis][candidate] = graded[axis].get(candidate, 0) + part.height
                writer.write(Grades(rows))
    con.execute("delete from graded")
    con.execute(
        "insert into graded select g.axis, g.candidate, t.file_id, any_value(g.fingerprint), count(*) "
        "from grades g join trials t using (trial_id) group by all order by all"
    )
    con.execute("delete from frozen_grades where not stored")
    prove_parity(store, allow_parity_gap)
    fill_unstored(store)
    store.make_whatif()
    con.execute("commit")
    return graded


def _forget(store: Store, where: str, bound: Sequence[Any], columns: Sequence[Column]) -> None:
    """Take out what the columns have of the trials that are graded anew."""
    store.con.execute(f"create or replace temp table again as select trial_id from trials t where {where}", list(bound))
    for column in columns:
        for table in ("grades", "measures"):
            store.con.execute(
                f"delete from {table} where axis = ? and candidate = ? and trial_id in (from again)",
                [column.axis, column.name],
            )


def _scan(columns: Sequence[Column], wanted: Sequence[Column], items: Items, where: str, bound: list[Any]) -> Scan:
    """What to read to grade the wanted columns."""
    axes = list(dict.fromkeys(c.axis for c in wanted))
    return Scan(axes, looked_at(wanted, items), known_axes(columns, wanted, items), where, bound)


def known_axes(columns: Sequence[Column], wanted: Sequence[Column], items: Items) -> list[str]:
    """The axes whose replayed frozen grade need not be made again."""
    made = {c.axis for c in wanted if c.name == FROZEN}
    return [
        c.axis
        for c in columns
        if c.name == FROZEN
        and not c.grader.carried
        and c.axis not in made
        and any(w.axis == c.axis for w in wanted)
        and not any(s is not None and s.value == "list" for s in map(c.grader.stages, items))
    ]


def looked_at(columns: Sequence[Column], items: Items) -> frozenset[str]:
    """The columns of a batch that any stage looks at; all of them where a stage cannot say without trials."""
    asked: set[str] = {"item"}
    looked: set[Any] = set()
    for grader in {id(c.grader): c.grader for c in columns}.values():
        rules = {r.name: r for c in columns if c.grader is grader for r in c.candidate.rules}
        for part in covered(grader, items):
            stages = part.stages(grader)
            acting = {r.name for r in rules.values() if in_scope(r, part)}
            if (grader.name, stages) in looked and acting <= looked:
                continue
            looked |= {(grader.name, stages), *acting}
            empty = pl.DataFrame(schema={**FRAME, **dict.fromkeys(STORED, pl.String)})
            batch = Batch(empty if grader.carried else empty.select(*FRAME), grader, part)
            try:
                for column in columns:
                    if column.grader is grader:
                        batch.grade(column.candidate.rules)
                        for measure in grader.measures:
                            batch.column(measure, column.candidate.rules)
            except RuleError:
                return frozenset(FRAME)
            asked |= batch.asked
    return frozenset(asked & set(FRAME))


def grades_of(trials: pl.DataFrame, columns: Sequence[Column], items: Items) -> Iterator[Rows]:
    """What the columns give, a part a column and families alike."""
    by_grader: dict[tuple[str, str], list[Column]] = {}
    for column in columns:
        by_grader.setdefault((column.axis, column.grader.name), []).append(column)
    for (axis, _), mine in by_grader.items():
        for batch, frame in batches_of(trials, axis, mine[0].grader, items):
            for column in mine:
                yield Rows(_rows(frame, batch, column), list(_measures(frame, batch, column)))


def covered(grader: Grader, items: Items) -> list[Items]:
    """The families that a grader covers, those alike together."""
    return [part for part in items.alike([grader]) if part.stages(grader) is not None]


def batches_of(trials: pl.DataFrame, axis: str, grader: Grader, items: Items) -> Iterator[tuple[Batch, pl.DataFrame]]:
    """The trials that a grader covers, ready to be graded on an axis: families alike together, a known grade apart.

    Yields:
        The batch, and its trials, with the stored frozen grade as STORED where it was read.
    """
    for part in covered(grader, items):
        mine = trials.filter(pl.col("family").is_in([*part], nulls_equal=True))
        yield from _batches(mine, axis, grader, part)


def _batches(trials: pl.DataFrame, axis: str, grader: Grader, items: Items) -> Iterator[tuple[Batch, pl.DataFrame]]:
    """The trials of families alike: those whose frozen grade is known apart from the others."""
    frame = trials.rename({f"{axis}.status": STORED[0], f"{axis}.code": STORED[1]}, strict=False)
    if grader.carried:
        # What is carried is there only where the log has it.
        frame = frame.filter(pl.col(STORED[0]).is_not_null())
    known = f"{axis}.known"
    parts = [(frame, False)]
    if known in frame.columns:
        parts = [(frame.filter(pl.col(known).is_not_null() == is_known), is_known) for is_known in (True, False)]
    for part, is_known in parts:
        if part.height:
            # Stages see nothing that names the configuration, and frozen grades only where they are carried.
            seen = part.select(*FRAME, *(STORED if grader.carried else ()))
            yield Batch(seen, grader, items, part.get_column(known) if is_known else None), part


def _rows(frame: pl.DataFrame, batch: Batch, column: Column) -> pl.DataFrame:
    """Rows of the table `grades` for one candidate."""
    graded = batch.grade(column.candidate.rules)
    answer = pl.col("answer").struct
    decided = pl.Series("by_rules", [None] * frame.height, dtype=pl.List(pl.String))
    if column.candidate.rules and not column.is_new:
        decided = batch.decided_by(column.candidate.rules, graded).alias("by_rules")
    if batch.lists:
        value = pl.col("value").map_elements(
            lambda v: json.dumps(v.to_list(), ensure_ascii=False), return_dtype=pl.String
        )
        start = stop = pl.lit(None, pl.Int64)
    else:
        span = pl.col("value").struct
        value = span.field("text")
        start, stop = (answer.field("start") + span.field(end) for end in ("start", "stop"))
    fields = {
        "trial_id": pl.col("trial_id"),
        "axis": pl.lit(column.axis),
        "candidate": pl.lit(column.name),
        "status": pl.col("status"),
        "code": pl.col("code"),
        "answer": answer.field("text").str.head(KEPT),
        "value": value.str.head(KEPT),
        "score": pl.lit(None, pl.Float64),
        "answer_turn": pl.when(answer.field("text").is_not_null()).then(pl.col("reply_turn")),
        "answer_start": answer.field("start"),
        "answer_stop": answer.field("stop"),
        "value_start": start,
        "value_stop": stop,
        "missed": pl.col("missed"),
        "decided_by": _decided_by(column),
        "fingerprint": pl.lit(column.fingerprint),
    }
    kept = frame.select("trial_id", "reply_turn", *STORED)
    whole = pl.concat([kept, graded, decided.to_frame()], how="horizontal")
    names = [c.name for c in BY_NAME["grades"].columns]
    return whole.select(fields[n].alias(n) for n in names)


def _measures(frame: pl.DataFrame, batch: Batch, column: Column) -> Iterator[pl.DataFrame]:
    """Rows of the table `measures` for one candidate; where a measure is null the trial has none."""
    for name in column.grader.measures:
        amounts = frame.select("trial_id").hstack([batch.column(name, column.candidate.rules).alias("amount")])
        told = {"axis": column.axis, "candidate": column.name, "measure": name}
        named = amounts.drop_nulls("amount").with_columns(pl.lit(text).alias(key) for key, text in told.items())
        yield named.select(c.name for c in BY_NAME["measures"].columns)


def _decided_by(column: Column) -> pl.Expr:
    """Null where the grade is the frozen one; empty where the ported grader alone differs from it: a parity gap."""
    if column.is_new:
        return pl.lit(None, pl.List(pl.String))
    as_frozen = pl.col("status").eq_missing(pl.col("frozen_status")) & pl.col("code").eq_missing(pl.col("frozen_code"))
    unstored = pl.col("frozen_status").is_null()
    none = pl.lit(pl.Series([[]], dtype=pl.List(pl.String))).first()
    return pl.when(unstored).then(pl.col("by_rules")).when(~as_frozen).then(pl.col("by_rules").fill_null(none))
