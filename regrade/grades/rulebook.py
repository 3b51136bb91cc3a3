"""A benchmark's folder under rules/: its frozen grader, its rules, its candidates and its lock."""

from __future__ import annotations

import json
import os
import types
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from regrade.errors import GateFailed, OutputError, RuleError, near, one_line
from regrade.grades.carried import carried_grader
from regrade.grades.rule_file import (
    EVERY,
    FROZEN,
    LOCK,
    MEASURES,
    VERSION,
    RuleFile,
    load_module,
    read_lock,
    read_rule_file,
)
from regrade.grades.stages import STAGES, Candidate, Function, Grader, Rule, Stages

GENERIC = "generic"


class Rulebook:
    """The rules of one benchmark: what an audit may run."""

    def __init__(self, roots: Sequence[Path], benchmark: str | None) -> None:
        """Read the folder.

        Args:
            roots: rules folders, the first that has the benchmark wins.
            benchmark: name of its folder; None or unknown = no rules of its own, every axis carried.
        """
        self.roots = tuple(roots)
        self.benchmark = benchmark
        self.folder = next((r / benchmark for r in roots if benchmark and (r / benchmark).is_dir()), None)
        own = sorted(self.folder.glob("*.py")) if self.folder is not None else []
        self.paths = {path.stem: path for path in own if not path.name.startswith("_")}
        """The rule and grader files of the benchmark by name; one is read when it is asked for."""
        self._read: dict[str, RuleFile] = {}
        self._loaded: dict[str, types.ModuleType] = {}
        frozen = [n for n in self.paths if FROZEN.fullmatch(n)]
        self.frozen = max(frozen, key=lambda n: int(VERSION.search(n).group(1))) if frozen else None  # type: ignore[union-attr]

    @property
    def warning(self) -> str | None:
        """What to tell the user about a benchmark without a folder."""
        if self.benchmark is None or self.folder is not None:
            return None
        known = {p.name for r in self.roots if r.is_dir() for p in r.iterdir() if p.is_dir() and p.name != GENERIC}
        return (
            f"No rules folder for the benchmark {self.benchmark!r}; its grades are"
            f" carried.{near(self.benchmark, known)}"
        )

    def rule_names(self) -> list[str]:
        """The rules of the benchmark's folder, the frozen graders not among them."""
        return [n for n, path in self.paths.items() if not FROZEN.fullmatch(n) and path.parent == self.folder]

    def generic_names(self) -> list[str]:
        """The generic rules, which a corpus of any benchmark may name."""
        return sorted({path.stem for root in self.roots for path in (root / GENERIC).glob("*_v*.py")})

    def file(self, name: str) -> RuleFile:
        """A rule or grader file by name; a generic rule is found too. RuleError where there is none."""
        if name not in self._read:
            generic = (root / GENERIC / f"{name}.py" for root in self.roots)
            path = self.paths.get(name) or next((path for path in generic if path.is_file()), None)
            if path is None:
                where = f" in the benchmark {self.benchmark!r}" if self.folder else ""
                raise RuleError(f"Unknown rule {name!r}{where}.{near(name, {*self.paths, *self.generic_names()})}")
            self._read[name] = read_rule_file(path, read_lock(path.parent))
        return self._read[name]

    def take(self, path: Path) -> RuleFile:
        """Read a rule file wherever it lies; it stands for the one of its name."""
        self._loaded.pop(path.stem, None)
        self._read.pop(path.stem, None)
        self.paths[path.stem] = path.resolve()
        return self.file(path.stem)

    def rule(self, name: str, axis: str | None = None) -> Rule:
        """A rule, ready to run; RuleError where the file overrides no stage.

        Args:
            name: the rule.
            axis: where a rule of every axis (`*`) is to act; one of a single axis acts there.
        """
        file = self.file(name)
        if file.stage is None or file.axis is None:
            raise RuleError(f"{file.name} overrides no stage; it has none of {', '.join(STAGES)}.")
        function = getattr(self._module(file), file.stage)
        on = axis if axis is not None and file.axis == EVERY else file.axis
        return Rule(file.name, on, file.stage, function, file.applies)

    def graders(self, name: str) -> dict[str, Grader]:
        """The graders, by axis, that a file brings."""
        file = self.file(name)
        if not file.brings_grader:
            return {}
        declared = self._module(file).GRADER
        where = f"GRADER of {file.path.name}"
        if not isinstance(declared, Mapping) or not declared:
            raise RuleError(f"{where}: found {type(declared).__name__}, expected {{axis: {{family: Stages(...)}}}}.")
        for axis, families in declared.items():
            if not isinstance(families, Mapping) or not all(isinstance(s, Stages) for s in families.values()):
                raise RuleError(
                    f"{where}[{axis!r}]: expected {{family: Stages(...)}}, with '*' for every other family."
                )
        measures = self._measures(file, declared)
        of_bank = {name: getattr(self._module(file), name) for name in file.of_bank}
        return {
            axis: Grader(axis, file.name, dict(families), measures=measures.get(axis, {}), **of_bank)
            for axis, families in declared.items()
        }

    def _measures(self, file: RuleFile, axes: Iterable[str]) -> Mapping[str, Mapping[str, Function]]:
        """What a file counts beside the statuses of its axes, by axis and name; RuleError where it cannot be read."""
        declared = getattr(self._module(file), MEASURES, {})
        where = f"{MEASURES} of {file.path.name}"
        if not isinstance(declared, Mapping):
            raise RuleError(f"{where}: found {type(declared).__name__}, expected {{axis: {{name: function}}}}.")
        for axis, measures in declared.items():
            if axis not in axes:
                raise RuleError(f"{where}: its GRADER has no axis {axis!r}.{near(str(axis), axes)}")
            if not isinstance(measures, Mapping) or not all(map(callable, measures.values())):
                raise RuleError(f"{where}[{axis!r}]: expected {{name: function}}.")
            for name in measures:
                if not isinstance(name, str) or not name.isidentifier() or name in STAGES:
                    raise RuleError(f"{where}[{axis!r}]: {name!r} is no name of a measure; use letters, digits and _.")
        return declared

    def frozen_graders(self, axes: Iterable[str]) -> dict[str, Grader]:
        """The frozen grader of each axis: ported where the benchmark has one, else carried."""
        ported = self.graders(self.frozen) if self.frozen else {}
        return {**{a: carried_grader(a) for a in axes if a not in ported}, **ported}

    def candidates(self, declared: Iterable[tuple[str, Sequence[str]]] = ()) -> dict[str, tuple[str, ...]]:
        """Each rule of the benchmark alone, then the declared ones: candidate name to rule names, in order."""
        alone: dict[str, list[str]] = {}
        for name in self.rule_names():
            alone.setdefault(VERSION.sub("", name), []).append(name)
        found: dict[str, tuple[str, ...]] = {}
        for short, names in alone.items():
            for name in names:
                found[short if len(names) == 1 else name] = (name,)
        for name, rules in declared:
            if name in found and found[name] != tuple(rules):
                raise RuleError(
                    f"Candidate {name!r} in corpus.toml has the name of the candidate made of the rule {found[name][0]}"
                    " alone. Name it otherwise."
                )
            if len(set(rules)) != len(rules):
                raise RuleError(f"Candidate {name!r} names a rule twice: {', '.join(rules)}.")
            for rule in rules:
                if self.file(rule).decision == "frozen":
                    raise RuleError(f"Candidate {name!r} names {rule}, which is a grader and no rule.")
            found[name] = tuple(rules)
        folded: dict[str, str] = {}
        for name in found:
            # The names become columns of `whatif`, where the database does not tell their case apart.
            other = folded.setdefault(name.lower(), name)
            if other != name:
                raise RuleError(f"Candidates {other!r} and {name!r} differ only by case. Name one otherwise.")
        return found

    def build(self, name: str, rules: Sequence[str], axes: Sequence[str] = ()) -> Candidate:
        """A candidate, ready to run; a rule of every axis (`*`) is one of each of `axes`."""
        files = [self.file(r) for r in rules]
        acting = [(f, [*axes] if f.axis == EVERY else [f.axis]) for f in files if f.stage is not None]
        return Candidate(name, tuple(self.rule(f.name, axis) for f, on in acting for axis in on))

    def check_lock(self, names: Iterable[str]) -> None:
        """GateFailed where a locked file among `names` was edited, saying which name moved."""
        for name in names:
            file = self.file(name)
            if file.lock_names is None or file.locked:
                continue
            # A name that came or went did so because another one changed.
            both = sorted({*file.names} & {*file.lock_names})
            moved = [k for k in both if file.names[k] != file.lock_names[k]]
            moved = moved or sorted({*file.names} ^ {*file.lock_names})
            kind = "the rule itself" if any(k.startswith(f"{name}.") for k in moved) else "a word it leans on"
            copy = VERSION.sub(lambda m: f"_v{int(m.group(1)) + 1}", name)
            raise GateFailed(
                f"{name} is locked in {file.path.parent.name}/{LOCK} and was edited ({kind}): {', '.join(moved)}. "
                f"Restore it, and copy it to {copy}.py to change it."
            )

    def lock(self, names: Iterable[str]) -> list[Path]:
        """Write the hashes of the files into LOCK beside each; a locked one that was edited is a gate that fails."""
        wanted = sorted(set(names))
        self.check_lock(wanted)
        written = []
        for folder in sorted({self.file(n).path.parent for n in wanted}):
            locked = read_lock(folder)
            locked.update({n: self.file(n).names for n in wanted if self.file(n).path.parent == folder})
            path = folder / LOCK
            text = json.dumps(dict(sorted(locked.items())), indent=1, sort_keys=True) + "\n"
            try:
                path.with_suffix(".new").write_text(text, encoding="utf-8")
                os.replace(path.with_suffix(".new"), path)
            except OSError as error:
                raise OutputError(f"Cannot write {path.name} in {folder}: {one_line(str(error))}.") from None
            written.append(path)
        return written

    def _module(self, file: RuleFile) -> types.ModuleType:
        if file.name not in self._loaded:
            self._loaded[file.name] = load_module(file.path)
        return self._loaded[file.name]
