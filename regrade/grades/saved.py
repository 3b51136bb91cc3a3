"""What saved text holds: the usable records of JSON Lines, a field as it stands, the scores of an item's epochs."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from statistics import fmean
from typing import Any

from regrade.files.loaders.jsonl import lines
from regrade.files.loaders.loader import MAX_LINE

_BOM = "\ufeff"


def usable_records(text: str) -> list[str]:
    """Take the lines of a JSON Lines text that hold an object, each as it stands.

    Lines end where the loader of that format ends them. A lone surrogate escape is usable, unlike in a corpus, whose
    texts the store has to hold; so is a record behind a byte-order mark of its own.
    """
    stream = io.BytesIO(text.encode(errors="surrogatepass"))
    cut = [record for batch in lines(stream, MAX_LINE) for record in batch.column("text").to_pylist() if record]
    return [bare for record in cut if isinstance(_value(bare := record.lstrip(_BOM)), dict)]


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def field_as_stored(text: str, field: str | None = None) -> str | None:
    """Take a field of one record of a table as its text, whatever type it looks like.

    Args:
        text: JSON Lines, or CSV or tab-separated text with a header.
        field: name of the field; None is `answer`, else the last field.

    Returns:
        Of the record whose `id` is `a`, else of the first: the characters of a text or cell, and of any other JSON
        value those that stand in the record. None for null, and where the record or the field is not there.
    """
    is_json = text.lstrip(_BOM).lstrip().startswith("{")
    records = [_members(record) for record in usable_records(text)] if is_json else _rows(text)
    record = next((record for record in records if record.get("id") == "a"), next(iter(records), {}))
    if field is None:
        return record.get("answer", next(reversed(record.values()), None))
    return record.get(field)


_MEMBER = re.compile(r'\s*[{,]\s*("(?:[^"\\]|\\.)*+")\s*:\s*', re.DOTALL)


def _members(record: str) -> dict[str, str | None]:
    """The members of a JSON object: a text as it is, null as None, any other value as it is written."""
    found: dict[str, str | None] = {}
    at = 0
    while member := _MEMBER.match(record, at):
        value, at = json.JSONDecoder().raw_decode(record, member.end())
        found[json.loads(member[1])] = value if value is None or isinstance(value, str) else record[member.end() : at]
    return found


def _rows(text: str) -> list[dict[str, str | None]]:
    text = text.lstrip(_BOM)
    header = text.partition("\n")[0]
    delimiter = max(",", "\t", ";", key=header.count)
    try:
        return [
            {name: value for name, value in row.items() if isinstance(name, str)}
            for row in csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
        ]
    except csv.Error:
        return []


def mean_of_epochs(text: str) -> dict[str, Any] | None:
    """Reduce the scores of an item's epochs to their mean, to 4 decimals, beside how many were scored and were not.

    An epoch whose score is no finite number (null, NaN, a text) is unscored: no wrong answer, and in no mean. True and
    false are 1 and 0.

    Args:
        text: a list as JSON or Python writes it.

    Returns:
        `mean` (None where no epoch is scored), `scored`, `unscored`; None where the text is no list.
    """
    listed = re.fullmatch(r"\s*\[(.*)\]\s*", text, re.DOTALL)
    if listed is None:
        return None
    epochs = [_score(part.strip(" \t\r\n\"'")) for part in listed[1].split(",")] if listed[1].strip() else []
    scored = [score for score in epochs if score is not None]
    mean = round(fmean(scored), 4) if scored else None
    return {"mean": mean, "scored": len(scored), "unscored": len(epochs) - len(scored)}


def _score(text: str) -> float | None:
    try:
        score = {"true": 1.0, "false": 0.0}.get(text.lower()) if text.isalpha() else float(text)
    except ValueError:
        return None
    return score if score is not None and math.isfinite(score) else None
