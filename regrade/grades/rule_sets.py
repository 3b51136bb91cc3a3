"""Rule sets: what the trials of an axis come to under every set of its rules, kept as counts.

A rule that leaves its stage's result as it was leaves the rest of the grade as it was too. So a trial is followed
through the stages, and parts in two, with the rule and without it, only where a rule gives something else: what comes
out are the few grades that all sets of rules give, each with the rules that it takes and those that it must not have.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

import polars as pl

from regrade.errors import RuleError
from regrade.grades.batch import RESULTS, Batch, in_scope
from regrade.grades.evaluation import Layer
from regrade.grades.items import Items, read_items
from regrade.grades.plan import FROZEN, Column
from regrade.grades.proving import in_world
from regrade.grades.run import batches_of
from regrade.grades.scan import BATCH, Scan
from regrade.grades.stages import STAGES, Rule, status_of
from regrade.grades.trial import FRAME
from regrade.tables.schema import KEPT
from regrade.tables.store import Store, literal

MOST = 10
"""Rules of an axis of which every set is evaluated; of more, none."""

FACT = "rule_sets"
"""Fact of a store: by axis, `rules` in the order in which they act, and why their sets are `undefined`, or null."""

DECIDING = STAGES[: STAGES.index("code")]
"""The stages that a status rests on; a rule of another changes what a grade is called, and no rate."""

SAME = f"""(g.{{0}} is not distinct from f.{{0}} and g.{{0}}_start is not distinct from f.{{0}}_start
  and g.{{0}}_stop is not distinct from f.{{0}}_stop
  and (g.{{0}}_start is not null or coalesce(length(g.{{0}}), 0) < {KEPT}))"""
"""Whether two grades read the same text, in SQL; one that was cut to be kept is not known to be."""

ACTING = f"""
t.trial_id in (
  select g.trial_id from grades g join grades f on f.trial_id = g.trial_id and f.axis = g.axis
  where g.axis = ? and f.candidate = '{FROZEN}' and list_contains(?::varchar[], g.candidate)
    and not (g.missed is not distinct from f.missed and {SAME.format("answer")} and {SAME.format("value")})
) or list_contains(?::varchar[], t.item)
"""
"""Trials on which some rule alone gives something else, in SQL over `trials t`: where none does, no set does."""

COUNTED = """
insert into rule_sets
select {axis}, configuration, {taken} as with_rules, {left} as without_rules, status, count(*)
from (
  from parted union all
  select trial_id, 0, 0, status from grades
  where axis = {axis} and candidate = 'frozen' and trial_id not in (select trial_id from parted)
) join trials using (trial_id) group by all order by all
"""


class Ordered(NamedTuple):
    """The rules of one axis in the order in which they act, or why there is none."""

    rules: tuple[Rule, ...]
    undefined: str | None = None


def find_rule_sets(store: Store, columns: Sequence[Column]) -> None:
    """Fill the table `rule_sets`, in place of what it held, for each axis that the frozen grader has.

    Args:
        store: a graded store.
        columns: what it was graded by.
    """
    columns = in_world(store, columns)
    items = read_items(store.con)
    store.con.execute("begin")
    store.con.execute("delete from rule_sets")
    told: dict[str, Any] = {}
    for frozen in (column for column in columns if column.name == FROZEN):
        of_axis = [column for column in columns if column.axis == frozen.axis]
        rules, undefined = in_order(of_axis)
        if undefined is None:
            try:
                _find(store, frozen, of_axis, rules, items)
            except RuleError as error:
                # No candidate has these rules together: what they raise is no fault of the audit.
                undefined = f"some set of the rules cannot be evaluated: {error}"
        told[frozen.axis] = {"rules": [rule.name for rule in rules], "undefined": undefined}
    store.remember({FACT: json.dumps(told)})
    store.con.execute("commit")


def in_order(columns: Sequence[Column]) -> Ordered:
    """The rules of an axis that a status may rest on: by stage, and on one stage as every candidate has them."""
    rules = {rule.name: rule for column in columns for rule in column.candidate.rules if rule.stage in DECIDING}
    before: dict[str, list[str]] = {name: [] for name in sorted(rules)}
    for column in columns:
        for stage in DECIDING:
            names = [rule.name for rule in column.candidate.rules if rule.stage == stage]
            for first, then in zip(names, names[1:], strict=False):
                before[then].append(first)
    by_name = tuple(rules[name] for name in before)
    try:
        names = list(TopologicalSorter(before).static_order())
    except CycleError as error:
        pair = " and ".join(sorted(set(error.args[1])))
        return Ordered(
            by_name, f"the candidates have {pair} in different orders, so that a set of rules has no one grade"
        )
    if len(names) > MOST:
        return Ordered(by_name, f"there are {len(names)} rules, and all sets are evaluated of at most {MOST}")
    return Ordered(tuple(rules[name] for name in sorted(names, key=lambda name: STAGES.index(rules[name].stage))))


def _find(store: Store, frozen: Column, columns: Sequence[Column], rules: tuple[Rule, ...], items: Items) -> None:
    """Part the trials of one axis and count what they come to."""
    con = store.con
    alone = {c.candidate.rules[0].name: c.name for c in columns if len(c.candidate.rules) == 1}
    alone = {rule.name: alone[rule.name] for rule in rules if rule.name in alone}
    bare = [rule for rule in rules if rule.name not in alone]
    unseen = sorted({item for rule in bare for item in in_scope(rule, items)})
    con.execute("create or replace temp table parted (trial_id varchar, taken bigint, without bigint, status varchar)")
    bound = [frozen.axis, list(alone.values()), unseen]
    scan = Scan([frozen.axis], frozenset(FRAME), (), ACTING, bound)
    for trials in scan.batches(store):
        for batch, frame in batches_of(trials, frozen.axis, frozen.grader, items):
            found = parted(batch, rules)
            trial = frame.get_column("trial_id")[found.get_column("row")]
            rows = pl.DataFrame([trial, *found.select("taken", "without", "status")]).to_arrow()  # noqa: F841
            con.execute("insert into parted select * from rows")
    names = "[" + ", ".join(literal(rule.name) for rule in rules) + "]::varchar[]"
    taken, left = (
        f"list_filter({names}, lambda name, i: ({mask} >> (i - 1)::integer) & 1 = 1)" for mask in ("taken", "without")
    )
    con.execute(COUNTED.format(axis=literal(frozen.axis), taken=taken, left=left))


def parted(batch: Batch, rules: Sequence[Rule]) -> pl.DataFrame:
    """What each trial of a batch comes to under every set of rules.

    Args:
        batch: the trials.
        rules: those of the batch's axis on the stages DECIDING, on one stage in the order in which they wrap.

    Returns:
        `row` (of the trial, from 0), `taken`, `without` (rules as bits, the first rule the lowest) and `status`. A set
        of rules gives a trial the status of its one row whose `taken` are all in the set and whose `without` are
        none of them.
    """
    first = batch.frame.hstack([batch.gold]).with_row_index("row")
    none = pl.lit(0, pl.Int64)
    states = first.with_columns(none.alias("taken"), none.alias("without"), pl.lit(False).alias("by_rule"))
    steps: list[tuple[str, int, Rule | None]] = []
    for stage in DECIDING:
        steps.append((stage, 0, None))
        steps += [(stage, 1 << bit, rule) for bit, rule in enumerate(rules) if rule.stage == stage]
    return _walk(batch, states, steps)


def _walk(batch: Batch, states: pl.DataFrame, steps: Sequence[tuple[str, int, Rule | None]]) -> pl.DataFrame:
    for at, (stage, bit, rule) in enumerate(steps):
        if states.height > 1 and states.estimated_size() > BATCH:
            half = states.height // 2
            return pl.concat(_walk(batch, part, steps[at:]) for part in (states[:half], states[half:]))
        states = _graded(batch, states, stage) if rule is None else _branched(batch, states, bit, rule)
    return states.select("row", "taken", "without", status_of(pl.col("missed")).alias("status"))


def _graded(batch: Batch, states: pl.DataFrame, stage: str) -> pl.DataFrame:
    """The states with what the grader's own stage gives."""
    layer = Layer(batch.grader.name, batch.function(stage), stage, False)
    return _with(states, stage, batch.evaluation.evaluate(layer, states, None))


