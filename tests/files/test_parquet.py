"""A row of a Parquet file becomes an object."""

from __future__ import annotations

import datetime
import decimal
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regrade.errors import CorpusError
from regrade.files.loaders import detect, parquet
from tests.files.loading import FIXTURES, grades, loaded, rejects, rows, rows_of, written

LOG = FIXTURES / "parquet" / "nested.parquet"
COLUMNS = {"configuration": "model", "item": "doc.id", "turns": "messages"}


def file_of(table: pa.Table, **options: Any) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **options)
    return sink.getvalue().to_pybytes()


def value_of(array: pa.Array) -> Any:
    [(line, value, reason)] = rows_of("parquet", file_of(pa.table({"x": array})))
    assert (line, reason) == (1, None)
    return value["x"]


def test_nested_columns_are_trials() -> None:
    frozen = {"pass": {"passed": "passed"}, "full": {"value": "score", "passes": ">= 1"}}
    with loaded([LOG], columns=COLUMNS, frozen=frozen, bank={"columns": {"gold": "doc.choices"}}) as con:
        assert con.execute("select trial_id, line, reply, len(turns) from trials order by line").fetchall() == [
            ("m/1/0", 1, "Cold.\0", 2),
            ("m/2/0", 2, "", 1),
            ("n/3/0", 3, "", 0),
        ]
        assert grades(con) == {"full": ["passed", "ungraded", "passed"], "pass": ["passed", "ungraded", "failed"]}
        assert con.execute("select item, gold from items order by all").fetchall() == [
            ("1", '["a","b"]'),
            ("2", "[]"),
            ("3", None),
        ]


def test_values() -> None:
    first, second, third = (value for _, value, _ in rows("parquet", LOG))
    assert first == {
        "model": "m",
        "doc": {"id": 1, "Id": "x", "choices": ["a", "b"]},
        "messages": [{"role": "user", "content": "Hot?"}, {"role": "assistant", "content": "Cold.\0"}],
        "score": 1.0,
        "passed": True,
        "at": "1970-01-01 00:00:00.000000001",
        "cost": "1.50",
        "raw": "text",
        "tags": [["k", 1]],
    }
    assert second["score"] != second["score"] and second["raw"] == "/wA=" and second["tags"] == []
    assert third["score"] == float("inf") and third["doc"] == {"id": 3, "Id": "z", "choices": None}


@pytest.mark.parametrize(
    ("array", "value"),
    [
        (pa.array([2**64 - 1], pa.uint64()), 2**64 - 1),
        (pa.array([1.5], pa.float16()), 1.5),
        (pa.array([datetime.date(2026, 1, 2)]), "2026-01-02"),
        (pa.array([1], pa.timestamp("ms", "UTC")), "1970-01-01 00:00:00.001Z"),
        (pa.array([61], pa.time32("s")), "00:01:01.000"),
        (pa.array([5], pa.duration("ns")), "5"),
        (pa.array([[decimal.Decimal("1.10")]]), ["1.10"]),
        (pa.array([{"a": [{"at": datetime.date(2026, 1, 2)}]}]), {"a": [{"at": "2026-01-02"}]}),
        (pa.array([[1, 2]], pa.list_(pa.int8(), 2)), [1, 2]),
        (pa.nulls(1), None),
        (pa.array([""]), ""),
        (pa.array(['"\\\u2028\ud7ff']), '"\\\u2028\ud7ff'),
        (pa.array(["a"]).dictionary_encode(), "a"),
    ],
)
def test_kinds_of_columns(array: pa.Array, value: Any) -> None:
    assert value_of(array) == value


def test_rows_are_numbered_on_across_batches_and_row_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "MOST_ROWS", 4)
    table = pa.table({"id": range(25), "text": [str(i) for i in range(25)]})
    found = rows_of("parquet", file_of(table, row_group_size=7))
    assert [(line, value["id"]) for line, value, _ in found] == [(i + 1, i) for i in range(25)]
    assert rows_of("parquet", file_of(table.slice(0, 0))) == []


def test_text_that_is_no_utf8_is_one_reject() -> None:
    texts = pa.array([b"a", b"\xff", b"c"]).view(pa.string())
    found = rows_of("parquet", file_of(pa.table({"x": texts})))
    assert [(line, reason) for line, _, reason in found] == [(1, None), (2, "not_utf8"), (3, None)]


def test_a_row_that_is_too_long_is_one_reject() -> None:
    found = rows_of("parquet", file_of(pa.table({"x": ["a", "b" * 50, "c"]})), max_line=20)
    assert [(line, reason) for line, _, reason in found] == [(1, None), (2, "too_long"), (3, None)]


