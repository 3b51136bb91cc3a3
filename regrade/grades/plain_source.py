"""Source text as it counts for a fingerprint: without comments, docstrings and blank lines."""

from __future__ import annotations

import ast
import io
import re
import tokenize


class PlainSource:
    """Source text without comments, docstrings, blank lines and trailing space; other string literals stay whole."""

    def __init__(self, source: str, tree: ast.Module) -> None:
        self.source = source
        # Python ends a line at "\n" alone, where `splitlines` would also end it at a form feed or U+2028.
        self.lines = source.split("\n")
        self.starts = [0]
        for text in self.lines:
            self.starts.append(self.starts[-1] + len(text) + 1)
        docstrings = [
            self._span(node.body[0])
            for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            and ast.get_docstring(node, clean=False) is not None
        ]
        self.marks: list[tuple[int, int, bool]] = []
        """Start and stop of each comment and string, and whether it stays."""
        begun: list[int] = []
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            start, stop = (self.starts[row - 1] + column for row, column in (token.start, token.end))
            kind = tokenize.tok_name[token.type]
            if kind.endswith("STRING_START"):
                begun.append(start)
            elif kind.endswith("STRING_END"):
                start = begun.pop()
            if not begun and (kind == "COMMENT" or kind == "STRING" or kind.endswith("STRING_END")):
                is_prose = kind == "COMMENT" or any(a <= start < b for a, b in docstrings)
                self.marks.append((start, stop, not is_prose))

    def of(self, statement: ast.stmt) -> str:
        """The plain source of one statement."""
        at, end = self._span(statement)
        done, code = "", ""
        for start, stop, stays in self.marks:
            if at <= start < end:
                code += self.source[at:start]
                if stays:
                    done, code = done + _tidy(code) + self.source[start:stop], ""
                at = stop
        return done + _tidy(code + self.source[at:end])

    def _span(self, statement: ast.stmt) -> tuple[int, int]:
        first: list[ast.expr] = getattr(statement, "decorator_list", [])
        begin = self.starts[first[0].lineno - 1] if first else self._offset(statement.lineno, statement.col_offset)
        return begin, self._offset(statement.end_lineno or 0, statement.end_col_offset or 0)

    def _offset(self, line: int, column: int) -> int:
        """Where a syntax tree's position is: it counts a line's columns in bytes of UTF-8."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())


def _tidy(code: str) -> str:
    return re.sub(r"\s*\n", "\n", code)
