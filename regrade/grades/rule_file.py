"""One file of a rules folder: read as its source says, checked, and loaded when it runs."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import sys
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regrade.errors import RuleError, near, one_line
from regrade.grades.identity import Names, fingerprint, reach
from regrade.grades.stages import STAGES

DECISIONS = ("proposed", "adopted", "rejected")
HEADINGS = ("What it changes:", "Why:", "Evidence:", "What it cannot show:")
SCOPES = ("WHERE", "FAMILIES", "ITEMS")
CONSTANTS = ("AXIS", "DECISION", "REASON", *SCOPES, "MUST_FLIP", "MUST_HOLD")
LOCK = "LOCK"
VERSION = re.compile(r"_v([0-9]+)$")
FROZEN = re.compile(r"frozen_v([0-9]+)$")


@dataclass(frozen=True)
class RuleFile:
    """One file of a rules folder, as its source says without running it."""

    name: str
    path: Path
    doc: str
    axis: str | None
    stage: str | None
    """The stage that it overrides; None for a grader file, or a rule that only brings a new axis."""
    decision: str
    """`frozen` for a benchmark's own grader."""
    reason: str | None
    scope: dict[str, Any]
    must_flip: tuple[dict[str, Any], ...]
    must_hold: tuple[dict[str, Any], ...]
    brings_grader: bool
    names: Names
    locked: bool
    lock_names: Names | None = field(repr=False)
    """The hashes in LOCK, where it is named there."""

    @property
    def fingerprint(self) -> str:
        """Hash of all names that it reaches."""
        return fingerprint(self.names)

    @property
    def state(self) -> str:
        """`locked`, `draft` where LOCK does not name it, or `edited` since it was locked."""
        return "locked" if self.locked else "draft" if self.lock_names is None else "edited"

    @property
    def alone(self) -> str:
        """The candidate made of this rule alone: its name without the version."""
        return VERSION.sub("", self.name)

    def applies(self, gold: Mapping[str, Any], family: str | None, item: str) -> bool:
        """Whether it acts on an item."""
        for key, wanted in self.scope.get("WHERE", {}).items():
            if key == "has":
                if gold.get(wanted) is None:
                    return False
            elif gold.get(key) != wanted:
                return False
        if "FAMILIES" in self.scope and family not in self.scope["FAMILIES"]:
            return False
        return "ITEMS" not in self.scope or item in self.scope["ITEMS"]


def read_lock(folder: Path) -> dict[str, Names]:
    """The LOCK of a folder: file name to the hash of each name that it reaches; empty without one."""
    path = folder / LOCK
    if not path.is_file():
        return {}
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, OSError) as error:
        raise RuleError(f"Cannot read {path}: {one_line(str(error))}. Restore it from version control.") from None


def read_rule_file(path: Path, lock: Mapping[str, Names]) -> RuleFile:
    """Read a rule or grader file without running it; RuleError where its shape is not that of one."""
    where = f"{path.parent.name}/{path.name}"
    try:
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
    except (SyntaxError, ValueError, OSError) as error:
        raise RuleError(f"{where}: {one_line(str(error))}. Mend the file.") from None
    _check_imports(tree, where)
    constants = _constants(tree, where)
    functions = {s.name for s in tree.body if isinstance(s, ast.FunctionDef)}
    stages = [s for s in STAGES if s in functions]
    brings = any(
        isinstance(s, ast.Assign) and any(getattr(t, "id", None) == "GRADER" for t in s.targets) for s in tree.body
    )
    doc = ast.get_docstring(tree) or ""
    frozen = bool(FROZEN.fullmatch(path.stem))
    if frozen:
        if not brings:
            raise RuleError(f"{where}: a grader file without GRADER = {{axis: {{'*': Stages(...)}}}}.")
        stage, decision = None, "frozen"
    else:
        stage = _check_rule(path, where, constants, stages, brings, doc)
        decision = constants["DECISION"]
    roots = [n for n in ((stage,) if stage else ()) if n] + (["GRADER"] if brings else [])
    values = {n: json.dumps(constants[n], sort_keys=True) for n in ("AXIS", *SCOPES) if n in constants}
    names = reach(path, path.stem, roots, values)
    known = lock.get(path.stem)
    return RuleFile(
        name=path.stem,
        path=path,
        doc=doc,
        axis=constants.get("AXIS"),
        stage=stage,
        decision=decision,
        reason=constants.get("REASON"),
        scope={n: constants[n] for n in SCOPES if n in constants},
        must_flip=tuple(constants.get("MUST_FLIP", ())),
        must_hold=tuple(constants.get("MUST_HOLD", ())),
        brings_grader=brings,
        names=names,
        locked=known == names,
        lock_names=known,
    )


