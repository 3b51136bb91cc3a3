"""`read`: apply one reader, by its name, to one text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from regrade.errors import RuleError, near
from regrade.files.csv_cells import guard_cell
from regrade.grades import (
    boxes,
    chains,
    choices,
    citations,
    comparing,
    dialects,
    json_fields,
    lenient,
    saved,
    stances,
    text,
)
from regrade.grades.specifics import specifics
from regrade.grades.this_turn import retrieved_and_reply
from regrade.grades.utterances import visible
from regrade.records import Span


def read(word: str, text: str, *, gold: Any = None, field: str | None = None) -> Any:
    """Read one text as the word says, extract and read composed where it takes both.

    Args:
        word: name of a reader, such as `last_number` or `answer_prefix`.
        text: the reply, or the cell.
        gold: what the bank accepts, for a reader that compares or that reads by its kind.
        field: name of a field, for a reader of objects; None is `answer`, else the last field.

    Returns:
        A number or a text as text, numbers as written without grouping, currency, percent sign or unit; None for
        no answer. `compare` gives `pass` or `fail`; `ask` and `refusal` give `answered`, `refusal`, `ask` or
        `format_fail`; `tool_calls` a list of names and arguments; `jsonl_load` a count; `epochs` the mean with what
        was scored and unscored. A field of an object may be a list or an object, of texts. `chain` gives a list of
        nodes from source to target; `specifics` and `citations` lists of what is stated or cited, in a text with lines
        `[retrieved]` and `[reply]` of what the reply has and nothing retrieved since the reply before has.

    Raises:
        RuleError: there is no such reader.
    """
    if word not in READERS:
        raise RuleError(f"there is no reader {word!r}.{near(word, READERS)}")
    return READERS[word](text, gold, field)


def _text(span: Span | None) -> str | None:
    return None if span is None else span.text


def _own(reply: str) -> str:
    return _text(lenient.own_reply(reply)) or ""


def _last_number(reply: str, gold: Any, field: str | None) -> str | None:
    return _text(lenient.last_stated_number(reply))


def _answer_prefix(reply: str, gold: Any, field: str | None) -> str | None:
    answer = _text(lenient.marked_answer(reply))
    if not answer:
        return None
    number = _text(lenient.value_in(answer))
    is_number = _only_a_number(answer) if gold is None else comparing.wants_numbers([str(gold)])
    if number is not None and is_number:
        return number
    return answer if answer == gold else _without_full_stop(answer)


def _without_full_stop(answer: str) -> str:
    """Drop the full stop after an answer of one sentence, unless it ends an abbreviation (`p.m.`)."""
    return answer[:-1] if re.fullmatch(r"[^.]*[^.\s]\.", answer) else answer


_UNIT = re.compile(r"[^\W\d]*[°%€$£¥/²³]*(?:\s?[^\W\d]+[²³]?(?:[\^/]\w+)?){0,2}[.!]?")


def _only_a_number(answer: str) -> bool:
    found = list(lenient.numbers(answer, answer=True)) or list(filter(None, [lenient.value_in(answer)]))
    if len(found) != 1:
        return False
    before, after = answer[: found[0].start], answer[found[0].stop :].strip()
    approximate = re.fullmatch(r"\s*(?:about|approximately|approx\.?|roughly|~|≈|\+)?\s*", before, re.IGNORECASE)
    clock = re.match(r"[ap]\.?m\b|:", after, re.IGNORECASE)
    return bool(approximate and not clock and _UNIT.fullmatch(after))


def _after_equals(reply: str, gold: Any, field: str | None) -> str | None:
    answer = lenient.marked_answer(reply)
    if answer is None:
        last = text.last_line(_own(reply))
        answer = last if last and re.search("[=\uff1d]", last.text) else None
    return None if answer is None else _text(lenient.value_in(answer))


def _last_line(reply: str, gold: Any, field: str | None) -> str | None:
    own = lenient.own_reply(reply)
    return None if own is None else _text(text.last_line(own))


def _boxed(reply: str, gold: Any, field: str | None) -> str | None:
    return boxes.last_boxed(_own(reply))


def _compare(reply: str, gold: Any, field: str | None) -> str:
    wanted = [str(part) for part in (gold if isinstance(gold, list | tuple) else [gold])]
    answer = _text(lenient.marked_answer(reply)) or _boxed(reply, None, None)
    fallback = _last_number if comparing.wants_numbers(wanted) else _last_line
    answer = answer or fallback(reply, None, None)
    return "pass" if answer and comparing.gives(answer, wanted) else "fail"


def _ask(reply: str, gold: Any, field: str | None) -> str:
    own, status = _own_answer(reply)
    if stances.is_stub(own):
        return "format_fail"
    # An answer that is marked counts as such, whatever is said after it.
    said = _text(lenient.marked_answer(own)) or own
    if stances.asks(said) or status in _ASKING:
        return "ask"
    return _stance(said, status)


def _refusal(reply: str, gold: Any, field: str | None) -> str:
    own, status = _own_answer(reply)
    if stances.is_stub(own):
        return "format_fail"
    return "ask" if stances.only_asks(own) and not stances.declines(own) else _stance(own, status)


def _stance(said: str, status: str | None = None) -> str:
    return "refusal" if stances.declines(said) or status in _DECLINING else "answered"


_OBJECT = re.compile(r"\s*(?:[`~]{3}\w*\s*)?\{")
_ASKING = ("needs_clarification", "clarification", "clarify", "ask")
_DECLINING = ("not_found", "unknown", "abstained", "abstain", "refused", "refusal", "no_answer", "unanswerable")
"""What an object's `status` says of its reply, where its `answer` does not."""


