"""Rates in words: what page and terminal both say of metrics and bands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from regrade.flips.folding import unfold
from regrade.grades.plan import FROZEN
from regrade.report.page import plural


class Under(NamedTuple):
    """The figures of every metric, or band, under one candidate and those that give the same."""

    names: list[str]
    """`frozen` first where it is among them."""
    blocks: dict[str, Any]
    """Block by name of the metric or band, null where it is undefined."""


def declared(axes: Mapping[str, Any], kind: str) -> dict[str, tuple[str, Any]]:
    """Every metric or band of a summary with its axis: `{name: (axis, figures)}`.

    Args:
        axes: `axes` of the summary.
        kind: `metrics` or `bands`.
    """
    return {name: (axis, figures) for axis, block in axes.items() for name, figures in block[kind].items()}


def by_candidate(found: Mapping[str, tuple[str, Any]]) -> list[Under]:
    """What stands under the frozen grader and each candidate, all metrics together; those that are alike, together.

    A candidate that leaves an axis as it was has the frozen figures there.
    """
    names = dict.fromkeys(name for _, figures in found.values() for name in figures["candidates"])
    groups: list[Under] = []
    told = {name: unfold(figures["candidates"]) for name, (_, figures) in found.items()}
    for candidate in sorted(names, key=lambda name: name != FROZEN):
        blocks = {name: block.get(candidate, block.get(FROZEN)) for name, block in told.items()}
        alike = next((group for group in groups if group.blocks == blocks), None)
        if alike:
            alike.names.append(candidate)
        else:
            groups.append(Under([candidate], blocks))
    return groups


def configurations_of(under: Under) -> list[str]:
    """The configurations with a figure there, in order."""
    return sorted({name for block in under.blocks.values() if block for name in block["configurations"]})


def meaning(axis: str, metric: Mapping[str, Any]) -> str:
    """Say what a metric is a rate of."""
    if metric["ratio"]:
        part, whole = metric["ratio"]
        counted = f"the sum of {part} over the sum of {whole}"
    else:
        counted = f"trials {' or '.join(_counted(name) for name in metric['counts'])}"
    needs = f" and that passed on {metric['needs']} too" if metric["needs"] else ""
    best = f"; the {metric['best']} leads" if metric["best"] else "; which end is best is not declared"
    return f"{counted}{needs}, on the axis {axis}, {scope(metric)}{best}"


def _counted(name: str) -> str:
    """A status or code as what is said of a trial."""
    said = {"passed": "that passed", "failed": "that failed", "ungraded": "that are ungraded"}
    return said.get(name, f"with {name}")


def unseen_text(name: str, codes: Sequence[str]) -> str:
    """The warning that a metric counts what no grade is."""
    counted = f"{name} counts {', '.join(codes)}, which is neither status nor code of any grade on its axis"
    return f"{counted}: nothing is counted for it."


def scope(of: Mapping[str, Any]) -> str:
    """Say which items a metric or band is of."""
    asked = [f"gold.{key} = {_values(value)}" for key, value in of["where"].items()]
    asked += [f"family = {_values(of['family'])}"] if of["family"] else []
    return f"{of['items']:,} item{'' if of['items'] == 1 else 's'}{' with ' if asked else ''}{' and '.join(asked)}"


def _values(value: Any) -> str:
    several = value if isinstance(value, list) else [value]
    return " or ".join(str(each).lower() if isinstance(each, bool) else str(each) for each in several)


def percent(rate: float, decimals: int = 2) -> str:
    """A rate in percent; one that is above zero never reads as zero."""
    least = 10**-decimals
    return f"<{least:.{decimals}f}%" if 0 < 100 * rate < least / 2 else f"{100 * rate:.{decimals}f}%"


def rate_text(rate: Mapping[str, Any]) -> str:
    """A count with its denominator and rate; a zero with its ceiling and never as a rate."""
    counted = f"{_amount(rate['count'])} of {_amount(rate['n'])}"
    if rate["rate"] is None:
        return f"{counted}, no rate"
    if rate["ceiling"] is None:
        return f"{counted} ({percent(rate['rate'])})"
    of_items = " of items have any" if rate["ceiling_of"] == "items" else ""
    return f"{counted}, {_at_most(rate['ceiling'])}{of_items if rate['ceiling'] < 1 else ''}"


def _at_most(ceiling: float) -> str:
    """The ceiling of a zero; one of all there is bounds nothing."""
    return f"at most {percent(ceiling)}" if ceiling < 1 else "too few to bound the rate"


def record_text(record: Mapping[str, Any] | None) -> str:
    """A rate over the graded trials and, where some are ungraded, over all of them."""
    if record is None:
        return "\u2013"
    of_all = f"; of all trials {rate_text(record['of_all'])}" if record["of_all"] else ""
    of_some = (
        f"; measured in {record['measured']:,} of {record['trials']:,} trials"
        if record["measured"] < record["trials"]
        else ""
    )
    return f"{rate_text(record['of_graded'])}{of_all}{of_some}"


def _amount(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:,.6g}"


def interval_text(interval: Mapping[str, Any]) -> str:
    """The bounds in percent, or why there are none; those that a rate or a gap cannot pass tell nothing."""
    if interval["undefined"]:
        return f"undefined: {interval['undefined']}"
    nothing = ", which tells nothing" if interval["high"] == 1 and interval["low"] in (0, -1) else ""
    return f"{percent(interval['low'], 1)} to {percent(interval['high'], 1)}{nothing}"


def gap_text(gap: Mapping[str, Any]) -> str:
    """A gap in points with what it is called."""
    return f"{100 * gap['gap']:.2f} points, {gap['called']}" if gap["called"] else "level with the leader"


def lead_changes(metrics: Mapping[str, Any], candidate: str) -> list[dict[str, Any]]:
    """Who leads before and after, where a candidate leaves trials ungraded and two denominators stand beside.

    Args:
        metrics: `metrics` of an axis.
        candidate: a candidate of the axis.

    Returns:
        Records of `metric`, `arm`, `before` under the frozen grader, and `of_graded` and `of_all` under the candidate:
        what `lead_text` says of each, null where nothing is to be compared.
    """
    found = []
    for name, figures in metrics.items():
        blocks = unfold(figures["candidates"])
        frozen = {each["arm"]: each["of_graded"] for each in (blocks.get(FROZEN) or {"gaps": []})["gaps"]}
        for after in (blocks.get(candidate) or {"gaps": []})["gaps"]:
            if after["of_all"]:
                told = {"before": frozen.get(after["arm"]), "of_graded": after["of_graded"], "of_all": after["of_all"]}
                leads = {when: compared and lead_text(compared) for when, compared in told.items()}
                found.append({"metric": name, "arm": after["arm"], **leads})
    return found


def band_text(record: Mapping[str, Any] | None) -> str:
    """Moved verdicts of all repeats; a zero as its ceiling, never as a rate."""
    if record is None:
        return "\u2013"
    if record["undefined"]:
        return f"undefined: {record['undefined']}"
    moved = f"{record['verdict_moved']:,} of {record['repeats']:,}"
    return (
        f"{moved}, {_at_most(record['ceiling'])}" if record["rate"] is None else f"{moved} ({percent(record['rate'])})"
    )


def panel_text(name: str, panel: Mapping[str, Any]) -> str:
    """What a panel's figures are pooled over."""
    arm = f" within the arm {panel['arm']}" if panel["arm"] else ""
    return f"{name}: pooled over the lineages {', '.join(panel['lineages'])}{arm}"


