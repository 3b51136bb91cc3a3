"""Evidence: every trial that flips or is recoded, found by what moves it, and those trials themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from regrade.flips.tiers import ALL
from regrade.report.blocks import item_blocks
from regrade.report.moved import MOVED
from regrade.report.page import DIRECTIONS, RECODE, Page, change_of, direction_of
from regrade.report.shown import slug

SEARCHED = 1_500_000
"""Characters of replies that stand in the list."""

MOVES = f"""
select t.trial_id, t.configuration, t.item, t.reply, member.tiers, move.moves, items.family
from (
  select trial_id, list((axis, candidate, from_status, to_status, from_code, to_code) order by axis, candidate) as moves
  from {MOVED} as moved group by trial_id
) as move
join trials t using (trial_id)
join (select configuration, list(tier order by tier) as tiers from tiers group by configuration) as member
  using (configuration)
left join items using (item)
where trial_id in (select unnest($ids::varchar[]))
order by t.item, t.trial_id
"""

COUNTS = f"""
with member as (select configuration, list(tier order by tier) as tiers from tiers group by configuration)
select axis, candidate, from_status, to_status, tiers, count(*)
from {MOVED} as moved join trials using (trial_id) join member using (configuration)
group by all order by all
"""

Move = tuple[str, str, str, str, str | None, str | None]
"""Axis, candidate, status and code before and after, as in the view `moves`."""


def evidence(page: Page) -> dict[str, Any] | None:
    """What to search by, the groups of moves that counts lead to, the trials by kind, and, where few, their text."""
    moved = page.moved
    if not moved.total:
        return None
    declared = [tier for tier in page.primary["tiers"] if tier != ALL]
    rows = page.con.execute(MOVES, {"ids": moved.ids}).fetchall()
    kinds = _kinds(rows, declared, _room([len(row[3]) for row in rows]))
    return {
        "title": "Evidence",
        "total": moved.total,
        "shown": len(moved.ids),
        "tiers": [*declared, ALL],
        "groups": _groups(page, kinds, declared),
        "kinds": kinds,
        "choices": _choices(page, rows, kinds, declared),
        "cut": max((kind["cut"] for kind in kinds), default=0),
        "items": [] if moved.sheets else item_blocks(page, moved.ids),
        "sheets": len(moved.sheets),
        "several_axes": len(page.summary["axes"]) > 1,
        "readers": {block["frozen"]["kind"] for block in page.summary["axes"].values()},
    }


def _kinds(rows: Sequence[tuple[Any, ...]], declared: list[str], room: int) -> list[dict[str, Any]]:
    """Trials that the same candidates move in the same way; flips before recodes, then the largest kind first."""
    together: dict[tuple[Move, ...], list[tuple[Any, ...]]] = {}
    for row in rows:
        together.setdefault(tuple(row[5]), []).append(row)

    def rank(kind: tuple[tuple[Move, ...], list[tuple[Any, ...]]]) -> tuple[bool, int, str]:
        return all(old == new for _, _, old, new, *_ in kind[0]), -len(kind[1]), repr(kind[0])

    return [
        {
            "number": number,
            "moves": moves,
            "changes": _changes(moves),
            "told": _told(moves),
            "trials": len(same),
            "by_tier": Counter(tier for row in same for tier in row[4]),
            "cuts": _cuts(same, declared, room),
            "cut": room if any(len(row[3]) > room for row in same) else 0,
        }
        for number, (moves, same) in enumerate(sorted(together.items(), key=rank), 1)
    ]


def _changes(moves: Sequence[Move]) -> list[tuple[str, tuple[str, str | None], tuple[str, str | None], list[str]]]:
    """Axis, grade before, grade after, and the candidates that do it."""
    found: dict[tuple[Any, ...], list[str]] = {}
    for axis, candidate, old, new, old_code, new_code in moves:
        found.setdefault((axis, (old, old_code), (new, new_code)), []).append(candidate)
    return [(*change, names) for change, names in found.items()]


def _cuts(rows: list[tuple[Any, ...]], declared: list[str], room: int) -> list[dict[str, Any]]:
    """Trials by the tiers that they are in, those in most tiers first."""
    by_tiers: dict[frozenset[str], list[tuple[str, str]]] = {}
    for trial_id, _, _, reply, tiers, *_ in rows:
        text = reply if len(reply) <= room else f"{reply[: room // 2]} \u2026 {reply[-(room // 2) :]}"
        by_tiers.setdefault(frozenset(tiers), []).append((trial_id, text))
    ordered = sorted(by_tiers.items(), key=lambda cut: _rank(cut[0], declared))
    return [{"where": _where(tiers, declared), "rows": same} for tiers, same in ordered]


def _room(lengths: list[int]) -> int:
    """How many characters of each reply can stand, so that all of them have `SEARCHED`."""
    left = SEARCHED
    for place, length in enumerate(sorted(lengths)):
        if length * (len(lengths) - place) > left:
            return left // (len(lengths) - place)
        left -= length
    return max(lengths, default=0)


def _groups(page: Page, kinds: list[dict[str, Any]], declared: list[str]) -> list[dict[str, Any]]:
    """Moves by axis, candidate and direction: how a tier's add up, and the kinds that they are of."""
    cuts: dict[tuple[str, str, str], Counter[frozenset[str]]] = {}
    for axis, candidate, old, new, tiers, trials in page.con.execute(COUNTS).fetchall():
        cuts.setdefault((axis, candidate, direction_of(old, new)), Counter())[frozenset(tiers)] += trials
    of: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for kind in kinds:
        for axis, candidate, old, new, *_ in kind["moves"]:
            of.setdefault((axis, candidate, direction_of(old, new)), []).append(kind)
    groups = []
    for axis, candidate, direction in sorted(cuts, key=lambda group: page.candidates.index(group[:2])):
        by_tiers = cuts[axis, candidate, direction]
        blocks = page.summary["axes"][axis]["candidates"][candidate]["tiers"]
        sizes = sorted(by_tiers.items(), key=lambda cut: _rank(cut[0], declared))
        groups.append(
            {
                "axis": axis,
                "candidate": candidate,
                "direction": direction,
                "sums": [_sum(tier, declared, sizes, blocks[tier], direction) for tier in (*declared, ALL)],
                "kinds": of.get((axis, candidate, direction), []),
            }
        )
    return groups


