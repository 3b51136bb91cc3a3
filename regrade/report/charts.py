"""Charts: what a page asks for, and the pictures that a child process draws.

A chart is asked for as plain data, and its data stands beside the picture as a table. The drawing library is loaded
in a process of its own, so that a fault of its renderer costs a picture and never the page: where none can be had, the
table stands alone.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any

from markupsafe import Markup

from regrade.signs import name as on_one_line
from regrade.signs import visible

MOST = 48
"""Characters of a label that are kept."""

BELOW = "Its numbers stand in the table below it."
"""What the text of each picture ends with."""

OFF = ("REGRADE_CHARTS", "none")
"""The variable of the environment, with the value that leaves every chart to its table."""

SECONDS = 120
"""How long the child may take for a page, after which its charts are tables."""

_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Chart:
    """A chart as a section asks for it."""

    kind: str
    """A module of `regrade.report.drawing`, which says what columns its rows have."""
    name: str
    """Unique on the page, an identifier: ids inside the picture begin with it."""
    title: str
    """What it shows as a finding, with its numbers."""
    text: str
    """What the picture looks like, for those who cannot see it."""
    columns: tuple[str, ...]
    """Names of the columns of `rows`, as the drawing knows them."""
    rows: Sequence[Sequence[Any]]
    """Text and numbers; never text of a transcript."""
    headings: tuple[str, ...]
    """The columns as the table names them."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What the drawing needs besides: titles of axes, with their denominators."""
    svg: Markup | None = None
    """The picture, once it is drawn."""

    def is_number(self, column: int) -> bool:
        """Whether a column of the table holds numbers, and is set to the right."""
        return all(isinstance(row[column], int | float) or row[column] is None for row in self.rows)

    def drawn(self, svg: str) -> Chart:
        """This chart with its picture: one thing with one text to those who have it read out."""
        opening = Markup('<svg role="img" aria-label="{}"').format(visible(f"{self.text} {BELOW}"))
        return replace(self, svg=opening + Markup(svg.removeprefix("<svg")))

    def asked(self) -> dict[str, Any]:
        """What the child is sent, with every label fit to be drawn."""
        rows = [dict(zip(self.columns, map(label, row), strict=True)) for row in self.rows]
        options = {key: label(value, 2 * MOST) for key, value in self.options.items()}
        return {"kind": self.kind, "name": self.name, "rows": rows, "options": options}


Drawn = Callable[[], list[Chart]]
"""Waits for charts to be drawn and gives them, in the order in which they were asked for."""


def label(value: Any, most: int = MOST) -> Any:
    """A text that a renderer can take: one line, no sign that XML cannot hold, of `most` characters its two ends."""
    if isinstance(value, list | tuple):
        return [label(each, most) for each in value]
    if not isinstance(value, str):
        return value
    text = _UNFIT.sub("\ufffd", on_one_line(value))
    # Names of one kind often differ at their end alone.
    return text if len(text) <= most else f"{text[: most - most // 2]}\u2026{text[len(text) - most // 2 + 1 :]}"


def identifier(*parts: str) -> str:
    """A part of a chart's name made of any names: different ones never give the same."""
    return "_".join(re.sub("[^A-Za-z0-9]", lambda found: f"-{ord(found[0]):x}-", part) for part in parts)


def wanted() -> bool:
    """Whether charts are drawn: a page without them has the same figures, as tables."""
    name, value = OFF
    return os.environ.get(name) != value


class Drawing:
    """The child that draws: started early, since loading its library takes longer than a chart.

    Use as a context; `draw` may be called once or more. Where charts are not wanted, none is started.
    """

    def __init__(self) -> None:
        self._child = self._start() if wanted() else None
        self._waiting = ThreadPoolExecutor(1)
        self._over = False
        self.undrawn = 0
        """How many of the charts that were asked for could not be drawn."""

    def __enter__(self) -> Drawing:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over = True
        if self._child is not None:
            self._child.kill()
        self._waiting.shutdown()
        self._stop()

    def draw(self, charts: Sequence[Chart]) -> Drawn:
        """Have charts drawn; what it gives waits for them, those that could not be drawn without a picture."""
        if self._child is None or not charts:
            return lambda: list(charts)
        return self._waiting.submit(self._drawn, charts).result

    def _drawn(self, charts: Sequence[Chart]) -> list[Chart]:
        drawn = self._ask(charts)
        if drawn is None:
            # One chart may have ended the child: each of the others is drawn without it.
            drawn = [found[0] if (found := self._ask([chart])) else None for chart in charts]
        self.undrawn += drawn.count(None)
        return [chart if svg is None else chart.drawn(svg) for chart, svg in zip(charts, drawn, strict=True)]

    def _ask(self, charts: Sequence[Chart]) -> list[str | None] | None:
        if self._over:
            return None
        if self._child is None or self._child.poll() is not None:
            self._stop()
            self._child = self._start()
        try:
            told, _ = self._child.communicate(json.dumps([chart.asked() for chart in charts]), timeout=SECONDS)
            drawn: list[str | None] = json.loads(told)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            self._stop()
            return None
        return drawn if len(drawn) == len(charts) else None

    @staticmethod
    def _start() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "regrade.report.drawing"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )

    def _stop(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.communicate()
            self._child = None
