"""Records become trials, frozen grades and rejects; nothing is dropped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regrade.errors import CorpusError
from regrade.files.corpus_toml import read_corpus
from regrade.files.manifest import digest_files
from regrade.tables.ingest import load
from regrade.tables.store import Store
from tests.conftest import BANK, TOML, record, twenty, write_corpus


@pytest.fixture
def loaded(tmp_path: Path) -> Iterator[Any]:
    """A function that writes a corpus, loads it and gives the connection."""
    stores: list[Store] = []

    def make(records: Any, toml: str = TOML, bank: Any = BANK, **options: Any) -> Any:
        folder = write_corpus(tmp_path / f"corpus{len(stores)}", records, toml, bank)
        corpus = read_corpus(folder)
        store = Store.create(tmp_path / f"store{len(stores)}.duckdb")
        stores.append(store)
        load(store, corpus, digest_files(corpus), **options)
        return store.con

    yield make
    for store in stores:
        store.close()


def rejects(con: Any) -> list[tuple[Any, ...]]:
    return con.execute("select line, reason from rejects order by all").fetchall()


def good(**changes: Any) -> dict[str, Any]:
    return {**record("a", "T01", 0, "read_sensor", "ANSWER: 7.0", True), **changes}


def test_twenty_trials_load_with_keys_reply_turns_and_calls(loaded: Any) -> None:
    con = loaded(twenty())
    assert con.execute("select records, loaded, rejected from files").fetchall() == [(20, 20, 0)]
    assert con.execute("select trial_id, line, reply from trials where line = 3").fetchall() == [
        ("a/T02/0", 3, "a: one file.\nANSWER: ASK: is it notes.txt?")
    ]
    assert con.execute("from calls where trial_id = 'a/T02/0'").fetchall() == [
        ("a/T02/0", 1, 0, "list_files", '{"a": 1}', "seen", 2)
    ]
    assert con.execute("select turn, role, text from turns where trial_id = 'a/T02/0' order by turn").fetchall() == [
        (0, "user", "Go on."),
        (1, "assistant", ""),
        (2, "tool", "seen"),
        (3, "assistant", "a: one file.\nANSWER: ASK: is it notes.txt?"),
    ]
    assert con.execute("select status, count(*) from frozen_grades group by all order by all").fetchall() == [
        ("failed", 12),
        ("passed", 8),
    ]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b'{"config": "a",', "not_json"),
        (b'{"a": 1} {"b": 2}', "not_json"),
        (json.dumps(good()).replace('"pass": true', '"pass": true,   ').encode(), "not_json"),
        (b'{"config": "\\ud835"}', "not_json"),
        (b'{"config": "a\x00b"}', "not_json"),
        (b'{"config": "\xff"}', "not_utf8"),
        (b"[1, 2]", "not_object"),
        (b'"text"', "not_object"),
        (b'{"config": "a", "config": "b", "episode": "T01", "rep": 0, "messages": []}', "duplicate_key"),
        (
            json.dumps(good(grade={})).replace('"grade": {}', '"grade": {"pass": true, "pass": true}').encode(),
            "duplicate_key",
        ),
        (json.dumps({k: v for k, v in good().items() if k != "config"}).encode(), "missing_key"),
        (json.dumps(good(episode=None)).encode(), "missing_key"),
        (json.dumps(good(rep=[1])).encode(), "missing_key"),
        (json.dumps({k: v for k, v in good().items() if k != "messages"}).encode(), "missing_key"),
        (json.dumps(good(episode="T99")).encode(), "unknown_item"),
        (json.dumps(good(messages="hello")).encode(), "bad_turns"),
        (json.dumps(good(messages=[{"content": "no role"}])).encode(), "bad_turns"),
        (json.dumps(good(messages=["text"])).encode(), "bad_turns"),
        (json.dumps(good(messages=[{"role": "user", "content": 5}])).encode(), "bad_turns"),
        (json.dumps(good(messages=[{"role": "assistant", "tool_calls": {"id": 1}}])).encode(), "bad_turns"),
        (json.dumps(good(messages=[{"role": "assistant", "tool_calls": [{"id": "x"}]}])).encode(), "bad_turns"),
        (json.dumps(good(grade={"pass": "true"})).encode(), "bad_grade"),
        (json.dumps(good(grade={"pass": [True]})).encode(), "bad_grade"),
        (json.dumps(good(grade={"pass": 2})).encode(), "bad_grade"),
    ],
)
def test_a_damaged_record_is_one_reject_with_its_line_and_reason(loaded: Any, bad: bytes, reason: str) -> None:
    con = loaded([good(rep=1), b"", bad, good(rep=2)])
    assert rejects(con) == [(3, reason)]
    assert con.execute("select records, loaded, rejected from files").fetchall() == [(3, 2, 1)]
    assert con.execute("select line from trials order by line").fetchall() == [(1,), (4,)]


@pytest.mark.parametrize(
    ("value", "status"),
    [
        ("true", "passed"),
        ("1", "passed"),
        ("1.0", "passed"),
        ("false", "failed"),
        ("0", "failed"),
        ("null", "ungraded"),
        ("NaN", "ungraded"),
    ],
)
def test_a_boolean_grade_and_one_that_was_never_given(loaded: Any, value: str, status: str) -> None:
    con = loaded([json.dumps(good(grade={"pass": "?"})).replace('"?"', value).encode()])
    assert con.execute("select status from frozen_grades").fetchall() == [(status,)]


def test_an_absent_grade_is_ungraded(loaded: Any) -> None:
    con = loaded([good(grade={"code": None})])
    assert con.execute("select status from frozen_grades").fetchall() == [("ungraded",)]


def test_an_optional_grade_that_is_absent_is_none_and_its_path_is_not_missed(loaded: Any) -> None:
    toml = TOML.replace('passed = "grade.pass"', 'passed = "grade.pass"\noptional = true')
    grades: list[Any] = [{"pass": True, "code": None}, {"pass": None}, {"code": "X"}, {"by": "hand"}, None]
    con = loaded([good(rep=i, grade=grade) for i, grade in enumerate(grades)], toml)
    assert con.execute("select trial_id[-1:], status, code from frozen_grades order by 1").fetchall() == [
        ("0", "passed", None),
        ("1", "ungraded", None),
        ("2", "ungraded", "X"),
    ]
    assert con.execute("select count(*) from trials").fetchall() == [(5,)]
    con = loaded([good(grade={})], toml)
    assert con.execute("select value from meta where key = 'absent'").fetchall() == [("[]",)]


def test_a_score_with_a_limit_and_values_by_name(loaded: Any) -> None:
    toml = TOML.replace('passed = "grade.pass"', 'value = "grade.pass"\npasses = ">= 0.5"')
    rows = [good(rep=i, grade={"pass": v}) for i, v in enumerate([0.5, 0.49, 1, None])]
    con = loaded([*rows, good(rep=9, grade={"pass": "0.9"})], toml)
    assert con.execute("select status, score from frozen_grades order by trial_id").fetchall() == [
        ("passed", 0.5), ("failed", 0.49), ("passed", 1.0), ("ungraded", None),
    ]  # fmt: skip
    assert rejects(con) == [(5, "bad_grade")]
    toml = TOML.replace(
        'passed = "grade.pass"', 'value = "grade.pass"\npassed_values = ["C"]\nfailed_values = ["I", 0]'
    )
    con = loaded([good(rep=i, grade={"pass": v}) for i, v in enumerate(["C", "I", 0, "P"])], toml)
    assert con.execute("select status from frozen_grades order by trial_id").fetchall() == [
        ("passed",),
        ("failed",),
        ("failed",),
    ]
    assert rejects(con) == [(4, "bad_grade")]


@pytest.mark.parametrize(
    ("listed", "value", "status"),
    [
        ('failed_values = ["wrong"]', "right", "passed"),
        ('failed_values = ["wrong"]', "wrong", "failed"),
        ('failed_values = ["wrong"]', None, "ungraded"),
        ('failed_values = ["wrong"]', {}, None),
        ('failed_values = ["wrong"]', True, None),
        ('failed_values = ["wrong"]', 1, None),
        ("passed_values = [1, 2]", 2.0, "passed"),
        ("passed_values = [1, 2]", 3, "failed"),
        ("passed_values = [1, 2]", "1", None),
        ("passed_values = [true]", False, "failed"),
    ],
)
def test_one_list_of_values_grades_only_what_is_of_its_kind(loaded: Any, listed: str, value: Any, status: Any) -> None:
    toml = TOML.replace('passed = "grade.pass"', f'value = "grade.pass"\n{listed}')
    con = loaded([good(grade={"pass": value}), good(rep=1, grade={})], toml)
    found = con.execute("select status from frozen_grades where trial_id = 'a/T01/0'").fetchall()
    assert found == ([] if status is None else [(status,)])
    assert rejects(con) == ([(1, "bad_grade")] if status is None else [])


def test_a_score_that_is_no_number_has_none(loaded: Any) -> None:
    toml = TOML.replace('passed = "grade.pass"', 'value = "grade.pass"\npasses = ">= 0.5"')
    con = loaded([json.dumps(good(grade={"pass": float("nan")})).encode()], toml)
    assert con.execute("select status, score from frozen_grades").fetchall() == [("ungraded", None)]


def test_a_run_that_is_no_text_is_refused(loaded: Any) -> None:
    toml = TOML.replace('trial = "rep"', 'trial = "rep"\nrun = "run"')
    con = loaded([good(run={"a": 1}), good(run=3), good(run=None)], toml)
    assert rejects(con) == [(1, "missing_key")]
    assert con.execute("select run from trials order by run nulls last").fetchall() == [("3",), (None,)]


def test_a_code_outside_the_declared_list_is_a_bad_grade(loaded: Any) -> None:
    toml = TOML.replace('code = "grade.code"', 'code = "grade.code"\ncodes = ["STALE_DATA"]')
    rows = [
        good(rep=0, grade={"pass": False, "code": "STALE_DATA"}),
        good(rep=1, grade={"pass": False, "code": "OTHER"}),
    ]
    assert rejects(loaded([*rows, good(rep=2)], toml)) == [(2, "bad_grade")]


def test_content_as_parts_arguments_as_object_and_results_by_id(loaded: Any) -> None:
    messages = [
        {
            "role": "user",
            "content": [{"type": "text", "text": "one "}, {"type": "image"}, {"type": "text", "text": "two"}],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "x", "function": {"name": "first", "arguments": {"n": 1}}},
                {"id": "y", "function": {"name": "second", "arguments": "not JSON"}},
                {"id": "z", "name": "third"},
            ],
        },
        {"role": "tool", "tool_call_id": "y", "content": "of second"},
        {"role": "tool", "tool_call_id": "x", "content": "of first"},
    ]
    con = loaded([good(messages=messages)])
    assert con.execute("select name, arguments, result from calls order by call").fetchall() == [
        ("first", '{"n":1}', "of first"), ("second", "not JSON", "of second"), ("third", "", None),
    ]  # fmt: skip
    assert con.execute("select text from turns where turn = 0").fetchall() == [("one two",)]
    assert con.execute("select reply from trials").fetchall() == [("",)], "the last assistant turn has no text"


def test_a_call_id_that_is_used_again_gets_the_result_that_follows_it(loaded: Any) -> None:
    def call(name: str) -> dict[str, Any]:
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "0", "function": {"name": name, "arguments": "{}"}}],
        }

    def result(text: str) -> dict[str, Any]:
        return {"role": "tool", "tool_call_id": "0", "content": text}

    con = loaded([good(messages=[call("a"), result("1"), call("b"), result("2")])])
    assert con.execute("select name, result from calls order by turn").fetchall() == [("a", "1"), ("b", "2")]


def test_a_call_without_a_result_takes_none_of_a_later_call(loaded: Any) -> None:
    def call(name: str) -> dict[str, Any]:
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "0", "function": {"name": name, "arguments": "{}"}}],
        }

    con = loaded([good(messages=[call("a"), call("b"), {"role": "tool", "tool_call_id": "0", "content": "2"}])])
    assert con.execute("select name, result from calls order by turn").fetchall() == [("a", None), ("b", "2")]


def test_calls_of_one_turn_under_one_id_take_their_results_in_order(loaded: Any) -> None:
    def calls(*names: str) -> dict[str, Any]:
        made = [{"id": "0", "function": {"name": n, "arguments": "{}"}} for n in names]
        return {"role": "assistant", "content": None, "tool_calls": made}

    def result(text: str, **more: Any) -> dict[str, Any]:
        return {"role": "tool", "tool_call_id": "0", "content": text, **more}

    con = loaded([good(messages=[calls("a", "b", "c"), result("1"), result("2"), calls("d"), result("3")])])
    query = "select name, result, answered from calls order by turn, call"
    assert con.execute(query).fetchall() == [("a", "1", 1), ("b", "2", 2), ("c", None, None), ("d", "3", 4)]
    call = [{"id": n, "function": {"name": n, "arguments": "{}"}} for n in ("a", "b")]
    parallel = {"role": "assistant", "content": None, "tool_calls": call}
    named = [parallel, {"role": "tool", "name": "b", "content": "of b"}, {**result("of a"), "tool_call_id": "a"}]
    assert loaded([good(messages=named)]).execute(query).fetchall() == [("a", "of a", 2), ("b", "of b", 1)]


def test_a_trial_without_an_assistant_turn_has_the_empty_reply(loaded: Any) -> None:
    con = loaded([good(messages=[{"role": "user", "content": "hello"}]), good(rep=1, messages=[])])
    assert con.execute("select reply from trials").fetchall() == [("",), ("",)]


def test_a_reply_alone_has_no_turns(loaded: Any) -> None:
    rows = [good(), good(rep=1, text="ANSWER: 7"), good(rep=2, text=None), good(rep=3, text=5)]
    con = loaded(rows, TOML.replace('turns = "messages"', 'reply = "text"'))
    assert con.execute("select reply, turns from trials order by line").fetchall() == [("ANSWER: 7", None), ("", None)]
    assert rejects(con) == [(1, "missing_key"), (4, "bad_turns")]


def test_trial_ids_are_percent_encoded_and_hold_the_run_where_there_is_one(loaded: Any) -> None:
    toml = TOML.replace('trial = "rep"', 'trial = "rep"\nrun = "run"')
    con = loaded([good(config="org/model 50%", run=None), good(config="a", run="r/1", rep="x")], toml)
    assert con.execute("select trial_id from trials order by all").fetchall() == [
        ("a/T01/r%2F1/x",),
        ("org%2Fmodel 50%25/T01/0",),
    ]


def test_the_first_of_a_repeated_key_is_loaded_and_the_later_names_it(loaded: Any) -> None:
    con = loaded([good(), good(grade={"pass": False}), good(rep=1)])
    assert rejects(con) == [(2, "duplicate_trial")]
    assert con.execute("select excerpt from rejects").fetchall() == [("a/T01/0 is loaded from trials.jsonl, line 1",)]
    assert con.execute("select status from frozen_grades where trial_id = 'a/T01/0'").fetchall() == [("passed",)]
    assert con.execute("select count(*) from trials").fetchone() == (2,)


def test_repeated_keys_on_one_line_are_told_apart(tmp_path: Path) -> None:
    """A tau-bench file may be one line: its records share the line, and only the later of a key is refused."""
    folder = tmp_path / "c"
    folder.mkdir()
    trials = [
        {"task_id": t, "trial": 0, "reward": 1, "info": {"task": n}, "traj": []} for n, t in enumerate([1, 2, 1, 3])
    ]
    (folder / "log.json").write_text(json.dumps(trials))
    (folder / "corpus.toml").write_text('[corpus]\nname = "x"\nfiles = ["log.json"]\n')
    corpus = read_corpus(folder)
    with Store.create(tmp_path / "s.duckdb") as store:
        with pytest.raises(CorpusError, match="the item '1' has 0 in one record and 2 in another"):
            load(store, corpus, digest_files(corpus))
    (folder / "log.json").write_text(json.dumps([{**t, "info": {}} for t in trials]))
    with Store.create(tmp_path / "s.duckdb") as store:
        load(store, corpus, digest_files(corpus))
        assert store.con.execute("select trial_id, line from trials order by all").fetchall() == [
            ("log/1/0", 1), ("log/2/0", 1), ("log/3/0", 1),
        ]  # fmt: skip
        assert rejects(store.con) == [(1, "duplicate_trial")]


def test_a_comma_before_a_bracket_inside_a_text_is_no_fault(loaded: Any) -> None:
    con = loaded([record("a", "T01", 0, "read_sensor", "a,] b,}\nANSWER: 7", True)])
    assert con.execute("select count(*) from trials").fetchall() == [(1,)]


def test_records_of_one_key_that_grade_different_axes_are_one_trial(loaded: Any) -> None:
    toml = TOML.replace("[frozen.pass]", '[frozen.strict]\npassed = "strict"\n[frozen.pass]')
    con = loaded([good(), {**good(grade={}), "strict": False}, {**good(grade={}), "strict": True}], toml)
    assert rejects(con) == [(3, "duplicate_trial")]
    assert con.execute("select axis, status from frozen_grades order by all").fetchall() == [
        ("pass", "passed"),
        ("strict", "failed"),
    ]
    assert con.execute("select records, loaded, rejected from files").fetchall() == [(3, 2, 1)]
    assert con.execute("select count(*) from trials").fetchone() == (1,)


def test_each_part_of_a_wide_record_is_a_record(loaded: Any) -> None:
    toml = """
