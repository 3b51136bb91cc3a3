"""Write a corpus.toml for a person: every line with what it rests on, and commented-out lines for what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from regrade.files.picker import Guess

COLUMN = 34
"""Where comments begin, if the line is not longer."""
CARRIED = "the folder under rules/ with its grader and rules; without it grades are carried"
ORDER = ("configuration", "item", "run", "trial", "turns", "reply", "state", "extra")


def corpus_toml(data: Mapping[str, Any], guess: Guess, above: Sequence[str]) -> str:
    """The text of a corpus.toml.

    Args:
        data: All that it says; read again, the text gives exactly this.
        guess: Reasons and what is missing, for the comments.
        above: Lines of comment at the top.
    """
    lines = [*map(comment, above), "", "[corpus]"]
    for key, value in data["corpus"].items():
        lines.append(_line(key, value, guess.why.get(f"corpus.{key}", "")))
    if "benchmark" not in data["corpus"]:
        lines.append(_missing("benchmark", CARRIED))
    lines += ["", *_table("columns", data.get("columns", {}), guess)]
    own = [key.split(".")[1] for key in guess.own if key.startswith("frozen.")]
    for axis in data.get("frozen") or dict.fromkeys(own):
        lines += ["", *_table(f"frozen.{axis}", data.get("frozen", {}).get(axis, {}), guess)]
    if "frozen.pass.passed" in guess.missing:
        lines += ["", "# No field looks like a grade.", *_missing_table("frozen.pass", guess)]
    for number, part in enumerate(data.get("each", [])):
        lines += ["", *_each(number, part, guess)]
    lines += ["", *_table("bank.columns", data.get("bank", {}).get("columns", {}), guess)]
    lines += ["", *map(comment, guess.notes)] if guess.notes else []
    return "\n".join(lines) + "\n"


def comment(text: str) -> str:
    """A line of comment: TOML allows no control character in one."""
    return f"# {''.join(c if c.isprintable() else ' ' for c in text)}".rstrip()


def _table(name: str, keys: Mapping[str, Any], guess: Guess) -> Iterator[str]:
    """One table, with commented-out lines for its missing keys; a comment where it would be empty."""
    missing = dict(_of(name, guess.missing))
    own = dict(_of(name, guess.own))
    yield f"[{name}]" if keys else f"# [{name}]"
    listed = list(dict.fromkeys([*keys, *own, *missing]))
    for key in sorted(listed, key=lambda key: ORDER.index(key) if key in ORDER else len(ORDER)):
        if key in keys:
            yield _line(key, keys[key], guess.why.get(f"{name}.{key}", ""))
        elif key in own:
            yield f"# {_line(key, own[key], '')}"
        else:
            yield _missing(key, missing[key])


def _each(number: int, part: Mapping[str, Any], guess: Guess) -> Iterator[str]:
    if number == 0 and "each" in guess.why:
        yield comment(guess.why["each"])
    yield "[[each]]"
    for key, value in part.items():
        if key != "frozen":
            yield _line(key, value, guess.why.get(f"each.{number}.{key}", ""))
    for axis, keys in part.get("frozen", {}).items():
        yield f"[each.frozen.{axis}]"
        for key, value in keys.items():
            yield _line(key, value, guess.why.get(f"each.{number}.frozen.{axis}.{key}", ""))


def _missing_table(name: str, guess: Guess) -> Iterator[str]:
    yield f"# [{name}]"
    for key, advice in _of(name, guess.missing):
        yield _missing(key, advice)


def _of(name: str, by_key: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What stands under the keys of one table."""
    for key, value in by_key.items():
        table, _, column = key.rpartition(".")
        if table == name:
            yield column, value


def _line(key: str, value: Any, why: str) -> str:
    text = f"{key} = {toml_value(value)}"
    return f"{text:<{COLUMN}} {comment(why)}" if why else text


def _missing(key: str, advice: str) -> str:
    text = f'# {key} = "..."'
    return f"{text:<{COLUMN}} {comment(advice)}"


def toml_value(value: Any) -> str:
    """A text, number, boolean or list of them as TOML."""
    if isinstance(value, list):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, str):
        # JSON leaves DEL as it is, which TOML does not allow.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)
