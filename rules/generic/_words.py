"""What the rules of this folder share."""

import re

from regrade.grades import Span, lenient


def own_reply(reply):
    """What of a reply answers the item: no thinking, and no further question that the model made up."""
    return lenient.own_reply(reply) or Span("", 0, 0)


def within(found, outer):
    """A span of the outer span's text, placed in the text that the outer one stands in."""
    if found is None or found.start is None:
        return found
    return Span(found.text, outer.start + found.start, outer.start + found.stop)


_WRAPPED = re.compile(r"(\*\*|__|\*|_|`|\$)(.+)\1")


def unwrapped(span):
    """A line without the marks that wrap the whole of it: bold, italics, code, mathematics."""
    while wrapped := _WRAPPED.fullmatch(span.text):
        span = within(Span(wrapped[2], *wrapped.span(2)), span)
    return span


def else_below(found, trial, base):
    """What was found, else what the level below found.

    The whole reply counts as nothing found, since that is where a carried grader starts from.
    """
    if found is not None:
        return found
    below = base(trial)
    return None if below is None or below.text == trial.reply else below
