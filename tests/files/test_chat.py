"""Plain chat: an object with messages a line, a bare list a line, or a file that is one list."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regrade.files.loaders import detect
from tests.files.loading import FIXTURES, grades, loaded, rejects, rows_of, written

LOGS = FIXTURES / "chat"
MESSAGES = [{"role": "user", "content": "Hot?"}, {"role": "assistant", "content": "Cold."}]


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def test_objects_keep_their_fields_and_what_they_do_not_name_is_filled_in() -> None:
    with loaded([LOGS / "objects.jsonl"], frozen={"pass": {"passed": "passed"}}) as con:
        assert con.execute("select trial_id, line, reply, len(turns) from trials order by line").fetchall() == [
            ("m/a1/0", 1, "Hello.", 2),
            ("m/a2/0", 2, "", 2),
            ("objects/3/0", 3, "Me.", 2),
        ]
        assert grades(con) == {"pass": ["passed", "failed", "ungraded"]}


def test_bare_lists_are_trials_of_the_file() -> None:
    with loaded([LOGS / "bare_lists.jsonl"]) as con:
        stored = con.execute("select trial_id, line, reply from trials order by line").fetchall()
        assert stored == [("bare_lists/1/0", 1, "Blue."), ("bare_lists/2/0", 2, "Down.")]


def test_a_file_that_is_one_list_is_one_trial() -> None:
    with loaded([LOGS / "one_list.json"]) as con:
        stored = con.execute("select trial_id, line, reply, len(turns) from trials").fetchall()
        assert stored == [("unnamed/one_list/0", 2, "Right.", 3)]


def test_files_of_one_list_each_are_items(tmp_path: Path) -> None:
    data = json.dumps(MESSAGES, indent=1).encode()
    paths = written(tmp_path, a__json=data, b__json__gz=gzip.compress(data))
    with loaded(paths) as con:
        assert con.execute("select trial_id from trials order by all").fetchall() == [
            ("unnamed/a/0",),
            ("unnamed/b/0",),
        ]


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ({}, ("1", "log", "0")),
        ({"task_id": 7, "model_name": "m", "epoch": 2}, (7, "m", 2)),
        ({"id": "x", "item": "y", "configuration": "c", "model": "m"}, ("y", "c", "0")),
        ({"id": None, "task_id": "t", "model": {"name": "m"}}, ("t", "log", "0")),
        ({"id": "x", "score": float("nan")}, ("x", "log", "0")),
        ({"id": "x", "calls": [{"id": "y"}]}, ("x", "log", "0")),
        ({"id": "é\u2028", "model": "\x01"}, ("é\u2028", "\x01", "0")),
    ],
)
def test_keys(keys: dict[str, Any], found: tuple[Any, ...]) -> None:
    [(_, value, reason)] = rows_of("chat", lines({**keys, "messages": MESSAGES}))
    assert reason is None and tuple(value["as_read"][k] for k in ("item", "configuration", "trial")) == found


def test_a_number_stays_as_it_is_written() -> None:
    for text in ('{"id": 1.10, "messages": []}', '{"id": 1.10, "messages": [], "score": NaN}'):
        assert rows_of("chat", text.encode())[0][1]["as_read"]["item"] == "1.10"


def test_an_object_that_only_one_decoder_takes_is_not_lost() -> None:
    text = f'{{"id": "a", "messages": [{{"id": {"1" * 5000}}}]}}'
    [(line, _, reason)] = rows_of("chat", text.encode())
    assert (line, reason) == (1, None)


def test_the_object_is_kept_as_it_is_logged() -> None:
    text = ' {"messages": [], "x": 1.10, "x": 2, "y": {"id": 1, "id": 2}, "id": "a", "z": NaN }'
    [(_, value, _)] = rows_of("chat", text.encode())
    assert value.pop("as_read") == {"item": "a", "configuration": "log", "trial": "0"}
    assert repr(value) == repr(json.loads(text))


REJECTS = [
    ("broken", "not_json"),
    ('[], "x": [', "not_json"),
    ("[[]", "not_json"),
    ('{"messages": []', "not_json"),
    ('{"messages": [],}', "not_json"),
    ("7", "not_object"),
    ("{}", "missing_key"),
    ('{"id": "a"}', "missing_key"),
    ('{"messages": null}', "missing_key"),
    ('{"messages": "no list"}', "bad_turns"),
    ('["no message"]', "bad_turns"),
    ('[{"content": "no role"}]', "bad_turns"),
    ('{"messages": [], "messages": []}', "duplicate_key"),
    ('{"id": 1, "id": 2, "messages": []}', "duplicate_key"),
    ('{"id": NaN, "\\u0069d": 2, "id": 3, "messages": []}', "duplicate_key"),
    ('{"as_read": {}, "messages": []}', "duplicate_key"),
    ('{"id": "a", "messages": []}', "duplicate_trial"),
]


def test_rejects(tmp_path: Path) -> None:
    log = lines({"id": "a", "messages": MESSAGES}) + "\n".join(text for text, _ in REJECTS).encode()
    with loaded(written(tmp_path, log=log), corpus={"format": "chat"}) as con:
        assert rejects(con) == [(line, reason) for line, (_, reason) in enumerate(REJECTS, 2)]


def test_a_list_that_is_damaged_or_too_long() -> None:
    data = json.dumps(MESSAGES, indent=1).encode()
    assert rows_of("chat", data[:-3], 1000)[0][1] == data[:-3].decode()
    assert rows_of("chat", b"\n\n" + data, len(data) + 2)[0] == (
        3,
        {"messages": MESSAGES, "as_read": {"item": "log", "configuration": "unnamed", "trial": "0"}},
        None,
    )
    assert rows_of("chat", b"\n\n" + data, len(data)) == [(3, None, "too_long")]
    assert rows_of("chat", data.replace(b"Hot", b"\xff"))[0] == (1, None, "not_utf8")


def test_one_damaged_line_of_bare_lists_leaves_the_others() -> None:
    data = b'[{"role": "user", "content": \n' + lines(MESSAGES, MESSAGES)
    assert [(line, isinstance(value, dict)) for line, value, _ in rows_of("chat", data)] == [
        (1, False),
        (2, True),
        (3, True),
    ]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (lines({"id": 1, "messages": MESSAGES}), "chat"),
        (b"\xef\xbb\xbf\n" + lines(MESSAGES), "chat"),
        (lines({"messages": [{"content": "x" * 70_000, "role": "user"}]}), "chat"),
        (json.dumps(MESSAGES, indent=4).encode(), "chat"),
        (lines({"messages": ["text"]}), "jsonl"),
        (lines({"messages": []}), "jsonl"),
        (lines({"log": {"messages": MESSAGES}}), "jsonl"),
        (json.dumps({"messages": MESSAGES}, indent=1).encode(), "json"),
        (json.dumps([{"messages": MESSAGES}]).encode(), "json"),
        (b'[{"role": "user"}]', "json"),
    ],
)
def test_detection(tmp_path: Path, content: bytes, name: str) -> None:
    (tmp_path / "log").write_bytes(content)
    assert detect(tmp_path / "log").name == name


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(MESSAGES),
    lambda v: st.lists(v, max_size=3) | st.dictionaries(st.sampled_from(["id", "messages", "role"]), v, max_size=3),
    max_leaves=5,
)
RECORDS = (
    VALUES.map(lambda v: json.dumps(v).encode())
    | st.dictionaries(st.sampled_from(["id", "model", "trial", "messages", "x"]), VALUES).map(
        lambda v: json.dumps(v).encode()
    )
    | st.binary(max_size=12).map(lambda b: b.replace(b"\n", b""))
    | st.sampled_from([b"[", b"{", b'[{"role": "user",', b"]"])
)


def check(tmp_path: Path, records: list[bytes]) -> None:
    data = b"\n".join([*records, lines(MESSAGES).strip()])
    count = sum(bool(line.strip(b" \t\n\r\x0b\x0c")) for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"))
    assert len(rows_of("chat", data)) == count
    with loaded(written(tmp_path, log=data), corpus={"format": "chat"}) as con:
        assert con.execute("select records, loaded + rejected from files").fetchall() == [(count, count)]


FUZZ = {"suppress_health_check": list(HealthCheck)}


@settings(max_examples=4, **FUZZ)
@given(st.lists(RECORDS, min_size=10, max_size=30))
def test_whatever_a_line_holds_it_is_a_trial_or_a_reject(tmp_path: Path, records: list[bytes]) -> None:
    check(tmp_path, records)


@pytest.mark.slow
@settings(max_examples=150, **FUZZ)
@given(st.lists(RECORDS, max_size=30))
def test_whatever_many_lines_hold(tmp_path: Path, records: list[bytes]) -> None:
    check(tmp_path, records)


@settings(max_examples=60)
@given(st.binary(max_size=4), st.integers(0, 120), st.integers(0, 3))
def test_a_mutated_file_of_one_list_is_never_lost(new: bytes, at: int, gone: int) -> None:
    data = json.dumps(MESSAGES, indent=1).encode()
    found = rows_of("chat", data[:at] + new + data[at + gone :])
    assert len(found) >= 1


def test_real_logs(shared: Path) -> None:
    logs = sorted((shared / "data" / "mini_swe_agent").glob("*.traj.json"))
    assert [detect(log).name for log in logs] == ["chat", "chat"]
    with loaded(logs) as con:
        stored = con.execute("select item, len(turns) from trials order by all").fetchall()
        assert stored == [("github_issue.traj", 22), ("local.traj", 6)]
