"""Calls and the messages that answer them: the quick join gives what the definition says, in any order of messages."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.tables.turns import last_reply, turns_of

IDS = st.sampled_from(["c1", "c2", None, 1])
NAMES = st.sampled_from(["f", "g"])
CALLS = st.builds(
    lambda call_id, name: {"id": call_id, "function": {"name": name, "arguments": "{}"}}, IDS, NAMES
)  # fmt: skip
MESSAGES = st.lists(
    st.one_of(
        st.builds(lambda calls: {"role": "assistant", "tool_calls": calls}, st.lists(CALLS, max_size=3)),
        st.builds(lambda name: {"role": "assistant", "function_call": {"name": name, "arguments": "{}"}}, NAMES),
        st.builds(lambda call_id, name: {"role": "tool", "tool_call_id": call_id, "name": name}, IDS, NAMES),
        st.builds(lambda call_id: {"role": "tool", "tool_call_id": call_id}, IDS),
        st.builds(lambda name: {"role": "function", "name": name}, NAMES),
        st.just({"role": "user"}),
    ),
    max_size=9,
).map(lambda messages: [{**message, "content": f"text {at}"} for at, message in enumerate(messages)])


def calls_in(message: dict[str, Any]) -> list[tuple[str | None, str]]:
    """Id and name of the calls of a message."""
    if "tool_calls" in message:
        return [
            (None if call["id"] is None else str(call["id"]), call["function"]["name"])
            for call in message["tool_calls"]
        ]
    return [(None, message["function_call"]["name"])] if "function_call" in message else []


def answers(message: dict[str, Any], call: tuple[str | None, str]) -> bool:
    """Whether a message answers a call: by the call's id, and by the tool's name where it gives no id."""
    if message["role"] == "tool" and message.get("tool_call_id") is not None:
        return str(message["tool_call_id"]) == call[0]
    return message["role"] in ("tool", "function") and message.get("name") == call[1]


def answer_of(messages: list[dict[str, Any]], turn: int, number: int) -> int | None:
    """The turn that answers a call.

    Calls share an id, or a name where they have none. Of those that share it in one turn, the first takes the first
    answer; what comes after it is called anew is not theirs.
    """

    def shared(call: tuple[str | None, str]) -> tuple[str | None, str | None]:
        return (call[0], None) if call[0] is not None else (None, call[1])

    calls = calls_in(messages[turn])
    mine = calls[number]
    place = sum(shared(other) == shared(mine) for other in calls[:number])
    found = []
    for at in range(turn + 1, len(messages)):
        if any(shared(other) == shared(mine) for other in calls_in(messages[at])):
            break
        if answers(messages[at], mine):
            found.append(at)
    return found[place] if place < len(found) else None


@settings(max_examples=400)
@given(MESSAGES)
def test_every_call_has_the_answer_that_the_definition_gives(messages: list[dict[str, Any]]) -> None:
    turns, calls = turns_of(messages)
    assert turns == [(message["role"], message["content"]) for message in messages]
    expected = []
    for turn, message in enumerate(messages):
        for number, (_, name) in enumerate(calls_in(message)):
            answered = answer_of(messages, turn, number)
            result = None if answered is None else messages[answered]["content"]
            expected.append((turn, number, name, "{}", result, answered))
    assert calls == expected


@given(MESSAGES)
def test_no_answer_comes_before_its_call_or_from_another_role(messages: list[dict[str, Any]]) -> None:
    for turn, _, _, _, result, answered in turns_of(messages)[1]:
        assert (result is None) == (answered is None)
        assert answered is None or (answered > turn and messages[answered]["role"] in ("tool", "function"))


@given(MESSAGES)
def test_the_reply_is_the_text_of_the_last_assistant_turn(messages: list[dict[str, Any]]) -> None:
    own = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
    expected = (messages[own[-1]]["content"], own[-1]) if own else ("", None)
    assert last_reply(turns_of(messages)[0]) == expected
