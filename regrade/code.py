"""What grades and outputs rest on besides the inputs: this package and the engines under it."""

from __future__ import annotations

import functools
import hashlib
import sys
from importlib.metadata import version
from pathlib import Path

ENGINES = ("duckdb", "json-repair", "msgspec", "polars", "pyarrow")


@functools.cache
def code() -> str:
    """Hash of what reads, grades and shows: this package as it stands, Python, and the versions of the engines."""
    package = Path(__file__).parent
    digest = hashlib.sha256(" ".join([sys.version, *map(version, ENGINES)]).encode())
    for path in sorted(p for p in package.rglob("*") if p.suffix in (".py", ".html", ".css", ".js")):
        if "bundled_rules" not in path.parts:
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
