"""A filled store, written down in a few lines: what the tests of flips count."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from regrade.files.corpus import Bank, Corpus
from regrade.flips import rates, samples, summary
from regrade.flips.folding import unfold
from regrade.flips.tiers import find_tiers
from regrade.tables.schema import BY_NAME, TABLES, VIEWS, quote


class Attempt(NamedTuple):
    """A trial and its grades, each written `status` or `status:CODE`."""

    configuration: str
    item: str
    trial: str
    axes: Mapping[str, Mapping[str, str]]
    """axis -> candidate (or `frozen`) -> grade."""
    reply: str = ""
    turns: list[dict[str, Any]] | None = None

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls of all turns, as the store has them."""
        return [
            {"turn": at, "call": number, **call, "answered": None}
            for at, turn in enumerate(self.turns or ())
            for number, call in enumerate(turn["calls"] or ())
        ]

    @property
    def reply_turn(self) -> int | None:
        """The last turn of the assistant; 0 for a reply alone."""
        spoken = [at for at, turn in enumerate(self.turns or ()) if turn["role"] == "assistant"]
        return 0 if self.turns is None else spoken[-1] if spoken else None

    @property
    def trial_id(self) -> str:
        return f"{self.configuration}/{self.item}/{self.trial}"


def said(turns: list[dict[str, Any]] | None) -> list[dict[str, str]] | None:
    return None if turns is None else [{"role": turn["role"], "text": turn["text"]} for turn in turns]


def attempt(configuration: str, item: str, trial: int, frozen: str, **candidates: str) -> Attempt:
    """A trial that is graded on the axis `pass` alone."""
    return Attempt(configuration, item, str(trial), {"pass": {"frozen": frozen, **candidates}})


def corpus(**changes: Any) -> Corpus:
    fields: dict[str, Any] = dict(
        root=Path("."), name="made_up", benchmark=None, format="jsonl", files=(), rules=None, axis="pass",
        axes=("pass",), simulated=True, parts=(), bank=Bank(), configurations=None, tiers=(), candidates=(),
        partitions=(), samples=(), notes=(),
    )  # fmt: skip
    return Corpus(**{**fields, **changes})


def empty_store() -> duckdb.DuckDBPyConnection:
    con = duckdb.connect(config={"threads": 1})
    for table in TABLES:
        con.execute(table.ddl())
    for name, query in VIEWS:
        con.execute(f"create view {quote(name)} as {query}")
    return con


def insert(con: duckdb.DuckDBPyConnection, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Insert rows, what is not named being null."""
    held = list(rows)
    if not held:
        return
    columns = [column.name for column in BY_NAME[table].columns]
    assert all(set(row) <= set(columns) for row in held)
    marks = ", ".join("?" for _ in columns)
    values = ", ".join(f"({marks})" for _ in held)
    con.execute(f"insert into {table} values {values}", [row.get(name) for row in held for name in columns])


def store(
    attempts: Iterable[Attempt],
    *,
    configurations: Mapping[str, Mapping[str, Any]] | None = None,
    families: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
    golds: Mapping[str, Any] | None = None,
) -> duckdb.DuckDBPyConnection:
    """Build a store in memory.

    Args:
        attempts: the trials.
        configurations: weights, lineage and other columns of those that have them.
        families: family of each item that has one.
        kinds: kind of each axis's frozen grader; `ported` where not named.
        golds: gold of each item that has one.
    """
    con = empty_store()
    held = list(attempts)
    golds = {item: json.dumps(gold) for item, gold in (golds or {}).items()}
    names = sorted({a.item for a in held})
    insert(con, "items", ({"item": i, "family": (families or {}).get(i), "gold": golds.get(i)} for i in names))
    insert(
        con,
        "configurations",
        (
            {"configuration": c, "listed": c in (configurations or {}), **(configurations or {}).get(c, {})}
            for c in sorted({a.configuration for a in held})
        ),
    )
    insert(
        con,
        "trials",
        (
            {
                "trial_id": a.trial_id, "configuration": a.configuration, "item": a.item, "trial": a.trial,
                "file_id": 0, "reply": a.reply, "turns": said(a.turns), "calls": a.calls, "reply_turn": a.reply_turn,
            }
            for a in held
        ),
    )  # fmt: skip
    grades = [
        {
            "trial_id": a.trial_id,
            "axis": axis,
            "candidate": candidate,
            "fingerprint": "f0",
            "decided_by": [f"{candidate}_v1"] if text != candidates.get("frozen", text) else None,
            **grade(text),
        }
        for a in held
        for axis, candidates in a.axes.items()
        for candidate, text in candidates.items()
    ]
    insert(con, "grades", grades)
    insert(
        con,
        "frozen_grades",
        (
            {**{key: g[key] for key in ("trial_id", "axis", "status", "code")}, "stored": True}
            for g in grades
            if g["candidate"] == "frozen"
        ),
    )
    insert(
        con,
        "candidates",
        (
            {"axis": axis, "candidate": name, "rules": [f"{name}_v1"], "fingerprint": "f0"}
            for axis, name in sorted({(g["axis"], g["candidate"]) for g in grades if g["candidate"] != "frozen"})
        ),
    )
    for axis in sorted({g["axis"] for g in grades}):
        kind = (kinds or {}).get(axis, "ported")
        n = sum(g["axis"] == axis and g["candidate"] == "frozen" for g in grades)
        ported = {"rule": "frozen_v1", "fingerprint": "f0", "parity_trials": n, "parity_agree": n}
        insert(con, "graders", [{"axis": axis, "kind": kind, **(ported if kind == "ported" else {})}])
    return con


def grade(text: str) -> dict[str, str | None]:
    status, _, code = text.partition(":")
    return {"status": status, "code": code or None}


def as_json(value: Any) -> Any:
    """What comes back from a file; fails on what JSON cannot hold."""
    return json.loads(json.dumps(value, allow_nan=False))


def axes_summary(con: duckdb.DuckDBPyConnection, spec: Corpus) -> dict[str, Any]:
    """The summary of a store once its tiers are found."""
    find_tiers(con, spec)
    return summary.axes_summary(con, spec)


def rates_of(con: duckdb.DuckDBPyConnection, spec: Corpus, axis: str = "pass") -> dict[str, Any]:
    """The metrics, bands and panels of an axis of a store, what is as frozen given back; no other figure is counted."""
    found = as_json(rates.rates_summary(con, spec, [axis]))[axis]
    for kind in ("metrics", "bands"):
        for figures in found[kind].values():
            figures["candidates"] = unfold(figures["candidates"])
    return found


def samples_summary(con: duckdb.DuckDBPyConnection, spec: Corpus) -> dict[str, Any]:
    """The samples of a store once its tiers are found."""
    find_tiers(con, spec)
    return samples.samples_summary(con, spec)
