"""The markers that a text cites, such as `[K1]`, and those by which retrieved chunks are known."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["cited", "known_markers"]

_MARKER = r"[A-Za-z]{0,12}[-_:.#]?\d{1,6}"
_JOIN = r"\s*(?:[,;/&|]|and|to|-|\u2013|\u2014)\s*"
_BRACKETED = re.compile(
    rf"(?<!\w)[\[\u3010]\s*\^?(?P<list>(?:[a-z]+:\s*)?{_MARKER}(?:{_JOIN}{_MARKER})*)\s*[\]\u3011]"
    rf"|(?<=\])\[\s*(?P<next>{_MARKER}(?:{_JOIN}{_MARKER})*)\s*\]",
    re.IGNORECASE,
)
"""A marker or several in brackets; not an index into something."""
_RANGE = re.compile(rf"(?P<first>{_MARKER})\s*(?:-|\u2013|\u2014|\bto\b)\s*(?P<last>{_MARKER})", re.IGNORECASE)
_ONE = re.compile(_MARKER)
_PARTS = re.compile(r"(?P<prefix>.*?)(?P<number>\d+)\Z", re.DOTALL)
_CODE = re.compile(r"^ {0,3}(```+|~~~+)[^\n]*\n.*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_LONGEST = 100
"""Markers that a range may stand for; a longer one is two markers."""

_HEAD = re.compile(
    rf"^[ \t>]*(?:[-*\u2022][ \t]+)?(?:\*\*)?(?:[\[\u3010(]\s*(?P<in>{_MARKER})\s*[\]\u3011)]"
    rf"|(?P<bare>[A-Za-z]+[-_]?\d{{1,6}})\s*[:|\u2013\u2014])"
    rf"|\"id\"\s*:\s*\"(?P<key>{_MARKER})\"|\bid=[\"']?(?P<tag>{_MARKER})\b",
    re.MULTILINE,
)
"""How a chunk begins: its marker in brackets or before a colon, or its id in JSON or in a tag."""


def known_markers(retrieved: str) -> list[str]:
    """Take the markers of the chunks that a retriever returned, in order.

    Those with which a chunk begins; one that stands within the text of a chunk names another, which was not returned.
    Where no chunk begins with one, every marker counts.
    """
    heads = [found["in"] or found["bare"] or found["key"] or found["tag"] for found in _HEAD.finditer(retrieved)]
    return list(dict.fromkeys(heads)) or cited(retrieved)


def cited(text: str, known: list[str] | None = None) -> list[str]:
    """Take the markers that a text cites, each once, in the order in which it first cites them.

    A marker in brackets is cited whether or not it is written as a link; a list or a range in brackets cites each. One
    without brackets is cited where it is made as the known ones are (letters, then a number).

    Args:
        text: a reply, or any text.
        known: markers of the retrieved chunks; one that differs from a known one only in case is that one.
    """
    spelled = {marker.casefold(): marker for marker in known or ()}
    text = _CODE.sub("\n", text)
    found = [(m.start(), marker) for m in _BRACKETED.finditer(text) for marker in _each(m["list"] or m["next"])]
    prefixes = {p["prefix"] for marker in known or () if (p := _PARTS.match(marker)) and p["prefix"].isalpha()}
    if prefixes:
        bare = rf"(?<![\w.])(?:{'|'.join(map(re.escape, sorted(prefixes)))})\d{{1,6}}(?![\w%])"
        found += [(m.start(), m[0]) for m in re.finditer(bare, text)]
    return list(dict.fromkeys(_spelled(marker, spelled, prefixes) for _, marker in sorted(found, key=lambda f: f[0])))


def _each(listed: str) -> Iterator[str]:
    at = 0
    while one := _ONE.search(listed, at):
        several = _RANGE.match(listed, one.start())
        markers = _between(several["first"], several["last"]) if several else []
        yield from markers or [one[0]]
        at = several.end() if several and markers else one.end()


def _between(first: str, last: str) -> list[str]:
    begin, end = _PARTS.match(first), _PARTS.match(last)
    if begin is None or end is None or end["prefix"] not in (begin["prefix"], ""):
        return []
    low, high = int(begin["number"]), int(end["number"])
    return [f"{begin['prefix']}{number}" for number in range(low, high + 1)] if low < high <= low + _LONGEST else []


def _spelled(marker: str, known: dict[str, str], prefixes: set[str]) -> str:
    """A marker as the known ones are written."""
    if marker.casefold() in known:
        return known[marker.casefold()]
    parts = _PARTS.match(marker)
    prefix = parts["prefix"] if parts else ""
    alike = next((p for p in sorted(prefixes) if p.casefold() == prefix.casefold()), prefix)
    return f"{alike}{marker[len(prefix) :]}"
