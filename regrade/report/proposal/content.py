"""The content of a proposal, part by part, in the order of the document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from regrade.files.corpus import Note
from regrade.report.page import has_gap, plural, rule_state, rule_states
from regrade.report.proposal.blocks import (
    Block,
    Code,
    Heading,
    Line,
    Listing,
    Paragraph,
    Span,
    Strong,
    Table,
    Target,
    coded,
    joined,
)
from regrade.report.proposal.figures import Figure
from regrade.report.proposal.given import Given
from regrade.report.proposal.rules import alone_of, find, in_words, judged, move_name, rules, state
from regrade.report.sections.limits import limits
from regrade.report.shown import anchor
from regrade.tables.store import FILE_NAME

SCHEMA = "regrade.proposal/1"
REWORD = {"ambiguous": "ambiguous wording", "convention": "unstated convention", "conflicting_cue": "conflicting cue"}
"""Kinds of notes that ask for another wording, and what is wrong with the present one."""
LEAVE = {"retire": "Items to retire", "canary": "Items to keep unscored, as canaries"}
"""Kinds of notes by which an item leaves the score."""
SHORT = 8
"""Numbers of a figure that stand in its row; of more, how many they are."""
RUNNER = (
    f"python -c \"import duckdb, sys; duckdb.connect('{FILE_NAME}', read_only=True).sql(sys.argv[1]).show(max_rows=9999)\""
    ' "QUERY"'
)


def content(given: Given) -> list[Block]:
    """The whole document; the table of commands comes last, when every number has been quoted."""
    return [block for part in PARTS for block in part(given)]


def head(given: Given) -> Iterator[Block]:
    """Name, stamps, warnings, and on what audit this rests."""
    page, name = given.page, given.candidate
    yield Heading(1, f"Proposal: {name} for {page.corpus.name}", "proposal")
    if page.corpus.simulated:
        yield Paragraph("SIMULATED: a script wrote these transcripts, no model did.", stamp=True)
    yield Paragraph(f"NOT COMPARABLE with results of {_frozen(given)}.", stamp=True)
    for axis, block in page.summary["axes"].items():
        if has_gap(block["parity"]):
            agree, trials = block["parity"]["agree"], block["parity"]["trials"]
            yield Paragraph(
                f"Parity gap on {axis}: the replayed grader gives the frozen grade on {agree:,} of {trials:,} trials."
                " Every figure below bears this gap.",
                stamp=True,
            )
    for warning in page.warnings:
        yield Paragraph((Strong("Warning: "), warning))
    corpus = page.summary["corpus"]
    yield Paragraph(
        (f"A proposal for the next version of this benchmark's grader, from the audit of {plural(corpus['trials'], 'trial')}"
         f" in {plural(corpus['files'], 'file')} ({corpus['records']:,} records = {corpus['loaded']:,} loaded +"
         f" {corpus['rejected']:,} rejected) ", given.figures.corpus().ref, ". No frozen grade is rewritten, and no model was asked"
         " anything.")
    )  # fmt: skip


def short(given: Given) -> Iterator[Block]:
    """What is proposed in one list, and what it comes to."""
    name, notes = given.candidate, given.page.corpus.notes
    yield Heading(2, "In short", "short")
    decided = {axis: rule_states(given.page.summary, axis, name) for axis in given.axes}
    told = "; ".join(f"axis {axis}: {said}" for axis, said in decided.items())
    yield Paragraph((Code(name), f" is {_frozen(given)} with {plural(len(given.rules), 'rule')} ({told})."))
    items: list[Line] = [
        (Code(rule), ": ", *coded((known["doc"] or "").partition("\n")[0])) for rule, known in given.rules.items()
    ]
    for note in notes:
        if note.kind in REWORD:
            items.append(("Item ", Code(note.item), f": reword it ({REWORD[note.kind]}). Needs a live run."))
    for kind, title in LEAVE.items():
        named = [note.item for note in notes if note.kind == kind]
        if named:
            items.append((f"{title}: ", *joined(named), "."))
    yield Listing(items, numbered=True)
    for axis in given.axes:
        yield from _frozen_table(given, axis)
    yield from given.flip_tables(name)


def _frozen(given: Given) -> str:
    """The frozen graders of the axes that the proposal changes."""
    names = dict.fromkeys(given.frozen_name(axis) for axis in given.axes if not given.is_new(axis))
    return " and ".join(names) or "any other grader"


def _frozen_table(given: Given, axis: str) -> Iterator[Block]:
    if given.is_new(axis):
        return
    keys = ("configurations", "weights", "lineages", "items", "trials", "passed", "failed", "ungraded")
    tiers = given.page.summary["axes"][axis]["tiers"]
    rows = [[tier, *(block[key] for key in keys)] for tier, block in tiers.items()]
    figure = given.figures.frozen(axis)
    yield Table(f"Frozen grades by tier, axis {axis}", ("Tier", *(k.capitalize() for k in keys)), rows, [figure.ref])


def together(given: Given) -> Iterator[Block]:
    """How the rules act on one another."""
    yield Heading(2, "How the rules act together", "together")
    for axis in given.axes:
        if given.is_new(axis):
            continue
        needs, tiers = given.figures.needs(axis, given.candidate), list(given.tiers(axis, given.candidate))
        cells: dict[tuple[str, str], dict[str, Any]] = {}
        for tier, old, new, by, *spread in needs.rows:
            cells.setdefault((move_name(old, new), _by(by)), {})[tier] = _spread(spread)
        caption = f"Smallest set of rules behind each change, axis {axis}{given.bound(axis, given.candidate)}"
        rows: list[list[Any]] = [
            [move, by, *(found.get(tier, "0") for tier in tiers)] for (move, by), found in cells.items()
        ]
        if rows:
            yield Table(caption, ("Move", "Rules", *tiers), rows, [needs.ref])
            yield Paragraph("Where either of two rules would do, the first of the candidate stands.")
        else:
            yield Paragraph((f"The proposal changes no grade on the axis {axis} ", needs.ref, "."))
        yield from _undone(given, axis, tiers)


def _undone(given: Given, axis: str, tiers: Sequence[str]) -> Iterator[Block]:
    alone = alone_of(given, axis)
    if not alone:
        return
    undone = given.figures.undone(axis, given.candidate, alone)
    cells: dict[tuple[str, ...], dict[str, Any]] = {}
    for name, tier, _, *grades in undone.rows:
        key = (name, *(f"{s} {c}" if c else s for s, c in (grades[:2], grades[2:4])))
        cells.setdefault(key, {}).setdefault(tier, []).append(grades[4:])
    if not cells:
        yield Paragraph((f"No rule undoes what another moves on the axis {axis} ", undone.ref, "."))
        return
    rows = [[*key, *(sum(r[0] for r in found.get(tier, ())) for tier in tiers)] for key, found in cells.items()]
    caption = f"What a rule moves alone and the proposal grades otherwise, axis {axis}: trials"
    yield Table(caption, ("Rule alone", "Alone", "Proposal", *tiers), rows, [undone.ref])


def _by(rules: str | None) -> str:
    if rules is None:
        return "none: the replayed grader differs from the record"
    return rules or "the grader alone"


def _spread(counts: Sequence[int]) -> str:
    return f"{counts[0]:,} ({'/'.join(f'{n:,}' for n in counts[1:])})"


def rejected(given: Given) -> Iterator[Block]:
    """What was tried and rejected, with the reason and the counts."""
    yield Heading(2, "Tried and rejected", "rejected")
    if not given.rejected:
        yield Paragraph(("No rule is rejected ", given.figures.rules().ref, "."))
    for name, rule in given.rejected.items():
        yield Heading(3, Code(name), anchor("rule", name))
        yield Paragraph((Strong("Why it was rejected: "), *coded(rule["reason"] or "no reason is given")))
        yield Paragraph(state(given, rule))
        yield from in_words(rule)
        if (alone := given.alone(name)) is not None:
            yield from given.flip_tables(alone)
            for axis in given.axes_of(alone):
                yield from judged(given, axis, alone)
    resting = [n for n, of in given.candidates.items() if len(of) > 1 and given.rejected.keys() & {*of}]
    if resting:
        yield Paragraph(("Not proposed either, since they have a rejected rule: ", *joined(resting), "."))
    others = [
        name
        for name, of in given.candidates.items()
        if name != given.candidate and not {*of} <= {*given.rules} and not given.rejected.keys() & {*of}
    ]
    if others:
        yield Heading(3, "Measured, and neither proposed nor rejected here", "measured")
        for name in others:
            yield from (given.by_tier(axis, name) for axis in given.axes_of(name))


def items(given: Given) -> Iterator[Block]:
    """Items to reword, to retire and to keep as canaries, and what the figures would add."""
    notes = given.page.corpus.notes
    yield Heading(2, "Items", "items")
    if not notes:
        yield Paragraph("The bank has no notes on its items.")
    if reworded := [note for note in notes if note.kind in REWORD]:
        yield Paragraph(
            (Strong("Each of these needs a live run. "), "Its saved transcripts were answered to the old wording, and no regrade of"
             " them tells how the new one is answered; passes that lean on the old wording are in doubt as well.")
        )  # fmt: skip
        yield _noted(given, "Items to reword", reworded)
    for kind, title in LEAVE.items():
        if left := [note for note in notes if note.kind == kind]:
            yield _noted(given, title, left)
    yield from _suggested(given)


def _noted(given: Given, title: str, notes: Sequence[Note]) -> Table:
    axis, tier = given.primary, given.page.strongest
    figure = given.figures.items(axis, given.candidate, tier, {note.item for note in given.page.corpus.notes})
    counts = {item: rest for item, *rest in figure.rows}
    rows: list[list[Any]] = [
        [Code(n.item), REWORD.get(n.kind, n.kind), *counts.get(n.item, [None] * 5), coded(n.text)] for n in notes
    ]
    headings = ("Item", "Note", "Passed", "Failed", "Ungraded", "Fail to pass", "Pass to fail", "What to change or why")
    caption = f"{title}; frozen grades and flips{given.bound(axis, given.candidate)} in the tier {tier}, axis {axis}"
    return Table(caption, headings, rows, [figure.ref])


def _suggested(given: Given) -> Iterator[Block]:
    """Items that the figures single out and the notes do not."""
    axis, tier = given.primary, given.page.strongest
    block = given.page.summary["axes"][axis]
    records = block["items"][tier]
    figure = given.figures.always(axis, tier)
    always = [item for (item,) in figure.rows]
    leaving = {note.item for note in given.page.corpus.notes if note.kind in LEAVE}
    yield Paragraph(
        (f"{plural(len(always), 'item')} of {len(records):,} never failed in the tier {tier}: every configuration of it tried them"
         " and passed on every trial ", figure.ref, ". Its configurations are not independent, and a few lineages that pass are no"
         " proof that an item tells no others apart.")
    )  # fmt: skip
    yield from _named("Of these no note would retire or keep as a canary: ", [i for i in always if i not in leaving])
    yield from _named("Yet missed in that tier, though a note would take them out: ", sorted(leaving - {*always}))
    if lists := block.get("item_lists", {}).get(tier):
        missed = lists["missed_repeatedly"]
        yield from _named(
            "Missed repeatedly by several configurations of that tier, and to be looked at before they are kept: ",
            missed,
        )


def _named(words: str, names: Sequence[str]) -> Iterator[Block]:
    if names:
        yield Paragraph((words, *joined(names), "."))


def cannot(given: Given) -> Iterator[Block]:
    """What neither the audit nor the proposal can show."""
    yield Heading(2, "What this proposal cannot show", "limits")
    sentences: list[Line] = [coded(sentence) for sentence in limits(given.page)["sentences"]]
    if any(note.kind in REWORD for note in given.page.corpus.notes):
        sentences.append(
            "How a reworded item is answered: that needs a live run, over lineages and providers that are not one another's kin."
        )
    if unjudged := [axis for axis in given.axes if given.page.is_unjudged(axis, given.candidate)]:
        sentences.append(
            (f"Whether the flips of the proposal as a whole are right: nobody has judged a sample of ", Code(given.candidate),
             f" on {' or '.join(unjudged)}.")
        )  # fmt: skip
    yield Listing(sentences)


def note(given: Given) -> Iterator[Block]:
    """The release note: names, fingerprints, and with what it cannot be compared."""
    page, name, figures = given.page, given.candidate, given.figures
    yield Heading(2, "Release note", "note")
    yield Paragraph(f"{name} of {page.corpus.name}: NOT COMPARABLE with results of {_frozen(given)}.", stamp=True)
    if page.corpus.simulated:
        yield Paragraph("SIMULATED: the figures behind it come from transcripts that a script wrote.", stamp=True)
    yield Paragraph(
        "A result under one grader says nothing about a result under the other: grades, codes and items differ. State the name and"
        " the fingerprint beside every result, and publish no ranking that mixes them."
    )
    sums = figures.query("The sum of the corpus's files", "select value from meta where key = 'sha256'")
    rows: list[list[Any]] = [["Corpus", page.corpus.name, Code(page.summary["corpus"]["sha256"])]]
    rows += [
        [
            "Frozen grader, not comparable",
            f"{given.frozen_name(axis)}, axis {axis}",
            Code(frozen["fingerprint"] or "none"),
        ]
        for axis in given.axes
        if (frozen := page.summary["axes"][axis]["frozen"])["kind"] != "none"
    ]
    rows += [
        ["Proposed grader", f"{name}, axis {axis}", Code(fingerprint)]
        for axis, fingerprint in figures.fingerprints(name).rows
    ]
    rows += [["Rule", f"{n}, {r['decision']}, {rule_state(r)}", Code(r["fingerprint"])] for n, r in given.rules.items()]
    refs = [sums.ref, figures.graders().ref, figures.fingerprints(name).ref, figures.rules().ref]
    yield Table("What is proposed, by name and fingerprint", ("What", "Name", "SHA-256"), rows, refs)
    if drafts := [n for n, rule in given.rules.items() if not rule["locked"]]:
        yield Paragraph(
            (
                "Draft, and free to change under the same name until ",
                Code("regrade freeze CORPUS"),
                " locks them: ",
                *joined(drafts),
                ".",
            )
        )


def reproduce(given: Given) -> Iterator[Block]:
    """Every figure with its command."""
    yield Heading(2, "How to reproduce", "reproduce")
    yield Paragraph(
        ("Behind every number stands the row of this table whose command gives it again. Run them in the folder of the audit, which has ",
         Code(FILE_NAME), "; ", Code("CORPUS"), " is the folder of corpus.toml. Of a ", Code("regrade"), " command with ", Code("--json"),
         " the numbers stand at the path that is named. Each ", Code("select"), " or ", Code("with"), " is a query, for instance by:")
    )  # fmt: skip
    yield Paragraph(Code(RUNNER))
    rows: list[list[Any]] = [[Target(f.name), f.what, _gives(f), Code(f.command)] for f in given.figures]
    yield Table("Every number and its command", ("Row", "What", "Gives", "Command or query"), rows)


def _gives(figure: Figure) -> Line:
    if figure.is_query:
        values = [
            value for row in figure.rows for value in row if isinstance(value, int) and not isinstance(value, bool)
        ]
        shown = ", ".join(f"{value:,}" for value in values) if 0 < len(values) <= SHORT else ""
        return shown or plural(len(figure.rows), "row")
    paths = [path.split(".") for path, _ in figure.rows]
    common = next((n for n, keys in enumerate(zip(*paths, strict=False)) if len({*keys}) > 1), min(map(len, paths)))
    if len(figure.rows) <= SHORT:
        return [s for path, value in figure.rows for s in _pathed(path, value)][:-1]
    return (f"{plural(len(paths), 'number')} below ", Code(".".join(paths[0][:common])))


def _pathed(path: str, value: Any) -> Iterable[Span]:
    return (f"{value:,} at " if isinstance(value, int) else f"{value} at ", Code(path), ", ")


PARTS: tuple[Callable[[Given], Iterator[Block]], ...] = (
    head, short, rules, together, rejected, items, cannot, note, reproduce,
)  # fmt: skip


def machine(given: Given) -> dict[str, Any]:
    """The machine form, made after the content: what is proposed, the examples, and every figure with its command."""
    page, notes = given.page, given.page.corpus.notes
    return {
        "schema": SCHEMA,
        "corpus": {key: page.summary["corpus"][key] for key in ("name", "benchmark", "simulated", "sha256")},
        "candidate": given.candidate,
        "axes": {
            axis: {
                "fingerprint": page.summary["axes"][axis]["candidates"][given.candidate]["fingerprint"],
                "not_comparable_with": page.summary["axes"][axis]["frozen"],
                "upper_bound": page.is_unjudged(axis, given.candidate),
            }
            for axis in given.axes
        },
        "rules": {
            name: {
                **{key: rule[key] for key in ("decision", "locked", "fingerprint", "axis", "stage", "doc")},
                "alone": given.alone(name),
                "examples": [example.plain() for example in find(given, name)],
            }
            for name, rule in given.rules.items()
        },
        "rejected": {name: rule["reason"] for name, rule in given.rejected.items()},
        "items": {
            kind: [{"item": n.item, "text": n.text, "live_run": kind in REWORD} for n in notes if n.kind == kind]
            for kind in (*REWORD, *LEAVE)
        },
        "limits": limits(page)["sentences"],
        "figures": [figure.plain() for figure in given.figures],
    }
