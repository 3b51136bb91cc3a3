"""One file of a rules folder: read as its source says, checked, and loaded when it runs."""

from __future__ import annotations

import ast
import difflib
import importlib.util
import json
import re
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regrade.errors import RuleError, near, one_line
from regrade.grades.identity import Names, fingerprint, reach, read_source
from regrade.grades.stages import STAGES

DECISIONS = ("proposed", "adopted", "rejected")
HEADINGS = ("What it changes:", "Why:", "Evidence:", "What it cannot show:")
SCOPES = ("WHERE", "FAMILIES", "ITEMS")
CONSTANTS = ("AXIS", "DECISION", "REASON", *SCOPES, "MUST_FLIP", "MUST_HOLD")
LOCK = "LOCK"
MEASURES, PROVE, ABSENCES = "MEASURES", "prove", "absences"
"""What a file with a GRADER may bring besides: `{axis: {name: function}}`, and a function of the bank's items."""
EVERY = "*"
"""As AXIS: every axis that the frozen grader of the corpus has, ported or carried."""
SHAPES: Mapping[str, tuple[type, str]] = {
    "WHERE": (str, '{"kind": "number"} or {"has": "ask"}'),
    "FAMILIES": (str, '["a", "b"]'),
    "ITEMS": (str, '["a", "b"]'),
    "MUST_FLIP": (dict, '[{"gold": ..., "reply": ..., "to": "passed"}]'),
    "MUST_HOLD": (dict, '[{"gold": ..., "reply": ..., "status": "failed"}]'),
}
"""What a constant is made of, and an example; all are lists but WHERE, which is an object."""
VERSION = re.compile(r"_v([0-9]+)$")
FROZEN = re.compile(r"frozen_v([0-9]+)$")


@dataclass(frozen=True)
class RuleFile:
    """One file of a rules folder, as its source says without running it."""

    name: str
    path: Path
    doc: str
    axis: str | None
    """`*` is every axis of the corpus."""
    stage: str | None
    """The stage that it overrides; None for a grader file, or a rule that only brings a new axis."""
    decision: str
    """`frozen` for a benchmark's own grader."""
    reason: str | None
    scope: dict[str, Any]
    must_flip: tuple[dict[str, Any], ...]
    must_hold: tuple[dict[str, Any], ...]
    brings_grader: bool
    of_bank: tuple[str, ...]
    """The functions on the whole bank that it has beside its grader: `prove`, `absences`."""
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
        lock = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError) as error:
        raise RuleError(f"Cannot read {path}: {one_line(str(error))}. Restore it from version control.") from None
    entries = lock if isinstance(lock, dict) else {LOCK: lock}
    for name, entry in entries.items():
        hashes = entry.values() if isinstance(entry, dict) else [None]
        if entries is not lock or not all(isinstance(h, str) for h in hashes):
            raise RuleError(
                f"Cannot use {path}: {name} is {short(entry)}, expected an object of names and hashes. Restore it from"
                " version control."
            )
    return entries


def read_rule_file(path: Path, lock: Mapping[str, Names]) -> RuleFile:
    """Read a rule or grader file without running it; RuleError where its shape is not that of one."""
    where = f"{path.parent.name}/{path.name}"
    _, tree = read_source(path)
    constants = _constants(tree, where)
    _check_constants(constants, where)
    functions = [s.name for s in tree.body if isinstance(s, ast.FunctionDef)]
    assigned = {name.id for s in tree.body for name, _ in _assigned(s)}
    brings = "GRADER" in assigned
    of_bank = tuple(name for name in (PROVE, ABSENCES) if brings and name in functions)
    doc = ast.get_docstring(tree) or ""
    frozen = bool(FROZEN.fullmatch(path.stem))
    if frozen:
        if not brings:
            raise RuleError(f"{where}: a grader file without GRADER = {{axis: {{'*': Stages(...)}}}}.")
        stage, decision = None, "frozen"
    else:
        stage = _check_rule(path, where, constants, functions, brings, doc)
        decision = constants["DECISION"]
    beside = [n for n, there in (("GRADER", brings), (MEASURES, MEASURES in assigned)) if there]
    # What is absent moves no grade.
    roots = [*([stage] if stage else ()), *beside, *(name for name in of_bank if name != ABSENCES)]
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
        of_bank=of_bank,
        names=names,
        locked=known == names,
        lock_names=known,
    )


