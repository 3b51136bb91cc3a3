"""Grade a store: every candidate over every trial, one family's batch at a time, and parity of the frozen grader."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from regrade.errors import GateFailed, RuleError, near
from regrade.files.corpus import Corpus
from regrade.grades.batch import Batch
from regrade.grades.identity import fingerprint
from regrade.grades.rulebook import Rulebook
from regrade.grades.stages import Candidate, Grader, Rule
from regrade.grades.trial import FRAME
from regrade.tables.schema import BY_NAME, KEPT
from regrade.tables.store import Store

FROZEN = "frozen"
"""Reserved name of the candidate that is the replayed frozen grader."""
STORED = ("frozen_status", "frozen_code")
BATCH = 20_000
"""Trials graded at a time."""

BATCH_SQL = """
select trial_id, file_id, t.item, reply,
  list_transform(turns, lambda u: struct_pack("role" := u.role, "text" := u.text)) as turns,
  coalesce(flatten(list_transform(turns, lambda u, i: list_transform(u.calls, lambda c, j: struct_pack(
    turn := i - 1, call := j - 1, "name" := c.name, arguments := c.arguments, result := c.result,
    answered := c.answered)))), []) as calls,
  state::varchar as state,
  case when turns is null then 0
    else list_last(list_filter(range(len(turns)), lambda i: turns[i + 1].role = 'assistant')) end as answer_turn
