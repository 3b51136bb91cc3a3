"""The bank that a store was loaded with: its golds, the world they are asked about, and the proof that they hold.

A grader file may bring a function `prove`. It is given every item of the bank, each a `BankItem`, and yields
`(item, reason)` for each whose gold cannot be proved from the world: then nothing is graded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from regrade.errors import CorpusError, RuleError, one_line
from regrade.grades.plan import Column
from regrade.grades.stages import Function
from regrade.grades.trial import Gold
from regrade.tables.schema import WORLD
from regrade.tables.store import Store

SHOWN = 5
"""Items that an error names."""

Items = Mapping[str | None, Mapping[str, Any]]
"""The gold of each item, by family."""


@dataclass(frozen=True)
class BankItem:
    """An item as `prove` sees it."""

    item: str
    family: str | None
    gold: Any
    """As a row stage sees it, with the bank's world as `gold.world`."""


def read_items(store: Store) -> Items:
    """The gold of each item, by family."""
    rows = store.con.execute("select family, item, gold from items order by family nulls first, item").fetchall()
    found: dict[str | None, dict[str, Any]] = {}
    for family, item, gold in rows:
        found.setdefault(family, {})[item] = None if gold is None else json.loads(gold)
    return found


def in_world(store: Store, columns: Sequence[Column]) -> list[Column]:
    """The columns, their graders in the world that the store's bank is about; what shared a grader still does."""
    world = json.loads(store.facts().get(WORLD, "null"))
    graders = {id(c.grader): replace(c.grader, world=world) for c in columns}
    return [replace(c, grader=graders[id(c.grader)]) for c in columns]


def prove_bank(store: Store, columns: Sequence[Column], items: Items) -> None:
    """Prove the bank by every grader that can.

    Args:
        store: a loaded store.
        columns: what is to be graded, in its world.
        items: the bank.

    Raises:
        CorpusError: the gold of some item cannot be proved; it names the corpus, the first items, and why.
        RuleError: a proof raised, or gave something else than an item and a reason.
    """
    for name, grader in {c.grader.name: c.grader for c in columns if c.grader.prove}.items():
        assert grader.prove is not None
        world = Gold.value(grader.world)
        bank = [
            BankItem(item, family, Gold.of_item(gold, world))
            for family, golds in items.items()
            for item, gold in golds.items()
        ]
        faults = _faults(grader.prove, bank, name)
        if faults:
            corpus = json.loads(store.facts().get("corpus", "{}")).get("name")
            listed = "; ".join(f"{item}: {reason}" for item, reason in faults[:SHOWN])
            more = f"; and {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
            raise CorpusError(
                f"The bank of {corpus} is not proved by {name}, so nothing is graded: of {len(bank)} items "
                f"{len(faults)} cannot be proved: {one_line(listed)}{more}. Mend the bank."
            )


def _faults(prove: Function, bank: Sequence[BankItem], name: str) -> list[tuple[str, str]]:
    where = f"{name}, prove"
    try:
        found = list(prove(bank))
    except (RuleError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise RuleError(f"{where} raised {type(error).__name__}: {one_line(str(error))}") from error
    for fault in found:
        if not (isinstance(fault, tuple) and len(fault) == 2 and all(isinstance(part, str) for part in fault)):
            raise RuleError(f"{where} gave {one_line(repr(fault))[:80]}, expected (item, reason).")
    return found