def test_a_text_where_a_grade_should_be_is_a_reject(tmp_path: Path) -> None:
    table = pa.table({"id": ["a", "b", None], "reply": ["x", "y", "z"], "ok": ["1", None, None]})
    paths = written(tmp_path, log=file_of(table))
    columns = {"configuration": "$filename", "item": "id", "reply": "reply"}
    with loaded(paths, columns=columns, frozen={"pass": {"passed": "ok"}}) as con:
        assert rejects(con) == [(1, "bad_grade"), (3, "missing_key")]


def test_names_that_differ_by_case_alone_and_types_that_differ_between_files(tmp_path: Path) -> None:
    one = pa.table({"Reply": ["A"], "reply": ["a"], "doc": [{"id": 1, "gold": 2}]})
    two = pa.table({"Reply": ["B"], "reply": ["b"], "doc": [{"id": "x", "gold": [0, 1]}]})
    paths = written(tmp_path, one__parquet=file_of(one), two__parquet=file_of(two))
    columns = {"configuration": "$filename", "item": "doc.id", "reply": "reply"}
    with loaded(paths, columns=columns, bank={"columns": {"gold": "doc.gold"}}) as con:
        assert con.execute(
            "select item, reply, gold::varchar from trials join items using (item) order by 1"
        ).fetchall() == [
            ("1", "a", "2"),
            ("x", "b", "[0,1]"),
        ]


def test_a_column_that_stands_twice(tmp_path: Path) -> None:
    table = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    [path] = written(tmp_path, log=file_of(table))
    with pytest.raises(CorpusError, match="log: the column 'a' stands twice"):
        rows("parquet", path)


@pytest.mark.parametrize("cut", [slice(0, 200), slice(0, -1), slice(4, None), slice(0, 4), slice(0, 0)])
def test_a_damaged_file(tmp_path: Path, cut: slice) -> None:
    [path] = written(tmp_path, log=LOG.read_bytes()[cut])
    with pytest.raises(CorpusError, match=r"log: the Parquet data is damaged or of an unknown kind \(.*\)\. Fetch"):
        rows("parquet", path)


def test_detection(tmp_path: Path) -> None:
    [path, other] = written(tmp_path, log__jsonl=LOG.read_bytes(), other=b"PAR")
    assert detect(path) is parquet.LOADER
    with pytest.raises(CorpusError, match="no known format"):
        detect(other)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_mutated_bytes_are_rows_or_one_error(data: Any) -> None:
    log = bytearray(LOG.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(log) - 1))
        log[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    try:
        found = rows_of("parquet", bytes(log))
    except CorpusError as error:
        assert "\n" not in str(error)
    else:
        assert [line for line, _, _ in found] == list(range(1, len(found) + 1))


RECORDS = st.fixed_dictionaries(
    {
        "a": st.none() | st.text(st.characters(exclude_categories=["Cs"])),
        "b": st.none() | st.floats(),
        "c": st.lists(st.none() | st.binary(max_size=3), max_size=2),
    }
)


@settings(max_examples=40)
@given(st.lists(RECORDS, min_size=1))
def test_rows_come_back_as_they_were_written(records: list[dict[str, Any]]) -> None:
    schema = pa.schema([("a", pa.string()), ("b", pa.float64()), ("c", pa.list_(pa.binary()))])
    found = rows_of("parquet", file_of(pa.Table.from_pylist(records, schema)))
    for (_, value, reason), record in zip(found, records, strict=True):
        assert reason is None and value["a"] == record["a"] and repr(value["b"]) == repr(record["b"])
        assert [v is None for v in value["c"]] == [v is None for v in record["c"]]


@pytest.mark.parametrize(("task", "metric"), [("anli_r1", "acc"), ("squad_v2", "em")])
def test_real_logs(shared: Path, task: str, metric: str) -> None:
    [log] = (shared / "data" / "lighteval").glob(f"details_{task}_*.parquet")
    assert detect(log) is parquet.LOADER
    columns = {"configuration": "$filename", "item": "doc.id", "reply": "model_response.text"}
    bank = {"columns": {"prompt": "doc.query", "gold": "doc.gold_index", "family": "doc.task_name"}}
    with loaded([log], columns=columns, frozen={"pass": {"passed": f"metric.{metric}"}}, bank=bank) as con:
        assert con.execute("select records, loaded from files").fetchall() == [(2, 2)]
        golds = [json.loads(gold) for (gold,) in con.execute("select gold from items").fetchall()]
        assert golds == ([2, 2] if task == "anli_r1" else [[0], [0]])
        assert grades(con) == {"pass": ["failed", "failed"]}