from trials t where t.item in (select i.item from items i where i.family is not distinct from ?)
order by file_id, line, trial_id
"""


@dataclass(frozen=True)
class Column:
    """One what-if column of one axis: a candidate with the grader that it stands on."""

    axis: str
    name: str
    grader: Grader
    candidate: Candidate
    is_new: bool
    """The frozen grader has no such axis."""
    fingerprint: str


def plan(corpus: Corpus, book: Rulebook) -> list[Column]:
    """The what-if columns of a corpus, the replayed frozen grader of each axis first.

    Args:
        corpus: it declares axes and candidates.
        book: the benchmark's rules.
    """
    frozen = book.frozen_graders(corpus.axes)
    declared = book.candidates([(c.name, c.rules) for c in corpus.candidates])
    columns = [Column(a, FROZEN, g, Candidate(FROZEN, ()), False, _identity(book, g, ())) for a, g in frozen.items()]
    for name, rules in declared.items():
        candidate = book.build(name, rules, list(frozen))
        brought = {a for r in rules for a in book.graders(r)}
        for rule in candidate.rules:
            if len(rules) > 1 and rule.axis not in {*frozen, *brought}:
                raise RuleError(
                    f"Candidate {name!r} has {rule.name}, a rule of the axis {rule.axis!r}, which nothing here"
                    f" grades.{near(rule.axis, frozen)}"
                )
        new = {a: g for r in rules for a, g in book.graders(r).items() if a not in frozen}
        for axis, grader in {**frozen, **new}.items():
            acting = tuple(r for r in candidate.rules if r.axis == axis)
            if acting or axis in new:
                mark = _identity(book, grader, acting)
                columns.append(Column(axis, name, grader, Candidate(name, acting), axis in new, mark))
    return columns


def used_files(columns: Sequence[Column]) -> list[str]:
    """The rule and grader files that the columns rest on, by name."""
    rules = {r.name for c in columns for r in c.candidate.rules}
    return sorted(rules | {c.grader.name for c in columns if not c.grader.carried})


def _identity(book: Rulebook, grader: Grader, rules: Sequence[Rule]) -> str:
    parts = {"grader": grader.name if grader.carried else book.file(grader.name).fingerprint}
    parts.update({f"rule {i}": book.file(r.name).fingerprint for i, r in enumerate(rules)})
    return fingerprint(parts)


def grade(
    store: Store,
    book: Rulebook,
    columns: Sequence[Column],
    *,
    allow_parity_gap: bool = False,
    progress: Callable[[str, int, int], None] = lambda family, done, total: None,
) -> None:
    """Fill `grades`, `candidates`, `graders`, `rules` and `graded`, and prove parity.

    Raises:
        GateFailed: the frozen grader, replayed, does not give the frozen grades, and no gap is allowed.
        RuleError: a rule raised or returned what a stage cannot return.
    """
    con = store.con
    con.execute("begin")
    for table in ("grades", "candidates", "graders", "rules", "graded"):
        con.execute(f"delete from {table}")
    con.execute("delete from frozen_grades where not stored")
    _describe(store, book, columns)
    families = [r[0] for r in con.execute("select distinct family from items order by family nulls first").fetchall()]
    for done, family in enumerate(families):
        progress(family or "", done, len(families))
        _grade_family(store, columns, family)
    con.execute(
        "insert into graded select g.axis, g.candidate, t.file_id, any_value(g.fingerprint), count(*) "
        "from grades g join trials t using (trial_id) group by all order by all"
    )
    _prove_parity(store, allow_parity_gap)
    _fill_unstored(store)
    store.make_whatif()
    con.execute("commit")


def _describe(store: Store, book: Rulebook, columns: Sequence[Column]) -> None:
    store.insert(
        "candidates",
        [(c.axis, c.name, [r.name for r in c.candidate.rules], c.fingerprint) for c in columns if c.name != FROZEN],
    )
    graders = {c.axis: c for c in reversed(columns)}
    store.insert(
        "graders",
        [
            (
                axis,
                "none" if c.is_new else "carried" if c.grader.carried else "ported",
                None if c.grader.carried else c.grader.name,
                _identity(book, c.grader, ()),
                None,
                None,
                False,
            )
            for axis, c in sorted(graders.items())
        ],
    )
    store.insert(
        "rules",
        [
            (f.name, f.axis, f.stage, f.decision, f.reason, f.locked, f.fingerprint, f.doc)
            for f in (book.file(n) for n in used_files(columns))
        ],
    )


def _grade_family(store: Store, columns: Sequence[Column], family: str | None) -> None:
    rows = store.con.execute(
        "select item, gold from items where family is not distinct from ? order by item", [family]
    ).fetchall()
    items = {item: None if gold is None else json.loads(gold) for item, gold in rows}
    by_axis: dict[str, list[Column]] = {}
    for column in columns:
        if column.grader.stages(family) is not None:
            by_axis.setdefault(column.axis, []).append(column)
    for frame in _batches(store, family):
        for axis, of_axis in by_axis.items():
            known = _with_frozen(store, frame, axis)
            for grader in {c.grader.name: c.grader for c in of_axis}.values():
                # What is carried is there only where the log has it.
                mine = known.filter(pl.col("frozen_status").is_not_null()) if grader.carried else known
                if mine.height == 0:
                    continue
                # Stages see nothing that names the configuration, and frozen grades only where they are carried.
                seen = mine.select(*FRAME, *(STORED if grader.carried else ()))
                batch = Batch(seen, grader, family, items)
                graded = [_rows(mine, batch, c) for c in of_axis if c.grader.name == grader.name]
                store.insert_arrow("grades", pl.concat(graded).to_arrow())


def _batches(store: Store, family: str | None) -> Iterator[pl.DataFrame]:
    # A reader needs a cursor of its own while the connection inserts.
    with store.con.cursor() as cursor:
        reader = cursor.sql(BATCH_SQL, params=[family]).to_arrow_reader(BATCH)
        for batch in reader:
            if batch.num_rows:
                frame = pl.from_arrow(batch)
                assert isinstance(frame, pl.DataFrame)
                yield frame.cast(pl.Schema({**FRAME, "answer_turn": pl.Int64}))


def _with_frozen(store: Store, frame: pl.DataFrame, axis: str) -> pl.DataFrame:
    """The batch with the frozen grade of each trial on an axis, as the log has it."""
    store.con.register("asked", frame.select("trial_id").with_row_index("row").to_arrow())
    frozen = store.con.sql(
        "select f.status as frozen_status, f.code as frozen_code from asked a "
        "left join frozen_grades f on f.trial_id = a.trial_id and f.axis = ? and f.stored order by a.row",
        params=[axis],
    ).pl()
    store.con.unregister("asked")
    return frame.hstack(frozen.cast(pl.String))


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
        "answer_turn": pl.when(answer.field("text").is_not_null()).then(pl.col("answer_turn")),
        "answer_start": answer.field("start"),
        "answer_stop": answer.field("stop"),
        "value_start": start,
        "value_stop": stop,
        "missed": pl.col("missed"),
        "decided_by": _decided_by(column),
        "fingerprint": pl.lit(column.fingerprint),
    }
    kept = frame.select("trial_id", "answer_turn", *STORED)
    whole = pl.concat([kept, graded, decided.to_frame()], how="horizontal")
    names = [c.name for c in BY_NAME["grades"].columns]
    return whole.select(fields[n].alias(n) for n in names)


def _decided_by(column: Column) -> pl.Expr:
    """Null where the grade is the frozen one; empty where the ported grader alone differs from it: a parity gap."""
    if column.is_new:
        return pl.lit(None, pl.List(pl.String))
    as_frozen = pl.col("status").eq_missing(pl.col("frozen_status")) & pl.col("code").eq_missing(pl.col("frozen_code"))
    unstored = pl.col("frozen_status").is_null()
    none = pl.lit(pl.Series([[]], dtype=pl.List(pl.String))).first()
    return pl.when(unstored).then(pl.col("by_rules")).when(~as_frozen).then(pl.col("by_rules").fill_null(none))


def _prove_parity(store: Store, allow_gap: bool) -> None:
    """Compare status and code of replayed and frozen grades, on every trial of every ported axis."""
    con = store.con
    pairs = (
        "from frozen_grades f left join (from grades where candidate = 'frozen') g using (trial_id, axis) "
        "where f.stored and axis = $axis"
    )
    agree = "g.status is not distinct from f.status and g.code is not distinct from f.code"
    gaps = []
    for axis, rule in con.execute("select axis, rule from graders where kind = 'ported' order by axis").fetchall():
        bound: Mapping[str, Any] = {"axis": axis}
        [(trials, agreed)] = con.execute(f"select count(*), count(*) filter ({agree}) {pairs}", bound).fetchall()
        if not trials:
            continue
        con.execute(
            "update graders set parity_trials = ?, parity_agree = ?, parity_allowed = ? where axis = ?",
            [trials, agreed, allow_gap and agreed < trials, axis],
        )
        if agreed < trials:
            first = con.execute(
                f"select trial_id, f.status, f.code, g.status, g.code {pairs} and not ({agree}) order by trial_id"
                " limit 5",
                bound,
            ).fetchall()
            listed = "; ".join(f"{t}: frozen {_say(a, b)}, replayed {_say(c, d)}" for t, a, b, c, d in first)
            gaps.append(f"axis {axis}: {rule} gives another grade on {trials - agreed} of {trials} trials: {listed}")
    if gaps and not allow_gap:
        raise GateFailed(
            f"Parity failed, {'; '.join(gaps)}. Mend the ported grader, or pass --allow-parity-gap to go on with the"
            " gap shown."
        )


def _fill_unstored(store: Store) -> None:
    """Where the log has no grade but the grader is ported, the frozen grade is what it says."""
    store.con.execute(
        "insert into frozen_grades select trial_id, axis, status, code, answer, score, false from grades g "
        "where candidate = 'frozen' and axis in (select axis from graders where kind = 'ported') "
        "and not exists (from frozen_grades f where f.trial_id = g.trial_id and f.axis = g.axis)"
    )


def _say(status: str | None, code: str | None) -> str:
    return " ".join(p for p in (status or "no grade", code) if p)
