"""Clusters: intervals of a rate whose trials hang together, by item, by lineage, or by both at once.

The rate is that of all trials, part over whole; how far it may be off is read from how far the clusters are apart, and
not from the number of trials. An interval by item reaches to other items like these, one by lineage to other lineages,
one by both to other lineages on other items.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from regrade.flips.stats import Interval, around, undefined

FEWEST = 5
"""Clusters under which their spread tells nothing."""
FEW = 20
"""Clusters under which an interval is known to be rough, and a warning says so."""

Count = tuple[int, int]
"""Trials counted, and all of them."""
Cells = Mapping[tuple[str, str], Count]
"""By item and lineage."""


def by_cluster(cells: Cells, side: int) -> dict[str, Count]:
    """Add up cells by item (side 0) or lineage (side 1); those without a trial tell nothing and are left out."""
    sums: dict[str, Count] = {}
    for key, (part, whole) in cells.items():
        if whole:
            held = sums.get(key[side], (0, 0))
            sums[key[side]] = (held[0] + part, held[1] + whole)
    return sums


def cluster_interval(clusters: Mapping[str, Count], noun: str) -> Interval:
    """Interval of the rate of all trials, clusters being what was drawn; undefined under `FEWEST` of them.

    The variance is that of a ratio between clusters, by linearisation, times G/(G - 1), with Student's t on G - 1.

    Args:
        clusters: part and whole of each.
        noun: what a cluster is, for the reason.
    """
    if len(clusters) < FEWEST:
        return undefined(too_few(len(clusters), noun))
    part, whole = _total(clusters.values())
    return around(part / whole, float(_variance(clusters.values())), len(clusters), (0.0, 1.0))


def two_way_interval(cells: Cells) -> Interval:
    """Interval of the rate of all trials, items and lineages both being what was drawn.

    The variance by item plus that by lineage less that by cell, each with its own G/(G - 1), with Student's t on one
    less than the smaller number of clusters (Cameron, Gelbach and Miller 2011). It may come out negative, and is then
    undefined, as it is under `FEWEST` items or lineages. Where it is less than that by items or lineages alone the
    larger one stands (MacKinnon, Nielsen and Webb 2024): what reaches further is not known better.
    """
    seen = {key: pair for key, pair in cells.items() if pair[1]}
    sides = {noun: by_cluster(seen, side) for side, noun in enumerate(("item", "lineage"))}
    for noun, clusters in sides.items():
        if len(clusters) < FEWEST:
            return undefined(too_few(len(clusters), noun))
    one, other = (_variance(clusters.values()) for clusters in sides.values())
    of_cells = _variance(seen.values())
    variance = one + other - of_cells
    # Where no cell is apart from the others there is no spread; where they cancel each other, it is not known.
    if of_cells and variance <= 0:
        return undefined("what cells of item and lineage vary by is more than items and lineages do, each alone")
    part, whole = _total(seen.values())
    return around(part / whole, float(max(variance, one, other)), min(map(len, sides.values())), (0.0, 1.0))


def too_few(g: int, noun: str) -> str:
    """Why so few clusters give no interval."""
    found = f"there is 1 {noun}" if g == 1 else f"there are {g} {noun}s" if g else f"there is no {noun}"
    return f"{found}, and the spread between {noun}s takes {FEWEST}"


def roughness(g: int, noun: str) -> str | None:
    """The warning that an interval of so few clusters bears, or None."""
    return f"Rough: {g} {noun}s, fewer than {FEW}." if FEWEST <= g < FEW else None


def _total(counts: Iterable[Count]) -> Count:
    part, whole = map(sum, zip(*counts, strict=True))
    return part, whole


def _variance(counts: Iterable[Count]) -> Fraction:
    """Of part over whole, between these clusters; exact, so that no spread is exactly none."""
    held = list(counts)
    part, whole = _total(held)
    squares = sum((y * whole - part * x) ** 2 for y, x in held)
    return Fraction(len(held), len(held) - 1) * Fraction(squares, whole**4) if len(held) > 1 else Fraction(0)
