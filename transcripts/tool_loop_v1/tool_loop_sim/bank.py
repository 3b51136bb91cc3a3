"""The whole bank, in order."""

from __future__ import annotations

from tool_loop_sim import (
    bank_clarify,
    bank_jobs,
    bank_mail,
    bank_pages,
    bank_planted,
    bank_reading,
    bank_sums_retries,
    bank_units,
    bank_writes,
)
from tool_loop_sim.model import Item

ITEMS: list[Item] = [
    *bank_reading.ITEMS,
    *bank_clarify.ITEMS,
    *bank_units.ITEMS,
    *bank_jobs.ITEMS,
    *bank_writes.ITEMS,
    *bank_planted.ITEMS,
    *bank_pages.ITEMS,
    *bank_mail.ITEMS,
    *bank_sums_retries.ITEMS,
]
BY_NAME: dict[str, Item] = {item.item: item for item in ITEMS}
FAMILIES: list[str] = list(dict.fromkeys(item.family for item in ITEMS))
MAIN_CODES = ("FABRICATION", "NO_CLARIFY", "WRONG_ANSWER", "STALE_DATA")
