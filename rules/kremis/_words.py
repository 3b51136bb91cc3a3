"""What the grader and the rules of this folder share: where a reply answers, which chain it claims, what it asserts."""

import re

from regrade.grades import Span

_THOUGHT = re.compile(r"(?s)<think>.*?</think>")
_SLOT = re.compile(r"(?i)ANSWER:\s*(.+)")
_UNKNOWN = re.compile(r"(?i)\bUNKNOWN\b")
_ARROW = re.compile("->|\N{RIGHTWARDS ARROW}")
_DRESS = ".,;:`\"'*"
"""What may stand round a name."""


def answered(reply):
    """Where a reply answers: behind the last `ANSWER:`, on its line or the next; else the last line that is not blank.

    Closed thoughts are cut out first, wherever they stand, even inside the mark. A span without a place where the
    answer is no single slice of the reply; None where nothing is said.
    """
    said, kept = _spoken(reply)
    slots = [found.span(1) for found in _SLOT.finditer(said)]
    start, stop = _trimmed(said, *slots[-1]) if slots else (0, 0)
    if start == stop:
        start, stop = _last_line(said)
    if start == stop:
        return None
    for begins, ends, moved in kept:
        if begins <= start and stop <= ends:
            return Span(said[start:stop], start + moved, stop + moved)
    return Span(said[start:stop])


def _spoken(reply):
    """The reply without its closed thoughts, and the pieces that are left: start, stop, and how far each has moved."""
    said, kept, at = "", [], 0
    for start, stop in [*(found.span() for found in _THOUGHT.finditer(reply)), (len(reply), len(reply))]:
        kept.append((len(said), len(said) + start - at, at - len(said)))
        said, at = said + reply[at:start], stop
    return said, kept


def _trimmed(text, start, stop):
    """The place without the white space at its ends; an empty one where there is nothing else."""
    piece = text[start:stop]
    start += len(piece) - len(piece.lstrip())
    return start, start + len(piece.strip())


def _last_line(text):
    found, at = (0, 0), 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            found = _trimmed(text, at, at + len(line))
        at += len(line)
    return found


def claimed(answer):
    """The names that an answer joins by arrows, at least two; None where it says UNKNOWN or joins nothing."""
    if answer is None or _UNKNOWN.search(answer):
        return None
    names = [name for part in _ARROW.split(answer) if (name := part.strip().strip(_DRESS))]
    return names if len(names) > 1 else None


def known(names, gold):
    """The names, if every one is a name of the world; else None."""
    world = gold.world or {}
    mine = {*world.get("services", ()), *world.get("absent", ())}
    return names if names and mine.issuperset(names) else None


def asserts(chain, gold):
    """Whether a chain says that the source depends on the target: it runs from the one to the other."""
    return bool(chain) and chain[0] == gold.source and chain[-1] == gold.target


def links(chain):
    """The pairs that a chain is made of."""
    return list(zip(chain, chain[1:], strict=False))


def declared(gold):
    """The dependencies of the world, as pairs."""
    return {(one, other) for one, other in (gold.world or {}).get("dependencies", ())}


def reaches(source, target, pairs):
    """Whether a path of at least one link leads from source to target."""
    after = {}
    for one, other in pairs:
        after.setdefault(one, []).append(other)
    seen, todo = set(), [source]
    while todo:
        for name in after.get(todo.pop(), ()):
            if name == target:
                return True
            if name not in seen:
                seen.add(name)
                todo.append(name)
    return False


def reached(source, pairs):
    """The source and all names to which a path leads from it."""
    names, more = set(), {source}
    while more:
        names |= more
        more = {other for one, other in pairs if one in more} - names
    return names
