"""The fingerprint of a rule: a hash of its source text and of every word that it reaches.

Docstrings, comments and blank lines do not count, nor do a rule's decision, reason and cases. One hash a name,
so that an error can say whether the rule or a word moved. Text is hashed, since dumps of syntax trees and
tokens differ between versions of Python. What cannot be followed is refused.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from regrade.errors import RuleError, near, one_line
from regrade.grades.plain_source import PlainSource

PACKAGE = "regrade.grades"
BARE = "(statements)"
"""Listed for the statements of a file that make no name: every name of the file leans on them."""
_HOME = Path(__file__).parent
_tree = functools.lru_cache(maxsize=256)(ast.parse)

Names = dict[str, str]
"""A reached name, `<module>.<name>`, to the hash of its source."""
Origin = tuple[Path, str | None, int]
"""The file that a name comes from, the name there (None = the module itself), and the line of the import."""


@dataclass(frozen=True)
class Module:
    """The module-level names of a source file."""

    definitions: dict[str, tuple[tuple[ast.stmt, str], ...]]
    """A name to the statements that make it, each with its plain source."""
    imports: dict[str, Origin]
    """The names that are followed into another file."""
    bound: frozenset[str]
    """Every name that some statement, at whatever depth, makes."""


def fingerprint(names: Names) -> str:
    """One hash over all reached names."""
    return _hash("".join(f"{name} {digest}\n" for name, digest in sorted(names.items())))


def read_source(path: Path) -> tuple[str, ast.Module]:
    """The text and syntax tree of a rule, grader or `_words.py` file; RuleError where it is not Python."""
    if not path.is_file():
        raise RuleError(f"{path}: no such rule file. Name one that is there, or a rule by its name.")
    try:
        source = path.read_text(encoding="utf-8")
        return source, _tree(source)
    except (SyntaxError, ValueError, OSError, RecursionError) as error:
        raise RuleError(f"{_where(path)}: {one_line(str(error))}. Mend the file.") from None


def reach(path: Path, label: str, roots: list[str], constants: dict[str, str] | None = None) -> Names:
    """Hash each name that the roots of a file reach, in the file, beside it in `_words.py`, and in `regrade.grades`.

    Args:
        path: the rule or grader file.
        label: what its own names are listed under.
        roots: module-level names to start from.
        constants: values that count as they are, whatever statement makes them.

    Raises:
        RuleError: an import cannot be followed, or a word is not there.
    """
    found = {f"{label}.{name}": _hash(value) for name, value in (constants or {}).items()}
    todo = [(path, name) for name in roots]
    seen: set[tuple[Path, str]] = set()
    while todo:
        file, name = todo.pop()
        if (file, name) in seen:
            continue
        seen.add((file, name))
        module = _module(file)
        todo.append((file, BARE))
        if name in module.imports:
            origin, there, line = module.imports[name]
            if there:
                _check_there(origin, there, f"{_where(file)}:{line}")
            # A module that is handed on as a value may be asked for anything.
            todo += [(origin, n) for n in ([there] if there else _module(origin).definitions)]
        if name in module.definitions:
            statements = module.definitions[name]
            under = label if file == path else _label(file, label)
            found[f"{under}.{name}"] = _hash("\n".join(source for _, source in statements))
            todo += [used for statement, _ in statements for used in _uses(statement, module, file)]
    return found


def _check_there(path: Path, name: str, place: str) -> None:
    """RuleError where a followed file cannot have a name that is asked of it."""
    module = _module(path)
    if name not in module.bound and not name.startswith("__"):
        known = [n for n in {*module.definitions, *module.imports} if n.isidentifier() and n[0] != "_"]
        raise RuleError(f"{place}: {_where(path)} has no {name}.{near(name, known)}")


def _label(path: Path, rule: str) -> str:
    if path.parent == _HOME:
        return PACKAGE if path.stem == "__init__" else f"{PACKAGE}.{path.stem}"
    return f"{rule}:{path.stem}"


def _where(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def _module(path: Path) -> Module:
    source, _ = read_source(path)
    if path.parent != _HOME:
        _check_imports(path, source)
    return _parsed(path, source)


@functools.lru_cache(maxsize=256)
def _parsed(path: Path, source: str) -> Module:
    tree = _tree(source)
    plain = PlainSource(source, tree)
    definitions: dict[str, tuple[tuple[ast.stmt, str], ...]] = {}
    imports: dict[str, Origin] = {}
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom):
            imports.update(_imported(statement, path))
        elif not isinstance(statement, ast.Import) and not _is_text(statement):
            for name in _defined(statement) or [BARE]:
                definitions[name] = (*definitions.get(name, ()), (statement, plain.of(statement)))
    return Module(definitions, imports, frozenset(_bound(tree)))


def _is_text(statement: ast.stmt) -> bool:
    """Whether it is a docstring, be it of the module or of the constant before it."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _defined(statement: ast.stmt) -> list[str]:
    """The names that a statement makes by definition or plain assignment."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        # A function registered on a word (`@word.engine`) is a part of that word.
        owners = [d.value for d in statement.decorator_list if isinstance(d, ast.Attribute)]
        return [statement.name, *(o.id for o in owners if isinstance(o, ast.Name))]
    if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return []
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    parts = [n for t in targets for n in ast.walk(t)]
    if any(isinstance(n, (ast.Attribute, ast.Subscript)) for n in parts):
        return []
    parts += [n.target for n in ast.walk(statement) if isinstance(n, ast.NamedExpr)]
    return [n.id for n in parts if isinstance(n, ast.Name)]


def _bound(tree: ast.AST) -> Iterator[str]:
    """Every name that is bound somewhere in a tree."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=short):
                yield short or name.partition(".")[0]


