"""Fail a page token that no result issued.

What it changes: on items with `tokens`, a call of `tokens.call` that uses a value other than `tokens.first` and than
the `next` of an earlier result misses a requirement, so that a pass becomes a failure.
Why: the paging tool answers tokens that it never issued, and the frozen grader looks at the answer alone.
Evidence: trials that guess `page_2` and are credited for rows that a real tool would have refused.
What it cannot show: what the model would have done, had the tool refused the token.
"""

import polars as pl

from regrade.grades import calls

from ._words import each

AXIS, DECISION = "pass", "proposed"
WHERE = {"has": "tokens"}


def check(trial, base):
    tokens = trial.gold.tokens
    guessed = calls.unissued(trial.calls, tokens.call, tokens.argument, tokens.first)
    return pl.concat_list(base(trial), each("token", guessed))


_GOLD = {
    "kind": "number",
    "answer": 9,
    "code": "MISSED_PAGE",
    "calls": ["list_rows"],
    "tokens": {"call": "list_rows", "argument": "token", "first": "start"},
}


MUST_FLIP = [
    {
        "gold": _GOLD,
        "calls": [
            {"name": "list_rows", "arguments": {"token": "start"}, "result": '{"rows": [4], "next": "t-81"}'},
            {"name": "list_rows", "arguments": {"token": "page_2"}, "result": '{"rows": [5], "next": null}'},
        ],
        "reply": "ANSWER: 9",
        "to": "failed",
    },
]
MUST_HOLD = [
    {
        "gold": _GOLD,
        "calls": [
            {"name": "list_rows", "arguments": {"token": "start"}, "result": '{"rows": [4], "next": "t-81"}'},
            {"name": "list_rows", "arguments": {"token": "t-81"}, "result": '{"rows": [5], "next": null}'},
        ],
        "reply": "ANSWER: 9",
        "status": "passed",
    },
    {
        "gold": _GOLD,
        "calls": [{"name": "list_rows", "arguments": {}, "result": '{"rows": [9], "next": null}'}],
        "reply": "ANSWER: 9",
        "status": "passed",
    },
    {
        "gold": _GOLD,
        "calls": [{"name": "list_rows", "arguments": {"token": "start"}, "result": '{"rows": [4], "next": "t-81"}'}],
        "reply": "ANSWER: 4",
        "status": "failed",
    },
]
