"""Claims: so many trials of a scope have a grade, counted in a graded store."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from duckdb import DuckDBPyConnection

from regrade.errors import CorpusError, near
from regrade.files.corpus import Metric, Scalar
from regrade.flips.cells import read_rows
from regrade.flips.outcomes import check_axis, graded_on
from regrade.flips.scopes import Attributes, items_of
from regrade.flips.tiers import ALL
from regrade.grades.plan import FROZEN
from regrade.publish.codes import Codes


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a claim answers: how many trials of a scope have one of some grades."""

    axis: str
    candidate: str
    counts: tuple[str, ...]
    """Statuses and codes, at least one."""
    where: dict[str, Scalar | tuple[Scalar, ...]] = {}
    """Only items whose gold has these values; of a list any."""
    family: tuple[str, ...] = ()
    """Only items of these families; of every one where there is none."""
    needs: str | None = None
    """Another axis on which a trial must have passed to be counted."""
    tier: str = ALL
    configurations: tuple[str, ...] = ()
    """Only these; every one of the tier where there is none."""


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question with its answer."""

    question: Question
    count: int
    """Graded trials that have one of the grades."""
    graded: int
    """Passed or failed trials of the scope."""
    trials: int
    """Trials of the scope, ungraded ones too."""
    items: int
    """Distinct items among those."""
    configurations: int
    """Distinct configurations among those."""
    grader: str
    """How the candidate's axis is graded: `ported`, `carried` or `new`."""
    statement: str
    """All of it in a sentence."""


NEW = "new"
"""Stands for the grader of an axis that the frozen one does not have."""


class NothingGraded(CorpusError):
    """A question is about no graded trial."""


def answer(
    con: DuckDBPyConnection,
    question: Question,
    *,
    graded: Mapping[str, Sequence[str]],
    known: Attributes,
    codes: Codes,
    simulated: bool,
    records: int,
    rejected: int,
) -> Claim:
    """Answer a question from the grades.

    Args:
        con: a connection on which `find_outcomes` has run, with its tiers found.
        question: what is asked.
        graded: what `find_outcomes` gave.
        known: what is known of items and configurations.
        codes: the codes that a grade may have, whether or not one has it.
        simulated: whether the corpus is; the statement says so.
        records: how many there are in the corpus.
        rejected: how many of them are no trials; the statement says so.

    Raises:
        CorpusError: the question names what is not there.
        NothingGraded: it is about no graded trial.
    """
    label = "The claim"
    name, candidates = question.candidate, {name for names in graded.values() for name in names}
    if name not in candidates:
        raise CorpusError(f"{label}: nothing is graded under {name!r}.{near(name, candidates)}")
    for axis in filter(None, (question.axis, question.needs)):
        check_axis(axis, graded, label)
    shown, needed = (axis and graded_on(axis, question.candidate, graded) for axis in (question.axis, question.needs))
    if shown is None or (question.needs and needed is None):
        axes = " and ".join(filter(None, (question.axis, question.needs)))
        raise CorpusError(f"{label}: neither {question.candidate} nor frozen has grades on {axes}.")
    _check_names(con, question, shown, codes, label)
    spec = Metric(
        name="claim",
        axis=question.axis,
        counts=question.counts,
        where=question.where,
        family=question.family,
        needs=question.needs,
    )
    tier = con.execute("select configuration from tiers where tier = $tier", {"tier": question.tier}).fetchall()
    names = {name for (name,) in tier if not question.configurations or name in question.configurations}
    every = read_rows(con, spec, shown, needed, items_of(spec, known, label), apart=False)
    rows = [row for row in every if row.configuration in names]
    count, of, trials = (sum(getattr(row.cell, name) for row in rows) for name in ("part", "graded", "trials"))
    if not of:
        raise NothingGraded(f"{label} is about nothing: no trial is graded where {_scope(question)}. Widen it.")
    [(kind,)] = con.execute("select kind from graders where axis = ?", [question.axis]).fetchall()
    grader = NEW if kind == "none" else kind
    told = ("Simulated: " if simulated else "") + _statement(question, count, of, trials, grader)
    told += f" {rejects(rejected, records)}" if rejected else ""
    items, configurations = ({getattr(row, name) for row in rows} for name in ("item", "configuration"))
    return Claim(question, count, of, trials, len(items), len(configurations), grader, told)


def _check_names(con: DuckDBPyConnection, question: Question, shown: str, codes: Codes, label: str) -> None:
    """Refuse what is not there: that none of it is counted would be true, and would mean nothing."""
    axis = question.axis
    names = [name for name in (shown, FROZEN) if (axis, name) in codes]
    seen = con.execute(
        "select unnest([status, code]) from outcomes where axis = $axis and list_contains($names, candidate)",
        {"axis": axis, "names": names},
    ).fetchall()
    known = {"passed", "failed", *(name for (name,) in seen if name)}.union(*(codes[axis, name] for name in names))
    known.discard("ungraded")
    if not question.counts:
        raise CorpusError(f"{label} counts nothing. Name a code or a status with --counts.{near('', known)}")
    for name in question.counts:
        if name not in known:
            others = sorted({other for other, of in codes if name in codes[other, of]} - {axis})
            hint = f" It is a code of {' and '.join(others)}: name that with --axis." if others else near(name, known)
            raise CorpusError(f"{label}: no grade on the axis {axis} under {shown} can be {name!r}.{hint}")
    tiers = [tier for (tier,) in con.execute("select distinct tier from tiers order by tier").fetchall()]
    if question.tier not in tiers:
        raise CorpusError(f"{label}: no configuration is in the tier {question.tier!r}.{near(question.tier, tiers)}")
    there = [name for (name,) in con.execute("select distinct configuration from trials").fetchall()]
    for name in question.configurations:
        if name not in there:
            raise CorpusError(f"{label}: no trial is of the configuration {name!r}.{near(name, there)}")


def rejects(rejected: int, records: int) -> str:
    """What is to be told of records that could not be read."""
    return f"{rejected} of {records} records of the corpus could not be read as trials and are in no count."


def _scope(question: Question) -> str:
    wanted = dict(sorted(question.where.items()))
    if question.family:
        wanted["family"] = question.family
    if question.tier != ALL:
        wanted["tier"] = question.tier
    if question.configurations:
        wanted["configuration"] = question.configurations
    return " and ".join(f"{key} = {_value(value)}" for key, value in wanted.items())


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return " or ".join(map(_value, value))
    return value if isinstance(value, str) else json.dumps(value)


def _statement(question: Question, count: int, graded: int, trials: int, grader: str) -> str:
    of = f"{graded} trials" if graded == trials else f"{graded} graded trials ({trials} with the ungraded)"
    under = "the frozen grader" if question.candidate == FROZEN else f"the candidate {question.candidate}"
    needs = f" and passed on {question.needs}" if question.needs else ""
    scope = f", where {_scope(question)}" if _scope(question) else ""
    told = f"{count} of {of} are {' or '.join(question.counts)}{needs}"
    return f"{told} on the axis {question.axis} under {under} ({grader}){scope}."