OUTSIDE = frozenset("ctypes fileinput glob importlib io linecache mmap pickle shelve socket sqlite3 subprocess".split())
"""Modules by which a rule would rest on what its fingerprint cannot follow."""


def _check_inside(node: ast.AST, path: Path) -> None:
    """A rule rests on its own text: not on a file that it reads, which could change under the same fingerprint."""
    asked: str
    match node:
        case ast.Name(id="open" | "__file__" | "__import__" | "eval" | "exec" as name, ctx=ast.Load()):
            asked = str(name)
        case ast.Attribute(attr="read_text" | "read_bytes" as name):
            asked = f".{name}"
        case ast.Attribute(value=ast.Name(id="pl" | "polars"), attr=name) if name.startswith(("read_", "scan_")):
            asked = f"polars.{name}"
        case ast.Import(names=[*names]) if found := {n.name.partition(".")[0] for n in names} & OUTSIDE:
            asked = min(found)
        case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in OUTSIDE:
            asked = module
        case _:
            return
    raise RuleError(
        f"{_where(path)}:{getattr(node, 'lineno', 0)}: uses {asked}; a rule reads nothing but the trial, since what"
        " else it reads is not in its fingerprint. Write the data into the file or into ._words."
    )


@functools.lru_cache(maxsize=256)
def _imports(path: Path, source: str) -> tuple[tuple[ast.Import | ast.ImportFrom, bool], ...]:
    """Each import of a rule that rests on its own text alone, and whether it stands within other code."""
    tree = _tree(source)
    for node in ast.walk(tree):
        _check_inside(node, path)
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return tuple((node, node not in tree.body) for node in found)


def _check_imports(path: Path, source: str) -> None:
    """A rule imports polars, the standard library, regrade.grades and its folder's `_words.py`, for all to see."""
    for node, is_within in _imports(path, source):
        where, names = f"{_where(path)}:{node.lineno}", [a.name for a in node.names]
        for module in names if isinstance(node, ast.Import) else [_module_name(node)]:
            home = _home(module, path) if module != "." or names == ["_words"] else None
            if home is None and module.partition(".")[0] not in {"polars", *sys.stdlib_module_names}:
                raise RuleError(
                    f"{where}: imports {module}; a rule imports polars, the standard library, {PACKAGE} and ._words"
                    " only."
                )
            if names == ["*"]:
                raise RuleError(f"{where}: imports * from {module}, which hides what is used. Name each word.")
            if home and isinstance(node, ast.Import):
                raise RuleError(f"{where}: import {module} is not followed. Write: from {PACKAGE} import text.")
            if home and is_within:
                raise RuleError(f"{where}: imports {module} within other code. Move it to the top of the file.")
            if home and not home.is_file():
                known = near(home.stem, [p.stem for p in _HOME.glob("*.py")])
                hint = known if home.parent == _HOME else " Write it beside the rule."
                raise RuleError(f"{where}: imports {module}, which is not there.{hint}")


def _module_name(statement: ast.ImportFrom) -> str:
    return "." * statement.level + (statement.module or "")


def _home(module: str, path: Path) -> Path | None:
    """The file of a module that is followed."""
    if module in (".", "._words"):
        return path.parent / "_words.py"
    if module == PACKAGE:
        return _HOME / "__init__.py"
    return _HOME / f"{module.removeprefix(PACKAGE + '.')}.py" if module.startswith(f"{PACKAGE}.") else None


def _imported(statement: ast.ImportFrom, path: Path) -> dict[str, Origin]:
    """The names that an import brings from the package or from `_words.py`; others are not followed."""
    module = _module_name(statement)
    home = _home(module, path)
    if home is None:
        return {}
    found: dict[str, Origin] = {}
    for alias in statement.names:
        submodule = home if module == "." else _HOME / f"{alias.name}.py"
        whole = module == "." or (module == PACKAGE and submodule.is_file())
        origin = (submodule, None) if whole else (home, alias.name)
        found[alias.asname or alias.name] = (*origin, statement.lineno)
    return found


def _uses(statement: ast.stmt, module: Module, file: Path) -> Iterator[tuple[Path, str]]:
    """The names read in a statement, each in the file where it is to be sought."""
    for name, asked, line, is_local in _read(statement):
        origin, there, _ = module.imports.get(name, (file, name, 0))
        if there or asked is None:
            yield file, name
        else:
            if not is_local:
                _check_there(origin, asked, f"{_where(file)}:{line}")
            yield origin, asked


@functools.lru_cache(maxsize=4096)
def _read(statement: ast.stmt) -> tuple[tuple[str, str | None, int, bool], ...]:
    """Each name that a statement reads: the attribute asked of it, its line, and whether the statement binds it too."""
    local = set(_bound(statement))
    attributes = {n.value: n.attr for n in ast.walk(statement) if isinstance(n, ast.Attribute)}
    names = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    return tuple((n.id, attributes.get(n), n.lineno, n.id in local) for n in names)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