def panels_of(axes: Mapping[str, Any]) -> dict[str, Any]:
    """The declared panels; every axis has the same."""
    return next((block["panels"] for block in axes.values()), {})


def lead_text(compared: Mapping[str, Any]) -> str:
    """Who leads, and how far behind the next is: `a leads with 1 other level, b 6.25 points behind, suggestive`."""
    gaps = {name: gap for name, gap in compared["gaps"].items() if gap["called"]}
    level = len(compared["gaps"]) - len(gaps)
    if not gaps:
        return f"all {level + 1:,} configurations are level"
    beside = f" with {plural(level, 'other')} level" if level else ""
    nearest = min(gaps, key=lambda name: (gaps[name]["gap"], name))
    gap = gaps[nearest]
    return f"{compared['leader']} leads{beside}, {nearest} {100 * gap['gap']:.2f} points behind, {gap['called']}"


def lead_texts(block: Mapping[str, Any] | None) -> dict[str | None, str]:
    """By arm, what `lead_text` says over the graded trials, and over all of them where that is something else."""
    told = {}
    for each in block["gaps"] if block else []:
        over = [lead_text(each[over]) for over in ("of_graded", "of_all") if each[over]]
        told[each["arm"]] = "; over all trials ".join(dict.fromkeys(over))
    return {arm: text for arm, text in told.items() if text}


