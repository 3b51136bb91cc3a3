"""flips.csv: complete, ordered, and harmless in a spreadsheet."""

import csv

import pytest

from regrade.errors import OutputError
from regrade.flips.flips_csv import COLUMNS, write_flips_csv
from tests.flips.flip_store import Attempt, attempt, insert, store


def written(con, tmp_path):
    path = tmp_path / "flips.csv"
    write_flips_csv(con, path)
    with path.open(encoding="utf-8", newline="") as file:
        return path.read_bytes(), list(csv.DictReader(file))


def test_rows_are_the_flips_alone_in_order(tmp_path):
    con = store(
        [
            attempt("b", "i", 0, "failed:STALE", v2="passed", v1="passed"),
            attempt("a", "i", 0, "passed", v2="failed:LATE", v1="passed"),
            attempt("a", "i", 1, "failed:STALE", v2="failed:FORMAT", v1="failed:STALE"),
            Attempt("a", "i", "2", {"pass": {"frozen": "ungraded", "v2": "ungraded"}, "new": {"v2": "failed"}}),
        ],
        families={"i": "units"},
    )
    content, rows = written(con, tmp_path)
    assert content.startswith(",".join(COLUMNS).encode() + b"\n")
    assert b"\r" not in content and content.endswith(b"\n")
    assert [(r["axis"], r["candidate"], r["trial_id"]) for r in rows] == [
        ("pass", "v1", "b/i/0"), ("pass", "v2", "a/i/0"), ("pass", "v2", "b/i/0")
    ]  # fmt: skip
    assert rows[1] == {
        "trial_id": "a/i/0", "axis": "pass", "candidate": "v2", "from_status": "passed", "to_status": "failed",
        "from_code": "", "to_code": "LATE", "configuration": "a", "item": "i", "family": "units", "trial": "0",
        "frozen_answer": "", "answer": "",
    }  # fmt: skip


def test_the_frozen_answer_is_the_replayed_one_or_else_the_recorded(tmp_path):
    con = store([attempt("a", "i", n, "failed", v2="passed") for n in range(3)])
    con.execute("update frozen_grades set answer = 'recorded' where trial_id <> 'a/i/2'")
    con.execute("update grades set answer = 'replayed' where candidate = 'frozen' and trial_id = 'a/i/0'")
    con.execute("update grades set answer = 'new' where candidate = 'v2'")
    _, rows = written(con, tmp_path)
    assert [r["frozen_answer"] for r in rows] == ["replayed", "recorded", ""]
    assert [r["answer"] for r in rows] == ["new"] * 3


@pytest.mark.parametrize(
    ("answer", "cell"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("-6.5", "-6.5"),
        ('he said "7", twice', 'he said "7", twice'),
        ("two\nlines", "two\nlines"),
        ("lone\rreturn", "lone\rreturn"),
        ("7 °C 😀", "7 °C 😀"),
    ],
)
def test_cells_come_back_and_no_formula_does(tmp_path, answer, cell):
    con = store([attempt("a", "i", 0, "failed", v2="passed")])
    con.execute("update grades set answer = ? where candidate = 'v2'", [answer])
    _, rows = written(con, tmp_path)
    assert [row["answer"] for row in rows] == [cell]


def test_without_flips_there_is_a_header(tmp_path):
    content, rows = written(store([attempt("a", "i", 0, "failed", v2="failed:X")]), tmp_path)
    assert rows == [] and content == ",".join(COLUMNS).encode() + b"\n"


def test_an_unwritable_path_is_one_line(tmp_path):
    with pytest.raises(OutputError, match="Cannot write .*flips.csv"):
        write_flips_csv(store([]), tmp_path / "absent" / "flips.csv")


def test_more_rows_than_are_held_at_a_time(tmp_path):
    con = store([attempt("a", "i", 0, "failed", v2="passed")])
    insert(con, "items", [{"item": "j"}])
    con.execute("insert into trials by name select 'a/j/' || n as trial_id, 'a' as configuration, 'j' as item, "
                "n::varchar as trial, 0 as file_id, '' as reply, [] as calls from range(12000) as r(n)")  # fmt: skip
    for candidate, status in (("frozen", "failed"), ("v2", "passed")):
        con.execute("insert into grades by name select trial_id, 'pass' as axis, $c as candidate, $s as status, "
                    "'f0' as fingerprint from trials where item = 'j'", {"c": candidate, "s": status})  # fmt: skip
    con.execute("insert into frozen_grades by name select trial_id, 'pass' as axis, 'failed' as status, true as stored "
                "from trials where item = 'j'")  # fmt: skip
    _, rows = written(con, tmp_path)
    assert len(rows) == 12001
    assert [r["trial_id"] for r in rows] == sorted(r["trial_id"] for r in rows)
