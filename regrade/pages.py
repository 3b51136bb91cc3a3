"""The engine that every page is made with."""

from __future__ import annotations

import base64
import hashlib
import sys
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from regrade.code import code

REPORT = "report.html"
"""The report, in the folder of an audit."""

FOLDER = "trials"
"""The folder beside a report with its trials, where they are too many for one page."""

MADE_BY = '<meta name="generator" content="regrade">'
"""What tells a page of that folder from a file of the user's own."""


class _Compiled(jinja2.FileSystemBytecodeCache):
    """Compiled templates, kept where Python keeps compiled modules; where it may not, in this process alone."""

    def __init__(self) -> None:
        super().__init__(str(Path(cache_from_source(__file__)).parent), "template-%s.cache")
        self._code: dict[str, bytes] = {}

    def get_source_checksum(self, source: str) -> str:
        # What the engine is told of constants is compiled in.
        return hashlib.sha256(f"{code()} {source}".encode()).hexdigest()

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        if bucket.key in self._code:
            bucket.bytecode_from_string(self._code[bucket.key])
        else:
            try:
                super().load_bytecode(bucket)
            except Exception:
                # A damaged one, of which unpickling may raise anything, is compiled again.
                bucket.reset()

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        self._code[bucket.key] = bucket.bytecode_to_string()
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                super().dump_bytecode(bucket)


_COMPILED = _Compiled()


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
        bytecode_cache=_COMPILED,
        **more,
    )


def inline(pages: jinja2.Environment, name: str) -> tuple[Markup, Markup]:
    """A style or script of ours as it stands in a page, and the hash by which the page's policy admits it."""
    text = pages.loader.get_source(pages, name)[0]  # type: ignore[union-attr]
    return Markup(text), Markup(base64.b64encode(hashlib.sha256(text.encode()).digest()).decode())
