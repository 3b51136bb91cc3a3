"""Broken JSON read as it was meant: quotation marks within a text, values without any, and what `json_repair` mends.

`json_repair` alone would end a text at its first quotation mark and a bare value at its first comma, and what follows
would be lost without a trace. So each text is first ended where its object or list goes on, and each bare value is
made a text up to the next key.
"""

from __future__ import annotations

import json
import re
from typing import Any

import json_repair

AS_WRITTEN = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, strict=False)
"""Numbers are text, as they are written."""


def mended(text: str) -> Any:
    """Read JSON that may be broken, numbers as they are written; None where nothing can be made of it."""
    text = _TOKEN.sub(_as_json, _CURLY.sub('"', text))
    try:
        return AS_WRITTEN.decode(text)
    except (ValueError, RecursionError):
        pass
    try:
        return json_repair.loads(text)
    except (ValueError, RecursionError):
        return None


def repaired(text: str) -> Any:
    """Read JSON as `json_repair` alone does, which may mend it into something else; None where it makes nothing of it.

    It is for a grader whose harness did so; to read what was meant, take `mended`.
    """
    try:
        return json_repair.loads(text)
    except (ValueError, RecursionError):
        return None


def closing(text: str, at: int) -> int | None:
    """Find the place after the object that begins at a place, whatever its texts hold; None where it never closes."""
    depth = 0
    for token in _BRACKET.finditer(text, at):
        if token["unclosed"] is not None:
            line = _LINE_END.search(text, token.start())
            return line and line.end()
        depth += (token[0] == "{") - (token[0] == "}")
        if not depth:
            return token.end()
    return None


_CURLY = re.compile(r"(?<=[\[{,: ])[\u201c\u201d](?=\S)|(?<=\S)[\u201c\u201d](?=\s*[,:}\]])")
_LINE_END = re.compile(r"\}(?=[ \t\r]*(?:\n|\Z))")

# A comma that may be missing, and a comment.
_GAP = r"(?=[\s,/#])\s*,?\s*(?:(?://|\#)[^\n]*\n\s*|/\*[^\n]*?\*/\s*)?"
_QUOTED_KEY = r"""(?:"[^"\n]{1,80}"|'[^'\n]{1,80}')\s*:"""
_ANY_KEY = rf"(?:{_QUOTED_KEY}|[A-Za-z_]\w*\s*:(?=\s))"
_NO_TEXT = r"(?:-?\d[\d.eE+-]*|true|false|null)"
_LAST = r"\s*(?:[\]}]|,?\s*\Z)"
_AFTER_VALUE = rf"(?={_LAST}|{_GAP}(?:[\]}}]|{_ANY_KEY})|\s*,\s*[\"']\w{{0,80}}\Z)"
_AFTER_OTHER = rf"(?={_LAST}|\s*:|\s*,[^\"\[\]{{}}\n]*\]|{_GAP}(?:[\"'\[{{\]}}]|{_NO_TEXT}\s*[,\]}}]))"
_CLOSES = rf"(?(value){_AFTER_VALUE}|{_AFTER_OTHER})"
_LEFT_OPEN = r",\s*\"[A-Za-z_]\w*\"\s*:"
_TEXT = (
    rf"(?P<value>\s*:\s*)?(?P<quote>\"|(?<=[\s\[{{,:])')"
    rf"(?P<text>(?:(?!{_LEFT_OPEN})[^\\\"']|\\.|(?!(?P=quote))[\"']|(?P=quote)(?!{_CLOSES}))*+)"
    rf"(?:(?P=quote){_CLOSES}|(?={_LEFT_OPEN})|(?P<unclosed>\Z))"
)
"""A text, with whatever quotation marks stand in it: it ends at the one after which the object or list goes on."""
_BARE = (
    rf"(?P<quoted>(?<=[\"']))?(?P<colon>\s*:\s*)(?P<bare>(?![\"'\[{{\s])(?:[^\n{{}}]|\{{[^\n{{}}]*\}})*?)"
    rf"(?=\s*,?\s*(?:\}}|\Z)|(?(quoted){_GAP}{_QUOTED_KEY}|{_GAP}{_ANY_KEY}))"
)
"""A value without quotation marks: it goes on to the next key, written like its own, or to the object's end."""
_ELEMENT = (
    rf"(?P<lead>[\[,]\s*)(?P<element>(?!{_NO_TEXT}\s*[,\]]|[A-Za-z_]\w*\s*:\s)[^\s\"'\[\]{{}},][^\"\[\]{{}},\n]*?)"
    r"(?=\s*[,\]])"
)
"""The same in a list, where it ends at the comma."""
_BRACKET = re.compile(rf"{_TEXT}|[{{}}]", re.DOTALL)
_TOKEN = re.compile(rf"{_TEXT}|{_BARE}|{_ELEMENT}", re.DOTALL)

_CONSTANTS = {"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null"}
_TO_ESCAPE = re.compile(r"\\\\|\\(?![\"/bfnrt]|u[0-9a-fA-F]{4})|(?<!\\)\"")


def _as_json(token: re.Match[str]) -> str:
    if token["unclosed"] is not None:
        return token[0]
    if token["quote"] is None:
        bare = (token["bare"] or token["element"] or "null").rstrip()
        return (token["colon"] or token["lead"]) + (_CONSTANTS.get(bare) or json.dumps(bare, ensure_ascii=False))
    inner = token["text"].replace("\\'", "'")
    inner = _TO_ESCAPE.sub(lambda found: found[0] if found[0] == r"\\" else f"\\{found[0]}", inner)
    return f'{token["value"] or ""}"{inner}"'
