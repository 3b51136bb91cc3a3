from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regrade.audit import Audit
from regrade.errors import RuleError, StoreError
from regrade.report.explain import explain_trial, print_explanation
from regrade.tables.store import FILE_NAME, Store
from tests.conftest import TOML, record
from tests.report.conftest import HOSTILE_NAME, HOSTILE_REPLY
from tests.report.corpora import audited, rules_folder


def explained(done: Audit, trial: str, candidate: str | None = None) -> dict[str, Any]:
    with Store.open(done.out / FILE_NAME, read_only=True) as store:
        return explain_trial(store.con, trial, candidate)


def test_a_flip_is_explained_with_every_grade_and_its_place(small: Audit) -> None:
    found = explained(small, "a/T01/0")
    assert (found["configuration"], found["item"], found["family"], found["line"]) == ("a", "T01", "units", 1)
    assert found["prompt"] == "Report unit 3 in Celsius." and found["gold"]["answer"] == 7.0
    assert [c["name"] for c in found["calls"]] == ["read_sensor"] and found["calls"][0]["result"] == "seen"
    block = found["axes"]["pass"]
    assert (block["recorded"]["status"], block["recorded"]["code"]) == ("failed", "STALE_DATA")
    assert (block["frozen"]["value"], block["frozen"]["missed"]) == ("3", ["answer"])
    v2 = block["candidates"]["v2"]
    assert (v2["status"], v2["value"], v2["decided_by"], v2["differs"]) == ("passed", "7.0", ["last_equals_v1"], True)
    assert not block["candidates"]["ask_accepted"]["differs"]
    read = {m["label"]: found["reply"][m["start"] : m["stop"]] for m in found["marks"]}
    assert read == {"frozen, last_equals +1 answer": "3=7.0", "frozen value": "3", "last_equals +1 value": "7.0"}
    assert {m["readers"] for m in found["marks"]} == {
        "frozen, last_equals, v2 answer",
        "frozen value",
        "last_equals, v2 value",
    }
    json.dumps(found)


def test_a_recode_differs_though_its_status_stays(small: Audit) -> None:
    block = explained(small, "a/T02/1")["axes"]["pass"]
    recoded = block["candidates"]["format_code"]
    assert (block["frozen"]["status"], block["frozen"]["code"]) == ("failed", "FABRICATION")
    assert (recoded["status"], recoded["code"], recoded["differs"]) == ("failed", "FORMAT", True)
    assert not block["candidates"]["last_equals"]["differs"]


def test_one_candidate_is_shown_whether_it_changes_the_grade_or_not(small: Audit) -> None:
    found = explained(small, "a/T01/0", "ask_accepted")
    assert list(found["axes"]["pass"]["candidates"]) == ["ask_accepted"]
    assert {m["label"] for m in found["marks"]} == {"frozen, ask_accepted answer", "frozen, ask_accepted value"}


def test_an_unknown_trial_or_candidate_is_answered_with_near_ones(small: Audit) -> None:
    with pytest.raises(StoreError, match=r"No trial 'a/T01/9' in the store\. Near ones: a/T01/"):
        explained(small, "a/T01/9")
    with pytest.raises(StoreError, match="Near ones: .*b/T02/1"):
        explained(small, "b/T2/1")
    with pytest.raises(StoreError, match="A name is CONFIGURATION/ITEM/TRIAL; .* regrade flips --csv FILE"):
        explained(small, "")
    with pytest.raises(RuleError, match=r"Did you mean 'v2'\?"):
        explained(small, "a/T01/0", "v22")


def test_the_terminal_shows_the_marks_below_their_characters(small: Audit, capsys: pytest.CaptureFixture[str]) -> None:
    print_explanation(explained(small, "a/T01/0"))
    text = capsys.readouterr().out
    rows = text.splitlines()
    assert '  last_equals: passed; answer "3=7.0"; value "7.0"; decided by last_equals_v1' in rows
    [same] = [row for row in rows if row.startswith("  as frozen:")]
    assert "ask_accepted" in same and "last_equals" not in same
    said = rows.index('  last_equals: passed; answer "3=7.0"; value "7.0"; decided by last_equals_v1') + 1
    assert " ".join(" ".join(rows[said : said + 2]).split()) == (
        'frozen read "3", last_equals reads "7.0" in "3=7.0" by last_equals_v1; gold 7.0 within 0.05;'
        " no longer missed: answer"
    )
    place = rows.index("  | ANSWER: 3=7.0")
    assert [row.strip().split()[0] for row in rows[place + 1 : place + 4]] == ["=====", "-", "^^^"]
    assert under(rows, place) == {
        "frozen, last_equals +1 answer": "3=7.0",
        "frozen value": "3",
        "last_equals +1 value": "7.0",
    }


