"""The end of a proposal: what it cannot show, the release note, and the commands that give its numbers again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from regrade.flips.folding import SAME
from regrade.flips.tiers import ALL
from regrade.report.page import plural, rule_state
from regrade.report.proposal.blocks import (
    Block,
    Code,
    Heading,
    Line,
    Listing,
    Paragraph,
    Reading,
    Span,
    Table,
    Target,
    coded,
    grouped,
    joined,
)
from regrade.report.proposal.figures import Figure
from regrade.report.proposal.given import REWORD, Given
from regrade.report.sections.limits import limits
from regrade.tables.store import FILE_NAME

SHORT = 8
"""Numbers of a figure that stand in its row; of more, how many they are."""
RUNNER = (
    "python -c \"import duckdb, sys; duckdb.connect('" + FILE_NAME + "', read_only=True)"
    '.sql(sys.argv[1]).show(max_rows=9999)" "QUERY"'
)


def cannot(given: Given) -> Iterator[Block]:
    """What neither the audit nor the proposal can show."""
    page, axis = given.page, given.page.corpus.axis
    yield Heading(2, "What this proposal cannot show", "limits")
    sentences: list[Line] = [coded(sentence) for sentence in limits(page)["sentences"]]
    if any(note.kind in REWORD for note in page.corpus.notes):
        sentences.append("How a reworded item is answered. That takes a live run, over several lineages and providers.")
    if unjudged := [axis for axis in given.axes if not given.is_new(axis) and page.is_unjudged(axis, given.candidate)]:
        nobody = f": nobody has judged a sample of it on {' or '.join(unjudged)}."
        sentences.append(("Whether the flips of ", Code(given.candidate), " as a whole are right", nobody))
    yield Listing(sentences)
    figures = [given.figures.corpus(), given.figures.lineages(), given.figures.graders()]
    axes = page.summary["axes"].items()
    figures += [given.figures.frozen(a) for a, b in axes if a == axis or b["tiers"][ALL]["ungraded"]]
    if page.primary["candidates"]:
        figures.append(given.figures.by_lineage(axis))
    if any(page.summary["corpus"]["stopped"]["any"].values()):
        figures.append(given.figures.stopped())
    yield Paragraph(
        ("The numbers in these sentences: ", *[s for figure in figures for s in (figure.ref, " ")][:-1], ".")
    )


def note(given: Given) -> Iterator[Block]:
    """The release note: names, fingerprints, and with what it cannot be compared."""
    page, name, figures = given.page, given.candidate, given.figures
    yield Heading(2, "Release note", "note")
    yield Paragraph(f"{name} of {page.corpus.name}: NOT COMPARABLE with results of {given.frozen_names}.", stamp=True)
    if page.corpus.simulated:
        yield Paragraph("SIMULATED: the figures behind it come from transcripts that a script wrote.", stamp=True)
    yield Paragraph(
        "Results under the two graders cannot be compared, since the same reply may be graded otherwise, and an item"
        " that is reworded or taken out is not the same. State name and fingerprint beside every result, and publish no"
        " ranking that mixes them."
    )
    sums = figures.query("The sum of the corpus's files", "select value from meta where key = 'sha256'")
    rows: list[list[Any]] = [["Corpus", page.corpus.name, Code(page.summary["corpus"]["sha256"])]]
    for axis in given.axes:
        frozen = page.summary["axes"][axis]["frozen"]
        if frozen["kind"] != "none":
            print_ = Code(frozen["fingerprint"]) if frozen["fingerprint"] else "none: its source is not known"
            rows.append(["Not comparable with", f"{given.frozen_name(axis)}, axis {axis}", print_])
    for axis, fingerprint in figures.fingerprints(name).rows:
        rows.append(["Proposed grader", f"{name}, axis {axis}", Code(fingerprint)])
    for rule, known in given.rules.items():
        rows.append(["Rule", f"{rule}, {known['decision']}, {rule_state(known)}", Code(known["fingerprint"])])
    refs = [sums.ref, figures.graders().ref, figures.fingerprints(name).ref, figures.rules().ref]
    yield Table("What is proposed, by name and fingerprint", ("What", "Name", "SHA-256"), rows, refs)
    if drafts := [rule for rule, known in given.rules.items() if not known["locked"]]:
        until = " locks them: "
        words = "Draft, and free to change under the same name until "
        yield Paragraph((words, Code("regrade freeze CORPUS"), until, *joined(drafts), "."))


def reproduce(given: Given) -> Iterator[Block]:
    """Every figure with its command."""
    yield Heading(2, "How to reproduce", "reproduce")
    yield Paragraph(
        (
            "Beside each number stands the row of this table whose command gives it again. Run it in the folder of the"
            " audit, where ",
            Code(FILE_NAME),
            " lies; ",
            Code("CORPUS"),
            " is the folder of corpus.toml. Of a command of ",
            Code("regrade"),
            " the numbers stand at the path that is named, in what ",
            Code("--json"),
            " prints. Any other is a query over the store, for instance by:",
        )
    )
    yield Reading(RUNNER)
    rows: list[list[Any]] = [[Target(f.name), f.what, _gives(f), Code(f.command)] for f in given.figures]
    yield Table("Every number and its command", ("Row", "What", "Gives", "Command or query"), rows)


def _gives(figure: Figure) -> Line:
    if figure.is_query:
        values = [v for row in figure.rows for v in row if isinstance(v, int) and not isinstance(v, bool)]
        shown = ", ".join(f"{value:,}" for value in values) if 0 < len(values) <= SHORT else ""
        return shown or plural(len(figure.rows), "row")
    paths = [path.split(".") for path, _ in figure.rows]
    if len(paths) <= SHORT:
        return [s for path, value in figure.rows for s in _pathed(path, value)][:-1]
    shared = next(n for n, keys in enumerate(zip(*paths, strict=False)) if len({*keys}) > 1)
    below = [".".join(paths[0][:shared])] if shared else dict.fromkeys(path[0] for path in paths)
    return (f"{plural(len(paths), 'number')} below ", *joined([*below]))


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return "as frozen" if value == SAME else plural(len(value), "record")
    if isinstance(value, list) and value:
        return plural(len(value), "name" if all(isinstance(each, str) for each in value) else "record")
    return "none" if value is None or value == [] else grouped(value)


def _pathed(path: str, value: Any) -> Iterable[Span]:
    told = _told(value)
    return (f"{told} at ", Code(path), ", ")
