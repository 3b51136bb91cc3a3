"""Build the report: one static page, the same bytes for the same store and library versions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jinja2
from duckdb import DuckDBPyConnection
from markupsafe import Markup

from regrade.files.corpus import Corpus
from regrade.pages import engine, inline
from regrade.report.charts import Chart
from regrade.report.page import Page, plural, rule_state, share
from regrade.report.rates import band_text, gap_text, interval_text, record_text
from regrade.report.sections.answer import answer
from regrade.report.sections.bands import bands
from regrade.report.sections.breakdowns import breakdowns
from regrade.report.sections.candidates import candidates
from regrade.report.sections.evidence import evidence
from regrade.report.sections.head import head
from regrade.report.sections.integrity import integrity
from regrade.report.sections.items import items
from regrade.report.sections.limits import limits
from regrade.report.sections.metrics import metrics
from regrade.report.sections.partitions import partitions
from regrade.report.sections.probes import probes
from regrade.report.sections.ranks import ranks
from regrade.report.sections.review import review
from regrade.report.sections.rules import rules
from regrade.report.sections.tiers import tiers
from regrade.report.shown import anchor, cut, excerpt, prose
from regrade.report.trials import UNKNOWN
from regrade.signs import tagged, visible

Section = Callable[[Page], dict[str, Any] | None]
"""Gives a template of its name what it shows, `title` among it; None where the corpus has nothing of the kind.

`charts`, where it has some, are `{name: Chart}`; the template is given them drawn.
"""

Draw = Callable[[Sequence[Chart]], list[Chart]]
"""Gives charts their pictures, those that it can, in the same order."""

SECTIONS: tuple[Section, ...] = (
    head,
    answer,
    limits,
    integrity,
    tiers,
    candidates,
    metrics,
    bands,
    breakdowns,
    partitions,
    ranks,
    items,
    probes,
    rules,
    review,
    evidence,
)
"""In the order of the page; `head` is its header."""


def build_report(
    con: DuckDBPyConnection, corpus: Corpus, summary: dict[str, Any], warnings: Sequence[str], draw: Draw = list
) -> str:
    """Make the page as text.

    Args:
        con: a graded store.
        corpus: the corpus as declared.
        summary: what `summary.json` says; its `outputs` are not needed.
        warnings: what a reader must know before the figures.
        draw: gives charts their pictures; without it each is a table.
    """
    page = Page(con, corpus, summary, warnings)
    pages = _engine(page)
    shown = {section.__name__: found for section in SECTIONS if (found := section(page)) is not None}
    asked = [chart for found in shown.values() for chart in found.get("charts", {}).values()]
    drawn = {chart.name: chart for chart in draw(asked)}
    made = []
    for name, found in shown.items():
        charts = {key: drawn[chart.name] for key, chart in found.get("charts", {}).items()}
        body = pages.get_template(f"{name}.html").render({**found, "charts": charts})
        made.append({"name": name, "title": found["title"], "body": Markup(body)})
    css, digest = inline(pages, "page.css")
    return pages.get_template("page.html").render(css=css, digest=digest, head=made[0], sections=made[1:])


class _Compiled(jinja2.BytecodeCache):
    """Templates compiled once a process, for every page that it makes."""

    def __init__(self) -> None:
        self._code: dict[str, bytes] = {}

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        if bucket.key in self._code:
            bucket.bytecode_from_string(self._code[bucket.key])

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        self._code[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _Compiled()


def _engine(page: Page) -> jinja2.Environment:
    pages = engine("regrade.report", finalize=finalize, bytecode_cache=_COMPILED)
    pages.globals.update(page=page, anchor=anchor, share=share, plural=plural, excerpt=excerpt, state=rule_state)
    pages.globals.update(unknown=UNKNOWN)
    pages.globals.update(band_text=band_text, gap_text=gap_text, interval_text=interval_text, record_text=record_text)
    pages.filters["prose"] = lambda text: prose(text, page.links)
    pages.filters["raw"] = lambda text: None if text is None else tagged(cut(text))
    return pages


def finalize(value: Any) -> Any:
    """What every expression of a template passes: numbers are grouped, null is a dash, text is made visible."""
    if value is None:
        return "\u2013"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