def test_a_reading_that_is_the_same_is_said_once_with_what_else_differs(
    small: Audit, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(trial: str, candidate: str) -> str:
        print_explanation(explained(small, trial, candidate))
        text = " ".join(capsys.readouterr().out.split())
        return text.split("decided by")[1].split(" Reply:")[0]

    code = " format_code_v1 same reading as frozen; by format_code_v1 called FORMAT in place of FABRICATION"
    assert said("a/T02/1", "format_code") == code
    asked = " ask_accepted_v1 same reading as frozen; by ask_accepted_v1 no longer missed: answer"
    assert said("a/T02/0", "ask_accepted") == asked
    fallback = 'frozen found no answer, last_line_fallback reads "NOT_FOUND" by last_line_fallback_v1; gold "NOT_FOUND"'
    assert fallback in said("a/T02/1", "last_line_fallback")


def under(rows: list[str], place: int) -> dict[str, str]:
    """The characters above the signs of each label below a row."""
    found = {}
    for row in rows[place + 1 :]:
        match = re.fullmatch(r" {4}( *)([-^=]+) (.*)", row)
        if match is None:
            break
        start = 4 + len(match[1])
        found[match[3]] = rows[place][start : start + len(match[2])]
    return found


def test_hostile_text_does_not_steer_the_terminal(loud: Audit, capsys: pytest.CaptureFixture[str]) -> None:
    with Store.open(loud.out / FILE_NAME, read_only=True) as store:
        [(trial,)] = store.con.execute("select trial_id from trials where configuration = ?", [HOSTILE_NAME]).fetchall()
        found = explain_trial(store.con, trial)
    assert found["reply"] == HOSTILE_REPLY
    print_explanation(found)
    text = capsys.readouterr().out
    assert not set(text) & {"\x1b", "\x00", "\u202e", "\u202c", "\r"}
    assert "  | <script>alert(1)</script>␛[2J ␀ ⟨U+202E⟩evil⟨U+202C⟩" in text.splitlines()


def test_a_trial_is_known_by_its_name_as_it_is_shown(tmp_path: Path) -> None:
    names = ["a\x1b[31m\u202e\nb", "\u2400", "\x00", "\u27e8U+202E\u27e9c", "\x1b\u2400", "\u241b\x00"]
    rows = [record(name, "T01", 7, "read_sensor", "ANSWER: 3=7.0", False, "STALE_DATA") for name in names]
    done = audited(tmp_path, records=rows)
    assert explained(done, "a\u241b[31m\u27e8U+202E\u27e9\u240ab/T01/7")["configuration"] == names[0]
    assert explained(done, "\u2400/T01/7")["configuration"] == names[1], "a name itself goes before what is shown so"
    assert explained(done, "\u27e8U+202E\u27e9c/T01/7")["configuration"] == names[3]
    with pytest.raises(StoreError, match="No trial"):
        explained(done, "a\u241b[31m\u27e8U+202D\u27e9\u240ab/T01/7")
    alike = r"2 trials are shown as '\u241b\u2400/T01/7': '\\x1b\\u2400/T01/7', '\\u241b\\x00/T01/7'\."
    with pytest.raises(StoreError, match=alike):
        explained(done, "\u241b\u2400/T01/7")


def test_an_unreproduced_grade_is_shown_beside_the_replayed_one(
    loud: Audit, capsys: pytest.CaptureFixture[str]
) -> None:
    print_explanation(explained(loud, "a/T01/5"))
    assert "recorded: ungraded -, not what the frozen grader gives" in capsys.readouterr().out
    print_explanation(explained(loud, "a/T01/0"))
    assert "recorded:" not in capsys.readouterr().out


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(st.sampled_from("ab \n\t漢é\u202e"), max_size=200), st.data())
def test_rows_hold_the_whole_reply_and_carets_the_very_characters(
    small: Audit, capsys: pytest.CaptureFixture[str], reply: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(reply)))
    stop = data.draw(st.integers(start, len(reply)))
    mark = {"start": start, "stop": stop, "label": "frozen value", "frozen": True, "candidate": False}
    print_explanation({**explained(small, "a/T01/0"), "reply": reply, "marks": [mark], "prompt": None})
    rows = capsys.readouterr().out.splitlines()
    rows = rows[next(i for i, row in enumerate(rows) if row.startswith("Reply")) + 1 :]
    shown = "".join(row[4:] for row in rows if row.startswith("  | "))
    assert shown == reply.replace("\n", "").replace("\t", "␉").replace("\u202e", "⟨U+202E⟩")
    carets = [row for row in rows if re.fullmatch(r" +-+ frozen value", row)]
    assert len(carets) >= (1 if reply[start:stop].strip("\n") or start == stop else 0)