def _sum(
    tier: str, declared: list[str], sizes: list[tuple[frozenset[str], int]], block: dict[str, Any], direction: str
) -> dict[str, Any]:
    """How the trials of a tier add up from those that are in other tiers too."""
    parts = []
    for tiers, trials in sizes:
        if tier in tiers:
            also = [other for other in declared if other in tiers and other != tier]
            parts.append((trials, f"also in {' and '.join(also)}" if also else f"more in {tier}"))
    count = None if direction == RECODE else block[direction]
    trials = block["recoded"] if count is None else count["trials"]
    return {"tier": tier, "parts": parts if len(parts) > 1 else [], "trials": trials, "count": count}


def _rank(tiers: frozenset[str], declared: list[str]) -> tuple[int, list[bool]]:
    return -len(tiers), [tier not in tiers for tier in declared]


def _where(tiers: frozenset[str], declared: list[str]) -> str:
    """`In usable, not in strong`."""
    inside, outside = ([t for t in declared if (t in tiers) == wanted] for wanted in (True, False))
    lacks = f", not in {' or '.join(outside)}" if outside else ""
    return f"In {' and '.join(inside) or ALL}{lacks}"


def _choices(
    page: Page, rows: Sequence[tuple[Any, ...]], kinds: list[dict[str, Any]], declared: list[str]
) -> dict[str, Any]:
    """What the list can be searched by; items and configurations with the part of a trial's name that is theirs."""
    moves = [move for kind in kinds for move in kind["moves"]]
    directions = {direction_of(old, new) for _, _, old, new, *_ in moves}
    families: dict[str | None, dict[str, str]] = {}
    configurations = {}
    for trial_id, configuration, item, _, tiers, _, family in rows:
        of_configuration, of_item, *_ = map(slug, trial_id.split("/"))
        configurations[configuration] = (of_configuration, list(map(slug, tiers)))
        families.setdefault(family, {})[item] = of_item
    return {
        "candidates": sorted({(axis, candidate) for axis, candidate, *_ in moves}, key=page.candidates.index),
        "directions": [name for name in (*DIRECTIONS, RECODE) if name in directions],
        "codes": sorted({code for move in moves for code in move[4:] if code is not None}),
        "changes": sorted({change_of((old, code), (new, after)) for _, _, old, new, code, after in moves}),
        "tiers": declared,
        "families": sorted(families.items(), key=lambda family: (family[0] is None, family[0])),
        "configurations": dict(sorted(configurations.items())),
    }


def _told(moves: Sequence[Move]) -> list[tuple[str, str, list[str]]]:
    """The moves of a kind as the page's script takes them: candidate, direction, codes and the change itself."""
    return [
        (
            slug(f"{axis} {candidate}"),
            direction_of(old, new),
            [slug(code) for code in (*codes, change_of((old, codes[0]), (new, codes[1]))) if code is not None],
        )
        for axis, candidate, old, new, *codes in moves
    ]
