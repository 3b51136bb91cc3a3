"""What the golds of a bank accept, as far as they say so in words; and what they take for a wrong answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from regrade.grades.text import same_number, to_decimal

OPTIONS = 10
"""Options listed at most."""
LONGEST = 200
"""Characters of an option at most; a longer gold is a text to be written and no option."""

_MARKER = re.compile(r"^.*(?:#{2,}|:)\s*")
_LITERAL = re.compile(r"[^\\^$.|?*+()\[\]{}]+")


@dataclass(frozen=True, slots=True)
class Accepted:
    """The answers that a gold accepts, as text, and what kind of answer they are."""

    texts: tuple[str, ...]
    """In the gold's order; the empty text, where the right reply is to say nothing."""
    kind: str
    """The bank's `kind`; else `number`, `letter` or `text`, as the answers are."""
    tolerance: Any = None

    @property
    def first(self) -> str:
        """The answer that stands for the gold."""
        return self.texts[0]

    def holds(self, text: str) -> bool:
        """Whether a text is one of the answers: as a number within the tolerance, or without case and spacing."""
        return any(_same(text, answer, self.tolerance) for answer in self.texts)

    def covers(self, texts: Iterable[str]) -> bool:
        """Whether every text is one of the answers, as where the gold wants all of a list."""
        return all(map(self.holds, texts))

    def is_said_in(self, text: str) -> bool:
        """Whether a text has one of the answers in it, so that it gives the answer away."""
        words = re.findall(r"-?\d[\d,]*(?:\.\d+)?", text)
        return any(
            any(_same(word, answer, self.tolerance) for word in words)
            if to_decimal(answer) is not None
            else bool(re.search(rf"(?<!\w){re.escape(_plain(answer))}(?!\w)", _plain(text)))
            for answer in self.texts
            if answer
        )

    def is_wrong(self, text: str) -> bool:
        """Whether a text is surely none of the answers: it is not one, in none, and none is in it."""
        apart = not any(_within(text, answer) or _within(answer, text) for answer in self.texts if answer)
        return bool(text) and not self.holds(text) and apart


def accepted(gold: Any) -> Accepted | None:
    """Read what a gold accepts; None where it does not say it in words (a list of actions, a state).

    A gold that is no object is its own answer; of a worked solution, the end of its last line. A list is a list of
    answers; an empty one, like the empty text, wants the reply to say nothing.
    """
    known = gold if isinstance(gold, Mapping) else {"answer": gold}
    answer = known.get("answer")
    values = answer if isinstance(answer, list) else [answer]
    texts = tuple(dict.fromkeys(_said(value) for value in values if isinstance(value, str | int | float)))
    if not texts:
        return Accepted(("",), "text") if answer == [] else None
    named = known.get("kind")
    return Accepted(texts, named if isinstance(named, str) else _kind(texts), known.get("tolerance"))


def _said(value: str | float) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        lines = [line.strip() for line in value.splitlines() if line.strip()]
        return _MARKER.sub("", lines[-1]) if len(lines) > 1 else "".join(lines)
    return format(Decimal(repr(value)), "f") if abs(value) < float("inf") else str(value)


def _kind(texts: Sequence[str]) -> str:
    if all(to_decimal(text) is not None for text in texts):
        return "number"
    return "letter" if all(re.fullmatch("[A-J]", text) for text in texts) else "text"


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _same(one: str, other: str, tolerance: Any) -> bool:
    return _plain(one) == _plain(other) or bool(same_number(one, other, tolerance))


def _within(part: str, whole: str) -> bool:
    if to_decimal(part) is not None and to_decimal(whole) is not None:
        return False
    return _plain(part) in _plain(whole)


class Peers:
    """The answers of a bank by family and kind: where an item's wrong answers and options come from."""

    def __init__(self, bank: Iterable[tuple[str | None, Accepted | None]]) -> None:
        """Take (family, what its gold accepts) of every item, in order."""
        self._groups: dict[tuple[str, ...], dict[str, int]] = {}
        for family, answers in bank:
            if answers is not None and 0 < len(answers.first) <= LONGEST:
                for key in _keys(family, answers):
                    group = self._groups.setdefault(key, {})
                    group.setdefault(answers.first, len(group))

    def wrong(self, family: str | None, answers: Accepted) -> str | None:
        """The next answer of another item of the family and kind, or of the bank, that is wrong here.

        A number that has no such peer is set off by more than its tolerance; None where a text has none.
        """
        for key in _keys(family, answers):
            found = next((text for text in self._after(key, answers.first) if answers.is_wrong(text)), None)
            if found is not None:
                return found
        number = to_decimal(answers.first)
        if number is None:
            return None
        apart = 2 * abs(to_decimal(answers.tolerance or 0) or Decimal(0)) + 1
        return next(text for text in _beyond(number, apart) if answers.is_wrong(text))

    def options(self, family: str | None, answers: Accepted, gold: Any) -> list[str]:
        """Every option that an item leaves, the gold first; fewer than two where it leaves none.

        The gold's `choices`; the plain forms of its `menu`, with the family's answers that another form matches; else
        the family's answers of the kind.
        """
        known: Mapping[str, Any] = gold if isinstance(gold, Mapping) else {}
        choices, menu = _choices(known.get("choices"), answers), known.get("menu")
        family_key = _keys(family, answers)[0]
        if choices:
            others: Iterable[str] = choices
        elif isinstance(menu, list):
            others = _menu([form for form in menu if isinstance(form, str)], [*self._after(family_key, answers.first)])
        else:
            others = self._after(family_key, answers.first)
        found = [answers.first]
        for text in others:
            if len(found) == OPTIONS:
                break
            if answers.is_wrong(text) and text not in found and len(text) <= LONGEST:
                found.append(text)
        return found

    def _after(self, key: tuple[str, ...], text: str) -> Iterator[str]:
        """The answers of a group, from the one behind `text`, round to it."""
        group = self._groups.get(key, {})
        texts = list(group)
        start = group.get(text, -1) + 1
        yield from texts[start:]
        yield from texts[: max(start - 1, 0)]


def _keys(family: str | None, answers: Accepted) -> list[tuple[str, ...]]:
    return [("family", family or "", answers.kind), ("bank", answers.kind)]


def _beyond(number: Decimal, step: Decimal) -> Iterator[str]:
    while True:
        number += step
        yield format(number.normalize(), "f")


def _choices(choices: Any, answers: Accepted) -> list[str]:
    """A question's choices, as its answers name them: by their text, by letter, or by place."""
    if isinstance(choices, Mapping):
        by_key = all(text in choices for text in answers.texts)
        return [str(part) for part in (choices.keys() if by_key else choices.values())]
    if not isinstance(choices, list):
        return []
    texts = [text for text in choices if isinstance(text, str)]
    if any(map(answers.holds, texts)):
        return texts
    if answers.kind == "letter":
        return [chr(ord("A") + place) for place in range(len(choices))]
    return [str(place) for place in range(len(choices))] if answers.kind == "number" else texts


def _menu(menu: Sequence[str], peers: Sequence[str]) -> list[str]:
    plain = [part for form in menu for part in form.split("|") if _LITERAL.fullmatch(part)]
    return list(dict.fromkeys([*plain, *(text for text in peers if any(_matches(form, text) for form in menu))]))


def _matches(form: str, text: str) -> bool:
    try:
        return re.fullmatch(form, text) is not None
    except re.error:
        return False
