"""How the bodies of tool calls are read: a function a form, each from a place in a text.

Each takes the text and the place after the opening, and returns the calls with the place after the last; no calls
where there is nothing that can be read. `dialects` says which opening leads to which form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import json_repair

from regrade.grades.python_calls import NAME, NO_PYTHON, call_in, is_finite, literal, pieces

Parsed = tuple[list[dict[str, Any]], int]
"""Calls as `{"name": ..., "arguments": ...}`, and the place after the last."""

_JSON = json.JSONDecoder(strict=False)


def after(pattern: str, text: str, at: int) -> int:
    """Step over a pattern where it stands at a place; return the place after it."""
    match = re.compile(pattern).match(text, at)
    return match.end() if match else at


def _json(text: str, at: int) -> tuple[Any, int]:
    try:
        return _JSON.raw_decode(text, after(r"\s*", text, at))
    except (ValueError, RecursionError):
        return None, at


def _decoded(value: str) -> Any:
    try:
        return json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return value


_NAME_KEYS = ("name", "function", "tool", "tool_name")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")


def _calls(value: Any) -> list[dict[str, Any]]:
    """The calls in a JSON value: an object with a name and arguments, a list of such, or a list under a key."""
    if isinstance(value, list):
        return [call for part in value for call in _calls(part)]
    if not isinstance(value, dict):
        return []
    if set(value) == {"tool_calls"}:
        return _calls(value["tool_calls"])
    if isinstance(value.get("function"), dict):
        value = value["function"]
    name = next((value[key] for key in _NAME_KEYS if key in value), None)
    arguments = next((value[key] for key in _ARGUMENT_KEYS if key in value), None)
    if not (isinstance(name, str) and NAME.fullmatch(name)) or _is_schema(arguments):
        return []
    return _named(name, arguments)


def _is_schema(arguments: Any) -> bool:
    """Say whether these are the parameters of a tool's description and no arguments."""
    return isinstance(arguments, dict) and arguments.get("type") == "object" and "properties" in arguments


def _named(name: str, arguments: Any) -> list[dict[str, Any]]:
    if isinstance(arguments, str):
        arguments = _decoded(arguments)
    return [{"name": name, "arguments": arguments}] if isinstance(arguments, dict | str) else []


def json_calls(text: str, at: int) -> Parsed:
    """Objects with a name and arguments: one, a list, or several with `;` or white space between."""
    calls: list[dict[str, Any]] = []
    while True:
        value, end = _json(text, at)
        found = _calls(value)
        if not found:
            return calls, at
        calls += found
        at = end
        separator = re.compile(r"\s*;?\s*(?=\{)").match(text, at)
        if not separator:
            return calls, after(r"\s*(?:</tool_calls?>|</function_call>|<\|eom_id\|>)", text, at)
        at = separator.end()


def json_line(text: str, at: int) -> Parsed:
    """Read the same where it is all that stands in its lines, and nothing introduces it as an example."""
    calls, end = json_calls(text, at)
    return (calls, end) if calls and _ends_its_line(text, end) and not _EXAMPLE.search(text[:at]) else ([], at)


_EXAMPLE = re.compile(r"\b(?:example|looks? like|sample|schema|profile|such as|e\.g\.)[^\n]*:\s*\Z", re.IGNORECASE)


def _ends_its_line(text: str, at: int) -> bool:
    return bool(re.compile(r"(?:<\|?\w+\|?>|[ \t\r])*(?:\n|\Z)").match(text, at))


def tagged_json(text: str, at: int) -> Parsed:
    """Objects up to a closing tag; what is no JSON is mended there, as the tag says that a call was meant."""
    calls, end = json_calls(text, at)
    closed = None if calls else re.compile(r"(.*?[}\]])\s*</?tool_calls?>", re.DOTALL).match(text, at)
    if not closed:
        return calls, end
    calls = _calls(_mended(closed[1]))
    return (calls, closed.end()) if calls else ([], at)


def _mended(text: str) -> Any:
    try:
        value = literal(text)
    except NO_PYTHON:
        # Escaped quotes are those of a text that quotes the call.
        value = None if re.match(r"[{\[]\s*\\", text) else json_repair.loads(text)
    return value if is_finite(value) else None


_FUNCTION = re.compile(r"\s*(?P<name>[^<>=\s{]+)\s*>")
_PARAMETER = re.compile(
    r"\s*<parameter=(?P<key>[^>\n]+)>(?P<value>.*?)(?:</parameter>|(?=<parameter=|</function>))", re.DOTALL
)


def function_tags(text: str, at: int) -> Parsed:
    """`NAME>` and then `<parameter=KEY>value</parameter>` or one JSON object."""
    start = at
    name = _FUNCTION.match(text, at)
    if not name:
        return [], start
    arguments, at = _json(text, name.end())
    if not isinstance(arguments, dict):
        arguments, at = {}, name.end()
        while parameter := _PARAMETER.match(text, at):
            arguments[parameter["key"].strip()] = _unwrapped(parameter["value"])
            at = parameter.end()
    at = after(r"\s*", text, at)
    closing = re.compile(r"</function>(?:\s*</tool_call>)?|\Z").match(text, at)
    return ([{"name": name["name"], "arguments": arguments}], closing.end()) if closing else ([], start)


