"""How the bodies of tool calls are read: a function a form, each from a place in a text.

Each takes the text and the place after the opening, and returns the calls with the place after the last; no calls
where there is nothing that can be read. `dialects` says which opening leads to which form.
"""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from collections.abc import Callable
from typing import Any

Parsed = tuple[list[dict[str, Any]], int]
"""Calls as `{"name": ..., "arguments": ...}`, and the place after the last."""

_JSON = json.JSONDecoder(strict=False)
_NAME = re.compile(r"[A-Za-z_][\w.:/-]*")


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


def _call(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, dict):
        return []
    if isinstance(value.get("function"), dict):
        value = value["function"]
    name, key = value.get("name"), "arguments" if "arguments" in value else "parameters"
    if not (isinstance(name, str) and _NAME.fullmatch(name)) or key not in value:
        return []
    return _named(name, value[key])


def _named(name: str, arguments: Any) -> list[dict[str, Any]]:
    if isinstance(arguments, str):
        arguments = _decoded(arguments)
    return [{"name": name, "arguments": arguments}] if isinstance(arguments, dict | str) else []


def json_calls(text: str, at: int) -> Parsed:
    """Objects with a name and arguments: one, a list, or several with `;` or white space between."""
    calls: list[dict[str, Any]] = []
    while True:
        value, end = _json(text, at)
        found = [call for part in (value if isinstance(value, list) else [value]) for call in _call(part)]
        if not found:
            return calls, at
        calls += found
        at = end
        separator = re.compile(r"\s*;?\s*(?=\{)").match(text, at)
        if not separator:
            return calls, after(r"\s*(?:</tool_calls?>|</function_call>|<\|eom_id\|>)", text, at)
        at = separator.end()


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
    pieces, end = _pieces(text, at)
    calls = [call for piece in pieces for call in _python_call(piece)]
    return calls, after(r"\s*(?:<\|python_end\|>|</function_call>)", text, end)


def pythonic_line(text: str, at: int) -> Parsed:
    """Read the same where it is all that stands in its line from there on."""
    calls, end = pythonic(text, at)
    # A list that goes on in its line is a link or prose.
    return (calls, end) if re.compile(r"(?:<\|?\w+\|?>|[ \t\r])*(?:\n|\Z)").match(text, end) else ([], at)


_MARK = re.compile(r"""(["'])(?:\\.|(?!\1)[^\\])*\1|[\[({]|[\])}]|,""", re.DOTALL)


def _pieces(text: str, at: int) -> tuple[list[str], int]:
    """Cut a bracketed list at its top-level commas; no pieces where it does not close."""
    pieces, depth, start = [], 0, at + 1
    for mark in _MARK.finditer(text, at):
        sign = mark.group()
        depth += (sign in "[({") - (sign in "])}")
        if (depth == 1 and sign == ",") or depth == 0:
            pieces.append(text[start : mark.start()])
            start = mark.end()
        if depth == 0:
            return pieces, mark.end()
    return [], at


class _Spelled(ast.NodeTransformer):
    """Reads the literals of JSON where Python's are due; models mix them up."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        literals = {"true": True, "false": False, "null": None}
        return ast.Constant(literals[node.id]) if node.id in literals else node


def _python_call(piece: str) -> list[dict[str, Any]]:
    try:
        with warnings.catch_warnings():
            # What a model escapes for nothing is no concern of whoever reads it.
            warnings.simplefilter("ignore")
            node = ast.parse(piece.strip(), mode="eval").body
        if not isinstance(node, ast.Call) or node.args or not _NAME.fullmatch(tool := ast.unparse(node.func)):
            return []
        named = [(k.arg, _Spelled().visit(k.value)) for k in node.keywords if k.arg is not None]
        arguments = {name: ast.literal_eval(value) for name, value in named}
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return []
    if len(arguments) < len(node.keywords) or not _finite(list(arguments.values())):
        return []
    return [{"name": tool, "arguments": arguments}]


def _finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return all(map(_finite, parts))


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