def _check_rule(
    path: Path, where: str, constants: dict[str, Any], functions: list[str], brings: bool, doc: str
) -> str | None:
    if not VERSION.search(path.stem) or not path.stem.isidentifier():
        raise RuleError(f"{where}: a rule file is named <what_it_does>_v<N>.py.")
    lacking = [f'"{h}"' for h in HEADINGS if h not in doc]
    if lacking:
        listed = " and ".join(p for p in (", ".join(lacking[:-1]), lacking[-1]) if p)
        raise RuleError(
            f"{where}: its docstring lacks the heading{'s' if lacking[1:] else ''} {listed}. Write what there is to say"
            " under each."
        )
    stages = [s for s in STAGES if s in functions]
    if len(stages) > 1 or not (stages or brings):
        close = [(f, c) for f in functions for c in difflib.get_close_matches(f, STAGES, n=1)] if not stages else []
        hint = f" Did you mean {close[0][1]!r} by {close[0][0]!r}?" if close else ""
        raise RuleError(
            f"{where}: found {' and '.join(stages) or 'no stage'}; a rule overrides exactly one of"
            f" {', '.join(STAGES)}.{hint}"
        )
    for name in ("AXIS", "DECISION"):
        if not isinstance(constants.get(name), str):
            raise RuleError(f'{where}: {name} is missing. Write AXIS, DECISION = "pass", "proposed".')
    if constants["DECISION"] not in DECISIONS:
        raise RuleError(f"{where}: DECISION is {constants['DECISION']!r}.{near(constants['DECISION'], DECISIONS)}")
    if constants["DECISION"] == "rejected" and not constants.get("REASON"):
        raise RuleError(f"{where}: a rejected rule says why in REASON.")
    return stages[0] if stages else None


def _check_constants(constants: Mapping[str, Any], where: str) -> None:
    """RuleError where a constant has another shape than is read of it."""
    for name, value in constants.items():
        if name not in SHAPES:
            continue
        kind, example = SHAPES[name]
        parts = list(value) if isinstance(value, (dict, list, tuple)) else []
        right = isinstance(value, dict if name == "WHERE" else (list, tuple)) and all(
            isinstance(p, kind) for p in parts
        )
        if not right or (name == "WHERE" and not isinstance(value.get("has", ""), str)):
            raise RuleError(f"{where}: {name} is {short(value)}, expected such as {example}.")
        for odd in _not_json(value):
            raise RuleError(
                f"{where}: {name} holds {short(odd)} ({type(odd).__name__}), which JSON cannot. Use texts, numbers,"
                " lists, and objects whose keys are texts."
            )


def _not_json(value: Any) -> Iterator[Any]:
    """The parts of a literal that have no form in JSON."""
    if isinstance(value, dict):
        yield from (key for key in value if not isinstance(key, str))
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _not_json(part)
    elif not isinstance(value, (str, int, float, type(None))):
        yield value


def short(value: Any) -> str:
    """A value as an error shows it."""
    text = one_line(repr(value))
    return text if len(text) <= 80 else f"{text[:80]}..."


def _assigned(statement: ast.stmt) -> list[tuple[ast.Name, ast.expr]]:
    """The plain names that an assignment makes, each with its own part of the value."""
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
        return []
    targets: list[ast.expr] = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for target in targets:
        if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            pairs += zip(target.elts, statement.value.elts, strict=False)
        else:
            pairs.append((target, statement.value))
    return [(name, value) for name, value in pairs if isinstance(name, ast.Name)]


def _constants(tree: ast.Module, where: str) -> dict[str, Any]:
    """The module constants of a rule, read as literals that may use earlier ones by name."""
    literals: dict[str, Any] = {}
    for name, value in (pair for statement in tree.body for pair in _assigned(statement)):
        try:
            literals[name.id] = _literal(value, literals)
        except (ValueError, TypeError):
            if name.id in CONSTANTS:
                raise RuleError(
                    f"{where}:{name.lineno}: {name.id} is no literal. Write it out; a listing does not run the file."
                ) from None
    return {name: value for name, value in literals.items() if name in CONSTANTS}


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


def load_module(path: Path) -> types.ModuleType:
    """Run a rule file under a module name of its own, its folder a package of its own, so that `._words` is found."""
    package = f"regrade_rules_{abs(hash(path.parent.resolve()))}"
    parent = types.ModuleType(package)
    parent.__path__ = [str(path.parent)]
    sys.modules[package] = parent
    # Each rule reads the words as they are now: they may have been edited since another one was loaded.
    sys.modules.pop(f"{package}._words", None)
    importlib.invalidate_caches()
    spec = importlib.util.spec_from_file_location(f"{package}.{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    # A bytecode cache beside the rule would be found stale after an edit within one second.
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    except (RuleError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise RuleError(
            f"{path.parent.name}/{path.name} raised {type(error).__name__} when loaded: {one_line(str(error))}. Mend"
            " the file."
        ) from error
    finally:
        sys.dont_write_bytecode = before
    return module
