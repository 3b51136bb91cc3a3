"""The bank that a store was loaded with: its golds, the world they are asked about, and the proof that they hold.

A grader file may bring a function `prove`. It is given every item of the bank, each a `BankItem`, and yields
`(item, reason)` for each whose gold cannot be proved from the world: then nothing is graded.

It may bring a function `absences` too, given the same, that yields `(item, what is absent, witness)` for each item for
which the world lacks something. The witness, any JSON value, shows it to whoever does not trust the function.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from regrade.errors import CorpusError, RuleError, one_line
from regrade.grades.items import Items
from regrade.grades.plan import Column
from regrade.grades.stages import Function, Grader
from regrade.grades.trial import Gold
from regrade.tables.schema import WORLD
from regrade.tables.store import Store

SHOWN = 5
"""Items that an error names."""


@dataclass(frozen=True)
class BankItem:
    """An item as `prove` sees it."""

    item: str
    family: str | None
    gold: Any
    """As a row stage sees it, with the bank's world as `gold.world`."""


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
        bank = _bank(grader, items)
        faults = _told(grader.prove, bank, f"{name}, prove", "(item, reason)", _is_fault)
        if faults:
            corpus = json.loads(store.facts().get("corpus", "{}")).get("name")
            listed = "; ".join(f"{item}: {reason}" for item, reason in faults[:SHOWN])
            more = f"; and {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
            raise CorpusError(
                f"The bank of {corpus} is not proved by {name}, so nothing is graded: of {len(bank)} items "
                f"{len(faults)} cannot be proved: {one_line(listed)}{more}. Mend the bank."
            )


def find_absences(columns: Sequence[Column], items: Items) -> dict[str, tuple[str, Any]]:
    """What the world lacks, as the graders tell.

    Args:
        columns: what is graded, in its world.
        items: the bank.

    Returns:
        By item, in the bank's order: what is absent, and a witness from which it can be seen, any JSON value.

    Raises:
        RuleError: a function `absences` raised, gave something else, or an item that is not in the bank or twice.
    """
    found: dict[str, tuple[str, Any]] = {}
    for name, grader in {c.grader.name: c.grader for c in columns if c.grader.absences}.items():
        bank = _bank(grader, items)
        known = {each.item for each in bank}
        where = f"{name}, absences"
        shape = "(item, what is absent, witness)"
        for item, absent, witness in _told(grader.absences, bank, where, shape, _is_absence):
            if item not in known or item in found:
                raise RuleError(f"{where} gave {one_line(item)[:80]!r}, expected an item of the bank, each once.")
            found[item] = (absent, witness)
    return found


def _bank(grader: Grader, items: Items) -> list[BankItem]:
    world = Gold.value(grader.world)
    return [
        BankItem(item, family, Gold.of_item(gold, world))
        for family, golds in items.items()
        for item, gold in golds.items()
    ]


def _told(
    function: Function | None, bank: Sequence[BankItem], where: str, shape: str, is_one: Callable[[Any], bool]
) -> list[Any]:
    """What a function of the bank yields, each checked."""
    try:
        found = list(function(bank)) if function else []
    except (RuleError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise RuleError(f"{where} raised {type(error).__name__}: {one_line(str(error))}") from error
    for each in found:
        if not is_one(each):
            raise RuleError(f"{where} gave {one_line(repr(each))[:80]}, expected {shape}.")
    return found


def _is_fault(each: Any) -> bool:
    return isinstance(each, tuple) and len(each) == 2 and all(isinstance(part, str) for part in each)


def _is_absence(each: Any) -> bool:
    return isinstance(each, tuple) and len(each) == 3 and _is_fault(each[:2]) and _is_json(each[2])


def _is_json(value: Any) -> bool:
    try:
        return bool(json.loads(json.dumps(value, allow_nan=False)) == value)
    except (TypeError, ValueError, RecursionError):
        return False
