"""The child process: reads the charts that a page asks for, writes their pictures."""

from __future__ import annotations

import importlib
import json
import re
import sys
from typing import Any

import vl_convert

from regrade.report.drawing.ink import CONFIG

_ID = re.compile(r'(\bid="|url\(#)')
_PATH = re.compile(r'(?<= d=")[^"]*')
_NUMBER = re.compile(r"\d+\.\d{2,}")


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
    # Two pictures on one page may not share an id.
    return _ID.sub(rf"\g<1>{name}-", svg)


main()