def test_the_store_of_an_audit_explains_what_its_csv_lists(small: Audit) -> None:
    ids = {
        line.split('","')[0].strip('"') for line in Path(small.out / "flips.csv").read_text("utf-8").splitlines()[1:]
    }
    assert ids and all(explained(small, trial)["marks"] for trial in ids)


def test_rows_break_between_words_and_a_long_word_where_it_must(
    small: Audit, capsys: pytest.CaptureFixture[str]
) -> None:
    reply = "everyday words " * 20 + "x" * 300
    print_explanation({**explained(small, "a/T01/0"), "reply": reply, "marks": []})
    text = capsys.readouterr().out
    rows = [row[4:] for row in text.split("Reply")[1].splitlines() if row.startswith("  | ")]
    assert "".join(rows) == reply and all(len(row) <= 116 for row in rows)
    assert all(row.endswith(("words ", "everyday ")) for row in rows if "y" in row and "x" not in row)
    assert max(map(len, rows)) == 116


def test_what_was_asked_last_is_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [record("a", "T01", 0, "read_sensor", "ANSWER: 3=7.0", False, "STALE_DATA")]
    messages = rows[0]["messages"]
    [tool] = [m for m in messages if m["role"] == "tool"]
    said = [
        {"role": "user", "content": "Report unit 3 in Celsius."},
        {"role": "assistant", "content": "Which?"},
        {"role": "user", "content": "And now\nunit 4. " + "z" * 2000},
    ]
    rows[0]["messages"] = [*said, *messages[1:]]
    print_explanation(explained(audited(tmp_path, records=rows), "a/T01/0"))
    text = capsys.readouterr().out
    shown = text.split("Transcript\n")[1].split("Grades on")[0]
    assert "  0 user: the prompt above" in shown
    assert "  1 assistant:\n  | Which?" in shown
    assert "  2 user:\n  | And now\n  | unit 4. " in shown and "characters left out" in shown
    assert "  3 calls read_sensor" in shown and f"-> {tool['content']}" in shown
    assert "tool:" not in shown
    assert shown.rstrip().endswith("assistant: the reply below")


def test_what_a_carried_grader_read_is_not_claimed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "\n\ndef extract(trial, base):\n    return text.number_after_last_equals(trial.reply)\n"
    done = audited(tmp_path, TOML.replace('"tool_loop"', '"made"'), rules=rules_folder(tmp_path / "r", tail=body))
    found = explained(done, "a/T01/0")
    block = found["axes"]["pass"]
    assert (block["kind"], block["frozen"]["answer"], block["frozen"]["answer_start"]) == ("carried", None, None)
    assert [mark["label"] for mark in found["marks"]] == ["tail answer and value"]
    print_explanation(found)
    text = capsys.readouterr().out
    assert "  frozen: failed STALE_DATA; carried: what the frozen grader read is not known" in text.splitlines()


def test_what_the_log_says_a_carried_grader_read_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = ["three", "3=7.0", "7", "ANSWER: 3=7.0 or 7", "ANSWER: 3=7.0 or 7" * 20]
    rows = [record("a", "T01", n, "read_sensor", "ANSWER: 3=7.0 or 7", False, "STALE_DATA") for n in range(4)]
    rows.append(record("a", "T01", 4, "read_sensor", "ANSWER: 3=7.0 or 7" * 20, False))
    for row, answer in zip(rows, answers, strict=True):
        row["grade"]["read"] = answer
    toml = TOML.replace('"tool_loop"', '"elsewhere"').replace(
        'code = "grade.code"', 'code = "grade.code"\nanswer = "grade.read"'
    )
    done = audited(tmp_path, toml, rows)
    unknown = " (recorded by the log; its place is not known)"
    for n, (answer, marked) in enumerate(zip(answers, (False, True, False, True, False), strict=True)):
        found = explained(done, f"a/T01/{n}")
        print_explanation(found)
        told = " ".join(capsys.readouterr().out.split())
        assert (unknown in told) != marked and "missed" not in told and "no value" not in told, answer
        assert [found["reply"][mark["start"] : mark["stop"]] for mark in found["marks"]] == [answer] * marked


def test_a_rule_that_reads_nothing_of_its_own_has_no_mark_where_the_grader_is_carried(tmp_path: Path) -> None:
    body = '\n@per_row("answer")\ndef check(trial, base):\n    return ["never good enough"]\n'
    rules = rules_folder(tmp_path / "r", strict=body)
    rows = [record("a", "T01", 0, "read_sensor", "ANSWER: 7.0", True)]
    found = explained(audited(tmp_path, TOML.replace('"tool_loop"', '"made"'), rows, rules=rules), "a/T01/0")
    strict = found["axes"]["pass"]["candidates"]["strict"]
    assert (strict["status"], strict["differs"]) == ("failed", True)
    assert (strict["answer_start"], strict["answer_stop"]) == (0, len(found["reply"]))
    assert found["marks"] == []
