"""The probes of an item: trials that nobody made, whose replies no honest trial gives and no grader should pass.

`empty` says nothing, `do_nothing` calls nothing and says nothing of use, `all_options` lists every option,
`gold_beside_wrong` names the gold and a wrong answer alike, `question_repeated` gives back the prompt. What would be an
honest right answer to the item is no probe of it and is left out: silence where the gold is the empty text, a list
where the gold wants all of it, a prompt that is the gold, a question where the item accepts one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from regrade.grades.accepted import Accepted
from regrade.grades.text import is_ask

PROBES = ("empty", "do_nothing", "all_options", "gold_beside_wrong", "question_repeated")
"""Names of the probes, in the order in which they are shown."""

NOTHING = "Okay."
"""What `do_nothing` says: no answer, no refusal and no question."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One made-up trial of an item."""

    name: str
    variant: str
    """How it is put: `bare` or `framed`, which end the gold stands at, with whose calls."""
    reply: str
    with_calls: bool
    """It has the calls and the final state of a trial that passed."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands round the answer in a reply that passed."""

    before: str
    after: str

    def put(self, text: str) -> str:
        """The reply with another answer in its place."""
        return f"{self.before}{text}{self.after}"

    @classmethod
    def of_line(cls, reply: str, start: int, stop: int) -> Frame:
        """The line of a reply round the answer at `start`, without what the other lines say."""
        after, _, _ = reply[stop:].partition("\n")
        return cls(reply[reply.rfind("\n", 0, start) + 1 : start], after.removesuffix("\r"))


@dataclass(frozen=True, slots=True)
class Asked:
    """What the probes of an item are made from."""

    prompt: str | None
    gold: Any
    answers: Accepted | None
    """What the gold accepts, or else the answer that passed; None where neither is known."""
    wrong: str | None
    """A wrong answer of the same kind."""
    options: Sequence[str] = ()
    """Every option, the gold first."""
    frame: Frame | None = None
    has_calls: bool = False
    """A trial that passed has calls to borrow."""


def probes_of(asked: Asked) -> list[Probe]:
    """Make the probes of an item, in the order of `PROBES`, no two of a name with the same reply and calls."""
    found: dict[tuple[str, str, bool], Probe] = {}
    for probe in _all(asked):
        found.setdefault((probe.name, probe.reply, probe.with_calls), probe)
    return list(found.values())


def _all(asked: Asked) -> Iterator[Probe]:
    quiet = asked.answers is not None and asked.answers.holds("")
    if not quiet:
        # Where there is no answer to give, the calls of a pass may be all that was asked for.
        yield from _put(asked, "empty", "", [""], with_calls=asked.answers is not None)
        if not _is_honest(asked, NOTHING):
            yield from _put(asked, "do_nothing", "", [NOTHING], with_calls=False)
    yield from _listed(asked)
    if asked.answers is not None and asked.wrong is not None and asked.answers.first:
        gold, wrong = asked.answers.first, asked.wrong
        for place, text in (("gold first", f"{gold} or {wrong}"), ("gold last", f"{wrong} or {gold}")):
            if not _is_honest(asked, text):
                yield from _put(asked, "gold_beside_wrong", place, [text])
    if asked.prompt is not None and asked.prompt.strip() and not _is_honest(asked, asked.prompt):
        yield from _put(asked, "question_repeated", "", [asked.prompt])


def _listed(asked: Asked) -> Iterator[Probe]:
    options = list(asked.options)
    if asked.answers is None or not asked.answers.first or len(options) < 2 or asked.answers.covers(options):
        return
    for place, ordered in (("gold first", options), ("gold last", [*options[1:], options[0]])):
        if not _is_honest(asked, ", ".join(ordered)):
            yield from _put(asked, "all_options", place, [", ".join(ordered)])
            # Two answers, one a line, may be a mistake and its correction.
            if len(ordered) > 2:
                yield from _put(asked, "all_options", f"{place}, in lines", ordered)


def _put(asked: Asked, name: str, place: str, lines: Sequence[str], *, with_calls: bool = True) -> Iterator[Probe]:
    """The variants of a probe: bare and framed, without and with calls; each of several lines is framed."""
    replies = {"bare": "\n".join(lines)}
    if asked.frame is not None and _keeps_secret(asked, name):
        framed = [asked.frame.put(" ".join(line.split())) for line in lines]
        if len(lines) == 1 or not any("\n" in reply for reply in framed):
            replies["framed"] = "\n".join(framed)
    for form, reply in replies.items():
        parts = [part for part in (form, place) if part]
        yield Probe(name, ", ".join(parts), reply, False)
        if with_calls and asked.has_calls:
            yield Probe(name, ", ".join([*parts, "with calls"]), reply, True)


def _keeps_secret(asked: Asked, name: str) -> bool:
    """Whether the frame leaves the answer to the probe: what it says itself would rightly pass."""
    if asked.answers is None or asked.frame is None or name in ("all_options", "gold_beside_wrong"):
        return True
    return not asked.answers.is_said_in(asked.frame.put("\n"))


def _is_honest(asked: Asked, text: str) -> bool:
    """Whether a reply is a right answer to the item: the gold, or a question where it accepts one."""
    accepts_questions = isinstance(asked.gold, dict) and asked.gold.get("ask") is not None
    return (asked.answers is not None and asked.answers.holds(text)) or (accepts_questions and bool(is_ask(text)))