def _branched(batch: Batch, states: pl.DataFrame, bit: int, rule: Rule) -> pl.DataFrame:
    """The states without the rule, and after them those in which it gives something else."""
    on = states.get_column("item").is_in(batch.in_scope(rule))
    seen = states.filter(on)
    if not seen.height:
        return states
    base = seen.get_column(rule.stage)
    given = batch.evaluation.evaluate(Layer(rule.name, rule.function, rule.stage, True), seen, base)
    changed = _differ(given, base)
    if batch.grader.carried and rule.stage == "extract":
        # That a rule gave the answer, be it the same one, is what a carried grader's stages see.
        changed |= ~seen.get_column("by_rule")
    if not changed.any():
        return states
    taken = seen.filter(changed).with_columns(pl.col("taken") | bit)
    if rule.stage == "extract":
        taken = taken.with_columns(pl.lit(True).alias("by_rule"))
    rest = seen.with_columns(without=pl.when(changed).then(pl.col("without") | bit).otherwise(pl.col("without")))
    return pl.concat([states.filter(~on), rest, _with(taken, rule.stage, given.filter(changed))])


def _with(states: pl.DataFrame, stage: str, given: pl.Series) -> pl.DataFrame:
    states = states.with_columns(given.alias(stage))
    seen = given.struct.field("text") if isinstance(given.dtype, pl.Struct) else given
    return states.with_columns(seen.alias(RESULTS[stage]))


def _differ(one: pl.Series, other: pl.Series) -> pl.Series:
    if not isinstance(one.dtype, pl.Struct):
        return one.ne_missing(other)
    fields = [field.name for field in one.dtype.fields]
    pairs = pl.DataFrame([one.alias("one"), other.alias("other")])
    differs = [pl.col("one").struct.field(name).ne_missing(pl.col("other").struct.field(name)) for name in fields]
    return pairs.select(pl.any_horizontal(*differs)).to_series()
