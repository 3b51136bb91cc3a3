"""From an Inspect sample to the record of a trial.

The transcript is `messages`. The model's output, `output.choices[0].message`, is nearly always the last assistant
message among them. Where it is none of them, as when a limit stopped the sample before its output was added, or where a
log was thinned out, it is still what the scorers saw: it is then added as the last message, and `extra.reply_from` is
`output`. Where output and last message differ in text, since a solver edited one of them, the message is the reply, as
it was first returned, and `extra.completion` has the text of the output.

`extra` has, where there is anything to tell: `limit` as logged, `error` (the message alone), `retries` (how many errors
were retried), `invalidation`, `log` (the log's status and error where it is not a success), `parse_errors` of calls,
`scores` (by scorer the explanation where it is not the reply, the reason, and the history of edits), and `metadata`.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple, TypeVar

import msgspec

from regrade.files.loaders.inspect_cuts import Cut
from regrade.files.loaders.inspect_grades import graded
from regrade.files.loaders.inspect_messages import is_among, output_message, parse_errors, placed, text, turn

KEPT_OF_A_SCORE = ("explanation", "reason", "history")


class Transcript(msgspec.Struct):
    """Where old logs have events and attachments."""

    content: Any = None


class Retry(msgspec.Struct):
    """An error after which a sample was tried again; that there was one is all that counts."""


class Sample(msgspec.Struct):
    """What is read of an Inspect sample; a key that is absent is null."""

    id: Any = None
    epoch: Any = None
    input: Any = None
    choices: Any = None
    target: Any = None
    messages: Any = None
    output: Any = None
    scores: Any = None
    score: Any = None
    metadata: Any = None
    error: Any = None
    error_retries: list[Retry] | None = None
    limit: Any = None
    invalidation: Any = None
    attachments: Any = None
    transcript: Transcript | None = None


class Scores(msgspec.Struct):
    """The grades of an Inspect sample; the earliest logs have one, without the name of its scorer."""

    scores: Any = None
    score: Any = None


FIELDS = frozenset((*Sample.__struct_fields__, "message_refs"))
S = TypeVar("S", Sample, Scores)


class LogFacts(NamedTuple):
    """What the header of a log says of all its samples."""

    model: Any
    task: Any
    run: Any
    scorer: str
    """The first scorer's name."""
    log: dict[str, Any] | None
    """Status and error of a log that is no success."""

    @classmethod
    def of(cls, header: dict[str, Any]) -> LogFacts:
        """Read a header."""
        spec, results, status = header["eval"], header.get("results"), header.get("status", "started")
        listed = results.get("scores") if isinstance(results, dict) else None
        first = listed[0] if isinstance(listed, list) and listed else None
        name = first.get("name") if isinstance(first, dict) else None
        error = _message(header.get("error"))
        return cls(
            model=spec.get("model"),
            task=spec.get("task"),
            run=spec.get("eval_id") or spec.get("run_id"),
            scorer=name if isinstance(name, str) else "score",
            log=None if status == "success" else {"status": status, **({"error": error} if error else {})},
        )


def record(cut: Cut, facts: LogFacts) -> Cut:
    """Make the record of a sample.

    What is no JSON object is passed on as it is, and what can be no JSON is refused.
    """
    if cut.reason:
        return cut
    try:
        sample, strict = _read(cut.data, Sample)
        if sample is None:
            return cut
        trial = _trial(sample, facts)
        # Of NaN and Infinity the quicker writer would make null.
        data = msgspec.json.encode(trial) if strict else json.dumps(trial, ensure_ascii=False).encode()
    except UnicodeDecodeError:
        return cut._replace(reason="not_utf8")
    except (ValueError, RecursionError):
        return cut._replace(reason="not_json")
    return cut._replace(data=data)


def scores_of(cut: Cut, facts: LogFacts) -> Any:
    """The grades of a sample by scorer, None where it cannot be read."""
    if cut.reason:
        return None
    try:
        found, _ = _read(cut.data, Scores)
    except (ValueError, RecursionError):
        return None
    return None if found is None else _by_scorer(found, facts)


