"""Blind review: packets that hide what was graded, verdicts, and what they show."""
