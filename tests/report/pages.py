"""Read a page back: its tables by caption, its links, ids and headings."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import regrade.report

OURS = (Path(regrade.report.__file__).parent / "templates" / "page.js").read_text("utf-8")
"""The one script of a report."""

VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}


class Page(HTMLParser):
    """Tables by caption, ids, links, where a text's first link leads, headings; a crossed element is an error."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: dict[str, list[list[str]]] = {}
        self.ids: list[str] = []
        self.links: list[str] = []
        self.targets: dict[str, str] = {}
        self.headings: list[tuple[int, str]] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.scripts: list[str] = []
        self._open: list[str] = []
        self._link = ""
        self._rows: list[list[str]] = []
        self._text = ""
        self._caption = ""
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        known = dict(attrs)
        if known.get("id"):
            self.ids.append(str(known["id"]))
        if tag == "a":
            self.links.append(str(known["href"]))
            self._link = ""
        if tag not in VOID:
            self._open.append(tag)
        if tag == "table":
            self._rows = []
        if tag == "tr":
            self._rows.append([])
        if tag in ("caption", "td", "th") or re.fullmatch("h[1-6]", tag):
            self._text = ""
        if tag == "th":
            assert "scope" in known

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        text = " ".join(self._text.split())
        if tag == "a":
            self.targets.setdefault(self._link, self.links[-1])
        if tag == "caption":
            self._caption = text
        if tag in ("td", "th"):
            assert text != "None", "what is not known is a dash"
            self._rows[-1].append(text)
        if tag == "table":
            assert self._caption
            self.tables[self._caption] = self._rows
            self._caption = ""
        if re.fullmatch("h[1-6]", tag):
            self.headings.append((int(tag[1]), text))

    def handle_data(self, data: str) -> None:
        self._text += data
        if self._open and self._open[-1] == "script":
            self.scripts.append(data)
        self._link += data


def replies(text: str) -> list[str]:
    """The source of each reply box of a page."""
    return re.findall(r'<pre class="reply" dir="auto">\n(.*?)</pre>', text, re.DOTALL)


def unmarked(source: str) -> str:
    """The text of a reply box, labels and marks taken out."""
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"<b\b[^>]*>[^<]*</b>", "", source)))


def marked(source: str) -> list[tuple[str, str]]:
    """(labels, text) of each marked piece of a reply box."""
    found = re.findall(r"<mark[^>]*>((?:<b title=[^>]*>[^<]*</b>)*)([^<]*)</mark>", source)
    return [(" | ".join(re.findall(r"<b[^>]*>([^<]*)</b>", labels)), unescape(text)) for labels, text in found]


def told(text: str) -> str:
    """The words of a page, tags taken out."""
    return " ".join(unescape(re.sub(r"<[^>]*>", "", text)).split())