[corpus]
name = "wide"
format = "jsonl"
files = ["trials.jsonl"]
[columns]
item = "$line"
[[each]]
configuration = "6b"
reply = "six.text"
[each.frozen.pass]
passed = "six.ok"
[[each]]
configuration = "175b"
reply = "big.text"
[each.frozen.pass]
passed = "big.ok"
[bank.columns]
prompt = "question"
gold = "truth"
"""
    wide = {
        "question": "q?",
        "truth": "A: 1",
        "six": {"text": "A: 1", "ok": True},
        "big": {"text": "A: 2", "ok": False},
    }
    con = loaded([wide, b"", {**wide, "big": {"ok": True}}], toml, bank=None)
    both = "select trial_id, status from trials join frozen_grades using (trial_id) order by all"
    assert con.execute(both).fetchall() == [
        ("175b/1/0", "failed"), ("6b/1/0", "passed"), ("6b/3/0", "passed"),
    ]  # fmt: skip
    assert con.execute("select records, loaded, rejected from files").fetchall() == [(4, 3, 1)]
    assert con.execute("select item, prompt, gold from items order by item").fetchall() == [
        ("1", "q?", '"A: 1"'),
        ("3", "q?", '"A: 1"'),
    ]
    # A bad line counts once for each part that it would have given.
    con = loaded([wide, b"nonsense"], toml, bank=None)
    assert con.execute("select records, loaded, rejected from files").fetchall() == [(4, 2, 2)]


def test_an_item_with_two_golds_in_the_trials_is_refused(loaded: Any) -> None:
    toml = TOML.split("[bank]")[0] + '[bank.columns]\ngold = "truth"\n'
    with pytest.raises(CorpusError, match="gold: the item 'T01' has 1 in one record and 2 in another"):
        loaded([{**good(), "truth": 1}, {**good(rep=1), "truth": 2}], toml, bank=None)
    rows = [{**good(), "truth": None}, {**good(rep=1), "truth": 2}, good(rep=2)]
    assert loaded(rows, toml, bank=None).execute("select item, gold from items").fetchall() == [("T01", "2")]


def test_names_that_differ_only_by_case_are_told_apart(loaded: Any) -> None:
    con = loaded([{**good(), "Config": "other", "grade": {"Pass": False, "pass": True}}])
    assert con.execute("select configuration, status from trials join frozen_grades using (trial_id)").fetchall() == [
        ("a", "passed")
    ]


def test_a_path_may_hold_dots_in_quotes_and_list_indices(loaded: Any) -> None:
    toml = TOML.replace('configuration = "config"', "configuration = '\"my.config\".0.name'")
    con = loaded([{**good(), "my.config": [{"name": "zero"}, {"name": "one"}]}], toml)
    assert con.execute("select configuration from trials").fetchall() == [("zero",)]


def test_a_line_beyond_the_limit_is_a_reject(loaded: Any) -> None:
    con = loaded([good(), json.dumps(good(rep=1, pad="x" * 5000)).encode(), good(rep=2)], max_line=4000)
    assert rejects(con) == [(2, "too_long")]


def test_an_excerpt_shows_the_fault_first(loaded: Any) -> None:
    rows = [
        good(),
        good(rep=1, episode="T99"),
        good(rep=2, grade={"pass": "n/a", "code": None}),
        {**good(), "config": None},
    ]
    con = loaded([{"pad": "x" * 300, **r} for r in rows])
    shown = con.execute("select excerpt from rejects order by line").fetchall()
    assert [e[: e.index(" in ")] for (e,) in shown] == [
        "item T99", 'grade.pass = "n/a", grade.code = null', "configuration = config is absent",
    ]  # fmt: skip
    assert all(len(e) == 200 for (e,) in shown)


def test_a_path_that_no_record_has_is_remembered(loaded: Any) -> None:
    con = loaded([good(), good(rep=1, messages=[]), b"no"], TOML.replace('code = "grade.code"', 'code = "grade.kode"'))
    assert con.execute("select value from meta where key = 'absent'").fetchall() == [('["grade.kode"]',)]


def test_nothing_loaded_says_what_was_found(loaded: Any) -> None:
    with pytest.raises(
        CorpusError, match=r"No trial could be .*: found 1 x missing_key \(configuration = config is absent in"
    ):
        loaded([{"other": 1}])


def test_configurations_not_listed_load_with_nulls(loaded: Any, tmp_path: Path) -> None:
    folder = tmp_path / "corpus0"
    folder.mkdir()
    (folder / "configurations.json").write_text(
        '[{"configuration": "a", "weights": "w", "gpu": "x"}, {"configuration": "zz"}]'
    )
    con = loaded([good(), good(config="b")], TOML + '[configurations]\nfile = "configurations.json"\n')
    assert con.execute("select configuration, weights, extra, listed from configurations order by all").fetchall() == [
        ("a", "w", '{"gpu": "x"}', True), ("b", None, None, False), ("zz", None, None, True),
    ]  # fmt: skip


TOLD = TOML + '[configurations]\nfile = "c.json"\n[configurations.columns]\nmodel = "run.model"\nextra = "run.more"\n'


def test_trials_tell_of_their_configuration_what_the_file_leaves_out(loaded: Any, tmp_path: Path) -> None:
    (tmp_path / "corpus0").mkdir()
    (tmp_path / "corpus0" / "c.json").write_text('[{"configuration": "a", "model": "A", "gpu": "x"}]')
    con = loaded(
        [
            good(run={"model": "ay", "more": {"gpu": "y", "seed": 1}}),
            good(rep=1, run=None),
            good(config="b", run={"model": 7, "more": [1]}),
            good(config="c"),
        ],
        TOLD,
    )
    assert con.execute("select configuration, model, extra, listed from configurations order by all").fetchall() == [
        ("a", "A", '{"gpu": "x", "seed": 1}', True),
        ("b", "7", '{"extra": [1]}', False),
        ("c", None, None, False),
    ]


def test_trials_that_tell_two_things_of_a_configuration(loaded: Any, tmp_path: Path) -> None:
    (tmp_path / "corpus0").mkdir()
    (tmp_path / "corpus0" / "c.json").write_text("[]")
    with pytest.raises(
        CorpusError, match=r".configurations.columns. model: the configuration 'a' has \"x\" in one record"
    ):
        loaded([good(run={"model": "x"}), good(rep=1, run={"model": "y"})], TOLD)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(st.binary(max_size=40).filter(lambda b: b"\n" not in b), st.sampled_from(
    [json.dumps(good(rep=n, grade={"pass": g})).encode() for n in range(3) for g in (True, False, None, "x")]
)), max_size=12))  # fmt: skip
def test_every_record_is_loaded_or_rejected(tmp_path: Path, lines: list[bytes]) -> None:
    folder = write_corpus(tmp_path / "c", [good(config="keep"), *lines])
    corpus = read_corpus(folder)
    with Store.create(tmp_path / "s.duckdb") as store:
        load(store, corpus, digest_files(corpus))
        records, kept, refused = store.con.execute("select records, loaded, rejected from files").fetchone()
        blank = sum(not line.strip(b" \t\r\v\f") for line in lines)
        assert records == kept + refused == 1 + len(lines) - blank
        assert store.con.execute("select count(*) from rejects").fetchone() == (refused,)
        assert store.con.execute("select count(*) from trials").fetchone() == (kept,)


@pytest.mark.slow
def test_what_is_read_in_several_pieces_is_one_corpus(loaded: Any) -> None:
    """Over 32 MiB are read in pieces: line numbers, repeated keys and items hold across them."""
    pad = "x" * 100_000
    rows = [{**good(rep=n), "pad": pad} for n in range(700)]
    con = loaded([*rows, good(rep=3), b"broken", good(rep=700)])
    assert con.execute("select records, loaded, rejected from files").fetchall() == [(703, 701, 2)]
    assert rejects(con) == [(701, "duplicate_trial"), (702, "not_json")]
    assert con.execute("select excerpt from rejects where line = 701").fetchall() == [
        ("a/T01/3 is loaded from trials.jsonl, line 4",)
    ]
    assert con.execute("select count(*) from trials where line <> trial::int + 1 and trial <> '700'").fetchall() == [
        (0,)
    ]


def test_a_zero_keeps_its_sign_as_logged_and_a_code_that_is_nan_is_none(loaded: Any) -> None:
    rows = [json.dumps(good(rep="@")).replace('"@"', number).encode() for number in ("0", "-0")]
    assert loaded(rows).execute("select trial from trials order by all").fetchall() == [("-0",), ("0",)]
    coded = json.dumps(good(grade={"pass": False, "code": "@"})).replace('"@"', "NaN").encode()
    assert loaded([coded]).execute("select status, code from frozen_grades").fetchall() == [("failed", None)]
