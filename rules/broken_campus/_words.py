"""What the graders and rules of this folder share: the harness's object, the reply's own, specifics and markers."""

import json
import re
import unicodedata

from regrade.grades import Span
from regrade.grades.json_mending import repaired

STATUSES = ("answered", "not_found", "needs_clarification")
PARTS = ("answer", "status", "sources")


def final(state):
    """The object that the harness went on with, or an empty one."""
    found = state.get("final") if isinstance(state, dict) else None
    return found if isinstance(found, dict) else {}


def is_cut(reply, state):
    """Whether the log kept less of the reply than the harness received."""
    received = state.get("raw_chars") if isinstance(state, dict) else None
    return isinstance(received, int) and received > len(reply)


def ungraded(reply, state):
    """The code of a trial that cannot be graded."""
    return "TRUNCATED" if is_cut(reply, state) else "FORMAT"


def placed(text, reply):
    """A text with its place in the reply; without one where it is no slice of it, as after an escape or a repair."""
    at = reply.find(text)
    return Span(text, at, at + len(text)) if at >= 0 else Span(text)


def is_blank(reply):
    """Whether nothing of a reply can be seen."""
    return all(sign.isspace() or unicodedata.category(sign) in ("Cc", "Cf") for sign in reply)


def whole_object(reply):
    """The object that the reply is, as it stands; None where it is none."""
    try:
        found = json.loads(reply)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def object_slice(reply):
    """From the first brace to the last, or to the end where none closes; None without a brace."""
    start = reply.find("{")
    if start < 0:
        return None
    stop = reply.rfind("}") + 1
    stop = stop if stop > start else len(reply)
    return Span(reply[start:stop], start, stop)


def repaired_object(text):
    """The object in a slice, repaired where it must be; None where there is none."""
    found = whole_object(text) or repaired(text)
    return found if isinstance(found, dict) else None


def lacking(found):
    """What an object lacks of the contract: a text `answer`, a known `status`, a list of texts `sources`."""
    if found is None:
        return ["object"]
    sources = found.get("sources")
    right = {
        "answer": isinstance(found.get("answer"), str) and not is_blank(found["answer"]),
        "status": found.get("status") in STATUSES,
        "sources": isinstance(sources, list) and all(isinstance(source, str) for source in sources),
    }
    return [part for part in PARTS if not right[part]]


def parses(reply):
    """Whether a reply meets the contract, repaired or as it stands."""
    found = object_slice(reply)
    return found is not None and not lacking(repaired_object(found.text))


_SAYS_NO = re.compile(
    r"\b(?:(?:do|does|did)(?:n't| not) (?:have|hold|list|cover|give|say)|not (?:listed|recorded|available)"
    r"|(?:could(?:n't| ?not)|can(?:'t| ?not)) (?:find|confirm|tell)|no (?:entry|information|record)"
    r"|nothing (?:on|about))\b",
    re.IGNORECASE,
)


def stance(answer, status):
    """`abstained` or `answered`: by the status, and where it says `answered` or nothing, by the text."""
    if status in ("not_found", "needs_clarification"):
        return "abstained"
    return "abstained" if _SAYS_NO.search(answer.replace("\u2019", "'")) else "answered"


def this_turn(calls, turns):
    """The results of the calls that were made after the last question."""
    asked = max((i for i, turn in enumerate(turns or ()) if turn.role == "user"), default=-1)
    return [call.result for call in calls or () if call.turn > asked and call.result is not None]


_TIME = re.compile(r"(?<![0-9:.])(1[0-2]|0?[1-9])(?::([0-5][0-9]))?\s*([ap])\.?\s?m\b", re.IGNORECASE)
_CLOCK = re.compile(r"(?<![0-9:.])([01]?[0-9]|2[0-3]):([0-5][0-9])(?![0-9:])(?!\s*[ap]\.?\s?m\b)", re.IGNORECASE)
_DAY = re.compile(r"\b((?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b", re.IGNORECASE)
_ROOM = re.compile(r"\b(?:room|rm\.?)\s*(?:no\.\s*|number\s+|#\s*)?([0-9]+[a-z]?)\b", re.IGNORECASE)
_NAMED = {"noon": "12pm", "midnight": "12am"}


def specifics(text):
    """Every time, weekday and room of a text, each in its one form: `5pm`, `6:30pm`, `tuesday`, `room 12b`."""
    found = {_time(int(hour), minute or "00", half.lower()) for hour, minute, half in _TIME.findall(text)}
    found |= {_clock(hour, minute) for hour, minute in _CLOCK.findall(text)}
    found |= {_NAMED[word.lower()] for word in re.findall(r"\b(?:noon|midnight)\b", text, re.IGNORECASE)}
    found |= {day.lower() for day in _DAY.findall(text)}
    return found | {f"room {number.lower()}" for number in _ROOM.findall(text)}


def _time(hour, minute, half):
    return f"{hour}{'' if minute == '00' else ':' + minute}{half}m"


def _clock(hour, minute):
    """A time without am or pm; of one that may be either nothing is known."""
    number = int(hour)
    if 1 <= number <= 12 and not hour.startswith("0"):
        return f"{number}:{minute}"
    return _time(number % 12 or 12, minute, "p" if number >= 12 else "a")


_MARKER = re.compile(r"\[([A-Z][0-9]+)\]")


def markers(text):
    """The markers of chunks in a text: `[K1]` is `K1`."""
    return _MARKER.findall(text)


def cited(found):
    """What an object cites, each once: the markers in its sources and answer, and a source without one as it is."""
    sources = found.get("sources")
    listed = [source if isinstance(source, str) else json.dumps(source) for source in sources or ()]
    each = [mark for source in listed for mark in markers(source) or [source.strip()]]
    answer = found.get("answer")
    return list(dict.fromkeys(each + (markers(answer) if isinstance(answer, str) else [])))
