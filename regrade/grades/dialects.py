"""Tool calls that a harness left in the text: the surface forms that models write, and how to read them.

A call stands at the start of a line, or after prose on its line where a marker that is no prose opens it. What
is inside a code fence, in backticks or in a thinking block is talk about calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from regrade.grades import call_forms
from regrade.grades.words import SPAN, distinctly, word
from regrade.records import Span

__all__ = ["DIALECTS", "Dialect", "call_like", "tool_calls"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One surface form."""

    name: str
    opening: re.Pattern[str]
    """What a call begins with, matched at its place."""
    parse: Callable[[str, int], call_forms.Parsed]
    """Reads the calls from the end of the opening on; no calls where there is nothing that can be read."""
    marked: bool = True
    """The opening is a marker that occurs in no prose: it looks like a call even where none can be read, and
    what can be read counts after prose too."""


@word(SPAN)
def call_like(text: str) -> Span | None:
    """Find the first place where a text looks like a tool call, whether or not it can be read."""
    return next((found for found, _ in _scan(text)), None)


@call_like.engine
def _call_like(text: pl.Series) -> pl.Series:
    possible = text.str.contains(r"(?m)^ {0,3}(?:[\[{]|Action:|functools\[|```)|<[A-Za-z|｜]|\[TOOL_CALLS\]")
    return distinctly(call_like, [text.zip_with(possible, pl.Series([None], dtype=pl.String))], SPAN)


def tool_calls(text: str | None) -> list[dict[str, Any]]:
    """Read the tool calls in a text, in order, each `{"name": text, "arguments": object}`.

    Arguments written as untyped text stay text, since only the tool's schema could say more. Arguments that were
    encoded twice are decoded once more; where that gives no JSON they are the text.
    """
    return [call for _, calls in _scan(text or "") for call in calls]


_STOP = re.compile(
    r"^ {0,3}(?P<wrapper>(?=```tool_(?:calls?|code)\b))"
    r"|^ {0,3}(?P<fence>`{3,}(?![^\n]*`)|~{3,})|(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`)"
    r"|(?P<quoted>^ {0,3}>[^\n]*)|(?P<think><think(?:ing)?>)"
    r"|^ {0,3}(?P<line>(?=[\[{<]|Action:|functools\[))|(?P<inline>(?=<|\[TOOL_CALLS\]))",
    re.MULTILINE,
)


def _scan(text: str) -> Iterator[tuple[Span, list[dict[str, Any]]]]:
    at = 0
    while stop := _STOP.search(text, at):
        fence = stop["fence"]
        if fence or stop["think"]:
            closing = rf"(?m)^ {{0,3}}{fence}{fence[0]}*[ \t\r]*$" if fence else "</think(?:ing)?>"
            closed = re.compile(closing).search(text, stop.end())
            at = closed.end() if closed else len(text)
            continue
        at = stop.end()
        if stop["ticks"] or stop["quoted"]:
            continue
        for dialect in DIALECTS:
            opening = dialect.opening.match(text, at)
            if not opening:
                continue
            calls, end = dialect.parse(text, opening.end())
            if calls:
                yield Span(text[at:end], at, end), calls
                at = end
                break
            if dialect.marked and stop["line"] is not None:
                end = call_forms.after(r"[^\r\n]+", text, at)
                yield Span(text[at:end], at, end), []
                at = max(at + 1, opening.end())
                break
        else:
            # An opening may stand right here again, so step over the character that was looked at.
            at += 1


_DEEPSEEK_BLOCK = (
    r"\s*(?:<｜tool▁calls▁begin｜>\s*)?<｜tool▁call▁begin｜>\s*"
    r"(?:function\s*<｜tool▁sep｜>\s*([^\n<]+?)\s*```(?:json)?\s*|([^\n<]+?)\s*<｜tool▁sep｜>\s*)(?=\{)"
)
_DEEPSEEK_END = r"\s*(?:```)?\s*(?:<｜tool▁call▁end｜>)?\s*(?:<｜tool▁calls▁end｜>)?"
_KIMI_BLOCK = (
    r"\s*(?:<\|tool_calls_section_begin\|>\s*)?<\|tool_call_begin\|>\s*(?:functions\.)?([A-Za-z_][\w.-]*)(?::\d+)?"
    r"\s*<\|tool_call_argument_begin\|>\s*(?=\{)"
)
_KIMI_END = r"\s*(?:<\|tool_call_end\|>)?\s*(?:<\|tool_calls_section_end\|>)?"

_XML_BLOCK = r"\s*<name>\s*([A-Za-z_][\w.-]*)\s*</name>\s*<(?:arguments|parameters)>\s*(?=\{)"
_XML_END = r"\s*</(?:arguments|parameters)>\s*(?:</tool_call>)?"
_REACT_BLOCK = r"Action:[ \t]*`?([A-Za-z_][\w.-]*)`?[ \t\r]*\n[ \t]*Action Input:\s*(?=\{)"
_HARMONY_BLOCK = r"\s*(?:functions\.)?([A-Za-z_][\w.-]*)\s*(?:<\|constrain\|>)?\s*\w*\s*<\|message\|>\s*(?=\{)"

DIALECTS = tuple(
    Dialect(name, re.compile(opening), parse, marked)
    for name, opening, parse, marked in (
        ("function_tags", r"(?:<tool_call>\s*)?<function=", call_forms.function_tags, True),
        ("hermes", r"<\|?tool_calls?\|?>\s*(?=[{\[])", call_forms.tagged_json, True),
        ("tool_code", r"```tool_(?:calls?|code)[ \t\r]*\n|<tool_code>", call_forms.python_code, True),
        ("xml", r"<tool_call>(?=\s*<name>)", call_forms.blocks(_XML_BLOCK, _XML_END), True),
        ("glm", r"<tool_call>", call_forms.arg_pairs, True),
        ("mistral", r"\[TOOL_CALLS\]", call_forms.bare_names, True),
        ("deepseek", r"(?=<｜tool▁calls?▁begin｜>)", call_forms.blocks(_DEEPSEEK_BLOCK, _DEEPSEEK_END), True),
        ("kimi", r"(?=<\|tool_calls?(?:_section)?_begin\|>)", call_forms.blocks(_KIMI_BLOCK, _KIMI_END), True),
        (
            "invoke",
            r"<(?:minimax:tool_call|(?:\w+:|｜DSML｜)?function_calls)>(?=\s*<)|(?=<(?:\w+:|｜DSML｜)?invoke\s+name=)",
            call_forms.invokes,
            True,
        ),
        ("pythonic_tags", r"(?:<function_call>|<\|python_start\|>)\s*(?=\[\s*[A-Za-z_])", call_forms.pythonic, True),
        ("json_tags", r"(?:<function_call>|<\|python_tag\|>)\s*(?=[{\[])", call_forms.json_calls, True),
        ("python_tag", r"<\|python_tag\|>", call_forms.json_calls, True),
        ("pythonic", r"(?=\[\s*[A-Za-z_][\w.]*\s*\()", call_forms.pythonic_line, False),
        ("functools", r"functools(?=\[)", call_forms.json_line, False),
        ("react", r"(?=Action:)", call_forms.blocks(_REACT_BLOCK, ""), False),
        ("harmony", r"<\|channel\|>commentary\s+to=", call_forms.blocks(_HARMONY_BLOCK, r"<\|call\|>"), True),
        ("json", r"(?=\{|\[\s*\{)", call_forms.json_line, False),
    )
)
"""The forms in the order in which they are tried; those that share a tag differ in what follows it."""