def leaders(metrics: Mapping[str, Any], candidates: Iterable[str]) -> list[dict[str, Any]]:
    """Who leads each metric in each arm, and with what rate.

    Args:
        metrics: `metrics` of an axis.
        candidates: candidates of the axis.

    Returns:
        Records of `metric`, `arm`, `frozen` and `changed`: what stands under each candidate that gives something else.
        A text is null where nobody leads.
    """
    found = []
    for name, figures in metrics.items():
        blocks = unfold(figures["candidates"])
        told = {under: _leaders(blocks.get(under)) for under in (FROZEN, *candidates)}
        for arm in dict.fromkeys(arm for texts in told.values() for arm in texts):
            texts = {under: by_arm.get(arm) for under, by_arm in told.items()}
            frozen = texts.pop(FROZEN)
            changed = {under: text for under, text in texts.items() if text != frozen}
            found.append({"metric": name, "arm": arm, "frozen": frozen, "changed": changed})
    return found


def _leaders(block: Mapping[str, Any] | None) -> dict[str | None, str]:
    """By arm, who leads over the graded trials, and with what; over all of them too where another leads there."""
    found: dict[str | None, str] = {}
    if block is None:
        return found
    for each in block["gaps"]:
        texts = []
        tables = {over: each[over] for over in ("of_graded", "of_all") if each[over]}
        for over, table in tables.items():
            level = sum(not gap["called"] for gap in table["gaps"].values())
            beside = f" with {plural(level, 'other')} level" if level else ""
            record = block["configurations"][table["leader"]]
            # What leads over all trials may be another than leads over the graded ones, whose record says both.
            same = tables.get("of_graded", table)["leader"] == table["leader"]
            told = record_text(record) if same else rate_text(record[over] or record["of_graded"])
            texts.append(f"{table['leader']}{beside}: {told}")
        if texts:
            found[each["arm"]] = "; over all trials ".join(dict.fromkeys(texts))
    return found


def gap_tables(block: Mapping[str, Any] | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """The comparisons of a block with a leader, each with what it is over."""
    for compared in block["gaps"] if block else []:
        within = f", arm {compared['arm']}" if compared["arm"] else ""
        for over, words in (("of_graded", "graded trials"), ("of_all", "all trials, ungraded ones among them")):
            if compared[over]:
                yield f"{words}{within}", compared[over]


def coefficient_text(found: Mapping[str, Any]) -> tuple[str, str]:
    """A coefficient and its interval, each with the reason where it is undefined."""
    value = "undefined" if found["value"] is None else f"{found['value']:.3f}"
    if found["low"] is None:
        return value, f"undefined: {found['undefined']}"
    return value, f"{found['low']:.3f} to {found['high']:.3f}"


def effective_text(level: str, worth: Mapping[str, Any]) -> str:
    """How many independent observations labels are worth, by `lineage` or `item`; or why that is not known."""
    if worth["least"] is None:
        return f"undefined: {worth['undefined']}"
    if worth["n"] is None:
        return f"{worth['least']:.1f} or more ({worth['undefined']})"
    return f"{worth['n']:.1f}; {worth['least']:.1f} were all labels of one {level} the same"
