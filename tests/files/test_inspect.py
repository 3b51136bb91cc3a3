"""An Inspect sample becomes a trial: its keys, turns, grades and what is known of it beside."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.errors import CorpusError
from regrade.files.corpus_toml import corpus_from
from regrade.files.loaders import MAX_LINE, detect, inspect
from tests.files.inspect_logs import HEADER, archive, document, loaded, members, sample

FIXTURES = Path(__file__).parent / "fixtures" / "inspect"


def rows(tmp_path: Path, log: bytes, max_line: int = MAX_LINE) -> list[dict[str, Any]]:
    path = tmp_path / "log"
    path.write_bytes(log)
    return [row for batch in inspect.records(path, max_line) for row in batch.to_pylist()]


def one(tmp_path: Path, made: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The record of a log's only sample, the same out of both encodings."""
    [row] = rows(tmp_path, document(made, **changes))
    [other] = rows(tmp_path, archive(members(made, **changes)))
    assert row["reason"] is other["reason"] is None
    assert json.loads(row["text"]) == json.loads(other["text"])
    return json.loads(row["text"])


def frozen(tmp_path: Path, *logs: bytes) -> dict[str, str]:
    paths = [tmp_path / f"{n}" for n in range(len(logs))]
    for path, log in zip(paths, logs, strict=True):
        path.write_bytes(log)
    return {name: axis.value for name, axis in inspect.frozen(lambda: paths).items()}


@pytest.mark.parametrize("name", ["capitals.json", "capitals.eval"])
def test_a_log_in_either_encoding(tmp_path: Path, name: str) -> None:
    with loaded(tmp_path, (FIXTURES / name).read_bytes()) as con:
        trials = con.execute("select trial_id, reply, extra from trials order by all").fetchall()
        grades = con.execute("select trial_id, axis, status, code, answer, score from frozen_grades order by all")
        assert [(t, r) for t, r, _ in trials] == [
            ("mockllm%2Fmodel/1/1", "Lima."),
            ("mockllm%2Fmodel/1/2", "It is Cusco, I am sure of it."),
            ("mockllm%2Fmodel/chad/1", ""),
            ("mockllm%2Fmodel/chad/2", ""),
        ]
        assert [None if e is None else json.loads(e) for *_, e in trials] == [
            {"scores": {"style": {"explanation": "No word of greeting."}}},
            {"scores": {"match": {"explanation": "no"}}},
            {"limit": {"type": "time", "limit": 30.0}},
            {"error": "RuntimeError('no server')"},
        ]
        assert [(t.removeprefix("mockllm%2Fmodel/"), *rest) for t, *rest in grades.fetchall()] == [
            ("1/1", "match", "passed", None, "Lima.", 1.0),
            ("1/1", "style_polite", "failed", None, None, 0.5),
            ("1/1", "style_short", "passed", None, None, 1.0),
            ("1/2", "match", "failed", None, None, 0.0),
            ("1/2", "style_polite", "passed", None, None, 1.0),
            ("1/2", "style_short", "failed", None, None, 0.0),
            ("chad/1", "match", "failed", "NOANSWER", None, 0.0),
            ("chad/1", "style_polite", "ungraded", None, None, None),
            ("chad/1", "style_short", "ungraded", None, None, None),
            ("chad/2", "match", "ungraded", None, None, None),
            ("chad/2", "style_polite", "ungraded", None, None, None),
            ("chad/2", "style_short", "ungraded", None, None, None),
        ]
        turns = con.execute("select turn, role, text from turns where trial_id like '%/1/2' order by turn").fetchall()
        assert turns == [
            (0, "system", "Be short."),
            (1, "user", "What is the capital of Peru?"),
            (2, "assistant", "I look it up."),
            (3, "tool", "Lima, of course"),
            (4, "assistant", "It is Cusco, I am sure of it."),
        ]
        calls = con.execute("select turn, call, name, arguments, result from calls").fetchall()
        assert calls == [(2, 0, "atlas", '{"country":"Peru"}', "Lima, of course")]
        items = con.execute("select item, family, prompt, gold from items order by item").fetchall()
        assert [(i, f, p, json.loads(g)) for i, f, p, g in items] == [
            ("1", "capitals", "What is the capital of Peru?", "Lima"),
            ("chad", "capitals", "What is the capital of Chad?", ["N'Djamena", "Ndjamena"]),
        ]


