"""Build the report: static pages, the same bytes for the same store and library versions."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jinja2
from duckdb import DuckDBPyConnection
from markupsafe import Markup

from regrade.files.corpus import Corpus
from regrade.pages import FOLDER, REPORT, engine, inline
from regrade.report.blocks import sheet_blocks
from regrade.report.charts import Chart, Drawn
from regrade.report.moved import sheet_name
from regrade.report.page import Page, plural, rule_state, share
from regrade.report.rates import band_text, gap_text, interval_text, record_text
from regrade.report.sections.answer import answer
from regrade.report.sections.bands import bands
from regrade.report.sections.beyond import beyond
from regrade.report.sections.breakdowns import breakdowns
from regrade.report.sections.candidates import candidates
from regrade.report.sections.evidence import evidence
from regrade.report.sections.head import head
from regrade.report.sections.integrity import integrity
from regrade.report.sections.items import items
from regrade.report.sections.limits import limits
from regrade.report.sections.metrics import metrics
from regrade.report.sections.needs import needs
from regrade.report.sections.partitions import partitions
from regrade.report.sections.probes import probes
from regrade.report.sections.ranks import ranks
from regrade.report.sections.review import review
from regrade.report.sections.rules import rules
from regrade.report.sections.tiers import tiers
from regrade.report.sections.transitions import transitions
from regrade.report.shown import anchor, between_tags, excerpt, prose, slug
from regrade.report.trials import UNKNOWN
from regrade.signs import visible

Section = Callable[[Page], dict[str, Any] | None]
"""Gives a template of its name what it shows, `title` among it; None where the corpus has nothing of the kind.

`charts`, where it has some, are `{name: Chart}`; the template is given them drawn.
"""

Draw = Callable[[Sequence[Chart]], Drawn]
"""Begins to draw charts; what it gives waits for them."""

SECTIONS: tuple[Section, ...] = (
    head,
    answer,
    limits,
    integrity,
    tiers,
    candidates,
    needs,
    transitions,
    metrics,
    bands,
    breakdowns,
    beyond,
    partitions,
    ranks,
    items,
    probes,
    rules,
    review,
    evidence,
)
"""In the order of the page; `head` is its header."""


def build_pages(
    con: DuckDBPyConnection, corpus: Corpus, summary: dict[str, Any], warnings: Sequence[str], draw: Draw | None = None
) -> Iterator[tuple[str, str]]:
    """Make the pages as text, each with its name: those of the folder of trials, where there is one, then the report.

    Args:
        con: a graded store.
        corpus: the corpus as declared.
        summary: what `summary.json` says; its `outputs` are not needed.
        warnings: what a reader must know before the figures.
        draw: draws charts while the pages of trials are made; without it each is a table.
    """
    page = Page(con, corpus, summary, warnings)
    shown = {section.__name__: found for section in SECTIONS if (found := section(page)) is not None}
    asked = [chart for found in shown.values() for chart in found.get("charts", {}).values()]
    drawn = draw(asked) if draw is not None else lambda: asked
    for name, text in _trials(page):
        yield f"{FOLDER}/{name}", text
    yield REPORT, _report(page, shown, {chart.name: chart for chart in drawn()})


def _report(page: Page, shown: Mapping[str, dict[str, Any]], drawn: Mapping[str, Chart]) -> str:
    pages = page_engine(page)
    made = []
    for name, found in shown.items():
        charts = {key: drawn[chart.name] for key, chart in found.get("charts", {}).items()}
        body = pages.get_template(f"{name}.html").render({**found, "charts": charts})
        made.append({"name": name, "title": found["title"], "body": Markup(body)})
    whole = pages.get_template("page.html")
    title = f"{made[0]['title']}: audit"
    script = inline(pages, "page.js") if "evidence" in shown else None
    return whole.render(title=title, style=inline(pages, "page.css"), script=script, head=made[0], sections=made[1:])


def _trials(page: Page) -> Iterator[tuple[str, str]]:
    sheets = page.moved.sheets
    pages = page_engine(page, home=f"../{REPORT}")
    style = inline(pages, "page.css")
    for place, blocks in enumerate(sheet_blocks(page)):
        yield (
            sheet_name(place),
            pages.get_template("trials.html").render(
                title=f"{page.corpus.name}: trials, page {place + 1} of {len(sheets)}",
                style=style,
                script=None,
                number=place + 1,
                count=len(sheets),
                before=sheet_name(place - 1) if place else None,
                after=sheet_name(place + 1) if place + 1 < len(sheets) else None,
                items=blocks,
            ),
        )


def page_engine(page: Page, home: str = "") -> jinja2.Environment:
    """The engine of every page that shows an audit, from which the report is `home`."""
    pages = engine("regrade.report", finalize=finalize)
    pages.globals.update(page=page, anchor=anchor, share=share, plural=plural, excerpt=excerpt, state=rule_state)
    pages.globals.update(quoted=shlex.quote, unknown=UNKNOWN, slug=slug, home=home, simulated=page.corpus.simulated)
    pages.globals.update(band_text=band_text, gap_text=gap_text, interval_text=interval_text, record_text=record_text)
    pages.filters["prose"] = lambda text: prose(text, page.links)
    pages.filters["raw"] = lambda text: None if text is None else between_tags(text)
    return pages


def finalize(value: Any) -> Any:
    """What every expression of a template passes: numbers are grouped, null is a dash, text is made visible."""
    if value is None:
        return "\u2013"
    if isinstance(value, str):
        return value if isinstance(value, Markup) else visible(value)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
