"""What grades and outputs rest on besides the inputs: this package and the engines under it."""

from __future__ import annotations

import functools
import hashlib
import platform
import sys
from importlib.metadata import version
from pathlib import Path

ENGINES = ("duckdb", "json-repair", "msgspec", "polars", "pyarrow", "scipy")
"""What reads, grades and counts; nothing that only shows."""

PAINTERS = ("altair", "jinja2", "vl-convert-python")
"""What only shows."""

CODE = (".py",)
PAGES = (".html", ".css", ".js")


def versions() -> dict[str, str]:
    """The version of Python and of each engine, by name."""
    return {"python": platform.python_version(), **{name: version(name) for name in ENGINES}}


@functools.cache
def code() -> str:
    """Hash of what reads, grades and shows: this package as it stands, Python, and the versions of the engines."""
    engines = {**versions(), **{name: version(name) for name in PAINTERS}}
    return hashlib.sha256(f"{sys.version} {engines} {source((*CODE, *PAGES))}".encode()).hexdigest()


@functools.cache
def source(suffixes: tuple[str, ...] = CODE) -> str:
    """Hash of the files of this package with one of some suffixes, the same on every machine."""
    package, digest = Path(__file__).parent, hashlib.sha256()
    for path in sorted(p for p in package.rglob("*") if p.suffix in suffixes):
        if "bundled_rules" not in path.parts:
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
