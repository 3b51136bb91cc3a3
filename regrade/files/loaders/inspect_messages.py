"""The messages of an Inspect sample as chat messages of OpenAI's shape."""

from __future__ import annotations

from typing import Any

ATTACHMENT = "attachment://"
OLD_ATTACHMENT = "tc://"


def placed(value: Any, attachments: dict[str, Any]) -> Any:
    """Put attachments where a text refers to them; a reference to one that is not there stays."""
    if not attachments:
        return value
    match value:
        case str():
            for protocol in (ATTACHMENT, OLD_ATTACHMENT):
                if value.startswith(protocol):
                    return attachments.get(value.removeprefix(protocol), value)
            return value
        case list():
            return [placed(each, attachments) for each in value]
        case dict():
            return {key: placed(each, attachments) for key, each in value.items()}
    return value


def text(content: Any) -> Any:
    """The text of a message's content: its text parts, nothing between them.

    Reasoning, images and other parts have none. What is no content at all is returned as it is.
    """
    match content:
        case None:
            return ""
        case list() if all(isinstance(part, (str, dict)) for part in content):
            texts = [part if isinstance(part, str) else _part(part) for part in content]
            return "".join(texts) if all(isinstance(each, str) for each in texts) else content
    return content


def _part(part: dict[str, Any]) -> Any:
    return part.get("text", "") if part.get("type", "text") == "text" else ""


def turn(message: Any) -> Any:
    """A message in OpenAI's shape; what is no message is returned as it is.

    A tool's message without text has that of its error, which is what the model was shown.
    """
    if not isinstance(message, dict):
        return message
    made = {"role": message.get("role"), "content": text(message.get("content"))}
    if made["role"] == "tool":
        error = message.get("error") or message.get("tool_error")
        if made["content"] == "" and error:
            made["content"] = error.get("message") if isinstance(error, dict) else error
        made |= {"tool_call_id": message.get("tool_call_id"), "name": message.get("function")}
    calls = message.get("tool_calls")
    if calls:
        made["tool_calls"] = [_call(call) for call in calls] if isinstance(calls, list) else calls
    return made


def _call(call: Any) -> Any:
    if not isinstance(call, dict) or isinstance(call.get("function"), dict):
        return call
    return {"id": call.get("id"), "function": {"name": call.get("function"), "arguments": call.get("arguments")}}


def parse_errors(messages: Any) -> list[Any]:
    """What was wrong with the calls whose arguments could not be parsed, in order."""
    return [
        call["parse_error"]
        for message in messages
        if isinstance(message, dict) and isinstance(message.get("tool_calls"), list)
        for call in message["tool_calls"]
        if isinstance(call, dict) and call.get("parse_error")
    ]


def output_message(output: Any) -> dict[str, Any] | None:
    """The message of a model's output: that of its first choice, or its completion where it lists no choice."""
    if not isinstance(output, dict):
        return None
    choices = output.get("choices")
    if isinstance(choices, list) and choices:
        message = choices[0].get("message") if isinstance(choices[0], dict) else None
        return {"role": "assistant", **message} if isinstance(message, dict) else None
    completion = output.get("completion")
    return {"role": "assistant", "content": completion} if completion and isinstance(completion, str) else None


def is_among(message: dict[str, Any], messages: list[Any]) -> bool:
    """Whether an output is one of the assistant's messages.

    It is the last of them where it says and calls the same, and any other by its id; without ids, by what it says.
    """
    said = [each for each in messages if isinstance(each, dict) and each.get("role") == "assistant"]
    return any(
        each.get("id") == message["id"] if each.get("id") and message.get("id") else _same(each, message)
        for each in said
    ) or (bool(said) and _same(said[-1], message))


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return bool(turn(one) == turn(other))
