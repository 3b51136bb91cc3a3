"""Shown: hostile text made fit to be seen, and the places of readings marked in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup, escape

from regrade.signs import tagged, visible
from regrade.tables.schema import KEPT as STORED

_CODE = re.compile(r"`([^`\n]+)`")

KEPT = 2000
"""Characters kept at each end of a stretch of text that is cut in its middle."""

AROUND = 200
"""Characters of a reply that are kept at its ends and beside each edge of a reading."""


def prose(text: str, links: Mapping[str, str]) -> Markup:
    """Show a text with its `code` as code; a name that `links` has leads to its place in the page."""
    parts = []
    for place, part in enumerate(_CODE.split(text)):
        shown = escape(visible(part))
        if place % 2:
            shown = Markup("<code>{}</code>").format(shown)
            if part in links:
                shown = Markup('<a href="#{}">{}</a>').format(links[part], shown)
        parts.append(shown)
    return Markup("").join(parts)


def excerpt(grade: Mapping[str, Any], what: str) -> str | None:
    """What a grade holds as its answer or value, with an ellipsis where the store has its beginning only."""
    text: str | None = grade[what]
    if text is None or len(text) < STORED:
        return text
    start, stop = grade.get(f"{what}_start"), grade.get(f"{what}_stop")
    return text if start is not None and stop - start <= STORED else f"{text}\u2026"


def between_tags(text: str, kept: int = KEPT) -> Markup:
    """Show a text of a transcript as the content of an element, its middle left out where it is long.

    Quotes need no escape there, and results of calls are full of them.
    """
    shown = str(tagged(cut(text, kept)))
    return Markup(shown.replace("&#34;", '"').replace("&#39;", "'"))


def anchor(kind: str, *parts: str) -> str:
    """Make the `id` of a place in the page; different parts never give the same one."""
    return "-".join((kind, *map(slug, parts)))


def slug(text: str) -> str:
    """A text in the letters of an `id`; different texts never give the same one."""
    return re.sub(r"[^A-Za-z0-9_/]", _encoded, text)


def _encoded(found: re.Match[str]) -> str:
    return "".join(f".{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass"))


def cut(text: str, kept: int = KEPT) -> str:
    """Leave out the middle of a long text, but for `kept` characters at each end, and say how much of it."""
    left_out = len(text) - 2 * kept
    if left_out <= 0:
        return text
    return f"{text[:kept]}\n[\u2026 {left_out:,} characters left out \u2026]\n{text[-kept:]}"


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a reply where something was read."""

    start: int
    """First code point, from 0."""
    stop: int
    """Code point after the last; equal to `start` for an empty answer."""
    label: str
    """Who read what here, in short: the frozen grader, one candidate, how many more: `frozen, v2 +3 value`."""
    frozen: bool
    """The frozen grader is among those who read it."""
    candidate: bool
    """A candidate is."""
    readers: str = ""
    """All who read it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text over which the same marks lie."""

    text: str
    start: int
    opens: tuple[Mark, ...]
    """Marks that begin here, the widest first."""
    inside: tuple[Mark, ...]
    """Marks that lie over all of it."""
    closes: tuple[Mark, ...]
    """Marks that end with it."""

    @property
    def style(self) -> str:
        """Class names: f(rozen), c(andidate), o(pens), z for closes."""
        kinds = (
            ("f", any(m.frozen for m in self.inside)),
            ("c", any(m.candidate for m in self.inside)),
            ("o", bool(self.opens)),
            ("z", bool(self.closes)),
        )
        return " ".join(letter for letter, holds in kinds if holds)


def pieces(text: str, marks: Iterable[Mark]) -> list[Piece]:
    """Split a text at the edges of its marks, so that marks that overlap need not nest.

    The pieces joined are the text; those inside a mark, joined, are exactly `text[start:stop]`. A mark without
    length has an empty piece of its own.
    """
    ordered = sorted(marks, key=lambda m: (m.start, -m.stop, m.label))
    edges = sorted({0, len(text), *(m.start for m in ordered), *(m.stop for m in ordered)})
    found = []
    for edge, following in zip(edges, [*edges[1:], None], strict=True):
        empty = tuple(m for m in ordered if m.start == m.stop == edge)
        if empty:
            found.append(Piece("", edge, empty, empty, empty))
        if following is None:
            break
        inside = tuple(m for m in ordered if m.start <= edge and following <= m.stop)
        opens = tuple(m for m in inside if m.start == edge)
        closes = tuple(m for m in inside if m.stop == following)
        found.append(Piece(text[edge:following], edge, opens, inside, closes))
    return found


def reading_marks(reply: str, readings: Sequence[tuple[str, bool, dict[str, Any]]]) -> list[Mark]:
    """Marks of what graders read in a reply; those who read the same characters share one.

    Args:
        reply: the raw text that positions count in.
        readings: (name, is the frozen grader, grade with `answer_start` and so on); a null position has no mark.
    """
    places: dict[tuple[int, int], dict[str, list[str]]] = {}
    frozen_names = {who for who, frozen, _ in readings if frozen}
    for who, _, grade in readings:
        for what in ("answer", "value"):
            start, stop = grade[f"{what}_start"], grade[f"{what}_stop"]
            if start is not None and stop is not None and 0 <= start <= stop <= len(reply):
                places.setdefault((start, stop), {}).setdefault(who, []).append(what)
    return [
        Mark(
            start,
            stop,
            _label(start == stop, who, frozen_names),
            frozen=bool(who.keys() & frozen_names),
            candidate=bool(who.keys() - frozen_names),
            readers=_readers(who),
        )
        for (start, stop), who in places.items()
    ]


def _label(empty: bool, by_name: dict[str, list[str]], frozen_names: set[str]) -> str:
    """The first frozen grader and the first candidate, how many more there are, and what they read."""
    frozen = [who for who in by_name if who in frozen_names]
    named = frozen[:1] + [who for who in by_name if who not in frozen_names][:1]
    more = f" +{len(by_name) - len(named)}" if len(by_name) > len(named) else ""
    what = sorted({what for read in by_name.values() for what in read})
    return f"{', '.join(named)}{more} {' and '.join(what)}{' (empty)' if empty else ''}"


def _readers(by_name: dict[str, list[str]]) -> str:
    together: dict[tuple[str, ...], list[str]] = {}
    for who, what in by_name.items():
        together.setdefault(tuple(what), []).append(who)
    return "; ".join(f"{', '.join(names)} {' and '.join(what)}" for what, names in together.items())


def shorten(text: str, marks: Sequence[Mark], kept: int = AROUND) -> tuple[str, list[Mark]]:
    """Leave out stretches of a long text that are far from its ends and from the edges of the marks.

    Returns:
        The text, each stretch in a row of its own that says how long it was, and the marks at their new places.
    """
    edges = sorted({0, len(text), *(mark.start for mark in marks), *(mark.stop for mark in marks)})
    parts, moved, done, length = [], {}, 0, 0
    for edge in edges:
        begin = max(done, edge - kept)
        sign = f"\n[\u2026 {begin - done:,} characters left out \u2026]\n"
        if begin - done > len(sign):
            parts.append(sign)
            length += len(sign)
        else:
            begin = done
        moved[edge] = length + edge - begin
        end = max(begin, min(len(text), edge + kept))
        parts.append(text[begin:end])
        length, done = length + end - begin, end
    return "".join(parts), [replace(mark, start=moved[mark.start], stop=moved[mark.stop]) for mark in marks]
