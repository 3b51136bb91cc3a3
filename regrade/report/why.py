"""Why a candidate decides otherwise than the frozen grader, in words: the same in the report and in the terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from regrade.grades.plan import FROZEN
from regrade.report.shown import excerpt
from regrade.report.trials import CARRIED

LONG = 80
"""Characters of a reading that stand in the sentence."""


@dataclass(frozen=True, slots=True)
class Why:
    """A sentence in two parts, between which `by <rules>` stands where rules decided."""

    what: str
    by: tuple[str, ...]
    """The smallest set of the candidate's rules that gives its grade."""
    then: str
    """What follows from it, each part begun by `; `."""

    def __str__(self) -> str:
        return f"{self.what}{' by ' + ' and '.join(self.by) if self.by else ''}{self.then}"


def why(names: Sequence[str], grade: Mapping[str, Any], block: Mapping[str, Any], gold: Any) -> Why:
    """Say why candidates decide as they do: what they read, were missing and call it, beside the frozen grader.

    Args:
        names: candidates of the same grade.
        grade: that grade, with the columns of `grades`.
        block: the axis of the trial, as `read_trials` gives it.
        gold: what the bank accepts.
    """
    who = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    s = "s" if len(names) == 1 else ""
    frozen = block["frozen"]
    known = frozen is not None and block["kind"] != CARRIED
    same = known and all(frozen[what] == grade[what] for what in ("answer", "value"))
    parts = _requirements(grade["missed"], frozen["missed"] if known else None, known)
    if frozen is not None and grade["status"] == frozen["status"] and grade["code"] != frozen["code"]:
        parts.append(f"called {grade['code'] or 'nothing'} in place of {frozen['code'] or 'nothing'}")
    by = tuple(grade["decided_by"] or ())
    if same:
        return Why(
            "same reading as frozen;",
            by,
            " " + ("; ".join(parts) or f"{grade['status']} in place of {frozen['status']}"),
        )
    what = _reading(grade, f"{who} read{s}", f"{who} find{s}")
    if known:
        # One answer read in two ways is said once.
        read = {**frozen, "answer": None} if frozen["answer"] == grade["answer"] and frozen["value"] else frozen
        what = f"{_reading(read, f'{FROZEN} read', f'{FROZEN} found')}, {what}"
    return Why(what, by, "".join(f"; {part}" for part in [*_gold(gold), *parts]))


def _reading(grade: Mapping[str, Any], reads: str, finds: str) -> str:
    value, answer = excerpt(grade, "value"), excerpt(grade, "answer")
    if value is None:
        return f"{finds} no answer" if answer is None else f"{finds} no value in {_quoted(answer)}"
    return f"{reads} {_quoted(value)}" + (f" in {_quoted(answer)}" if answer not in (None, value) else "")


def _quoted(text: str) -> str:
    return json.dumps(text if len(text) <= LONG else f"{text[:LONG]}\u2026", ensure_ascii=False)


def _gold(gold: Any) -> list[str]:
    """The gold's answer, where it has one, with its tolerance."""
    answer = gold.get("answer") if isinstance(gold, dict) else gold
    if answer is None:
        return []
    within = f" within {gold['tolerance']}" if isinstance(gold, dict) and gold.get("tolerance") else ""
    text = _quoted(answer) if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return [f"gold {text}{within}"]


def _requirements(missed: Sequence[str] | None, before: Sequence[str] | None, known: bool) -> list[str]:
    """What is missed now, and what no longer is."""
    if missed is None:
        return ["it cannot be graded"]
    met = [name for name in before or () if name not in missed]
    said = [f"no longer missed: {', '.join(met)}"] if met else []
    more = [name for name in missed if name not in (before or ())]
    if more:
        said.append(f"{'now ' if known else ''}missed: {', '.join(more)}")
    return said
