"""Run the probes of every item against the frozen grader and every candidate, and keep what they gave.

A probe is a trial that nobody made: it enters no table but `probes`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from regrade.errors import RuleError
from regrade.grades.accepted import LONGEST, Accepted, Peers, accepted
from regrade.grades.batch import Batch
from regrade.grades.items import Items, read_items
from regrade.grades.lent import Basis, find_bases, passed_places, still_places
from regrade.grades.plan import FROZEN, Column
from regrade.grades.probes import Asked, Frame, Probe, probes_of
from regrade.grades.proving import in_world
from regrade.grades.run import STORED
from regrade.grades.trial import FRAME
from regrade.tables.schema import BY_NAME, KEPT
from regrade.tables.store import Store

ITEMS = 500
"""Items whose probes are graded together."""
CONTROL = "control"
"""Kind of the trials that are no probe: the answer of a pass, in its line alone."""
RAISED = "RAISED"
"""Code of an ungraded probe on which a stage raised: what no real trial looks like may be more than a grader bears."""


@dataclass(frozen=True)
class Item:
    """One item of the bank."""

    name: str
    family: str | None
    prompt: str | None
    gold: Any
    answers: Accepted | None


def find_probes(store: Store, columns: Sequence[Column]) -> None:
    """Fill the table `probes`, in place of what it held.

    A row a probe of an item, axis and candidate, `frozen` the replayed frozen grader. A carried grader cannot be
    replayed and has none; a candidate over it passes a probe by its rules alone, and is ungraded else.

    Args:
        store: a graded store.
        columns: what it was graded by.
    """
    con = store.con
    columns = in_world(store, columns)
    bank = [
        Item(name, family, prompt, gold, accepted(gold))
        for name, family, prompt, text in con.execute(
            "select item, family, prompt, gold from items order by item"
        ).fetchall()
        for gold in [None if text is None else json.loads(text)]
    ]
    peers = Peers((item.family, item.answers) for item in bank)
    by_name = {item.name: item for item in bank}
    items = read_items(store.con)
    still = still_places(con)
    con.execute("begin")
    con.execute("delete from probes")
    for axis in dict.fromkeys(column.axis for column in columns):
        of_axis = [column for column in columns if column.axis == axis]
        ported = any(column.name == FROZEN and not column.grader.carried for column in of_axis)
        passed = passed_places(con, axis, ported)
        for part in items.alike(column.grader for column in of_axis):
            graders = Graders([c for c in of_axis if part.stages(c.grader) is not None], part)
            for names in together(part):
                some = [by_name[name] for name in names]
                bases = find_bases(con, names, still, passed)
                rows = list(graders.rows(_made(some, bases, peers, graders), bases))
                if rows:
                    store.insert_arrow("probes", pl.concat(rows).to_arrow())
    con.execute("commit")


def together(items: Items) -> Iterator[list[str]]:
    """The items whose probes are graded together: whole families while there is room, and ITEMS of a longer one."""
    some: list[str] = []
    for golds in items.values():
        names = [*golds]
        for start in range(0, len(names), ITEMS):
            more = names[start : start + ITEMS]
            if some and len(some) + len(more) > ITEMS:
                yield some
                some = []
            some = some + more
    if some:
        yield some


class Graders:
    """The columns of one axis that cover families alike, ready to grade made-up trials of them."""

    def __init__(self, columns: Sequence[Column], items: Items) -> None:
        """Take the columns and the families."""
        self.columns = columns
        self.items = items

    def passing(self, trials: Sequence[tuple[str, Mapping[str, Any]]]) -> set[str]:
        """The items whose trial passes, of (candidate, trial)."""
        found: set[str] = set()
        for column in self.columns:
            mine = [trial for name, trial in trials if name == column.name]
            if mine:
                status = Made(_frame(mine), [CONTROL] * len(mine), self).grade(column).get_column("status")
                found |= {trial["item"] for trial, said in zip(mine, status, strict=True) if said == "passed"}
        return found

    def rows(self, made: Sequence[tuple[str, Probe]], bases: Mapping[str, Basis]) -> Iterator[pl.DataFrame]:
        """Rows of the table `probes`, a frame a candidate."""
        seen = _frame(bases[item].trial(item, probe.reply, probe.with_calls) for item, probe in made)
        told = pl.DataFrame(
            {"probe": [probe.name for _, probe in made], "variant": [probe.variant for _, probe in made]},
            schema={"probe": pl.String, "variant": pl.String},
        )
        trials = Made(seen, [f"{probe.name}, {probe.variant}" for _, probe in made], self)
        for column in self.columns:
            if column.name != FROZEN or not column.grader.carried:
                whole = pl.concat([seen.select("item", "reply"), told, trials.grade(column)], how="horizontal")
                named = whole.with_columns(axis=pl.lit(column.axis), candidate=pl.lit(column.name))
                yield named.select(c.name for c in BY_NAME["probes"].columns)


class Made:
    """Made-up trials of families alike; what a grader's stages give is kept for the next candidate."""

    def __init__(self, seen: pl.DataFrame, kinds: Sequence[str], graders: Graders) -> None:
        """Take the trials, as rows of a batch, and the kind of each."""
        self.seen = seen
        families = [graders.items.families[item] for item in seen.get_column("item")]
        self.parts = (pl.Series(families, dtype=pl.String), pl.Series(kinds, dtype=pl.String))
        self.graders = graders
        self.batches: dict[tuple[str, tuple[str | None, ...]], Batch] = {}

    def grade(self, column: Column, of: tuple[str | None, ...] = ()) -> pl.DataFrame:
        """Status, code and value of each trial; where a stage raises, family by family, and then kind by kind.

        Args:
            column: what they are graded by.
            of: only those of this family, and of this kind.
        """
        try:
            return self._grade(column, of)
        except RuleError:
            mine = self._of(of)
            if len(of) == len(self.parts):
                raised = {"status": ["ungraded"] * int(mine.sum()), "code": RAISED, "value": None}
                return pl.DataFrame(raised, schema=GRADED)
        within = self.parts[len(of)].filter(mine)
        graded = []
        for part in within.unique(maintain_order=True):
            place = within.eq_missing(part).arg_true()
            graded.append(self.grade(column, (*of, part)).with_columns(place=place))
        return pl.concat(graded).sort("place").drop("place")

    def _of(self, of: tuple[str | None, ...]) -> pl.Series:
        """Which trials are of a family, and of a kind."""
        mine = pl.repeat(True, self.seen.height, eager=True)
        for part, name in zip(self.parts, of, strict=False):
            mine &= part.eq_missing(name)
        return mine

    def _grade(self, column: Column, of: tuple[str | None, ...]) -> pl.DataFrame:
        grader = column.grader
        if (grader.name, of) not in self.batches:
            stored = [pl.lit(None, pl.String).alias(name) for name in STORED if grader.carried]
            mine = self.seen.filter(self._of(of)).with_columns(stored)
            self.batches[grader.name, of] = Batch(mine, grader, self.graders.items)
        batch = self.batches[grader.name, of]
        value = pl.col("value").struct.field("text")
        if batch.lists:
            value = pl.col("value").map_elements(
                lambda v: json.dumps(v.to_list(), ensure_ascii=False), return_dtype=pl.String
            )
        return batch.grade(column.candidate.rules).select("status", "code", value.str.head(KEPT).alias("value"))


