"""The specifics that a text states: times, weekdays and rooms, each in one form however it is written.

A specific is compared as a whole, so that no time is excused by another one that its characters stand in.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator

__all__ = ["specifics"]


def specifics(text: str) -> list[str]:
    """Take the times, weekdays and rooms that a text states, each once, in the order in which it first states them.

    Returns:
        Times as `5pm` or `10:45pm`, weekdays in full and lower case, rooms as `room 64`. A time without a half of the
        day is read on the 24-hour clock; in a range it has that of the range's end.
    """
    plain = _MARKS.sub("", unicodedata.normalize("NFKC", html.unescape(text)))
    found = sorted((*_times(plain), *_weekdays(plain), *_rooms(plain)))
    return list(dict.fromkeys(value for _, value in found))


_MARKS = re.compile("[*_`\u200b\u200c\u200d\u2060\ufeff\u00ad]")
Found = Iterator[tuple[int, str]]
"""Each value with the place where it stands."""


# Times.

_WORDS = "one two three four five six seven eight nine ten eleven twelve".split()
_HOURS = {word: number for number, word in enumerate(_WORDS, 1)}
_PARTS = {"half past": 30, "quarter past": 15, "a quarter past": 15, "thirty": 30, "fifteen": 15, "forty-five": 45}
_BEGINS = r"(?:(?<=\dT)|(?<![\w$\u20ac\u00a3#])(?<!\d[.:,]))"
_CLOCK = r"(?:[01]?\d|2[0-3])"
_MINUTE = r"[0-5]\d"
_HALF = r"(?P<half>[ap])\s?\.?\s?m(?!\w)"
_DAYPART = (
    r"(?:in the|this|that|on \w+)\s+(?:early |late )?(?P<part>morning|afternoon|evening)|(?P<night>at night|tonight)"
)
_WHEN = rf"\s*(?:o'?clock\s*)?(?:{_HALF}|{_DAYPART})"
_SPELLED = rf"(?P<word>{'|'.join(_WORDS)})(?:[ -](?P<minutes>thirty|fifteen|forty-five))?"
_PAST = r"(?P<past>half past|(?:a )?quarter past)\s+"
_TIME = re.compile(
    "|".join(
        (
            # with a half of the day
            rf"{_BEGINS}(?:{_PAST})?(?:(?P<hour>{_CLOCK})(?:[:.](?P<minute>{_MINUTE}))?(?::{_MINUTE})?"
            rf"|\b{_SPELLED})(?:{_WHEN})",
            r"\b(?:12 )?(?P<noon>noon|midday|midnight)\b",
            # on the 24-hour clock
            rf"{_BEGINS}(?P<hour24>{_CLOCK}):(?P<minute24>{_MINUTE})(?::{_MINUTE})?(?![\d:])",
            rf"{_BEGINS}(?P<hour_h>{_CLOCK})(?:(?:[.h]?(?P<minute_h>{_MINUTE}))?\s?(?:hrs|hours?|uhr|h)"
            rf"|h(?P<minute_french>{_MINUTE}))\b",
            rf"{_BEGINS}(?P<hour_o>{_CLOCK})\s?o'?clock",
        )
    ),
    re.IGNORECASE,
)
"""One time; of a range, its end."""
_RANGE_BEGINS = re.compile(
    rf"(?:{_BEGINS}(?P<hour>{_CLOCK})(?:[:.](?P<minute>{_MINUTE}))?|\b(?P<word>{'|'.join(_WORDS)}))"
    r"(?P<link>\s*(?:-|\u2010|\u2011|\u2013|\u2014|/|to|till|until|through|and|or)\s*)\Z",
    re.IGNORECASE,
)
_PAIRED = re.compile(r"\b(?:between|from|at|either|both)\s+\Z", re.IGNORECASE)
_NO_TIME_BEFORE = re.compile(r"\b(?:ratio|score|scale|odds|verse|chapter)\s+(?:of|is|was|at)?\s*\Z", re.IGNORECASE)
_NO_TIME_AFTER = re.compile(
    r"\s?(?:ratio|aspect|screens?|displays?|monitors?|mix|dilution)\b|\s?(?:%|km|m\b)", re.IGNORECASE
)
_DURATION = re.compile(r"\b(?:for|takes?|took|lasts?|after|within|every|in)\s+(?:\w+ly\s+|up to )?\Z", re.IGNORECASE)
_DAYPART_BEFORE = re.compile(
    r"\b(morning|afternoon|evening|night)s?,?\s+(?:at|from|by|around|until)?\s*\Z", re.IGNORECASE
)


def _times(text: str) -> Found:
    for found in _TIME.finditer(text):
        start = found.start()
        if found["noon"]:
            yield start, "12am" if found["noon"].lower() == "midnight" else "12pm"
            continue
        if (
            found["hour_h"]
            and not (found["minute_h"] or found["minute_french"])
            and _DURATION.search(text, max(0, start - 30), start)
        ):
            continue
        if found["half"] or found["part"] or found["night"]:
            hour, minute = _hour(found), _minute(found)
            if hour is None:
                continue
            half = (found["half"] or "").lower() or _half_of(hour, (found["part"] or "night").lower())
            yield from _range_begin(text, start, hour, minute, half)
            yield start, _said(hour, minute, half)
            continue
        hour = int(next(filter(None, (found["hour24"], found["hour_h"], found["hour_o"]))))
        minute = int(found["minute24"] or found["minute_h"] or found["minute_french"] or 0)
        around = (_NO_TIME_BEFORE.search(text, max(0, start - 20), start), _NO_TIME_AFTER.match(text, found.end()))
        if not any(around):
            before = _DAYPART_BEFORE.search(text, max(0, start - 30), start)
            half = _half_of(hour, before[1].lower()) if before else None
            # The begin of a range is told with its end.
            if not _TIME_FOLLOWS.match(text, found.end()):
                yield from _range_begin(text, start, hour, minute, half)
                yield start, _said(hour, minute, half)


_TIME_FOLLOWS = re.compile(
    rf"\s*(?:-|\u2010|\u2011|\u2013|\u2014|/|to|till|until|through|and|or)\s*{_CLOCK}(?:[:.]{_MINUTE})?{_WHEN}",
    re.IGNORECASE,
)


def _hour(found: re.Match[str]) -> int | None:
    hour = _HOURS[found["word"].lower()] if found["word"] else int(found["hour"])
    # Nothing is at 0 p.m.; 17:00 p.m. is at five.
    return hour if hour or not found["half"] else None


def _minute(found: re.Match[str]) -> int:
    spelled = found["past"] or found["minutes"]
    return _PARTS[" ".join(spelled.lower().split())] if spelled else int(found["minute"] or 0)


def _half_of(hour: int, part: str) -> str:
    if part == "night":
        return "p" if 6 <= hour % 12 <= 11 else "a"
    return "a" if part == "morning" else "p"


def _range_begin(text: str, end: int, hour: int, minute: int, half: str | None) -> Found:
    """The time that a range begins with, where it leaves its half of the day to that of its end."""
    found = _RANGE_BEGINS.search(text, max(0, end - 24), end)
    if found is None or half is None:
        return
    first = _HOURS[found["word"].lower()] if found["word"] else int(found["hour"])
    if found["link"].strip().lower() in ("and", "or", "/") and not (
        found["minute"] or _PAIRED.search(text, max(0, found.start() - 12), found.start())
    ):
        return
    if not 1 <= first <= 12:
        if found["minute"]:
            yield found.start(), _said(first, int(found["minute"]), None)
        return
    begins = int(found["minute"] or 0)
    if (first % 12, begins) > (hour % 12, minute):
        half = "a" if half == "p" else "p"
    yield found.start(), _said(first, begins, half)


def _said(hour: int, minute: int, half: str | None) -> str:
    if half is None or hour > 12:
        half = "p" if hour >= 12 else "a"
    shown = hour % 12 or 12
    return f"{shown}:{minute:02}{half}m" if minute else f"{shown}{half}m"


# Weekdays.

_DAYS = {
    "mon": "monday", "tue": "tuesday", "wed": "wednesday", "thu": "thursday", "fri": "friday", "sat": "saturday",
    "sun": "sunday",
}  # fmt: skip
_FULL = re.compile(
    r"(?<![\w@#/.-])(?P<day>mon|tues|wednes|thurs|fri|satur|sun)day(?:s|'s|s'|\u2019s)?(?![\w@])(?!\.\w)(?!-[^\W\d])"
    r"|(?<![\w@#/.-])(?P<joined>(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?=-(?:mon|tues|wednes|thurs|fri|satur|sun))"
    r"|(?<=day-)(?P<after>mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\s+(?:Street|St\b|Road|Rd\b|Avenue|Ave\b|Lane|Drive|Square|Harbou?r|Island|Bridge|Hill|Building|House|Hall"
    r"|Library|Wing|Inn|Times|Club)"
)
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Miss|Prof|Professor)\.?\s+\Z")
_ON = r"(?:on|every|each|this|next|last|by|before|after|until|till|from|through|thru|to|and|or|&|or|of|either|both)"
_ON_BEFORE = re.compile(rf"(?:\b{_ON}|&)\s+\Z", re.IGNORECASE)
_SHORT = r"(?:Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun)"
_SHORT_DAY = re.compile(rf"(?<![\w'\u2019@#/.-])(?:{_SHORT}|{_SHORT.upper()})(?![\w'\u2019@])")
_SHORT_LIST = re.compile(
    rf"(?<![\w'\u2019@#.-]){_SHORT}\.?(?:\s*(?:-|\u2010|\u2011|\u2013|\u2014|/|,|&|to|through|thru|and"
    rf"|or)+\s*(?:(?:and|or)\s+)?"
    rf"{_SHORT}(?:\w*day)?\.?(?![\w'\u2019]))+",
    re.IGNORECASE,
)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_SHORT_AFTER = re.compile(
    rf"\.?,?\s*(?:@|at\b|from\b|\(?\d|noon\b|midnight\b|{_MONTH}|morning|afternoon|evening|night|\||$)", re.MULTILINE
)
_NAME_AFTER = re.compile(rf"\s+(?!{_MONTH}|AM\b|PM\b)[A-Z]")
_ROW_BEFORE = re.compile(r"(?:[:|(]|^[-*]?)[ \t]*\Z", re.MULTILINE)


def _weekdays(text: str) -> Found:
    for found in _FULL.finditer(text):
        name = found["day"] or found["joined"] or found["after"]
        before = text[max(0, found.start() - 16) : found.start()]
        named = _PLACE.match(text, found.end()) and not _ON_BEFORE.search(before)
        if not named and not _TITLE.search(before):
            yield found.start(), _DAYS[name[:3].lower()]
    for listed in _SHORT_LIST.finditer(text):
        for day in re.finditer(_SHORT, listed[0], re.IGNORECASE):
            yield listed.start() + day.start(), _DAYS[day[0][:3].lower()]
    for found in _SHORT_DAY.finditer(text):
        before = text[max(0, found.start() - 16) : found.start()]
        led = _ON_BEFORE.search(before) and not _NAME_AFTER.match(text, found.end())
        row = _ROW_BEFORE.search(before) and re.compile(r"[ \t]*(?:[:|)]|$)", re.MULTILINE).match(text, found.end())
        if led or row or (_SHORT_AFTER.match(text, found.end()) and not re.search(r"\bthe\s+\Z", before)):
            yield found.start(), _DAYS[found[0][:3].lower()]


# Rooms.

_ROOM_ID = r"(?:[A-Z]{1,3}[-.]?\d|\d)\w*(?:[-./]\d\w*)*|[A-HJ-Z](?!\w)"
_NO_ROOM = (
    r"(?!\s?(?i:[ap]\.?\s?m)\b|:\d|\s?%|\s+(?:minutes?|mins?|hours?|people|persons?|seats?|students?|guests?"
    r"|visitors|days?"
    r"|weeks?|times?|degrees)\b)"
)
_ROOM = re.compile(
    rf"(?<![\w-])(?i:(?:class)?room(?P<many>s)?|rm(?:s\b)?\.?)\s*(?:(?i:no\.?|number|nr\.?)(?![a-z])\s*|[:#]\s*)*"
    rf"(?P<first>{_ROOM_ID})(?![\w]){_NO_ROOM}"
)
_NEXT_ROOM = re.compile(
    rf"\s*(?:,\s*(?:and|or|&)?|and|or|&|/|to|-|\u2013)\s*(?:(?i:rooms?)\s*)?(?P<room>{_ROOM_ID})(?!\w){_NO_ROOM}"
)
_OTHER_ROOM = re.compile(rf"\s*(?:or)\s+(?P<room>{_ROOM_ID})(?!\w){_NO_ROOM}")


def _rooms(text: str) -> Found:
    for found in _ROOM.finditer(text):
        rooms = re.split(r"-", found["first"]) if found["many"] else [found["first"]]
        at, more = found.end(), _NEXT_ROOM if found["many"] else _OTHER_ROOM
        while following := more.match(text, at):
            rooms.append(following["room"])
            at = following.end()
        for room in rooms:
            yield found.start(), f"room {room.lower()}"
