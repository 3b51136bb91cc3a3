"""Items: how hard each is and whether it goes with the others, which to look at, and which to let go."""

from __future__ import annotations

from typing import Any

from regrade.files.corpus import Note
from regrade.flips.items import PROPOSALS
from regrade.report.charts import Chart, identifier
from regrade.report.page import Page, plural

ROWS = 500
"""Rows of a table; those of the hardest items stand first."""


def items(page: Page) -> dict[str, Any] | None:
    """Repeated misses, proposals of the notes and what the data suggest, and every item by tier."""
    axes = {
        axis: _axis(page, block)
        for axis, block in page.summary["axes"].items()
        if any(record["passed"] + record["failed"] for record in block["items"][page.strongest].values())
    }
    if not axes:
        return None
    proposed, other = _notes(page)
    return {
        "title": "Items",
        "axes": axes,
        "tier": page.strongest,
        "unreached": _unreached(page),
        "primary": page.corpus.axis,
        "proposed": proposed,
        "other": other,
        "charts": {page.corpus.axis: _matrix(page)} if page.primary["tiers"][page.strongest]["failed"] else {},
    }


def _unreached(page: Page) -> list[str]:
    """The declared tiers of a higher limit than that of the strongest one, which no configuration reaches."""
    limits = {tier.name: tier.min_pass_rate for tier in page.corpus.tiers}
    return [name for name, limit in limits.items() if limit > limits.get(page.strongest, 1)]


def _axis(page: Page, block: dict[str, Any]) -> dict[str, Any]:
    frozen = block["probes"].get("frozen")
    probes: dict[str, list[str]] = {}
    for probe, counts in (frozen or {}).items():
        for item in counts["passing"]:
            probes.setdefault(item, []).append(probe)
    return {
        "lists": block["item_lists"],
        "records": block["items"],
        "tiers": {tier: sorted(records.items(), key=_place)[:ROWS] for tier, records in block["items"].items()},
        "configurations": {tier: counts["configurations"] for tier, counts in block["tiers"].items()},
        "probed": frozen is not None,
        "probes": probes,
    }


def _place(pair: tuple[str, Any]) -> tuple[float, str]:
    """Items by rising pass rate, those without a graded trial last."""
    graded = pair[1]["passed"] + pair[1]["failed"]
    return (pair[1]["passed"] / graded if graded else 2.0, pair[0])


def _notes(page: Page) -> tuple[list[Note], list[Note]]:
    """The notes that ask for an item to leave the score, and all others."""
    asks = [note.kind in PROPOSALS for note in page.corpus.notes]
    told = list(zip(asks, page.corpus.notes, strict=True))
    return [note for ask, note in told if ask], [note for ask, note in told if not ask]


def _matrix(page: Page) -> Chart:
    """Pass rates of the strongest configurations on the hardest items."""
    block, tier = page.primary, page.strongest
    matrix, records = block["item_matrix"], block["items"][tier]
    hardest = matrix["items"][0]
    worst = records[hardest]
    of_items = _most(len(matrix["items"]), len(records), "item")
    of_rows = _most(len(matrix["configurations"]), block["tiers"][tier]["configurations"], "configuration")
    return Chart(
        kind="heat",
        name=f"items_{identifier(page.corpus.axis)}",
        title=f"No item has a lower pass rate in the tier {tier} than {hardest}: {worst['failed']:,} of "
        f"{worst['passed'] + worst['failed']:,} trials failed, by {worst['missed']['configurations']:,} of "
        f"{plural(worst['configurations'], 'configuration')}. Here: {of_items} from the hardest on, "
        f"{of_rows} from the strongest on",
        text="A grid of configurations, from the highest pass rate down, by items, from the lowest pass rate to the "
        "right. A cell has the percent of trials passed, and is darker where more were missed.",
        columns=("configuration", *(f"c{place}" for place in range(len(matrix["items"])))),
        rows=[(name, *cells) for name, cells in matrix["configurations"].items()],
        headings=("Configuration", *matrix["items"]),
        options={
            "items": matrix["items"],
            "key": "Percent of an item's trials passed; blank: all of them; \u2013: not tried; ?: none graded",
        },
    )


def _most(shown: int, there: int, noun: str) -> str:
    return plural(there, noun) if shown == there else f"{shown:,} of {plural(there, noun)}"
