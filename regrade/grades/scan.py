"""Read the trials of a store to grade them: in batches, with the columns that the stages look at and no others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from regrade.grades.trial import FRAME
from regrade.grades.words import SPAN, TEXTS
from regrade.tables.schema import KEPT
from regrade.tables.store import Store, literal

FETCH = 30_000
"""Trials that the engine hands over at a time."""
BATCH = 48 * 1024 * 1024
"""Bytes of trials that are graded together."""

KNOWN: dict[str, pl.DataType | type[pl.DataType]] = {
    "status": pl.String,
    "code": pl.String,
    "answer": SPAN,
    "value": SPAN,
    "missed": TEXTS,
}
"""What is kept of the replayed frozen grade, for a stage to start from."""

READ = {"state": "state::varchar", **{name: name for name in FRAME if name != "state"}}
"""How each column of a batch is read from `trials`."""


@dataclass(frozen=True)
class Scan:
    """Which trials to read, and what of each.

    A batch has the columns of FRAME (those not asked for are null), `trial_id`, `reply_turn`, `family`, for each axis
    the stored frozen grade as `<axis>.status` and `<axis>.code`, and for each known one the struct `<axis>.known`.
    """

    axes: Sequence[str]
    columns: frozenset[str] = frozenset(FRAME)
    known: Sequence[str] = ()
    """Axes whose replayed frozen grade is kept whole in `grades`."""
    where: str = "true"
    """Which trials, in SQL over `trials t`."""
    bound: Sequence[Any] = field(default=())
    """Values of the marks in it."""

    def sql(self) -> str:
        """The statement."""
        picked = [f"t.{READ[name]} as {name}" for name in FRAME if name in self.columns]
        joins = []
        for n, axis in enumerate(self.axes):
            picked += [f"f{n}.status as {_name(axis, 'status')}", f"f{n}.code as {_name(axis, 'code')}"]
            joins.append(
                f"left join frozen_grades f{n} on f{n}.trial_id = t.trial_id and f{n}.stored "
                f"and f{n}.axis = {literal(axis)}"
            )
        for n, axis in enumerate(self.known):
            picked.append(f"{_known(f'g{n}')} as {_name(axis, 'known')}")
            joins.append(
                f"left join grades g{n} on g{n}.trial_id = t.trial_id and g{n}.candidate = 'frozen' "
                f"and g{n}.axis = {literal(axis)}"
            )
        return (
            f"select {', '.join(['t.trial_id', 't.reply_turn', 'i.family', *picked])} from trials t "
            f"join items i on i.item = t.item {' '.join(joins)} where {self.where}"
        )

    def batches(self, store: Store) -> Iterator[pl.DataFrame]:
        """The trials, in batches."""
        # A reader needs a cursor of its own while the connection inserts.
        with store.con.cursor() as cursor:
            held: list[pl.DataFrame] = []
            size = 0
            for batch in cursor.sql(self.sql(), params=list(self.bound)).to_arrow_reader(FETCH):
                if batch.num_rows:
                    frame = pl.from_arrow(batch)
                    assert isinstance(frame, pl.DataFrame)
                    absent = [pl.lit(None, kind).alias(n) for n, kind in FRAME.items() if n not in self.columns]
                    held.append(frame.with_columns(absent).cast(pl.Schema(self._types())))
                    size += batch.nbytes
                if size > BATCH:
                    yield pl.concat(held)
                    held, size = [], 0
            if held:
                yield pl.concat(held)

    def _types(self) -> dict[str, Any]:
        stored = {f"{axis}.{name}": pl.String for axis in self.axes for name in ("status", "code")}
        known = {f"{axis}.known": pl.Struct(KNOWN) for axis in self.known}
        return {**FRAME, "reply_turn": pl.Int64, "family": pl.String, **stored, **known}


def _name(axis: str, what: str) -> str:
    return f'"{axis}.{what}"'


def _known(grade: str) -> str:
    """The kept grade as a struct, its value's place counted from the answer; null where not all of it is kept."""
    cut = f"coalesce(length({grade}.answer), 0) >= {KEPT} or coalesce(length({grade}.value), 0) >= {KEPT}"
    # The value's place is kept in the reply, and so not at all where the answer has none there.
    cut += f" or ({grade}.answer is not null and {grade}.answer_start is null)"
    spans = {
        name: f"case when {grade}.{name} is not null then struct_pack(text := {grade}.{name}, "
        f"start := {grade}.{name}_start - {origin}, stop := {grade}.{name}_stop - {origin}) end"
        for name, origin in (("answer", "0"), ("value", f"{grade}.answer_start"))
    }
    packed = {name: spans.get(name, f"{grade}.{name}") for name in KNOWN}
    return f"case when {grade}.trial_id is not null and not ({cut}) then struct_pack({_fields(packed)}) end"


def _fields(packed: dict[str, str]) -> str:
    return ", ".join(f"{name} := {sql}" for name, sql in packed.items())
