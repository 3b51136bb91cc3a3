"""The engine that every page is made with."""

from __future__ import annotations

from typing import Any

import jinja2


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
