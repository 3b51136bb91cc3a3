"""The engine that every page is made with."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import jinja2
from markupsafe import Markup

REPORT = "report.html"
"""The report, in the folder of an audit."""

FOLDER = "trials"
"""The folder beside a report with its trials, where they are too many for one page."""

MADE_BY = '<meta name="generator" content="regrade">'
"""What tells a page of that folder from a file of the user's own."""


def engine(package: str, **more: Any) -> jinja2.Environment:
    """A template engine for hostile text: everything is escaped, and a name that is missing raises.

    Args:
        package: the package beside whose modules `templates/` stands.
        more: further options of `jinja2.Environment`.
    """
    return jinja2.Environment(
        loader=jinja2.PackageLoader(package),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        **more,
    )


def inline(pages: jinja2.Environment, name: str) -> tuple[Markup, Markup]:
    """A style or script of ours as it stands in a page, and the hash by which the page's policy admits it."""
    text = pages.loader.get_source(pages, name)[0]  # type: ignore[union-attr]
    return Markup(text), Markup(base64.b64encode(hashlib.sha256(text.encode()).digest()).decode())