def _check_rule(
    path: Path, where: str, constants: dict[str, Any], stages: list[str], brings: bool, doc: str
) -> str | None:
    if not VERSION.search(path.stem) or not path.stem.isidentifier():
        raise RuleError(f"{where}: a rule file is named <what_it_does>_v<N>.py.")
    lacking = [h for h in HEADINGS if h not in doc]
    if lacking:
        raise RuleError(
            f"{where}: its docstring lacks {', '.join(lacking)} Write each heading with what there is to say."
        )
    if len(stages) > 1 or not (stages or brings):
        raise RuleError(
            f"{where}: found {', '.join(stages) or 'no stage'}; a rule overrides exactly one of {', '.join(STAGES)}."
        )
    scopes: dict[str, type | tuple[type, ...]] = {"WHERE": dict, "FAMILIES": (list, tuple), "ITEMS": (list, tuple)}
    for name, kinds in scopes.items():
        if name in constants and not isinstance(constants[name], kinds):
            example = {"WHERE": '{"kind": "number"} or {"has": "ask"}'}.get(name, '["a", "b"]')
            raise RuleError(f"{where}: {name} is {constants[name]!r}, expected such as {example}.")
    for name in ("AXIS", "DECISION"):
        if not isinstance(constants.get(name), str):
            raise RuleError(f'{where}: {name} is missing. Write AXIS, DECISION = "pass", "proposed".')
    if constants["DECISION"] not in DECISIONS:
        raise RuleError(f"{where}: DECISION is {constants['DECISION']!r}.{near(constants['DECISION'], DECISIONS)}")
    if constants["DECISION"] == "rejected" and not constants.get("REASON"):
        raise RuleError(f"{where}: a rejected rule says why in REASON.")
    return stages[0] if stages else None


def _constants(tree: ast.Module, where: str) -> dict[str, Any]:
    """The module constants of a rule, read as literals that may use earlier ones by name."""
    found: dict[str, Any] = {}
    literals: dict[str, Any] = {}
    for statement in tree.body:
        if not isinstance(statement, ast.Assign):
            continue
        for target in statement.targets:
            pairs = [(target, statement.value)]
            if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
                pairs = list(zip(target.elts, statement.value.elts, strict=False))
            for name, value in pairs:
                if not isinstance(name, ast.Name):
                    continue
                try:
                    literals[name.id] = _literal(value, literals)
                except ValueError:
                    if name.id in CONSTANTS:
                        raise RuleError(
                            f"{where}:{statement.lineno}: {name.id} is no literal. Write it out; a listing does not run"
                            " the file."
                        ) from None
                    continue
                if name.id in CONSTANTS:
                    found[name.id] = literals[name.id]
    return found


def _literal(node: ast.expr, known: Mapping[str, Any]) -> Any:
    """The value of a literal in which names of earlier literals, and `**name`, may stand."""
    match node:
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.List(elts=elements):
            return [_literal(e, known) for e in elements]
        case ast.Tuple(elts=elements):
            return tuple(_literal(e, known) for e in elements)
        case ast.Dict(keys=keys, values=values):
            merged: dict[Any, Any] = {}
            for key, value in zip(keys, values, strict=True):
                part = _literal(value, known)
                merged.update(part if key is None else {_literal(key, known): part})
            return merged
        case _:
            return ast.literal_eval(node)


def _check_imports(tree: ast.Module, where: str) -> None:
    """A rule file imports polars, the standard library, regrade.grades and its folder's `_words.py`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level == 1 and (node.module == "_words" or [a.name for a in node.names] == ["_words"]):
                continue
            modules = ["." * node.level + (node.module or "")]
        else:
            continue
        for module in modules:
            top = module.split(".")[0]
            if not (
                top == "polars"
                or top in sys.stdlib_module_names
                or module == "regrade.grades"
                or module.startswith("regrade.grades.")
            ):
                raise RuleError(
                    f"{where}:{node.lineno}: imports {module}; a rule imports polars, the standard library,"
                    " regrade.grades and ._words only."
                )


def load_module(path: Path) -> types.ModuleType:
    """Run a rule file under a module name of its own, its folder a package of its own, so that `._words` is found."""
    package = f"regrade_rules_{abs(hash(path.parent.resolve()))}"
    if package not in sys.modules:
        parent = types.ModuleType(package)
        parent.__path__ = [str(path.parent)]
        sys.modules[package] = parent
    spec = importlib.util.spec_from_file_location(f"{package}.{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    # A bytecode cache beside the rule would be found stale after an edit within one second.
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    except RuleError:
        raise
    except Exception as error:
        raise RuleError(
            f"{path.parent.name}/{path.name} raised {type(error).__name__} when loaded: {one_line(str(error))}"
        ) from error
    finally:
        sys.dont_write_bytecode = before
    return module
