"""JSON: one document that is a list of objects, or a single object over several lines."""

from __future__ import annotations

import re

from regrade.files.loaders import jsonl
from regrade.files.loaders.json_text import elements
from regrade.files.loaders.loader import BOM, Loader, of_stream

_LIST = re.compile(rb"\[\s*\{")
_OBJECT = re.compile(rb'\{\s*"')


def looks_like(head: bytes) -> bool:
    """Whether the document begins as a list of objects, or as an object that no line holds by itself."""
    head = head.removeprefix(BOM).lstrip()
    return bool(_LIST.match(head) or _OBJECT.match(head) and not jsonl.looks_like(head))


LOADER = Loader(
    name="json",
    about="JSON: a list of objects, or one object; the fields are named in [columns].",
    looks_like=looks_like,
    records=of_stream(elements),
)
