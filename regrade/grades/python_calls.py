"""Calls and literals written as Python: `f(a='x')`, `{'k': True}`."""

from __future__ import annotations

import ast
import math
import re
import warnings
from typing import Any

NAME = re.compile(r"[A-Za-z_][\w.:/-]*")
"""What may be a tool's name."""
NO_PYTHON = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError)
"""What reading a text as Python may raise."""


_MARK = re.compile(r"""(["'])(?:\\.|(?!\1)[^\\])*\1|[\[({]|[\])}]|,""", re.DOTALL)


def pieces(text: str, at: int) -> tuple[list[str], int]:
    """Cut a bracketed list at its top-level commas; no pieces where it does not close."""
    found, depth, start = [], 0, at + 1
    for mark in _MARK.finditer(text, at):
        sign = mark.group()
        depth += (sign in "[({") - (sign in "])}")
        if (depth == 1 and sign == ",") or depth == 0:
            found.append(text[start : mark.start()])
            start = mark.end()
        if depth == 0:
            return found, mark.end()
    return [], at


class _Spelled(ast.NodeTransformer):
    """Reads the literals of JSON where Python's are due; models mix them up."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        literals = {"true": True, "false": False, "null": None}
        return ast.Constant(literals[node.id]) if node.id in literals else node


def _expression(code: str) -> ast.expr:
    with warnings.catch_warnings():
        # What a model escapes for nothing is no concern of whoever reads it.
        warnings.simplefilter("ignore")
        return ast.parse(code.strip(), mode="eval").body


def literal(code: str) -> Any:
    """Read a literal, its constants spelled as in Python or in JSON; raises one of `NO_PYTHON` where it is none."""
    return ast.literal_eval(_Spelled().visit(_expression(code)))


def call_in(piece: str) -> list[dict[str, Any]]:
    """Read one call with named arguments that are literals; none where it is anything else."""
    try:
        node = _expression(piece)
        if not isinstance(node, ast.Call) or node.args or not NAME.fullmatch(tool := ast.unparse(node.func)):
            return []
        named = [(k.arg, _Spelled().visit(k.value)) for k in node.keywords if k.arg is not None]
        arguments = {name: ast.literal_eval(value) for name, value in named}
    except NO_PYTHON:
        return []
    if len(arguments) < len(node.keywords) or not is_finite(list(arguments.values())):
        return []
    return [{"name": tool, "arguments": arguments}]


def is_finite(value: Any) -> bool:
    """Say whether every number in a value is one that JSON can hold."""
    if isinstance(value, float):
        return math.isfinite(value)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return all(map(is_finite, parts))