# grades


VALUES_AND_GRADES = [
    ("C", ("passed", None, 1.0)),
    ("I", ("failed", None, 0.0)),
    ("P", ("failed", "PARTIAL", 0.5)),
    ("N", ("failed", "NOANSWER", 0.0)),
    ("Yes", ("passed", None, 1.0)),
    ("FALSE", ("failed", None, 0.0)),
    ("0.25", ("failed", None, 0.25)),
    (True, ("passed", None, 1.0)),
    (False, ("failed", None, 0.0)),
    (1, ("passed", None, 1.0)),
    (0.65, ("failed", None, 0.65)),
    (7, ("passed", None, 7.0)),
    (float("inf"), ("passed", None, float("inf"))),
    (float("nan"), ("ungraded", None, None)),
    (None, ("ungraded", None, None)),
]


@pytest.mark.parametrize("encode", [document, lambda *samples: archive(members(*samples))], ids=["json", "eval"])
def test_the_values_of_a_scorer(tmp_path: Path, encode: Callable[..., bytes]) -> None:
    log = encode(*(sample(n, value=value) for n, (value, _) in enumerate(VALUES_AND_GRADES)))
    with loaded(tmp_path, log) as con:
        found = con.execute(
            "select axis, answer, status, code, score from frozen_grades join trials using (trial_id) "
            "order by item::int"
        ).fetchall()
        assert found == [("match", "four", *grade) for _, grade in VALUES_AND_GRADES]


def test_kinds_of_value_may_be_mixed_but_a_label_among_grades_is_a_reject(tmp_path: Path) -> None:
    log = document(*(sample(n, value=value) for n, value in enumerate(("C", True, 0.5, "maybe", "c"))))
    with loaded(tmp_path, log) as con:
        assert con.execute(
            "select item, status from trials join frozen_grades using (trial_id) order by 1"
        ).fetchall() == [
            ("0", "passed"),
            ("1", "passed"),
            ("2", "failed"),
        ]
        assert con.execute("select line, reason from rejects").fetchall() == [(1, "bad_grade")] * 2


def test_corpus_toml_may_say_what_passes(tmp_path: Path) -> None:
    table = {"match": {"value": "grades.match.value", "passed_values": ["C", "P"], "failed_values": ["I"]}}
    with loaded(tmp_path, document(sample(1, value="P"), sample(2, value="I")), frozen=table) as con:
        assert con.execute("select status from frozen_grades order by trial_id").fetchall() == [
            ("passed",),
            ("failed",),
        ]


def test_axes_of_lists_objects_and_several_scorers_in_the_order_of_the_logs(tmp_path: Path) -> None:
    scores = {
        "a/b": {"value": [1, "I"]},
        "rubric": {"value": {"tone": "C", "kind": "essay", "x.y": None}},
        "label": {"value": "essay"},
        "never": {"value": None},
    }
    later = {"rubric": {"value": float("nan")}, "9th": {"value": "N"}}
    found = frozen(tmp_path, document(sample(scores=scores)), archive(members(sample(scores=later))))
    assert found == {
        "a_b_0": 'grades."a/b".parts.0.number',
        "a_b_1": 'grades."a/b".parts.1.number',
        "rubric_tone": "grades.rubric.parts.tone.number",
        "rubric_x_y": 'grades.rubric.parts."x.y".number',
        "never": "grades.never.number",
        "_9th": "grades.9th.number",
    }
    assert list(found)[0] == "a_b_0"
    with loaded(tmp_path, document(sample(scores=scores))) as con:
        grades = con.execute("select axis, status from frozen_grades order by axis").fetchall()
        assert grades == [
            ("a_b_0", "passed"),
            ("a_b_1", "failed"),
            ("never", "ungraded"),
            ("rubric_tone", "passed"),
            ("rubric_x_y", "ungraded"),
        ]


@pytest.mark.parametrize("scores", [None, {}, "none"])
def test_without_scores_there_is_no_frozen_grade(tmp_path: Path, scores: Any) -> None:
    with loaded(tmp_path, document(sample(scores=scores))) as con:
        assert con.execute("select loaded from files").fetchall() == [(1,)]
        assert con.execute("from frozen_grades").fetchall() == []