def _own_answer(reply: str) -> tuple[str, str | None]:
    """What a reply says, and its status: of a reply that is an object its `answer`."""
    own = visible(_own(reply))
    if not _OBJECT.match(own):
        return own, None
    answer, status = (json_fields.field_value(own, name) for name in ("answer", "status"))
    status = status.strip().lower() if isinstance(status, str) else None
    if answer is None and status is None:
        return own, None
    # A status without an answer is all that is said, unless the answer is there and empty.
    return (answer if isinstance(answer, str) else status or own), status


def _specifics(text: str, gold: Any, field: str | None) -> list[str]:
    retrieved, reply = retrieved_and_reply(text)
    grounded = set(specifics(retrieved or ""))
    return [stated for stated in specifics(_own(reply)) if stated not in grounded]


def _citations(text: str, gold: Any, field: str | None) -> list[str]:
    retrieved, reply = retrieved_and_reply(text)
    known = None if retrieved is None else citations.known_markers(retrieved)
    return [marker for marker in citations.cited(_own(reply), known) if marker not in (known or ())]


def _chain(reply: str, gold: Any, field: str | None) -> list[str] | None:
    return chains.asserted_chain(reply)


def _mc_letter(reply: str, gold: Any, field: str | None) -> str | None:
    return choices.chosen_letter(_own(reply))


def _tool_calls(reply: str, gold: Any, field: str | None) -> list[dict[str, Any]]:
    return dialects.tool_calls(reply)


def _json_field(reply: str, gold: Any, field: str | None) -> Any:
    return json_fields.field_value(_own(reply), field)


def _json_repair(json: str, gold: Any, field: str | None) -> Any:
    return json_fields.field_value(json, field)


def _jsonl_load(content: str, gold: Any, field: str | None) -> int:
    return len(saved.usable_records(content))


def _table_load(content: str, gold: Any, field: str | None) -> str | None:
    return saved.field_as_stored(content, field)


def _epochs(scores: str, gold: Any, field: str | None) -> dict[str, Any] | None:
    return saved.mean_of_epochs(scores)


def _csv_export(cell: str, gold: Any, field: str | None) -> str:
    return guard_cell(cell)


READERS: dict[str, Callable[[str, Any, str | None], Any]] = {
    "after_equals": _after_equals,
    "answer_prefix": _answer_prefix,
    "ask": _ask,
    "boxed": _boxed,
    "chain": _chain,
    "citations": _citations,
    "compare": _compare,
    "csv_export": _csv_export,
    "epochs": _epochs,
    "json_field": _json_field,
    "json_repair": _json_repair,
    "jsonl_load": _jsonl_load,
    "last_line": _last_line,
    "last_number": _last_number,
    "mc_letter": _mc_letter,
    "refusal": _refusal,
    "specifics": _specifics,
    "table_load": _table_load,
    "tool_calls": _tool_calls,
}
"""Every reader by the name that a case gives it."""
