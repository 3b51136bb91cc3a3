"""`read`: apply one reader, by its name, to one text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from regrade.errors import RuleError, near
from regrade.files.csv_cells import guard_cell
from regrade.grades import dialects, lenient, text
from regrade.records import Span


def read(word: str, text: str, *, gold: Any = None, field: str | None = None) -> Any:
    """Read one text as the word says, extract and read composed where it takes both.

    Args:
        word: name of a reader, such as `last_number` or `answer_prefix`.
        text: the reply, or the cell.
        gold: what the bank accepts, for a reader that compares or that reads by its kind.
        field: name of a field, for a reader of objects.

    Returns:
        A number or a text as text, numbers as written without grouping, currency, percent sign or unit; None for
        no answer. `compare` gives `pass` or `fail`; `ask` and `refusal` give `answered`, `refusal`, `ask` or
        `format_fail`; `tool_calls` a list of names and arguments.

    Raises:
        RuleError: there is no such reader.
    """
    if word not in READERS:
        raise RuleError(f"there is no reader {word!r}.{near(word, READERS)}")
    return READERS[word](text, gold, field)


def _text(span: Span | None) -> str | None:
    return None if span is None else span.text


def _last_number(reply: str, gold: Any, field: str | None) -> str | None:
    return _text(lenient.last_stated_number(reply))


def _answer_prefix(reply: str, gold: Any, field: str | None) -> str | None:
    answer = _text(lenient.marked_answer(reply))
    if not answer:
        return None
    number = _text(lenient.value_in(answer))
    is_number = _only_a_number(answer) if gold is None else text.to_decimal(gold) is not None
    return number if number is not None and is_number else answer


_UNIT = re.compile(r"[^\W\d]*[°%€$£¥/²³]*(?:\s?[^\W\d]+[²³]?(?:[\^/]\w+)?){0,2}[.!]?")


def _only_a_number(answer: str) -> bool:
    found = list(lenient.numbers(answer))
    if len(found) != 1:
        return False
    before, after = answer[: found[0].start], answer[found[0].stop :].strip()
    approximate = re.fullmatch(r"\s*(?:about|approximately|approx\.?|roughly|~|≈|\+)?\s*", before, re.IGNORECASE)
    clock = re.match(r"[ap]\.?m\b|:", after, re.IGNORECASE)
    return bool(approximate and not clock and _UNIT.fullmatch(after))


def _after_equals(reply: str, gold: Any, field: str | None) -> str | None:
    answer = lenient.marked_answer(reply)
    return None if answer is None else _text(lenient.value_in(answer))


def _last_line(reply: str, gold: Any, field: str | None) -> str | None:
    own = lenient.own_reply(reply)
    return None if own is None else _text(text.last_line(own))


def _boxed(reply: str, gold: Any, field: str | None) -> str | None:
    own = _text(lenient.own_reply(reply)) or ""
    for opening in reversed(list(re.finditer(r"\\f?boxed\s*\{", own))):
        depth = 1
        for i in range(opening.end(), len(own)):
            if own[i - 1] != "\\":
                depth += (own[i] == "{") - (own[i] == "}")
            if depth == 0:
                return own[opening.end() : i].strip()
    return None


def _compare(reply: str, gold: Any, field: str | None) -> str:
    answer = _text(lenient.marked_answer(reply)) or _boxed(reply, None, None)
    wanted = gold if isinstance(gold, list | tuple) else [gold]
    values = [value for part in wanted for value in _values(str(part))]
    if values and all(_is_numeric(str(part)) for part in wanted):
        given = _values(answer) if answer else _values(_last_number(reply, None, None) or "")
        return "pass" if set(given) == set(values) else "fail"
    answer = answer or _last_line(reply, None, None)
    parts = [part for whole in wanted for part in _parts(str(whole))]
    return "pass" if answer and sorted(_parts(answer)) == sorted(parts) else "fail"


def _values(answer: str) -> list[Decimal]:
    """Every value that an answer gives; of a calculation its result."""
    outside = re.sub(r"\([^()]*\d[^()]*\)\s*\.?\Z", "", answer) or answer
    outside = outside[outside.rfind("=") + 1 :]
    return [Decimal(number.text) for number in lenient.numbers(outside)]


def _is_numeric(gold: str) -> bool:
    rest = gold
    for number in reversed(list(lenient.numbers(gold))):
        rest = rest[: number.start] + rest[number.stop :]
    return not re.sub(r"\band\b|\bor\b|[\s,;{}()\[\]%$€£.]", "", rest)


def _parts(answer: str) -> list[str]:
    plain = " ".join(unicodedata.normalize("NFKC", answer).casefold().split())
    return [part.strip(" .\"'*`") for part in re.split(r"[,;]| and ", plain) if part.strip(" .\"'*`")]


_STUB = re.compile(
    r"\W*(?:i )?(?:ran out of (?:steps|time|tokens|turns|budget)|(?:max(?:imum)?|step|iteration|turn|token)[\w ]*"
    r"(?:limit|steps|iterations|turns|reached|exceeded)|(?:agent )?stopped due to|no (?:response|output|reply|answer)\b"
    r"|(?:request )?timed out|error\b|null\W*$|none\W*$|n/?a\W*$)[^\n]{0,80}",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:i|we)(?: am|'m| are|'re)? (?:(?:still )?(?:can't|cannot|can not|couldn't|could not|won't|will not|unable)\b"
    r"|(?:not|was not|wasn't) able\b|(?:do not|don't|did not|didn't) (?:have|know|see|find)\b|have no\b|found no\b"
    r"|was unable\b)|\bno (?:information|record|mention|details?) (?:about|of|on|for|is|was)\b"
    r"|\b(?:is|are|was|were)(?: not|n't) (?:available|on file|listed|stated|specified|mentioned|provided|retrieved)\b"
    r"|\b(?:not_found|unknown)\b",
    re.IGNORECASE,
)
_OFFER = re.compile(r"anything else|something else i can|further (?:help|questions)|help (?:you )?with", re.IGNORECASE)


def _ask(reply: str, gold: Any, field: str | None) -> str:
    own = _text(lenient.own_reply(reply)) or ""
    if not own or _STUB.fullmatch(own):
        return "format_fail"
    answer = _text(lenient.marked_answer(reply))
    if answer is not None and not text.is_ask(answer):
        return _stance(answer)
    last = (_text(text.last_line(own)) or "").rstrip(" *_`\"'”’)")
    asks = text.is_ask(answer or own) or (last.endswith(("?", "\uff1f")) and not _OFFER.search(last))
    return "ask" if asks else _stance(own)


def _refusal(reply: str, gold: Any, field: str | None) -> str:
    own = _text(lenient.own_reply(reply)) or ""
    return "format_fail" if not own or _STUB.fullmatch(own) else _stance(own)


def _stance(own: str) -> str:
    # What stands in code or in quotes was delivered or cited, not said.
    said = re.sub(r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”", " ", own, flags=re.DOTALL)
    return "refusal" if _REFUSAL.search(said.replace("\u2019", "'")) else "answered"


_LETTER = r"[\s*_$(\[{`\"']*(?:\\(?:text|boxed|mathrm|mathbf)\{\s*)*\(?([A-J])(?![A-Za-z0-9'’])"
_STATED = re.compile(
    r"\b(?:answer|antwort|respuesta|réponse|reponse|risposta|resposta|antwoord|svar|choice|option|答案|ответ)\b"
    rf"(?:[ \t]+(?:is|ist|es|est|è|would be|must be)|[ \t*_]*[:：=])[ \t]*{_LETTER.replace(chr(92) + 's', ' ')}",
    re.IGNORECASE,
)
_PICKED = (
    re.compile(rf"\A{_LETTER}[\s.):*_`$}}\]]*\Z"),
    re.compile(r"\b([A-J]) is (?:the (?:one|answer|correct|right|best|only)|correct|right|best)\b"),
    re.compile(rf"\b(?:choose|pick|select|go with|must be|it is|it's|option|choice)\b[ ]*{_LETTER}(?! [a-z])"),
    re.compile(r"(?<![\w'’])(?!A [a-z]|I\b)([A-J])(?![\w'’])"),
)


def _mc_letter(reply: str, gold: Any, field: str | None) -> str | None:
    own = _text(lenient.own_reply(reply)) or ""
    stated = [found[1] for found in _STATED.finditer(own) if found[1].isupper()]
    if stated:
        return stated[-1]
    boxed = re.fullmatch(rf"{_LETTER}[\s.)}}]*", _boxed(reply, None, None) or "")
    if boxed:
        return boxed[1]
    last = _text(text.last_line(own)) or ""
    for pattern, where in zip(_PICKED, (last, own, own, own), strict=True):
        found = pattern.findall(where)
        if found:
            return str(found[-1])
    return None


def _tool_calls(reply: str, gold: Any, field: str | None) -> list[dict[str, Any]]:
    return dialects.tool_calls(reply)


def _csv_export(cell: str, gold: Any, field: str | None) -> str:
    return guard_cell(cell)


READERS: dict[str, Callable[[str, Any, str | None], Any]] = {
    "after_equals": _after_equals,
    "answer_prefix": _answer_prefix,
    "ask": _ask,
    "boxed": _boxed,
    "compare": _compare,
    "csv_export": _csv_export,
    "last_line": _last_line,
    "last_number": _last_number,
    "mc_letter": _mc_letter,
    "refusal": _refusal,
    "tool_calls": _tool_calls,
}
"""Every reader by the name that a case gives it."""
