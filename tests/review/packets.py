"""Packet records for tests of what reads them."""

from __future__ import annotations

import hashlib
from typing import Any

SAMPLE = hashlib.sha256(b"a draw").hexdigest()
OTHER_SAMPLE = hashlib.sha256(b"another draw").hexdigest()
KEY = hashlib.sha256(b"a key").hexdigest()


def packet_record(number: int, **changes: Any) -> dict[str, Any]:
    """A trial with a system turn, a call and its result, and a reply."""
    result = f'{{"unit": {number}, "value": 44.6,\n "scale": "F"}}'
    call = {"name": "read_sensor", "arguments": f'{{"unit": {number}}}', "result": result}
    record = {
        "sample": SAMPLE,
        "reviewer": "r1",
        "id": hashlib.sha256(str(number).encode()).hexdigest()[:16],
        "instruction": f"Give unit {number} in Celsius.",
        "gold": {"kind": "number", "answer": 7.0, "calls": ["read_sensor"]},
        "turns": [
            {"role": "system", "text": "The last line begins with ANSWER:", "calls": []},
            {"role": "user", "text": f"Give unit {number} in Celsius.", "calls": []},
            {"role": "assistant", "text": "", "calls": [call]},
            {"role": "assistant", "text": f"Unit {number} stands at 44.6 F.\nANSWER: {number}=7.0", "calls": []},
        ],
        "question": "Does the transcript satisfy the item?",
        "labels": ["passed", "failed", "unclear"],
    }
    return {**record, **changes}


def packet(size: int, **changes: Any) -> list[dict[str, Any]]:
    return [packet_record(number, **changes) for number in range(size)]


def spoken(text: str, **changes: Any) -> dict[str, Any]:
    """A trial in which every field that a log fills says one text."""
    call = {"name": text, "arguments": text, "result": text}
    other = {"name": text, "arguments": {text: [text]}, "result": None}
    turns = [{"role": text, "text": text, "calls": [call, other]}, {"role": "tool", "text": f"{text}.", "calls": []}]
    return packet_record(0, instruction=text, gold={"kind": text, text: {text: text}}, turns=turns, **changes)
