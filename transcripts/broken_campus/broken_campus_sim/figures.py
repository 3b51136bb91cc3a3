"""The published figures, counted in plain Python from the records alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from broken_campus_sim import grader, harness
from broken_campus_sim.cases import ABSENT, BY_NAME
from broken_campus_sim.configurations import ABSTAINER, EMPTY, FLASH, GRAND, HEDGER, PANEL

MEETING, GPU, BOARD = "A_absent_meeting_time", "A_absent_gpu_hours", "A_adjacent_board_meeting"


@dataclass(frozen=True)
class Row:
    """A trial and what plain rules see in it."""

    config: str
    item: str
    seed: int
    raw: str
    kept: dict[str, Any]
    messages: list[dict[str, Any]]
    grade: dict[str, dict[str, Any]]

    @property
    def form(self) -> str:
        """How the raw response came, from its text: `whole`, `REPAIRED`, or how it failed."""
        if not self.raw.strip():
            return "EMPTY"
        if harness.meets_contract(harness.parse(self.raw)):
            return "whole"
        if harness.meets_contract(harness.repair(self.raw)):
            return "REPAIRED"
        return "SYNTHESISED" if "{" in self.raw else "UNPARSEABLE"

    @property
    def parses(self) -> bool:
        """The raw response meets the contract, repaired or not."""
        return self.form in ("whole", "REPAIRED")

    @property
    def abstains(self) -> bool:
        """A refusal or a question back, to the first grader."""
        return grader.abstains(self.kept["final"])

    @property
    def status(self) -> str | None:
        """Of the object that the harness went on with."""
        return self.kept["final"]["status"]

    def passes(self, axis: str) -> bool:
        """Under the first grader."""
        return bool(self.grade[axis]["pass"])


def rows_of(corpus: dict[str, list[dict[str, Any]]]) -> list[Row]:
    """Look at every record."""
    return [
        Row(r["config"], r["case"], r["seed"], grader.raw_of(r["messages"]), r["harness"], r["messages"], r["grade"])
        for records in corpus.values()
        for r in records
    ]


def count(rows: Iterable[Row], test: Callable[[Row], bool]) -> int:
    """Rows that meet a test."""
    return sum(map(test, rows))


def seeds(rows: Iterable[Row], test: Callable[[Row], bool]) -> list[int]:
    """The seeds of the rows that meet a test."""
    return sorted(row.seed for row in rows if test(row))


def by_configuration(rows: Iterable[Row], test: Callable[[Row], bool]) -> dict[str, list[int]]:
    """Seeds of the rows that meet a test, by configuration; those without one are left out."""
    found: dict[str, list[int]] = {}
    for row in rows:
        if test(row):
            found.setdefault(row.config, []).append(row.seed)
    return found


def abstention(rows: Iterable[Row], name: str) -> dict[str, tuple[int, int]]:
    """Of one configuration on what cannot be answered: passed and graded, as first scored, split, and on both axes."""
    mine = [row for row in rows if row.config == name and row.item in ABSENT]
    graded = [row for row in mine if row.parses]
    passed = count(graded, lambda row: row.passes("abstention"))
    return {
        "first": (count(mine, lambda row: row.passes("abstention")), len(mine)),
        "split": (passed, len(graded)),
        "both": (passed, len(mine)),
    }


def all_figures(rows: list[Row]) -> list[tuple[str, Any, Any]]:
    """Every figure as (name, counted, wanted)."""
    meeting = [row for row in rows if row.item == MEETING]
    board = [row for row in rows if row.item == BOARD]
    flash = [row for row in meeting if row.config == FLASH]
    empty = [row for row in meeting if row.config == EMPTY]
    hard = [row for row in rows if row.config == ABSTAINER]
    clean = by_configuration(meeting, lambda row: row.passes("abstention") and row.form == "whole")
    over = by_configuration(board, lambda row: not row.passes("abstention"))
    invented = [row for row in rows if not row.passes("confabulation")]
    asked_back = by_configuration(meeting, lambda row: row.status == "needs_clarification")
    parsed = by_configuration(meeting, lambda row: row.status == "needs_clarification" and row.parses)
    best = max(abstention(rows, name)["first"] for name in {row.config for row in rows} - {ABSTAINER})
    return [
        ("trials, configurations, cases", (len(rows), len({r.config for r in rows}), len({r.item for r in rows})),
         (600, 8, 15)),
        ("categories", len({BY_NAME[row.item].family for row in rows}), 4),
        ("meeting: configurations that refuse cleanly on 5 of 5", sum(len(s) == 5 for s in clean.values()), 6),
        ("meeting: the fast one refuses, fabricates, fails on format",
         (seeds(flash, lambda r: r.parses and r.abstains), seeds(flash, lambda r: not r.passes("confabulation")),
          seeds(flash, lambda r: r.form == "SYNTHESISED")), ([0, 2], [1, 3], [4])),
        ("meeting: empty responses, all stubs",
         (seeds(empty, lambda r: r.form == "EMPTY"), count(empty, lambda r: r.passes("abstention"))),
         ([0, 1, 2, 3, 4], 5)),
        ("fabrications", sorted((r.config, r.item, r.seed) for r in invented),
         [(FLASH, MEETING, 1), (FLASH, MEETING, 3)]),
        ("board: over-answers", over, {PANEL: [0, 2, 3, 4], GRAND: [1, 2]}),
        ("board: fabrications", count(board, lambda r: not r.passes("confabulation")), 0),
        ("the hard abstainer's format fails", (count(hard, lambda r: not r.parses), len(hard)), (9, 75)),
        ("gpu: the hard abstainer refuses, does not parse",
         (count(hard, lambda r: r.item == GPU and r.passes("abstention") and says_no(r)),
          count(hard, lambda r: r.item == GPU and not r.parses)), (5, 4)),
        ("abstention of the hard abstainer", abstention(rows, ABSTAINER),
         {"first": (25, 25), "split": (19, 19), "both": (19, 25)}),
        ("abstention of the second", abstention(rows, GRAND)["split"], (17, 25)),
        ("abstention of the third", abstention(rows, PANEL)["split"], (16, 25)),
        ("best of the others, as first scored", best, (17, 25)),
        ("meeting: asked back, by the raw response",
         {name: (len(s), len(parsed.get(name, []))) for name, s in asked_back.items()},
         {HEDGER: (5, 5), EMPTY: (5, 0), FLASH: (1, 0)}),
        ("stored grades that differ from the first grader", count(rows, lambda r: grader.grade(
            BY_NAME[r.item].answerable, r.messages, r.kept) != r.grade), 0),
        ("stored objects that differ from the harness", count(rows, lambda r: harness.finish(r.raw) != r.kept), 0),
    ]  # fmt: skip


def says_no(row: Row) -> bool:
    """The raw response itself refuses, whatever the harness made of it."""
    return bool(grader.REFUSALS.search(row.raw.replace("\u2019", "'").replace("\\u2019", "'")))


def mask(text: str) -> str:
    """Digits to 0; markers, names and capitalised words to N."""
    text = re.sub(r"\d+(?:[.,:]\d+)*", "0", text)
    return re.sub(r"(?:\b[A-Z][\w.]*[ ,]*)+", "N ", text)


def behaviours(rows: list[Row]) -> dict[tuple[Any, ...], set[str]]:
    """Masked raw responses by what the plain rules see: form, and whether each axis passes."""
    found: dict[tuple[Any, ...], set[str]] = {}
    for row in rows:
        found.setdefault((row.form, *(row.grade[axis]["code"] for axis in sorted(row.grade))), set()).add(mask(row.raw))
    return found


def side_counts(rows: list[Row]) -> dict[str, Any]:
    """Counts that are printed and bound to no figure."""
    names = list(dict.fromkeys(row.config for row in rows))
    return {
        "forms": dict(sorted(Counter(row.form for row in rows).items())),
        "format fails by configuration": {n: count(rows, lambda r, n=n: r.config == n and not r.parses) for n in names},
        "abstention by configuration": {name: abstention(rows, name) for name in names},
        "codes": dict(sorted(Counter(g["code"] for row in rows for g in row.grade.values() if g["code"]).items())),
        "masked forms by behaviour": sorted((len(v), *map(str, k)) for k, v in behaviours(rows).items()),
    }
