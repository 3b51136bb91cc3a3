"""The numbers of a page: each with its section and the text that it stands in, quoted material left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from html.parser import HTMLParser
from typing import NamedTuple

NUMBER = re.compile(r"(?<![\w.\-/\u2026])(?:< )?[-\u2212+]?\d[\d,]*(?:\.\d+)?(?:%| points)?(?!\.?\w)")
"""A number that is no part of a name: `v2`, `T39` and `0.5.1` have none."""
QUOTED = {"pre", "code", "style", "script", "svg", "nav"}
"""Elements of transcripts, prompts, rules and codes."""
UNITS = {"tr", "p", "li", "caption", "figcaption", "summary", "h1", "h2", "h3", "h4", "dd", "dt"}
VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}


class Unit(NamedTuple):
    """A sentence, a row or a heading."""

    section: str
    text: str
    table: int
    """Which table of the page it is a row or the caption of; 0 of none."""
    after: int
    """The table that comes after what is of none."""

    @property
    def numbers(self) -> list[str]:
        return NUMBER.findall(self.text)


class Texts(HTMLParser):
    """The units of a page that hold a number, in order; a cell is part of its row, a name is an ellipsis."""

    def __init__(self, text: str, names: Collection[str]) -> None:
        """Read a page of which `names` are known: an element that says one of them says nothing else."""
        super().__init__(convert_charrefs=True)
        self.units: list[Unit] = []
        self._names = {name for name in names if not re.fullmatch(r"[-\d.,%/ ]*", name)}
        self._section = "header"
        self._open: list[str] = []
        self._text: list[list[str]] = [[]]
        self._piece: list[str] = []
        self._table = 0
        self.rows: Counter[int] = Counter()
        """Rows of each table, its head left out."""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._end_piece()
        if tag == "section" and "section" not in self._open:
            self._section = str(dict(attrs)["id"])
        self._table += tag == "table"
        if tag in VOID:
            self._text[-1].append("" if tag == "wbr" else " ")
            return
        # What is quoted may be written from either side; so may a name, which is masked if it is known.
        self._open.append("pre" if tag not in ("bdi", "pre") and dict(attrs).get("dir") == "auto" else tag)
        self.rows[self._table] += tag == "tr" and "thead" not in self._open
        if tag in UNITS:
            self._text.append([])
        elif tag in ("th", "td"):
            self._text[-1].append(" | ")

    def handle_endtag(self, tag: str) -> None:
        self._end_piece()
        assert self._open.pop() in (tag, "pre")
        if tag in UNITS:
            unit = Unit(self._section, " ".join("".join(self._text.pop()).split()), self._at(), self._table + 1)
            if unit.numbers:
                self.units.append(unit)

    def handle_data(self, data: str) -> None:
        if not QUOTED & set(self._open):
            self._piece.append(data)

    def _at(self) -> int:
        return self._table if "table" in self._open else 0

    def _end_piece(self) -> None:
        text, self._piece = "".join(self._piece), []
        self._text[-1].append("\u2026" if text.strip() in self._names else text)