def _read(data: bytes, kind: type[S]) -> tuple[S | None, bool]:
    """A sample, None if it is no object, and whether it is JSON by the standard."""
    try:
        return msgspec.json.decode(data, type=kind), True
    except msgspec.DecodeError:
        pass
    # Python's reader knows NaN and Infinity, and any shape of what is read.
    whole = json.loads(data.decode().removeprefix("\N{BYTE ORDER MARK}"))
    if not isinstance(whole, dict):
        return None, False
    fields = {name: whole[name] for name in kind.__struct_fields__ if name in whole}
    if isinstance(fields.get("transcript"), dict):
        fields["transcript"] = Transcript(fields["transcript"].get("content"))
    return kind(**fields), False


def _by_scorer(sample: Sample | Scores, facts: LogFacts) -> Any:
    return sample.scores if sample.score is None else {facts.scorer: sample.score}


def _trial(sample: Sample, facts: LogFacts) -> dict[str, Any]:
    attachments = sample.attachments
    if attachments is None and isinstance(sample.transcript, Transcript):
        attachments = sample.transcript.content
    known = attachments if isinstance(attachments, dict) else {}
    messages = [] if sample.messages is None else placed(sample.messages, known)
    scores = placed(_by_scorer(sample, facts), known)
    extra: dict[str, Any] = {
        "limit": sample.limit,
        "error": _message(sample.error),
        "retries": len(sample.error_retries) if isinstance(sample.error_retries, list) else None,
        "invalidation": sample.invalidation,
        "log": facts.log,
    }
    turns, reply = messages, None
    if isinstance(messages, list):
        output = output_message(placed(sample.output, known))
        if output is not None and not is_among(output, messages):
            messages = [*messages, output]
            extra["reply_from"] = "output"
        turns = [turn(message) for message in messages]
        completion = text(output.get("content")) if output else None
        reply = _reply(turns)
        if completion != reply:
            extra["completion"] = completion
        extra["parse_errors"] = parse_errors(messages)
    extra["scores"] = _told(scores, reply)
    extra["metadata"] = placed(sample.metadata, known)
    both = isinstance(facts.task, str) and isinstance(sample.id, (str, int))
    return {
        "configuration": facts.model,
        "task": facts.task,
        "item": sample.id,
        "task_item": f"{facts.task}/{sample.id}" if both else None,
        "trial": sample.epoch,
        "run": facts.run,
        "prompt": _prompt(placed(sample.input, known), sample.choices),
        "gold": placed(sample.target, known),
        "messages": turns,
        "grades": graded(scores),
        "extra": {key: value for key, value in extra.items() if value} or None,
    }


def _reply(turns: list[Any]) -> Any:
    said = [each for each in turns if isinstance(each, dict) and each["role"] == "assistant"]
    return said[-1]["content"] if said else None


def _told(scores: Any, reply: Any) -> dict[str, Any]:
    told = {}
    for scorer, score in scores.items() if isinstance(scores, dict) else ():
        if isinstance(score, dict):
            kept = {key: score[key] for key in KEPT_OF_A_SCORE if score.get(key) and score[key] != reply}
            if kept:
                told[scorer] = kept
    return told


def _message(error: Any) -> Any:
    return error.get("message") if isinstance(error, dict) else error


def _prompt(given: Any, choices: Any) -> Any:
    """The text of an input, with its choices as lettered lines."""
    if isinstance(given, list):
        texts = [text(message.get("content")) for message in given if isinstance(message, dict)]
        given = "\n\n".join(each for each in texts if isinstance(each, str) and each)
    if not isinstance(given, str) or not isinstance(choices, list) or not choices:
        return given
    lines = [f"{chr(ord('A') + n) if n < 26 else n + 1}) {choice}" for n, choice in enumerate(choices)]
    return "\n".join([given, "", *lines])