def test_two_scorers_of_one_name_are_refused_unless_declared(tmp_path: Path) -> None:
    scores = {"a.b": {"value": "C"}, "A_b": {"value": "I"}}
    with pytest.raises(
        CorpusError, match=r"'a\.b' and 'A_b' would both be the axis 'A_b'.*\[frozen\.NAME\] with value"
    ):
        frozen(tmp_path, document(sample(scores=scores)))
    table = {"first": {"value": 'grades."a.b".number', "passes": ">= 1"}}
    with loaded(tmp_path, document(sample(scores=scores)), frozen=table) as con:
        assert con.execute("select axis, status from frozen_grades").fetchall() == [("first", "passed")]


def test_the_earliest_logs_have_one_score_without_a_name(tmp_path: Path) -> None:
    old = sample(score={"value": "C"})
    del old["scores"]
    assert frozen(tmp_path, document(old)) == {"score": "grades.score.number"}
    assert list(one(tmp_path, old, results={"scores": [{"name": "includes"}]})["grades"]) == ["includes"]


def test_what_a_scorer_tells_beside_its_grade(tmp_path: Path) -> None:
    scores = {
        "a": {"value": "C", "explanation": "4", "reason": None, "history": []},
        "b": {
            "value": "I",
            "explanation": "why",
            "reason": "refusal",
            "history": [{"value": "C"}],
            "metadata": {"x": 1},
        },
    }
    assert one(tmp_path, sample(scores=scores))["extra"] == {
        "scores": {"b": {"explanation": "why", "reason": "refusal", "history": [{"value": "C"}]}}
    }


# keys, and what is known of a trial


def test_ids_are_text_and_runs_and_tasks_tell_logs_apart(tmp_path: Path) -> None:
    logs = {
        "one": document(sample(1), sample("1/2", 3)),
        "two": document(sample(1), eval={**HEADER["eval"], "eval_id": "e2"}),
        "three": document(sample(1), eval={"model": "mockllm/model", "task": "other", "run_id": "r3"}),
    }
    columns = {"item": "task_item", "run": "run"}
    with loaded(tmp_path, logs, columns=columns) as con:
        assert con.execute("select item, run, trial from trials order by all").fetchall() == [
            ("other/1", "r3", "1"),
            ("sums/1", "e1", "1"),
            ("sums/1", "e2", "1"),
            ("sums/1/2", "e1", "3"),
        ]
    with loaded(tmp_path, {name: logs[name] for name in ("one", "two")}) as con:
        assert con.execute("select reason from rejects").fetchall() == [("duplicate_trial",)]
    with pytest.raises(CorpusError, match="the item '1' has"), loaded(tmp_path, logs):
        pass


def test_limit_error_and_the_rest_of_extra(tmp_path: Path) -> None:
    made = sample(
        limit={"type": "message", "limit": 30},
        error={"message": "no", "traceback": "long", "traceback_ansi": "long"},
        error_retries=[{"message": "first", "traceback": "", "events": []}],
        invalidation={"author": "me"},
        metadata={"level": 2},
        scores={},
    )
    told = one(tmp_path, made, status="error", error={"message": "stopped", "traceback": "long"})["extra"]
    assert told == {
        "limit": {"type": "message", "limit": 30},
        "error": "no",
        "retries": 1,
        "invalidation": {"author": "me"},
        "log": {"status": "error", "error": "stopped"},
        "metadata": {"level": 2},
    }
    assert one(tmp_path, sample(scores={}))["extra"] is None


def test_a_log_that_was_never_finished(tmp_path: Path) -> None:
    begun = members(sample(scores={}))
    del begun["header.json"]
    [row] = rows(tmp_path, archive(begun))
    assert json.loads(row["text"])["configuration"] == "mockllm/model"
    assert json.loads(row["text"])["extra"] == {"log": {"status": "started"}}


@pytest.mark.parametrize("missing", ["id", "epoch"])
def test_a_sample_without_a_key(tmp_path: Path, missing: str) -> None:
    with loaded(tmp_path, document(sample(2), {k: v for k, v in sample().items() if k != missing})) as con:
        assert con.execute("select reason from rejects").fetchall() == [("missing_key",)]


def test_choices_are_part_of_the_prompt(tmp_path: Path) -> None:
    made = sample(input=[{"role": "user", "content": "Which?"}], choices=["red", "blue"])
    assert one(tmp_path, made)["prompt"] == "Which?\n\nA) red\nB) blue"


# messages


