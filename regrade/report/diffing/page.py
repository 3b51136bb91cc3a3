"""The page of a diff: the report's engine and style, one file, nothing that runs.

Every number of it stands in what `regrade diff --json` prints; the replies of the trials that it lists come from the
stores.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.flips.changes import PARTS
from regrade.flips.diff import KINDS, SIDES, Side
from regrade.flips.diff_groups import KEYS
from regrade.flips.tallies import DIRECTIONS
from regrade.pages import engine, inline
from regrade.report.build import Draw, finalize
from regrade.report.diffing.pairs import pair_charts, pair_name, transition_matrix
from regrade.report.diffing.readings import read_both
from regrade.report.diffing.texts import excerpt_pieces, line_changes
from regrade.report.page import has_gap, plural, share
from regrade.report.shown import anchor, between_tags, prose

LISTED = 30
"""Names in a list, and rows in a table of groups; the rest are counted."""
WORDS = {"only_in_a": "only in A", "only_in_b": "only in B"}


def build_diff(
    con: DuckDBPyConnection, sides: tuple[Side, Side], found: Mapping[str, Any], draw: Draw | None = None
) -> str:
    """Make the page as text; the same bytes for the same sides.

    Args:
        con: a connection to which the databases of both sides are attached.
        sides: A and B.
        found: what `compare` gives.
        draw: draws charts while the trials are read; without it each is a table.
    """
    pages = engine("regrade.report", finalize=finalize)
    pages.globals.update(anchor=anchor, plural=plural, share=share, name_of=pair_name, matrix=transition_matrix)
    pages.globals.update(line_changes=line_changes, excerpt_pieces=excerpt_pieces, listed=LISTED, has_gap=has_gap)
    pages.globals.update(sides=SIDES, parts=PARTS, keys=KEYS, kinds_of=_kinds)
    pages.filters["plain"] = lambda value: (
        json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
    )
    # The shared macros name it.
    pages.filters["prose"] = lambda text: prose(text, {})
    pages.filters["raw"] = lambda text: None if text is None else between_tags(text)
    pages.filters["words"] = lambda key: WORDS.get(key, key.replace("_", " "))
    pages.filters["heading"] = lambda words: f"{words[:1].upper()}{words[1:]}"
    charts = pair_charts(found["compared"])
    asked = list(charts.values())
    drawn = draw(asked) if draw is not None else lambda: asked
    pairs = [{**block, "trials": read_both(con, sides, block)} for block in found["compared"]]
    return pages.get_template("diffing/page.html").render(
        **found,
        title=f"{found['a']['given']} and {found['b']['given']}: diff",
        style=inline(pages, "page.css"),
        script=None,
        simulated=any(found[side]["simulated"] for side in SIDES),
        pairs=pairs,
        charts=dict(zip(charts, drawn(), strict=True)),
    )


def _kinds(compared: Sequence[Mapping[str, Any]]) -> list[str]:
    """The kinds of change that have a column in a table of some pairs: flips both ways, and what there is besides."""
    always = ("fail_to_pass", "pass_to_fail", "recoded")
    kinds = [kind for kind in (*DIRECTIONS, *KINDS) if kind not in ("same", "moved")]
    return [kind for kind in kinds if kind in always or any(block[kind]["trials"] for block in compared)]
