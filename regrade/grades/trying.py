"""One rule over a graded or loaded store, without writing to it: only what the rule moves is graded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from regrade.errors import RuleError
from regrade.grades.batch import Batch, in_scope
from regrade.grades.items import Items, read_items
from regrade.grades.kept import pending
from regrade.grades.plan import FROZEN, Column
from regrade.grades.proving import in_world, prove_bank
from regrade.grades.run import batches_of, covered, grades_of, known_axes, looked_at
from regrade.grades.scan import KNOWN, Scan
from regrade.grades.trial import FRAME
from regrade.tables.schema import BY_NAME, quote
from regrade.tables.store import Store

TRIED = "tried"
"""Temporary table of rows like those of `grades`: of the rule's column what it may have moved, and the replayed frozen
grades where the store has none."""


def try_columns(store: Store, columns: Sequence[Column]) -> None:
    """Grade by one rule and fill the temporary table `tried`; a trial that is not in it is graded as frozen.

    Args:
        store: a loaded store; it may be open read only.
        columns: the column of the rule on each axis, and the replayed frozen grader of these axes.

    Raises:
        RuleError: the rule, or the frozen grader, raised.
    """
    store.con.execute(
        BY_NAME["grades"]
        .ddl()
        .replace("create table", "create or replace temp table")
        .replace(quote("grades"), TRIED, 1)
    )
    items = read_items(store.con)
    columns = in_world(store, columns)
    prove_bank(store, columns, items)
    frozen = [c for c in columns if c.name == FROZEN]
    unknown = [c for wanted, _, _ in pending(store, frozen) for c in wanted]
    for column in columns:
        if column.name == FROZEN:
            continue
        own = next((f for f in frozen if f.axis == column.axis), None)
        if own is None or own in unknown:
            wanted = [c for c in (own, column) if c is not None]
            rows = _all_rows(store, wanted, items, Scan([column.axis], looked_at(wanted, items)))
        elif not known_axes([own, column], [column], items):
            rows = _all_rows(store, [column], items, Scan([column.axis], looked_at([column], items)))
        else:
            moved = list(_moved(store, column, items))
            rows = _moved_rows(store, column, items, pl.concat(moved)) if moved else iter(())
        for frame in rows:
            batch = frame.to_arrow()  # noqa: F841
            store.con.execute(f"insert into {TRIED} select * from batch")


def _all_rows(store: Store, columns: Sequence[Column], items: Items, scan: Scan) -> Iterator[pl.DataFrame]:
    for trials in scan.batches(store):
        yield from (part.grades for part in grades_of(trials, columns, items))


def _moved_rows(store: Store, column: Column, items: Items, moved: pl.DataFrame) -> Iterator[pl.DataFrame]:
    where = "t.trial_id in (select unnest(?::varchar[]))"
    scan = Scan([column.axis], looked_at([column], items), (), where, [moved.get_column("trial_id").to_list()])
    for trials in scan.batches(store):
        yield from (part.grades for part in grades_of(trials.join(moved, "trial_id", "left"), [column], items))


def _moved(store: Store, column: Column, items: Items) -> Iterator[pl.DataFrame]:
    """The trials on which the rule's own stage gives something else than the stage below, or may do so.

    Yields:
        `trial_id` and `<axis>.known`.
    """
    [rule] = column.candidate.rules
    names = [item for part in covered(column.grader, items) for item in in_scope(rule, part)]
    if not names:
        return
    asked = _asked(column, items, rule.stage)
    kept = f"{column.axis}.known"
    where = "t.item in (select unnest(?::varchar[]))"
    for trials in Scan((), asked, [column.axis], where, [names]).batches(store):
        known = pl.col(kept).is_not_null()
        # What was cut to be kept is not known whole.
        yield trials.filter(~known).select("trial_id", kept)
        for batch, frame in batches_of(trials.filter(known), column.axis, column.grader, items):
            new, old = (batch.column(rule.stage, rules) for rules in ((rule,), ()))
            if isinstance(new.dtype, pl.Struct):
                new, old = (c.struct.field("text") for c in (new, old))
            yield frame.filter(new.ne_missing(old)).select("trial_id", kept)


def _asked(column: Column, items: Items, stage: str) -> frozenset[str]:
    """The columns of a batch that the rule itself looks at, where the stages below it are known."""
    asked = {"item"}
    nothing = pl.DataFrame(schema=FRAME)
    for part in covered(column.grader, items):
        known = pl.Series([], dtype=pl.Struct(KNOWN))
        batch = Batch(nothing, column.grader, part, known)
        try:
            batch.column(stage, column.candidate.rules)
        except RuleError:
            return frozenset(FRAME)
        asked |= batch.asked
    return frozenset(asked & set(FRAME))
