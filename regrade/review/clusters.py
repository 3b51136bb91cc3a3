"""Clusters: what labelled trials say of other lineages and items, since trials of one of these hang together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from regrade.flips.clusters import FEWEST, roughness, too_few
from regrade.flips.stats import DECIMALS, Interval, item_interval, undefined


class Seen(NamedTuple):
    """A labelled trial of those that a rate is over."""

    counted: bool
    weight: Fraction
    """One over its inclusion probability."""
    lineage: str
    item: str
    configuration: str
    known: bool
    """Whether its lineage is."""


def beyond(seen: Sequence[Seen], frame: Collection[str], lacks: str | None = None) -> dict[str, Any]:
    """What a rate may be among other lineages, or other items, like these.

    Args:
        seen: the trials that the rate is over.
        frame: the lineages of what they were drawn from.
        lacks: why nothing can be said, or None.

    Returns:
        `by_lineage`: `{lineages, frame, configurations, unknown, rate, interval, warning}`, the unweighted mean of the
        rates of those `lineages` of the frame's, with Student's t on one less than their number. `unknown` is how many
        of the `configurations` seen are of no known lineage: it is undefined where all are, and where some are the
        warning says so. `by_item`: `{items, rate, interval}`, the rate of all trials, with the items as clusters.
        Within a lineage, and over all, trials count by inclusion probability. `effective`: `{lineage, item}`, how many
        independent labels these are worth, see `effective_number`.
    """
    known = {each.configuration: each.known for each in seen}
    unknown = len(known) - sum(known.values())
    told = f"the lineage of {unknown} of {len(known)} configurations is not known"
    no_lineage = lacks or (told if seen and unknown == len(known) else None)
    by_lineage = _sums(seen, lambda each: each.lineage)
    by_item = _sums(seen, lambda each: each.item)
    g = len(by_lineage)
    rates = [part / whole for part, whole in by_lineage]
    part, whole = (sum(each) for each in zip(*by_item, strict=True)) if by_item else (Fraction(0), Fraction(0))
    return {
        "by_lineage": {
            "lineages": g,
            "frame": len({*frame, *(each.lineage for each in seen)}),
            "configurations": len(known),
            "unknown": unknown,
            "rate": _rounded(sum(rates, Fraction(0)) / g) if g and not no_lineage else None,
            "interval": (undefined(no_lineage) if no_lineage else mean_interval(rates))._asdict(),
            "warning": None if no_lineage else _warning(g, told if unknown else None),
        },
        "by_item": {
            "items": len(by_item),
            "rate": _rounded(part / whole) if whole and not lacks else None,
            "interval": (undefined(lacks) if lacks else item_interval(_whole(by_item), rate=True))._asdict(),
        },
        "effective": {
            "lineage": _none(no_lineage) if no_lineage else effective_number(_counts(seen, lambda each: each.lineage)),
            "item": _none(lacks) if lacks else effective_number(_counts(seen, lambda each: each.item)),
        },
    }


def _warning(g: int, unknown: str | None) -> str | None:
    said = [rough] if (rough := roughness(g, "lineage")) else []
    said += [f"{unknown[0].upper()}{unknown[1:]}: each weights, or configuration, counts as one."] if unknown else []
    return " ".join(said) or None


def mean_interval(rates: Sequence[Fraction]) -> Interval:
    """Interval of the mean rate of lineages, t on one less than their number; undefined under `FEWEST` of them.

    Lineages whose rates are all the same are bounded by the rule of three, as items are.
    """
    if len(rates) < FEWEST:
        return undefined(too_few(len(rates), "lineage"))
    # Over a common denominator each rate is a whole number, so that no spread is exactly none.
    common = _common(rates)
    return item_interval([(int(rate * common), common) for rate in rates], rate=True)


def effective_number(groups: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """How many independent labels those of some groups are worth: `{n, least, correlation, undefined}`.

    n / (1 + (m - 1) r), m the mean size of the group that a trial is in (Kish) and r the correlation within groups by
    the analysis of variance (Donner 1986), taken as 0 where it comes out negative. `least` is n / m, what it is where
    the trials of a group always go together: from few labels r is known so badly that it may be that. `n` is undefined
    where all labels are alike.

    Args:
        groups: of each, the trials counted and all its trials.
    """
    n, k, found = sum(size for _, size in groups), len(groups), sum(count for count, _ in groups)
    if not n:
        return _none("no trial has a label")
    mean_size = Fraction(sum(size * size for _, size in groups), n)
    told = {"n": None, "least": _rounded(n / mean_size), "correlation": None, "undefined": None}
    if found in (0, n):
        return {**told, "undefined": "all labels are alike, which shows no dependence"}
    if k < 2:
        return {**told, "undefined": "there is one group, and dependence shows between two"}
    if n == k:
        return {**told, "n": float(n)}
    inside = sum((count - Fraction(count * count, size) for count, size in groups), Fraction(0))
    between = sum((Fraction(count * count, size) for count, size in groups), -Fraction(found * found, n))
    usual = (n - mean_size) / (k - 1)
    of_between, of_inside = between / (k - 1), inside / (n - k)
    correlation = max(Fraction(0), (of_between - of_inside) / (of_between + (usual - 1) * of_inside))
    return {**told, "n": _rounded(n / (1 + (mean_size - 1) * correlation)), "correlation": _rounded(correlation)}


def _none(reason: str) -> dict[str, Any]:
    return {"n": None, "least": None, "correlation": None, "undefined": reason}


def _sums(seen: Sequence[Seen], key: Callable[[Seen], str]) -> list[tuple[Fraction, Fraction]]:
    """Of each group the weight that is counted, and all of it."""
    sums = {name: (Fraction(0), Fraction(0)) for name in sorted({key(each) for each in seen})}
    tally = Counter((key(each), each.weight, each.counted) for each in seen)
    for (name, weight, counted), n in tally.items():
        part, whole = sums[name]
        sums[name] = part + weight * n * counted, whole + weight * n
    return list(sums.values())


def _counts(seen: Sequence[Seen], key: Callable[[Seen], str]) -> list[tuple[int, int]]:
    n, counted = Counter(map(key, seen)), Counter(key(each) for each in seen if each.counted)
    return [(counted[name], n[name]) for name in sorted(n)]


def _whole(pairs: Sequence[tuple[Fraction, Fraction]]) -> list[tuple[int, int]]:
    common = _common([each for pair in pairs for each in pair])
    return [(int(part * common), int(whole * common)) for part, whole in pairs]


def _common(numbers: Iterable[Fraction]) -> int:
    return math.lcm(*(number.denominator for number in numbers))


def _rounded(number: Fraction) -> float:
    return round(float(number), DECIMALS)
