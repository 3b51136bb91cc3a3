"""Grading: the words that rules are written in, and what a rule or grader file imports."""

from regrade.grades import calls, dialects, text
from regrade.grades.stages import Stages, per_row
from regrade.grades.words import SpanExpr
from regrade.records import Span

__all__ = ["Span", "SpanExpr", "Stages", "calls", "dialects", "per_row", "text"]
