"""A row of lm-evaluation-harness becomes a trial, its filters and metrics axes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regrade.errors import CorpusError
from regrade.files.corpus import FrozenAxis
from regrade.files.corpus_toml import corpus_from
from regrade.files.loaders import detect, lm_eval
from tests.files.loading import FIXTURES, grades, loaded, rejects, rows, rows_of, written

LOGS = FIXTURES / "lm-eval"
TIME = "2026-02-03T10-11-12.131415"


def row(doc_id: Any = 0, filter_name: str | None = "none", **metrics: Any) -> dict[str, Any]:
    """A row whose metrics are named."""
    named = {} if filter_name is None else {"filter": filter_name}
    return {
        "doc_id": doc_id,
        "doc": {"question": "Why?"},
        "target": "So.",
        "arguments": {"gen_args_0": {"arg_0": "Why?", "arg_1": {}}},
        "resps": [["So."]],
        "filtered_resps": ["So."],
        "metrics": list(metrics),
        **named,
        **metrics,
    }


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def axes(tmp_path: Path, *records: Any) -> dict[str, FrozenAxis]:
    (tmp_path / "log").write_bytes(lines(*records))
    return lm_eval.frozen(lambda: [tmp_path / "log"])


def as_read(record: Any, **changes: Any) -> dict[str, Any]:
    [(_, value, reason)] = rows_of("lm-eval", lines({**record, **changes}))
    assert reason is None
    return value["as_read"]


def test_rows_of_two_filters_are_one_trial_with_two_axes() -> None:
    with loaded([LOGS / f"samples_barn_{TIME}.jsonl"]) as con:
        assert con.execute("select records, loaded, rejected from files").fetchall() == [(4, 4, 0)]
        assert con.execute("select trial_id, line, reply from trials order by all").fetchall() == [
            (f"{TIME}/barn:0/0", 1, "Each has 2.\n#### 4"),
            (f"{TIME}/barn:1/0", 2, "Three times four is 12, so 12."),
        ]
        assert con.execute("select item, prompt, gold->>'$' from items order by all").fetchall() == [
            ("barn:0", "How many legs have two hens?", "4"),
            ("barn:1", "How many legs have three goats?", "12"),
        ]
        stored = con.execute("select trial_id[-5:], axis, status, answer, score from frozen_grades order by all")
        assert stored.fetchall() == [
            ("n:0/0", "flexible_extract", "passed", "4", 1.0),
            ("n:0/0", "strict_match", "passed", "4", 1.0),
            ("n:1/0", "flexible_extract", "passed", "12.", 1.0),
            ("n:1/0", "strict_match", "failed", None, 0.0),
        ]


def test_a_filter_twice_for_one_document_is_a_duplicate(tmp_path: Path) -> None:
    log = lines(row(0, "a", m=1), row(0, "b", m=0), row(0, "b", m=1), row(1, "a", m=0))
    with loaded(written(tmp_path, log=log)) as con:
        assert rejects(con) == [(3, "duplicate_trial")]
        assert grades(con) == {"a": ["passed", "failed"], "b": ["failed", "ungraded"]}


def test_the_likeliest_option_is_the_reply() -> None:
    with loaded([LOGS / f"samples_weather_{TIME}.json"]) as con:
        assert [r for (r,) in con.execute("select reply from trials order by line").fetchall()] == [" no", " no"]
        assert grades(con) == {"acc": ["passed", "failed"], "acc_norm": ["passed", "failed"]}
        assert con.execute("select distinct answer from frozen_grades").fetchall() == [(" no",)]


def test_a_single_option_is_the_reply_where_it_is_what_greedy_decoding_gives() -> None:
    with loaded([LOGS / "one_option.jsonl"]) as con:
        stored = con.execute("select trial_id, reply from trials order by all").fetchall()
        assert stored == [("one_option/7/0", "4"), ("one_option/8/0", "")]


def test_options_in_the_context_and_options_asked_again_without_it() -> None:
    def options(*requests: tuple[str, str, Any]) -> Any:
        arguments = [[context, option] for context, option, _ in requests]
        return as_read(row(), arguments=arguments, resps=[[[likely, "False"]] for *_, likely in requests])["reply"]

    assert options(("He saw Ann, ", "who left", "-2"), ("He saw Bo, ", "who left", "-1")) == "He saw Bo, who left"
    assert options(("Q", " a", -3), ("Q", " b", -2.5), ("", " a", -0.1), ("", " b", -4)) == " b"
    assert options(("Q", " a", "nan"), ("Q", " b", "-inf"), ("Q", " c", "-7")) == " c"
    assert options(("Q", " a", "-1"), ("Q", " b", "-1")) == " a"


@pytest.mark.parametrize(
    ("resps", "reply"),
    [
        ([["one", "two"]], "one"),
        (["bare"], "bare"),
        ([["first request"], ["second"]], "first request"),
        ([[None]], None),
        ([], None),
        ([["-12.5"]], "-12.5"),
    ],
)
def test_the_first_response_is_the_reply(resps: Any, reply: Any) -> None:
    assert as_read(row(), resps=resps)["reply"] == reply


@pytest.mark.parametrize(
    ("found", "answers"),
    [
        (["7"], {"none": "7"}),
        (["A  "], {"none": "A  "}),
        ([["a", "b"]], {"none": "a"}),
        ([3], {"none": "3"}),
        (["[invalid]"], None),
        ([None], None),
        ([], None),
    ],
)
def test_what_a_filter_found_is_the_answer(found: Any, answers: Any) -> None:
    assert as_read(row(), filtered_resps=found).get("answers") == answers


@pytest.mark.parametrize(
    ("doc", "question"),
    [
        ({"Question": "first?", "question": "second?"}, "second?"),
        ({"text": "t", "Query": "q"}, "q"),
        ({"question": ["no text"], "options": []}, None),
        ("the document", "the document"),
        (["a"], None),
    ],
)
def test_the_text_of_the_document_is_the_prompt(doc: Any, question: Any) -> None:
    assert as_read(row(), doc=doc).get("question") == question


def test_the_row_is_kept_as_it_is_logged() -> None:
    text = '{"doc_id": 1, "doc": {"a": 1.10, "a": 2}, "resps": [["x"]], "mae": Infinity, "b": "\\u00e9" } '
    [(_, value, _)] = rows_of("lm-eval", text.encode())
    read = value.pop("as_read")
    assert value == json.loads(text)
    assert read == {
        "configuration": "log",
        "item": "1",
        "reply": "x",
        "grades": {"none": {"mae": float("inf"), "b": "é"}},
    }


def test_numbers_beyond_one_labels_and_lists_are_no_axis_but_can_be_mapped() -> None:
    log = LOGS / f"samples_boiling_{TIME}.jsonl"
    with loaded([log]) as con:
        assert grades(con) == {"overlap": ["failed", "passed", "failed"]}
    mapped = {
        "close": {"value": "as_read.grades.none.mae", "passes": "<= 2"},
        "label": {"value": "label", "passed_values": ["right"], "failed_values": ["wrong", "near"]},
    }
    with loaded([log], frozen=mapped) as con:
        assert grades(con) == {"close": ["failed", "passed", "passed"], "label": ["failed", "passed", "failed"]}
        [(endless,)] = con.execute(
            "select score from frozen_grades where axis = 'close' order by all desc limit 1"
        ).fetchall()
        assert endless == float("inf")


@pytest.mark.parametrize(
    ("values", "axis"),
    [
        ([0, 1], FrozenAxis(passed="p")),
        ([True, 0.0], FrozenAxis(passed="p")),
        ([0.5, 1], FrozenAxis(value="p", passes=">= 1")),
        ([None, float("nan"), 1], FrozenAxis(passed="p")),
        ([1, 0, [1]], FrozenAxis(passed="p")),
        ([1, "x"], None),
        ([0.0, -0.5], None),
        ([0, 0, 0, 1.5], None),
        ([0, float("inf")], None),
        ([None], None),
        ([[1, 0]], None),
        (["truthful"], None),
        ([{}], None),
    ],
)
def test_which_metrics_are_axes(tmp_path: Path, values: list[Any], axis: FrozenAxis | None) -> None:
    found = axes(tmp_path, *(row(i, m=value) for i, value in enumerate(values)))
    if axis is None:
        assert found == {}
    else:
        path = "as_read.grades.none.m"
        expected = FrozenAxis(
            passed=axis.passed and path, value=axis.value and path, passes=axis.passes, answer="as_read.answers.none"
        )
        assert found == {"m": expected}


def test_a_value_of_another_kind_among_grades_is_a_reject(tmp_path: Path) -> None:
    log = lines(row(0, m=1), row(1, m=0), row(2, m="maybe"), row(3, m=[1]), row(4, m=0), row(5, m=None))
    with loaded(written(tmp_path, log=log)) as con:
        assert rejects(con) == [(3, "bad_grade"), (4, "bad_grade")]
        assert grades(con) == {"m": ["passed", "failed", "failed", "ungraded"]}


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([("strict-match", ["m"]), ("flexible-extract", ["m"])], ["strict_match", "flexible_extract"]),
        ([("none", ["m"])], ["m"]),
        ([(None, ["m"])], ["m"]),
        ([("none", ["m"]), ("get-answer", ["m"])], ["m", "get_answer"]),
        ([("get-answer", ["m", "n"])], ["m", "n"]),
        ([("a b", ["m", "n"]), ("none", ["m"])], ["m_a_b", "n", "m"]),
        ([("3rd", ["m"])], ["_3rd"]),
        ([("x.y", ["2 em"]), ("é/z", ["2 em"])], ["x_y", "__z"]),
    ],
)
def test_names_of_axes(tmp_path: Path, rows: Any, names: list[str]) -> None:
    records = [row(0, filter_name, **dict.fromkeys(metrics, 1)) for filter_name, metrics in rows]
    assert list(axes(tmp_path, *records)) == names


def test_a_path_holds_whatever_a_filter_is_called(tmp_path: Path) -> None:
    paths = written(tmp_path, log=lines(row(0, 'a."b".c', **{"$m/~": 1, "é": 0})))
    with loaded(paths) as con:
        assert grades(con) == {"_": ["failed"], "_m__": ["passed"]}


def test_names_that_fold_to_one_are_refused(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(lines(row(0, "a-b", m=1), row(0, "a-b", n=1), row(0, "a.b", m=1)))
    with pytest.raises(CorpusError, match=r"both be the axis 'm_a_b', .* 'm' under the filter 'a.b'. Name"):
        corpus_from({"corpus": {"name": "x", "files": ["log"]}}, tmp_path, "corpus.toml")


def test_axes_that_corpus_toml_declares_stand_alone(tmp_path: Path) -> None:
    paths = written(tmp_path, log=lines(row(0, m=1, n=0)))
    with loaded(paths, frozen={"mine": {"passed": "n"}}) as con:
        assert grades(con) == {"mine": ["failed"]}


def test_files_of_one_evaluation_are_one_configuration_and_tasks_keep_apart(tmp_path: Path) -> None:
    names = [f"samples_{task}_{time}.jsonl" for task in ("a_b", "c") for time in (TIME, "2026-02-04T00-00-00.000001")]
    for number, name in enumerate(names):
        (tmp_path / name).write_bytes(lines(row(0, m=1, other=number)))
    with loaded([tmp_path / name for name in names]) as con:
        assert con.execute("select count(*), count(distinct configuration) from trials").fetchall() == [(4, 2)]
        assert con.execute("select item from items order by all").fetchall() == [("a_b:0",), ("c:0",)]


REJECTS = [
    ("broken", "not_json"),
    ('{"doc_id": 1', "not_json"),
    ('{"doc_id": 1,}', "not_json"),
    ("[1]", "not_object"),
    ("{}", "missing_key"),
    ('{"doc_id": null, "resps": [["a"]]}', "missing_key"),
    ('{"doc_id": 1.5, "resps": [["a"]]}', "missing_key"),
    ('{"doc_id": 1}', "missing_key"),
    ('{"doc_id": 1, "doc_id": 2, "resps": [["a"]]}', "duplicate_key"),
    ('{"doc_id": 1, "resps": [["a"]], "m": 1, "m": 0}', "duplicate_key"),
    ('{"doc_id": 1, "resps": [["a"]], "as_read": 0}', "duplicate_key"),
    ('{"doc_id": 1, "resps": [[5]]}', "bad_turns"),
    ('{"doc_id": 1, "resps": [["\\ud800"]]}', "not_json"),
]


def test_rejects(tmp_path: Path) -> None:
    log = lines(row(0, m=1)) + "\n".join(text for text, _ in REJECTS).encode()
    with loaded(written(tmp_path, log=log), corpus={"format": "lm-eval"}) as con:
        assert rejects(con) == [(line, reason) for line, (_, reason) in enumerate(REJECTS, 2)]
        assert con.execute("select records, loaded from files").fetchall() == [(1 + len(REJECTS), 1)]


def test_detection(tmp_path: Path) -> None:
    for content, name in (
        (lines(row()), "lm-eval"),
        (b"\xef\xbb\xbf\n" + lines(row()), "lm-eval"),
        (lines({"doc_id": 0, "doc": {}, "target": "", "arguments": ["x" * 70_000]}), "lm-eval"),
        (lines({"doc_id": 0, "doc": {}, "target": ""}), "jsonl"),
        (lines({"x": row()}), "jsonl"),
        (b"[" + lines(row()) + b"]", "json"),
    ):
        (tmp_path / "log").write_bytes(content)
        assert detect(tmp_path / "log").name == name


FIXTURE_LINES = [
    json.loads(line) for path in sorted(LOGS.iterdir()) for line in path.read_text("utf-8").split("\n") if line
]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=3), v, max_size=3), max_leaves=4
)


@st.composite
def mutated(draw: Any) -> bytes:
    """A row in which keys are dropped and values replaced, or its bytes changed."""
    record = {**draw(st.sampled_from(FIXTURE_LINES)), "doc_id": draw(st.integers(0, 10**9))}
    for key in draw(st.lists(st.sampled_from(sorted(record)), max_size=3, unique=True)):
        if draw(st.booleans()):
            del record[key]
        else:
            record[key] = draw(VALUES)
    data = json.dumps(record).encode()
    if draw(st.integers(0, 3)) == 0:
        at = draw(st.integers(0, len(data) - 1))
        data = data[:at] + draw(st.binary(max_size=2)).replace(b"\n", b"") + data[at + draw(st.integers(0, 2)) :]
    return data


def check(tmp_path: Path, records: list[bytes]) -> None:
    data = b"\n".join([*records, lines(row(77, m=1)).strip()])
    count = sum(bool(line.strip(b" \t\n\r\x0b\x0c")) for line in data.split(b"\n"))
    assert len(rows_of("lm-eval", data)) == count
    try:
        with loaded(written(tmp_path, log=data), corpus={"format": "lm-eval"}) as con:
            [(found, good, bad)] = con.execute("select records, loaded, rejected from files").fetchall()
            assert found == count == good + bad
    except CorpusError as error:
        assert "\n" not in str(error)


RECORDS = st.lists(mutated(), min_size=20, max_size=40)
FUZZ = {"suppress_health_check": list(HealthCheck)}


@settings(max_examples=4, **FUZZ)
@given(RECORDS)
def test_mutated_rows_are_trials_or_rejects(tmp_path: Path, records: list[bytes]) -> None:
    check(tmp_path, records)


@pytest.mark.slow
@settings(max_examples=150, **FUZZ)
@given(RECORDS)
def test_many_mutated_rows(tmp_path: Path, records: list[bytes]) -> None:
    check(tmp_path, records)


SHARED = [
    ("eee/samples_math_perturbed_full_*", {"exact_match": (10, 0)}),
    ("forks/samples_asdiv_*", {"acc": (50, 46)}),
    ("forks/samples_stereotype_*", {"acc": (609, 336), "acc_norm": (609, 336)}),
    ("forks/samples_polymer_*", {}),
    ("forks/samples_masakhaner_*", {}),
    ("forks/samples_negotiationtom_intention_2026-07-08T17*", {"exact_match": (20, 4)}),
    ("forks/samples_negotiationtom_intention_2026-07-08T18*", {"exact_match": (20, 4)}),
    ("forks/samples_eqbench_*", {"eqbench": (10, 0), "percent_parseable": (10, 0)}),
    (
        "forks/samples_truthfulqa_*",
        {"bleu_acc": (20, 10), "rouge1_acc": (20, 10), "rouge2_acc": (20, 7), "rougeL_acc": (20, 9)},
    ),
    ("pyfade/samples_gsm8k_*T13-31*", {"strict_match": (3, 1)}),
    ("pyfade/samples_gsm8k_*T13-42*", {"strict_match": (3, 2)}),
    ("pyfade/samples_mmlu_pro_plus_*T14-44*", {"custom_extract": (9, 3)}),
    ("pyfade/samples_mmlu_pro_plus_*T15-11*", {"custom_extract": (9, 6)}),
    ("../unlicensed/lm_eval_pmemoli/samples_gsm8k_*", {"strict_match": (10, 1), "flexible_extract": (10, 8)}),
    ("../unlicensed/lm_eval_pmemoli/samples_hendrycks_*", {"exact_match": (1187, 0)}),
]


@pytest.mark.parametrize(("glob", "expected"), SHARED, ids=[glob for glob, _ in SHARED])
def test_real_logs(shared: Path, glob: str, expected: dict[str, tuple[int, int]]) -> None:
    paths = sorted((shared / "data" / "lm_eval").glob(glob))
    assert paths and all(detect(path) is lm_eval.LOADER for path in paths)
    count = sum(line.strip() != "" for path in paths for line in path.read_text("utf-8").split("\n"))
    with loaded(paths) as con:
        assert con.execute("select sum(records), sum(loaded) from files").fetchall() == [(count, count)]
        assert {axis: (len(s), s.count("passed")) for axis, s in grades(con).items()} == expected
        assert con.execute("select count(*) from items where gold is null").fetchall() == [(0,)]


def test_all_real_logs_of_one_folder_are_one_corpus(shared: Path) -> None:
    with loaded(sorted((shared / "data" / "lm_eval" / "pyfade").glob("samples_*"))) as con:
        assert con.execute(
            "select count(*), count(distinct configuration), count(distinct item) from trials"
        ).fetchall() == [(24, 4, 12)]


def test_infinity_in_a_real_log(shared: Path) -> None:
    [log] = (shared / "data" / "lm_eval" / "forks").glob("samples_polymer_*")
    with loaded([log], frozen={"near": {"value": "mae", "passes": "< 100"}}) as con:
        counted = con.execute("select count(*) filter (score = 'inf'::double), count(*) from frozen_grades").fetchall()
        assert counted == [(17, 24)]
        assert rows("lm-eval", log)[0][1]["mae"] == float("inf")