def turns(tmp_path: Path, messages: Any, **changes: Any) -> list[Any]:
    return one(tmp_path, sample(messages=messages, output={}, **changes))["messages"]


def test_content_parts_and_calls(tmp_path: Path) -> None:
    asked = {
        "role": "user",
        "content": [
            {"type": "image", "image": "data:image/png;base64,AA"},
            {"type": "text", "text": "?"},
            {"type": "data", "text": "!"},
        ],
    }
    call = {"id": "c", "function": "f", "arguments": {"b": 1, "a": [None]}, "parse_error": "bad", "type": "function"}
    said = {"role": "assistant", "content": None, "tool_calls": [call], "model": "m"}
    seen = {
        "role": "tool",
        "content": "",
        "tool_call_id": "c",
        "function": "f",
        "error": {"type": "x", "message": "gone"},
    }
    kept = {**seen, "content": "partly", "error": {"type": "timeout", "message": "late"}}
    made = one(tmp_path, sample(messages=[asked, said, seen, kept], output={}))
    assert made["messages"] == [
        {"role": "user", "content": "?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": {"b": 1, "a": [None]}}}],
        },
        {"role": "tool", "content": "gone", "tool_call_id": "c", "name": "f"},
        {"role": "tool", "content": "partly", "tool_call_id": "c", "name": "f"},
    ]
    assert made["extra"]["parse_errors"] == ["bad"]


def test_attachments_are_put_in_place_and_unknown_ones_stay(tmp_path: Path) -> None:
    call = {"id": "c", "function": "f", "arguments": {"x": ["attachment://a"]}}
    messages = [
        {"role": "user", "content": "see attachment://a"},
        {"role": "assistant", "content": [{"type": "text", "text": "attachment://a"}], "tool_calls": [call]},
        {"role": "tool", "content": "attachment://none", "tool_call_id": "c"},
        {"role": "assistant", "content": "tc://a"},
    ]
    found = turns(tmp_path, messages, attachments={"a": "long"})
    assert [turn["content"] for turn in found] == ["see attachment://a", "long", "attachment://none", "long"]
    assert found[1]["tool_calls"][0]["function"]["arguments"] == {"x": ["long"]}
    old = {"transcript": {"events": [], "content": {"a": "older"}}, "attachments": None}
    assert turns(tmp_path, messages[3:], **old)[0]["content"] == "older"
    made = one(tmp_path, sample(attachments={"a": "long"}, input="attachment://a", target=["attachment://a"]))
    assert (made["prompt"], made["gold"]) == ("long", ["long"])


