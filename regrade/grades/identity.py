"""The fingerprint of a rule: a hash of its source text and of every word that it reaches.

Docstrings, comments and blank lines do not count, nor do a rule's decision, reason and cases. One hash a name,
so that an error can say whether the rule or a word moved. Text is hashed, since dumps of syntax trees and
tokens differ between versions of Python.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import io
import tokenize
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "regrade.grades"
_HOME = Path(__file__).parent

Names = dict[str, str]
"""A reached name, `<module>.<name>`, to the hash of its source."""


@dataclass(frozen=True)
class Module:
    """The module-level names of a source file."""

    label: str
    """What its names are listed under."""
    path: Path
    definitions: dict[str, tuple[tuple[ast.stmt, str], ...]]
    """A name to the statements that make it, each with its plain source."""
    imports: dict[str, tuple[Path, str | None]]
    """A name to the file it comes from and the name there; None = the module itself."""


def fingerprint(names: Names) -> str:
    """One hash over all reached names."""
    return _hash("".join(f"{name} {digest}\n" for name, digest in sorted(names.items())))


def reach(path: Path, label: str, roots: list[str], constants: dict[str, str] | None = None) -> Names:
    """Hash each name that the roots of a file reach, in the file, beside it in `_words.py`, and in `regrade.grades`.

    Args:
        path: the rule or grader file.
        label: what its own names are listed under.
        roots: module-level names to start from.
        constants: values that count as they are, whatever statement makes them.
    """
    found = {f"{label}.{name}": _hash(value) for name, value in (constants or {}).items()}
    todo = [(path, label, name) for name in roots]
    seen: set[tuple[Path, str]] = set()
    while todo:
        file, under, name = todo.pop()
        if (file, name) in seen:
            continue
        seen.add((file, name))
        module = _module(file, under, file.read_text(encoding="utf-8"))
        if name in module.imports:
            origin, there = module.imports[name]
            if there is not None:
                todo.append((origin, _label(origin, label), there))
            continue
        statements = module.definitions.get(name)
        if statements is None:
            continue
        found[f"{under}.{name}"] = _hash("\n".join(source for _, source in statements))
        for statement, _ in statements:
            for used, attribute in _uses(statement):
                if used in module.imports and module.imports[used][1] is None and attribute is not None:
                    origin = module.imports[used][0]
                    todo.append((origin, _label(origin, label), attribute))
                else:
                    todo.append((file, under, used))
    return found


def _label(path: Path, rule: str) -> str:
    if path.parent == _HOME:
        return PACKAGE if path.stem == "__init__" else f"{PACKAGE}.{path.stem}"
    return f"{rule}:{path.stem}"


@functools.lru_cache(maxsize=256)
def _module(path: Path, label: str, source: str) -> Module:
    plain = _Plain(source)
    definitions: dict[str, tuple[tuple[ast.stmt, str], ...]] = {}
    imports: dict[str, tuple[Path, str | None]] = {}
    for statement in ast.parse(source).body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            imports.update(_imported(statement, path))
            continue
        for name in _defined(statement):
            definitions[name] = (*definitions.get(name, ()), (statement, plain.of(statement)))
    return Module(label, path, definitions, imports)


def _defined(statement: ast.stmt) -> list[str]:
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        # A function registered on a word (`@word.engine`) is a part of that word.
        owners = [
            d.value.id
            for d in statement.decorator_list
            if isinstance(d, ast.Attribute) and isinstance(d.value, ast.Name)
        ]
        return [statement.name, *owners]
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        targets = [statement.target]
    return [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]


def _imported(statement: ast.Import | ast.ImportFrom, path: Path) -> dict[str, tuple[Path, str | None]]:
    """The names that an import brings from the package or from `_words.py`; others are not followed."""
    found: dict[str, tuple[Path, str | None]] = {}
    if isinstance(statement, ast.Import):
        return found
    home = _words(statement, path) or _package_file(statement.module)
    if home is None:
        return found
    for alias in statement.names:
        submodule = _HOME / f"{alias.name}.py"
        if statement.module == PACKAGE and submodule.is_file():
            found[alias.asname or alias.name] = (submodule, None)
        elif statement.module is None and alias.name == "_words":
            found[alias.asname or alias.name] = (path.parent / "_words.py", None)
        else:
            found[alias.asname or alias.name] = (home, alias.name)
    return found


def _words(statement: ast.ImportFrom, path: Path) -> Path | None:
    if statement.level == 1 and (statement.module == "_words" or statement.module is None):
        return path.parent / "_words.py"
    return None


def _package_file(module: str | None) -> Path | None:
    if module == PACKAGE:
        return _HOME / "__init__.py"
    if module and module.startswith(PACKAGE + "."):
        return _HOME / f"{module.removeprefix(PACKAGE + '.')}.py"
    return None


def _uses(statement: ast.stmt) -> list[tuple[str, str | None]]:
    """Names read in a statement, each with the attribute that is taken of it, if one is."""
    attributes = {
        id(node.value): node.attr
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    return [
        (node.id, attributes.get(id(node)))
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    ]


class _Plain:
    """Source text without comments, docstrings and blank lines."""

    def __init__(self, source: str) -> None:
        self.lines = source.splitlines()
        cut: dict[int, int] = {}
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                cut[token.start[0]] = token.start[1]
        self.comments = cut

    def of(self, statement: ast.stmt) -> str:
        """The plain source of one statement."""
        hidden: set[int] = set()
        for node in ast.walk(statement):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node, clean=False) is not None:
                first = node.body[0]
                hidden.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
        begin = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
        kept = []
        for number in range(begin, (statement.end_lineno or begin) + 1):
            if number in hidden:
                continue
            line = self.lines[number - 1]
            if number in self.comments:
                # `tokenize` counts columns in characters, as slicing does.
                line = line[: self.comments[number]]
            if line.strip():
                kept.append(line.rstrip())
        return "\n".join(kept)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
