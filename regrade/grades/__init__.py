"""Grading: what a rule or grader file imports, and what runs it.

`text`, `calls` and `dialects` are the words that rules are written in, made by `words`. `stages` says what graders,
rules and candidates are, `batch` grades with them, `run` does so over a store; `rule_file`, `rulebook`, `identity` and
`cases` read the rules folder. `lenient`, `numerals`, `cut_off`, `utterances`, `stances`, `choices`, `boxes`,
`comparing`, `chains`, `specifics`, `citations` and `this_turn` read a text as a person would; `regrade.read` joins
them.
"""

from regrade.grades import calls, dialects, text
from regrade.grades.stages import Stages, per_row
from regrade.grades.words import SpanExpr
from regrade.records import Span

__all__ = ["Span", "SpanExpr", "Stages", "calls", "dialects", "per_row", "text"]