def output(content: Any, **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": content, **more}, "stop_reason": "stop"}]}


@pytest.mark.parametrize(
    ("ids", "given", "texts", "told"),
    [
        ([None, None], output("b"), ["a", "b"], None),
        ([None, None], output("a"), ["a", "b"], {"completion": "a"}),
        ([None, None], output("c"), ["a", "b", "c"], {"reply_from": "output"}),
        (["1", "2"], output("c", id="2"), ["a", "b"], {"completion": "c"}),
        (["1", "2"], output("b", id="3"), ["a", "b"], None),
        (["1", "2"], output("a", id="3"), ["a", "b", "a"], {"reply_from": "output"}),
        (["1", "2"], output([{"type": "text", "text": "b"}], id="2"), ["a", "b"], None),
        ([], output("only"), ["only"], {"reply_from": "output"}),
        ([], output(None), [""], {"reply_from": "output"}),
        ([], {"choices": [], "completion": "old"}, ["old"], {"reply_from": "output"}),
        ([], {"choices": [], "completion": ""}, [], None),
        ([], {"choices": [{"message": "?"}]}, [], None),
        ([], None, [], None),
    ],
)
def test_the_output_is_the_last_turn_where_the_messages_lack_it(
    tmp_path: Path, ids: list[Any], given: Any, texts: list[str], told: Any
) -> None:
    said = [{"role": "assistant", "content": text, "id": id} for text, id in zip("ab", ids, strict=False)]
    made = one(tmp_path, sample(messages=[{"role": "user", "content": "?"}, *said], output=given, scores={}))
    assert [turn["content"] for turn in made["messages"][1:]] == texts
    assert made["extra"] == told


@pytest.mark.parametrize("messages", ["text", [1], [{"role": "user"}, None], [{"role": "user", "content": {"a": 1}}]])
def test_messages_that_are_none(tmp_path: Path, messages: Any) -> None:
    with loaded(tmp_path, document(sample(2), sample(1, messages=messages, output=None))) as con:
        assert con.execute("select reason from rejects").fetchall() == [("bad_turns",)]


# documents


def test_a_log_without_samples_is_listed_among_others(tmp_path: Path) -> None:
    bare = {key: value for key, value in HEADER.items() if key != "version"}
    logs = {
        "a": json.dumps({**bare, "status": "cancelled"}).encode(),
        "b": json.dumps({**bare, "samples": None}).encode(),
        "c": archive(members()),
        "d": b"",
        "e": document(sample()),
    }
    with loaded(tmp_path, logs) as con:
        assert con.execute("select path, records from files order by path").fetchall() == [
            *((name, 0) for name in "abcd"),
            ("e", 1),
        ]


def test_lines_order_and_compression(tmp_path: Path) -> None:
    log = json.dumps({**HEADER, "samples": [sample(1), sample(2)]}, indent=1).encode()
    lines = [n for n, line in enumerate(log.decode().split("\n"), 1) if line == "  {"]
    assert [row["line"] for row in rows(tmp_path, b"\xef\xbb\xbf" + log)] == lines
    assert rows(tmp_path, gzip.compress(log)) == rows(tmp_path, log)
    late = json.dumps({"samples": [sample(1), sample(2)], **HEADER}).encode()
    assert [r["text"] for r in rows(tmp_path, late)] == [r["text"] for r in rows(tmp_path, log)]
    (tmp_path / "log").write_bytes(late)
    assert detect(tmp_path / "log") is inspect.LOADER


def test_nan_infinity_and_what_is_no_json(tmp_path: Path) -> None:
    odd = json.dumps(sample(1, metadata={"a": float("nan"), "b": float("-inf")})).encode()
    bad = [
        json.dumps(sample(2, reply="x")).replace('"x"', '"\\ud800"').encode(),
        json.dumps(sample(3, reply="x")).replace('"x"', '"\0"').encode(),
        json.dumps(sample(4, reply="x")).encode().replace(b'"x"', b'"\xff"'),
        b'{"id": 5,, }',
        b"[" * 2000 + b"]" * 2000,
    ]
    start, end = document()[:-2], b"]}"
    for log in (
        start + b",".join([odd, *bad, b"7", json.dumps(sample(8, reply="a\0")).encode()]) + end,
        archive(members(odd, *bad, b"7", sample(8, reply="a\0"))),
    ):
        with loaded(tmp_path, log) as con:
            reasons = [reason for (reason,) in con.execute("select reason from rejects order by rowid").fetchall()]
            assert reasons == ["not_json", "not_json", "not_utf8", "not_json", "not_json", "not_object"]
            assert con.execute("select item, reply from trials order by item").fetchall() == [("1", "4"), ("8", "a\0")]


def test_a_sample_that_is_too_long(tmp_path: Path) -> None:
    found = rows(tmp_path, document(sample(1), sample(2, reply="x" * 3000), sample(3)), 2000)
    assert [row["reason"] for row in found] == [None, "too_long", None]
    assert found[1]["excerpt"].startswith('{"id": 2')


@pytest.mark.parametrize(
    ("log", "found"),
    [
        (document(sample())[:-1], "expected a comma or the end of the object, found the end of the file"),
        (document(sample())[:-9], "expected the rest of a record"),
        (document(sample()) + b"{}", "expected the end of the document"),
        (b"[]", "expected an object"),
        (b"{}", "no object 'eval'"),
        (b'{"eval": 1, "samples": []}', "no object 'eval'"),
        (b'{"eval": {,}, "samples": []}', "'eval' of the log is no JSON"),
        (b'{"eval": {}, "samples": {}}', "expected the list of samples"),
        (b'{"eval" {}}', "expected a colon"),
        (b"{eval: {}}", "expected a key"),
    ],
)
def test_a_document_that_is_no_log(tmp_path: Path, log: bytes, found: str) -> None:
    with pytest.raises(CorpusError) as caught:
        rows(tmp_path, log)
    assert found in str(caught.value) and str(tmp_path / "log") in str(caught.value)


@pytest.mark.parametrize(
    "log",
    [
        b'{"status": "success", "eval": "a", "samples": []}',
        b'{"status": "success", "eval": {}}\n{"status": "success", "eval": {}}\n',
        b'{"samples": [{"id": 1}]}',
        b'[{"status": "success", "eval": {}}]',
        archive({"xl/workbook.xml": b"<a/>"}),
        b"PK\x03\x04",
    ],
)
def test_what_is_no_log(log: bytes) -> None:
    assert not inspect.looks_like(log)


# whatever a log holds


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["C", "I", "attachment://a", "", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["value", "content", "role", "type", "text", "id", "a.b", "message"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
MANGLED = st.dictionaries(
    st.sampled_from([*sample(), "score", "error", "limit", "choices", "transcript"]), VALUES, max_size=4
)


MATCH = {"match": {"value": "grades.match.number", "passes": ">= 1"}}


def logs_of(mangled: list[Any]) -> tuple[int, list[bytes]]:
    samples = [{**sample(n), **each} if isinstance(each, dict) else each for n, each in enumerate(mangled)]
    samples.append(sample("sound"))
    return len(samples), [document(*samples), archive(members(*(json.dumps(s).encode() for s in samples)))]


def few_and_many(few: int, many: int, **given_by: Any) -> Callable[[Any], Any]:
    """Try a property on a few examples in every run of the tests, and on many in the slow one."""

    def both(check: Callable[..., None]) -> Any:
        @pytest.mark.parametrize("count", [few, pytest.param(many, marks=pytest.mark.slow)])
        def tried(tmp_path: Path, count: int) -> None:
            settings(max_examples=count)(given(**given_by)(lambda **example: check(tmp_path, **example)))()

        return tried

    return both


@few_and_many(60, 2000, mangled=st.lists(MANGLED | VALUES, max_size=4))
def test_every_sample_is_a_record_whatever_it_holds(tmp_path: Path, mangled: list[Any]) -> None:
    count, logs = logs_of(mangled)
    one, other = (rows(tmp_path, log) for log in logs)
    assert len(one) == count and [row["text"] for row in one] == [row["text"] for row in other]
    assert all(row["reason"] is None for row in one)
    assert json.loads(one[-1]["text"])["item"] == "sound"


@few_and_many(4, 80, mangled=st.lists(MANGLED | VALUES, min_size=10, max_size=30), encoding=st.sampled_from([0, 1]))
def test_every_sample_is_a_trial_or_a_reject(tmp_path: Path, mangled: list[Any], encoding: int) -> None:
    count, logs = logs_of([each if isinstance(each, dict) else {"messages": each} for each in mangled])
    # Declared, since the axes and items of such a log may be for the user to tell apart.
    tables = {"columns": {"item": "task_item"}, "frozen": MATCH, "bank": {"columns": {"prompt": "x", "gold": "x"}}}
    with loaded(tmp_path, logs[encoding], **tables) as con:
        [(records, good, bad)] = con.execute("select records, loaded, rejected from files").fetchall()
        assert records == count == good + bad
        assert con.execute("select count(*) from trials").fetchone() == (good,)


def mutated(data: bytes, edits: list[tuple[float, bytes, int]]) -> bytes:
    for place, new, width in edits:
        at = int(place * len(data))
        data = data[:at] + new + data[at + width :]
    return data


EDITS = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.sampled_from([b"", b"\0", b"\xff", b'"', b"{", b"]", b"PK", b"\x01"]) | st.binary(max_size=4),
        st.integers(0, 40),
    ),
    max_size=4,
)


@few_and_many(150, 4000, name=st.sampled_from(["capitals.json", "capitals.eval", "zstd"]), edits=EDITS)
def test_a_log_with_wrong_bytes_is_told_in_one_line(tmp_path: Path, name: str, edits: list[Any]) -> None:
    whole = archive(members(sample(1), sample(2)), 93) if name == "zstd" else (FIXTURES / name).read_bytes()
    (tmp_path / "log").write_bytes(mutated(whole, edits))
    data = {"corpus": {"name": "c", "format": "inspect", "files": ["log"]}}
    try:
        corpus_from(data, tmp_path, "corpus.toml")
        for row in rows(tmp_path, (tmp_path / "log").read_bytes()):
            assert (row["text"] is None) == (row["reason"] is not None)
            assert row["reason"] in (None, "not_json", "not_utf8", "too_long")
    except CorpusError as error:
        assert "\n" not in str(error)
