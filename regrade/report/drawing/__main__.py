"""The child process: reads the charts that a page asks for, writes their pictures."""

from __future__ import annotations

import importlib
import json
import re
import sys
from functools import reduce
from typing import Any

import vl_convert

from regrade.report.drawing.ink import CONFIG

_ID = re.compile(r'(\bid="|url\(#)')
_PATH = re.compile(r'(?<= d=")[^"]*')
_NUMBER = re.compile(r"\d+\.\d{2,}")
_MARKS = re.compile(r'<g( class="mark-[^>]*)>((?:<(?:path|line|text)\b[^<>]*(?:/>|>[^<]*</\w+>))+)</g>')
_INK = re.compile(r' (?:fill|stroke|stroke-width|text-anchor|font-family|font-size|font-weight)="[^"]*"')
_TAG = re.compile("<[a-z][^<>]*>")
_ROLE = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')


def main() -> None:
    """Draw a list of `{kind, name, rows, options}` from standard input: a list of SVG texts on standard output."""
    # The renderer takes a second to start: it does while the page is still being counted.
    vl_convert.vegalite_to_svg({"data": {"values": [{}]}, "mark": "point"})
    json.dump([_drawn(**asked) for asked in json.load(sys.stdin)], sys.stdout)


def _drawn(kind: str, name: str, rows: list[dict[str, Any]], options: dict[str, Any]) -> str | None:
    drawing = importlib.import_module(f"regrade.report.drawing.{kind}")
    try:
        chart = drawing.draw(rows, options).configure(**CONFIG)
        svg = vl_convert.vegalite_to_svg(chart.to_dict(validate=False))
    except ValueError:
        return None
    # A tenth of a pixel is as fine as is seen, and a third of the bytes.
    svg = _PATH.sub(lambda path: _NUMBER.sub(lambda number: f"{float(number[0]):.1f}", path[0]), svg)
    # The picture is one thing with one text; its parts say nothing of their own.
    svg = _TAG.sub(lambda tag: _ROLE.sub("", tag[0]), svg)
    # Two pictures on one page may not share an id.
    return _ID.sub(rf"\g<1>{name}-", _MARKS.sub(_told_once, svg))


def _told_once(marks: re.Match[str]) -> str:
    """A group of marks that says itself what each of them would: what children inherit, and a grid has hundreds."""
    group, body = marks.groups()
    inks = [set(_INK.findall(tag)) for tag in _TAG.findall(body)]
    shared = sorted(set.intersection(*inks))

    def bare(tag: re.Match[str]) -> str:
        return reduce(lambda text, ink: text.replace(ink, "", 1), [*shared, ' opacity="1"'], tag[0])

    return f"<g{group}{''.join(shared)}>{_TAG.sub(bare, body)}</g>"


main()
