"""A row of a CSV file becomes an object of text, its grades numbers and booleans."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regrade.errors import CorpusError
from regrade.files.loaders import csv_table, detect
from tests.files.loading import FIXTURES, grades, loaded, rejects, rows, rows_of, written

LOGS = FIXTURES / "csv"
COLUMNS = {"configuration": "$filename", "item": "id", "reply": "reply"}


def logged(data: bytes) -> list[dict[str, Any]]:
    """The good rows without their typed form."""
    found = []
    for _, value, reason in rows_of("csv", data):
        assert reason is None
        value.pop("typed")
        found.append(value)
    return found


def test_ids_and_replies_stay_as_written_and_grades_are_typed() -> None:
    frozen = {"pass": {"passed": "passed"}, "half": {"value": "score", "passes": ">= 0.5", "answer": "reply"}}
    with loaded([LOGS / "quoted_line_ends.csv"], columns=COLUMNS, frozen=frozen) as con:
        assert con.execute("select item, line, reply from trials order by line").fetchall() == [
            ("007", 2, 'Two lines,\nand "quotes"'),
            ("1.10", 4, ""),
            ("1e2", 5, "a;b\r\nc"),
            ("7", 7, "42"),
        ]
        stored = con.execute(
            "select item, axis, status, answer, score from frozen_grades join trials using (trial_id) "
            "order by line, axis desc"
        )
        assert stored.fetchall() == [
            ("007", "pass", "passed", None, None),
            ("007", "half", "passed", 'Two lines,\nand "quotes"', 1.0),
            ("1.10", "pass", "failed", None, 0.0),
            ("1.10", "half", "failed", None, 0.25),
            ("1e2", "pass", "failed", None, None),
            ("1e2", "half", "ungraded", "a;b\r\nc", None),
            ("7", "pass", "passed", None, 1.0),
            ("7", "half", "passed", "42", 1.0),
        ]


def test_semicolons_a_byte_order_mark_and_blank_lines() -> None:
    columns = {"configuration": "model", "item": "item", "reply": "reply"}
    with loaded([LOGS / "semicolons_mark_crlf.csv"], columns=columns) as con:
        stored = con.execute("select trial_id, line, reply from trials order by line").fetchall()
        assert stored == [("m1/a/0", 2, "one; two"), ("m1/b/0", 4, "three")]


def test_a_row_that_makes_no_object_is_a_reject() -> None:
    columns = {"configuration": "$filename", "item": "item", "reply": "reply"}
    with loaded([LOGS / "tabs_odd_rows.tsv"], columns=columns, frozen={"pass": {"passed": "ok"}}) as con:
        assert con.execute("select item, reply, line from trials order by line").fetchall() == [
            ("a", "fine", 2),
            ("f", "", 7),
        ]
        assert grades(con) == {"pass": ["passed", "ungraded"]}
        assert rejects(con) == [(3, "not_object"), (4, "not_object"), (5, "not_utf8"), (6, "not_object")]
        assert con.execute("select excerpt from rejects where line = 3").fetchall() == [("b\ttoo few",)]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("", None),
        ("1", 1),
        ("0", 0),
        ("-0.5", -0.5),
        ("1.10", 1.1),
        ("1e2", 100.0),
        ("true", True),
        ("True", True),
        ("FALSE", False),
        ("007", "007"),
        ("+1", "+1"),
        (" 1", " 1"),
        ("1_0", "1_0"),
        ("\u0661", "\u0661"),
        (".5", ".5"),
        ("yes", "yes"),
        ("C", "C"),
        ("null", "null"),
        ("9" * 50, "9" * 50),
        ("x" * 500, "x" * 200),
    ],
)
def test_cells(cell: str, value: Any) -> None:
    [(_, row, _)] = rows_of("csv", f"a,b\n{cell},\n".encode())
    assert row == {"a": cell or None, "b": None, "typed": {"a": value, "b": None}}
    assert type(row["typed"]["a"]) is type(value)


@pytest.mark.parametrize("cell", ["nan", "NaN", ""])
def test_no_number_is_no_grade(tmp_path: Path, cell: str) -> None:
    paths = written(tmp_path, log=f"id,reply,ok\na,x,{cell}\n")
    with loaded(paths, columns=COLUMNS, frozen={"pass": {"passed": "ok"}}) as con:
        assert grades(con) == {"pass": ["ungraded"]}


def test_words_are_compared_as_written_and_another_value_is_a_reject(tmp_path: Path) -> None:
    paths = written(tmp_path, log="id,reply,letter,n\na,x,C,1\nb,x,I,0\nc,x,1,2\nd,x,maybe,1\n")
    for spec, statuses, bad in (
        ({"value": "letter", "passed_values": ["C", "1"], "failed_values": ["I"]}, ["passed", "failed", "passed"], [5]),
        ({"value": "typed.letter", "passed_values": ["C"], "failed_values": ["I"]}, ["passed", "failed"], [4, 5]),
        ({"value": "n", "passed_values": [1], "failed_values": [0]}, ["passed", "failed", "passed"], [4]),
        ({"value": "n", "passes": "== 1"}, ["passed", "failed", "failed", "passed"], []),
        ({"passed": "n"}, ["passed", "failed", "passed"], [4]),
        ({"passed": "typed.n"}, ["passed", "failed", "passed"], [4]),
    ):
        with loaded(paths, columns=COLUMNS, frozen={"pass": spec}) as con:
            assert grades(con) == {"pass": statuses}
            assert rejects(con) == [(line, "bad_grade") for line in bad]


def test_a_text_that_is_no_grade_is_shown_in_the_reject(tmp_path: Path) -> None:
    paths = written(tmp_path, log="id,reply,ok\na,x,1\nb,x,maybe\n")
    with loaded(paths, columns=COLUMNS, frozen={"pass": {"passed": "ok"}}) as con:
        [(excerpt,)] = con.execute("select excerpt from rejects").fetchall()
        assert "maybe" in excerpt


def test_an_empty_key_is_missing(tmp_path: Path) -> None:
    paths = written(tmp_path, log='id,reply\na,x\n,x\n"",x\n')
    with loaded(paths, columns=COLUMNS) as con:
        assert rejects(con) == [(3, "missing_key"), (4, "missing_key")]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\xef\xbb\xbf", []),
        (b"a,b\n", []),
        (b"a,b", []),
        (b'a\n""\n"x"', [{"a": None}, {"a": "x"}]),
        (b'"a;b","c\nd"\n1,2\n', [{"a;b": "1", "c\nd": "2"}]),
        (b"\n\r\na,b\r\n\r\n1,2\r\n", [{"a": "1", "b": "2"}]),
        (b',a\n0,"x"\n', [{"": "0", "a": "x"}]),
        (b"a,,\n1,2,3\n", [{"a": "1", "": "3"}]),
        (b'a,b\n5" nail,x""y\n', [{"a": '5" nail', "b": 'x""y'}]),
        (b'a,b\n"1\n\n2",3\n', [{"a": "1\n\n2", "b": "3"}]),
        (b'a,b\n"""","""x"""\n', [{"a": '"', "b": '"x"'}]),
        ("a,b\né,\u2028\n".encode(), [{"a": "é", "b": "\u2028"}]),
    ],
)
def test_rows(data: bytes, expected: list[dict[str, Any]]) -> None:
    assert logged(data) == expected


def test_a_quote_that_is_never_closed_costs_its_own_line_alone() -> None:
    data = b'a,b\n1,2\n3,"4\n5,6\n7,8\n'
    assert [(line, reason) for line, _, reason in rows_of("csv", data)] == [
        (2, None),
        (3, "not_object"),
        (4, None),
        (5, None),
    ]


def test_a_row_that_is_too_long_is_not_held() -> None:
    data = b'a,b\n1,2\nx,"' + b"y" * 50 + b'"\n3,4\n5,"6\n7\n8\n9\n10\n11\n12\n13"\n13,14\n' + b"z" * 90 + b"\n15,16"
    found = [(line, reason) for line, _, reason in rows_of("csv", data, 20)]
    assert found[:3] == [(2, None), (3, "too_long"), (4, None)]
    assert found[3] == (5, "too_long")
    assert found[-3:] == [(13, None), (14, "too_long"), (15, None)]


def test_a_long_reply_is_read() -> None:
    reply = "long\n" * 100_000
    assert logged(f'a,b\n1,"{reply}"\n'.encode()) == [{"a": "1", "b": reply}]


def test_a_raw_nul_and_a_bare_carriage_return_are_refused() -> None:
    assert [r for *_, r in rows_of("csv", b"a,b\n1,\0\n2,x\ry\n3,4\n")] == ["not_json", "not_object", None]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a,b,a\n1,2,3\n", "the column 'a' stands twice; found 'a,b,a'. Rename or restore the columns."),
        (b"a,typed\n1,2\n", "a column may not be named 'typed'"),
        (b'a,"b\n1,2\n', "no UTF-8 or its quotes are amiss"),
        (b"a,\xff\n1,2\n", "no UTF-8 or its quotes are amiss"),
        (b"a\rb\rc", "quotes are amiss"),
    ],
)
def test_a_header_that_cannot_be_used(data: bytes, message: str) -> None:
    with pytest.raises(CorpusError, match="the header cannot be used") as caught:
        rows_of("csv", data)
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"a,b\n1,2\n", "csv"),
        (b"\xef\xbb\xbfa;b,c;d\n1;2;3\n", "csv"),
        (b"a\tb\n", "csv"),
        (b"a,b\n1\n1,2\n3,4", "csv"),
        (b'a,b\n1,"2\n3,4\n', "csv"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0), "csv"),
        (b'a,b\n"' + b"x\n" * 50_000 + b'",2\n', "csv"),
        (b'a,"' + b"b\n" * 50_000 + b'",c\n1,2,3\n', "csv"),
        (b"a,b\n" + b"x" * 70_000 + b",2\n", "csv"),
        (b'broken, line\n{"a": 1}\n', "jsonl"),
        (b"a\n1\n2\n", None),
        (b"a,a\n1,2\n", None),
        (b"Title, of a text\n\nOne line.\nAnother, with a comma, or two.\n", None),
        (b"a,b\0\n1,2\n", None),
        (b"\xff\xfe,a\n1,2\n", None),
        (b"[a,b]\n", None),
        (b",,\n,,\n", None),
    ],
)
def test_detection(tmp_path: Path, content: bytes, name: str | None) -> None:
    (tmp_path / "log.json").write_bytes(content)
    if name is None:
        with pytest.raises(CorpusError, match="no known format"):
            detect(tmp_path / "log.json")
    else:
        assert detect(tmp_path / "log.json").name == name


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8) | st.sampled_from(
    ["1", "true", '"', '""', ",", ";", "\n", "\r\n", "\r", 'a"b', "007"]
)
NAMES = st.lists(TEXT.filter(lambda t: t and t != "typed"), min_size=2, max_size=4, unique=True)


@given(
    NAMES,
    st.lists(st.lists(TEXT, min_size=4, max_size=4), max_size=5),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_the_standard_writer_writes_is_read_back(names: Any, cells: Any, delimiter: str, end: str) -> None:
    rows_in = [row[: len(names)] for row in cells]
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([names, *rows_in])
    text = out.getvalue()
    found = rows_of("csv", text.encode())
    expected = [dict(zip(names, (cell or None for cell in row), strict=True)) for row in rows_in]
    assert [{k: v for k, v in value.items() if k != "typed"} for _, value, _ in found] == expected
    at = 1 + sum(name.count("\n") for name in names) + 1
    for (line, _, _), row in zip(found, rows_in, strict=True):
        assert line == at
        at += 1 + sum(cell.count("\n") for cell in row)


PIECES = st.sampled_from(
    [b'"', b'""', b",", b"\n", b"\r\n", b"a", b"1", b"\xff", b"\0", b"\r", b'"\n', b',"', b"x" * 9]
)


@given(st.lists(PIECES, max_size=25).map(b"".join), st.sampled_from([4, 10, 1000]))
def test_every_line_of_any_bytes_is_in_one_row(data: bytes, max_line: int) -> None:
    found = rows_of("csv", b"a,b\n" + data, max_line)
    lines = [line for line, _, _ in found]
    assert lines == sorted(set(lines))
    physical = (b"a,b\n" + data).split(b"\n")
    # A line that begins no row is blank, or lies inside the row before it.
    for number, line in enumerate(physical[1:], 2):
        if line.strip(b"\r") and number not in lines:
            assert b'"' in b"\n".join(physical[max((n for n in lines if n < number), default=0) - 1 : number - 1])


@st.composite
def mutated(draw: Any) -> bytes:
    """A log of many rows with a few bytes changed."""
    log = bytearray((LOGS / "quoted_line_ends.csv").read_bytes() * 10)
    for _ in range(draw(st.integers(1, 12))):
        at = draw(st.integers(0, len(log) - 1))
        log[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=3) | PIECES)
    return bytes(log)


def check(tmp_path: Path, log: bytes) -> None:
    paths = written(tmp_path, log=log)
    tables = {"columns": {**COLUMNS, "trial": "$line"}, "frozen": {"pass": {"passed": "passed"}}}
    try:
        with loaded(paths, corpus={"format": "csv"}, **tables) as con:
            [(found, good, bad)] = con.execute("select records, loaded, rejected from files").fetchall()
            assert found == good + bad == len(rows("csv", paths[0]))
    except CorpusError as error:
        assert "\n" not in str(error)


FUZZ = {"suppress_health_check": [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]}


@settings(max_examples=4, **FUZZ)
@given(mutated())
def test_mutated_bytes_are_trials_or_rejects_or_one_error(tmp_path: Path, log: bytes) -> None:
    check(tmp_path, log)


@pytest.mark.slow
@settings(max_examples=150, **FUZZ)
@given(mutated())
def test_many_mutated_bytes(tmp_path: Path, log: bytes) -> None:
    check(tmp_path, log)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("cookbook_classification_results", 68),
        ("cookbook_summarization_results", 9),
        ("simple-test_output", 5),
        ("simple-cli_output", 4),
        ("llama4-scout_output", 5),
    ],
)
def test_real_logs(shared: Path, name: str, count: int) -> None:
    log = shared / "data" / "promptfoo" / f"{name}.csv"
    assert detect(log) is csv_table.LOADER
    found = rows("csv", log)
    with log.open(newline="", encoding="utf-8") as file:
        header, *body = csv.reader(file)
    assert len(found) == len(body) == count
    assert [[value[name] or "" for name in header] for _, value, _ in found] == body


def test_grades_of_a_real_log(shared: Path) -> None:
    log = shared / "data" / "promptfoo" / "cookbook_classification_results.csv"
    header = [key for key in rows("csv", log)[0][1] if key not in ("label", "text", "typed")]
    assert len(header) == 15
    each = [
        {"configuration": f"c{n}", "reply": path}
        for n, path in enumerate(json.dumps(name, ensure_ascii=False) for name in header)
    ]
    with loaded([log], columns={"item": "$line"}, each=each) as con:
        counted = con.execute("select reply[:6], count(*) from trials group by all order by all").fetchall()
        assert counted == [("[FAIL]", 141), ("[PASS]", 879)]
