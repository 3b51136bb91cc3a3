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
from tests.report.conftest import HOSTILE_NAME, HOSTILE_REPLY


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
    assert read == {"frozen, last_equals, v2 answer": "3=7.0", "frozen value": "3", "last_equals, v2 value": "7.0"}
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
    with pytest.raises(StoreError, match="Near ones: "):
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
    place = rows.index("  | ANSWER: 3=7.0")
    assert under(rows, place) == {
        "frozen, last_equals, v2 answer": "3=7.0",
        "frozen value": "3",
        "last_equals, v2 value": "7.0",
    }


def under(rows: list[str], place: int) -> dict[str, str]:
    """The characters above the carets of each label below a row."""
    found = {}
    for row in rows[place + 1 :]:
        match = re.fullmatch(r" {4}( *)(\^+) (.*)", row)
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
    carets = [row for row in rows if re.fullmatch(r" +\^+ frozen value", row)]
    assert len(carets) >= (1 if reply[start:stop].strip("\n") or start == stop else 0)


def test_the_store_of_an_audit_explains_what_its_csv_lists(small: Audit) -> None:
    ids = {
        line.split('","')[0].strip('"') for line in Path(small.out / "flips.csv").read_text("utf-8").splitlines()[1:]
    }
    assert ids and all(explained(small, trial)["marks"] for trial in ids)
