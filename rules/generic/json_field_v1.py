"""Take the field `answer` of the object that the reply gives.

What it changes: the answer is the field `answer` of the last JSON object of the model's own reply that has one, after
repair; an object that is shown as an example counts only where there is no other. On a carried grader a failure becomes
a pass where that field is the gold.
Why: a reply in JSON is failed for a fence, a sentence around it, a trailing comma or a quotation mark too many.
Evidence: failed trials whose object, once it parses, holds the gold.
What it cannot show: an answer under another name, and what a broken object was meant to be where two readings are
possible. A repaired text has no place in the reply, so that no report can mark it.
"""

from regrade.grades import json_fields, per_row

from ._words import else_below, own_reply

AXIS, DECISION = "*", "proposed"


@per_row("reply")
def extract(trial, base):
    return else_below(json_fields.field_text(own_reply(trial.reply).text, "answer"), trial, base)


MUST_FLIP = [
    {"gold": "5 PM", "reply": 'Here:\n```json\n{"answer": "5 PM",}\n```\nSee [2].', "frozen": "failed", "to": "passed"},
    {"gold": "5 PM, Hall B", "reply": '{"answer": 5 PM, Hall B, "sure": true}', "frozen": "failed", "to": "passed"},
    {"gold": '27" monitor', "reply": '{"answer": "27" monitor"}', "frozen": "failed", "to": "passed"},
    {"gold": 42, "reply": "{'answer': 42.0, 'unit': None}", "frozen": "failed", "frozen_code": "JSON", "to": "passed"},
    {
        "gold": "no",
        "reply": 'The format: {"answer": "yes"}\nMine: {"answer": "no"}',
        "frozen": "failed",
        "to": "passed",
    },
    {"gold": {"kind": "number", "answer": 7}, "reply": '{"answer": "7"', "frozen": "failed", "to": "passed"},
]
MUST_HOLD = [
    {"gold": "5 PM", "reply": "answer: 5 PM", "frozen": "failed", "status": "failed"},
    {"gold": "5 PM", "reply": '{"reply": "5 PM"}', "frozen": "failed", "status": "failed"},
    {"gold": "5 PM", "reply": '{"answer": "5 PM, Hall B"}', "frozen": "failed", "status": "failed"},
    {"gold": "5 PM", "reply": '{"answer": 5 PM, Hall B, "sure": true}', "frozen": "failed", "status": "failed"},
    {"gold": "5 PM", "reply": '{"answer": "5 PM"} no: {"answer": null}', "frozen": "failed", "status": "failed"},
    {"gold": "5 PM", "reply": '{"answer": "6 PM"}', "frozen": "passed", "status": "passed"},
]