def _unwrapped(value: str) -> str:
    """Drop the one line break on each side that the form puts there."""
    return re.sub(r"\A\r?\n|\r?\n\Z", "", value)


_INVOKE = re.compile(r"""\s*<(?P<tag>(?:\w+:|｜DSML｜)?)invoke\s+name=(?P<quote>["'])(?P<name>.+?)(?P=quote)\s*>""")


def invokes(text: str, at: int) -> Parsed:
    """`<invoke name="f">` blocks with `<parameter name="k">v</parameter>`, tags plain or with a prefix."""
    calls: list[dict[str, Any]] = []
    while invoke := _INVOKE.match(text, at):
        tag = re.escape(invoke["tag"])
        pattern = re.compile(
            rf"""\s*<{tag}parameter\s+name=(["'])(?P<key>.+?)\1(?P<rest>[^>]*)>(?P<value>.*?)</{tag}parameter>""",
            re.DOTALL,
        )
        arguments: dict[str, Any] = {}
        inner = invoke.end()
        while parameter := pattern.match(text, inner):
            value = _unwrapped(parameter["value"])
            arguments[parameter["key"]] = _decoded(value) if 'string="false"' in parameter["rest"] else value
            inner = parameter.end()
        closing = re.compile(rf"\s*</{tag}invoke>").match(text, inner)
        if not closing:
            break
        if "DSML" in tag and list(arguments) in (["arguments"], ["input"]):
            whole = next(iter(arguments.values()))
            whole = _decoded(whole) if isinstance(whole, str) else whole
            arguments = whole if isinstance(whole, dict) else arguments
        calls.append({"name": invoke["name"], "arguments": arguments})
        at = closing.end()
    return calls, after(r"\s*</(?:[\w:]+|｜DSML｜)(?:tool_call|function_calls)>", text, at) if calls else at


def pythonic(text: str, at: int) -> Parsed:
    """`[f(a='x'), g()]`: calls with named arguments that are literals; a sibling that is not is left out."""
    parts, end = pieces(text, at)
    calls = [call for part in parts for call in call_in(part)]
    return calls, after(r"\s*(?:<\|python_end\|>|</function_call>)", text, end)


def pythonic_line(text: str, at: int) -> Parsed:
    """Read the same where it is all that stands in its line from there on."""
    calls, end = pythonic(text, at)
    # A list that goes on in its line is a link or prose.
    return (calls, end) if _ends_its_line(text, end) else ([], at)


def python_code(text: str, at: int) -> Parsed:
    """Calls as code, a line each, or JSON, up to what closes the wrapper; one may stand within `print(...)`."""
    calls, end = json_calls(text, at)
    closed = re.compile(r"(.*?)(?:</tool_code>|</tool_call>|^ {0,3}```[ \t\r]*$|\Z)", re.DOTALL | re.MULTILINE).match(
        text, end
    )
    if calls or not closed:
        return calls, closed.end() if closed else end
    lines = (re.sub(r"\Aprint\((.*)\)\Z", r"\1", line.strip()) for line in closed[1].split("\n"))
    calls = [call for line in lines for call in call_in(line)]
    return (calls, closed.end()) if calls else ([], at)


def bare_names(text: str, at: int) -> Parsed:
    """`NAME{json}`, the name bare."""
    name = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*(?:\[CALL_ID\]\s*\w+\s*)?(?:\[ARGS\]\s*)?(?=\{)").match(text, at)
    if not name:
        return json_calls(text, at)
    arguments, end = _json(text, name.end())
    return (_named(name[1], arguments), end) if isinstance(arguments, dict) else ([], at)


def blocks(block: str, ending: str) -> Callable[[str, int], Parsed]:
    """Make a parser of blocks that each give a name, then JSON, then an ending that may be absent."""
    pattern = re.compile(block)

    def parse(text: str, at: int) -> Parsed:
        calls: list[dict[str, Any]] = []
        while match := pattern.match(text, at):
            arguments, end = _json(text, match.end())
            if not isinstance(arguments, dict):
                break
            calls += _named(next(name for name in match.groups() if name), arguments)
            at = after(ending, text, end)
        return calls, at

    return parse


_GLM = re.compile(
    r"\s*([A-Za-z_][\w.-]*)\s*((?:<arg_key>.*?</arg_key>\s*<arg_value>.*?</arg_value>\s*)*)</tool_call>", re.S
)


def arg_pairs(text: str, at: int) -> Parsed:
    """`NAME` and then pairs of `<arg_key>` and `<arg_value>`."""
    call = _GLM.match(text, at)
    if not call:
        return [], at
    pairs = re.findall(r"<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>", call[2], re.DOTALL)
    return [{"name": call[1], "arguments": {key.strip(): value for key, value in pairs}}], call.end()