GRADED = {"status": pl.String, "code": pl.String, "value": pl.String}


def _frame(trials: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(list(trials), schema=FRAME)


def _made(items: Sequence[Item], bases: Mapping[str, Basis], peers: Peers, graders: Graders) -> list[tuple[str, Probe]]:
    """The probes of the items, each in the frame of a pass where there is one."""
    frames = _frames(bases, graders)
    made = []
    for item in items:
        frame, said = frames[item.name]
        answers = item.answers
        if answers is None and said is not None and len(said) <= LONGEST:
            answers = accepted(said)
        wrong = None if answers is None else peers.wrong(item.family, answers)
        options = () if answers is None else peers.options(item.family, answers, item.gold)
        has_calls = bool(bases[item.name].calls)
        asked = Asked(item.prompt, item.gold, answers, wrong, options, frame, has_calls)
        made += [(item.name, probe) for probe in probes_of(asked)]
    return made


def _frames(bases: Mapping[str, Basis], graders: Graders) -> dict[str, tuple[Frame | None, str | None]]:
    """By item what stands round the answer of its pass, and that answer.

    The line of the answer, where it passes alone: the other lines may say what would rightly pass. Else the reply. An
    item that nothing passed has the line that is most common among the others of its family.
    """
    found: dict[str, tuple[Frame, Frame, str]] = {}
    for item, basis in bases.items():
        if basis.passed is not None and basis.slot is not None:
            reply, (start, stop) = basis.passed["reply"], basis.slot
            whole = Frame(reply[:start], reply[stop:])
            found[item] = (Frame.of_line(reply, start, stop), whole, reply[start:stop])
    trials = [
        (bases[item].reader, bases[item].trial(item, line.put(said), True)) for item, (line, _, said) in found.items()
    ]
    enough = graders.passing(trials)
    family_of = graders.items.families
    lines: dict[str | None, Counter[Frame]] = {}
    for item, (line, _, _) in found.items():
        if item in enough:
            lines.setdefault(family_of[item], Counter())[line] += 1
    common = {family: counted.most_common(1)[0][0] for family, counted in lines.items()}
    frames: dict[str, tuple[Frame | None, str | None]] = {
        item: (line if item in enough else whole, said) for item, (line, whole, said) in found.items()
    }
    for item in bases:
        frames.setdefault(item, (common.get(family_of[item]), None))
    return {i: (frame if frame and frame.put("").strip() else None, said) for i, (frame, said) in frames.items()}
