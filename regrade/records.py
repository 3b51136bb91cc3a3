"""The core types: what a transcript is made of and what a stage returns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text, with its place in it."""

    text: str
    """The characters themselves."""
    start: int | None = None
    """First code point, counted from 0 in the text that the stage was given; None where it is no slice of it."""
    stop: int | None = None
    """Code point after the last; None where `start` is."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a transcript."""

    role: str
    """`system`, `user`, `assistant`, `tool`, or whatever the log says."""
    text: str
    """Its text: the empty text for null content, parts joined with nothing between."""


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call that the harness parsed."""

    turn: int
    """Index of the assistant turn that made it, from 0."""
    call: int
    """Index within that turn, from 0."""
    name: str
    """The tool's name."""
    arguments: str
    """The arguments as logged: JSON text, or any text where they are not JSON."""
    result: str | None
    """Text of the tool turn that answers it, joined by call id; None where none does."""
    answered: int | None = None
    """Index of that turn."""
