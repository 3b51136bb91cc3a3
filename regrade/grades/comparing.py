"""Whether an answer gives every value that the gold lists, and no other."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal

from regrade.grades.numerals import numbers

_HEDGED = re.compile(r"\b(?:either|maybe|perhaps|possibly|not sure)\b", re.IGNORECASE)


def gives(answer: str, gold: Sequence[str]) -> bool:
    """Say whether an answer gives the values of a gold, in any order; text is compared without case and markup.

    A gold of one text with `and` in it may be a name, so its parts keep their order.
    """
    if wants_numbers(gold):
        wanted = {value for part in gold for value in _values(part)}
        return set(_values(answer)) == wanted and not _HEDGED.search(answer)
    given, wanted_parts = _parts(answer), [part for whole in gold for part in _parts(whole)]
    is_list = len(gold) > 1 or any(sign in gold[0] for sign in ",;")
    return given == wanted_parts or (is_list and sorted(given) == sorted(wanted_parts))


def wants_numbers(gold: Sequence[str]) -> bool:
    """Say whether a gold is numbers and nothing but what joins and dresses them."""
    return bool(gold) and all(_is_numeric(part) for part in gold)


def _is_numeric(part: str) -> bool:
    rest, found = part, list(numbers(part))
    for number in reversed(found):
        rest = rest[: number.start] + rest[number.stop :]
    return bool(found) and not re.sub(r"\band\b|\bor\b|[\s,;{}()\[\]%$€£.]", "", rest)


def _values(answer: str) -> list[Decimal]:
    """Every value that an answer gives; of a calculation its result."""
    outside = re.sub(r"\([^()]*\d[^()]*\)\s*\.?\Z", "", answer) or answer
    pieces = re.split(r",\s|;|&|\band\b|\bor\b", outside)
    # What stands before the first equals sign says what the values are of.
    named = next((i for i, piece in enumerate(pieces) if "=" in piece), 0)
    results = [piece[piece.rfind("=") + 1 :] for piece in pieces[named:]]
    return [Decimal(number.text) for result in results for number in numbers(result, answer=True)]


_QUOTES = " .\"'*`“”‘’$"


def _parts(answer: str) -> list[str]:
    plain = " ".join(unicodedata.normalize("NFKC", answer).casefold().split())
    plain = re.sub(r"(?<=\d) (?=[ap]\.?m\b)|(?<=[ap])\.(?=m\b)", "", plain)
    return [part for piece in re.split(r"[,;&]| and ", _bare(plain)) if (part := _bare(piece))]


def _bare(piece: str) -> str:
    piece = piece.strip(_QUOTES)
    wrapped = re.fullmatch(r"\(([^()]*)\)|\[([^\[\]]*)\]|\{([^{}]*)\}", piece)
    return _bare(next(inner for inner in wrapped.groups() if inner is not None)) if wrapped else piece
