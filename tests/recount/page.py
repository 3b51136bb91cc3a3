"""The numbers of a page: each with its section and the text that it stands in, quoted material left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple

NUMBER = re.compile(r"(?<![\w.\-/])-?\d[\d,]*(?:\.\d+)?%?(?![\w])")
"""A number that is no part of a name: `v2`, `T39` and `0.5.1-x` have none."""
QUOTED = {"pre", "code", "style", "script", "svg", "nav", "blockquote", "bdi"}
"""Elements of transcripts, prompts and sources, and names: `bdi` holds nothing but these."""
UNITS = {"tr", "p", "li", "caption", "figcaption", "summary", "h1", "h2", "h3", "h4", "dd", "dt", "th", "td"}
VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}


class Unit(NamedTuple):
    """A sentence, a row or a heading."""

    section: str
    text: str

    @property
    def numbers(self) -> list[str]:
        return NUMBER.findall(self.text)


class Texts(HTMLParser):
    """The units of a page in order; a cell is part of its row."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.units: list[Unit] = []
        self._section = "header"
        self._open: list[str] = []
        self._text: list[list[str]] = [[]]
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "section":
            self._section = str(dict(attrs).get("id"))
        if tag in VOID:
            self._text[-1].append(" ")
            return
        self._open.append(tag)
        if tag in UNITS - {"th", "td"}:
            self._text.append([])
        elif tag in ("th", "td"):
            self._text[-1].append(" | ")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass
        if tag in UNITS - {"th", "td"}:
            said = " ".join("".join(self._text.pop()).split())
            if said:
                self.units.append(Unit(self._section, said))

    def handle_data(self, data: str) -> None:
        if not QUOTED & set(self._open):
            self._text[-1].append(data)


def units(text: str) -> Iterator[Unit]:
    """The units of a page that hold a number."""
    return (unit for unit in Texts(text).units if unit.numbers)
