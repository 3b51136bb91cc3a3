"""The forms of a packet: what they hold, that a spreadsheet runs none of it, and that it comes back."""

from __future__ import annotations

import csv
import io
import json
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.errors import CorpusError
from regrade.files.csv_cells import NUMBER
from regrade.review.forms import (
    CSV_COLUMNS,
    label_studio_config,
    label_studio_tasks,
    packet_csv,
    packet_jsonl,
    read_packet_csv,
    spoken,
)

TURNS = [
    {"role": "user", "text": "Go on.", "calls": []},
    {"role": "assistant", "text": "", "calls": [{"name": "look", "arguments": {"at": "é"}, "result": "seen"}]},
    {"role": "assistant", "text": "so", "calls": [{"name": "f", "arguments": "not json", "result": None}]},
    {"role": "assistant", "text": "", "calls": []},
]


def record(**changes: Any) -> dict[str, Any]:
    return {
        "sample": "5a", "reviewer": "r1", "id": "abc", "instruction": "Do.", "gold": {"answer": 7}, "turns": TURNS,
        "question": "Is it so?", "labels": ["passed", "failed", "unclear"], **changes,
    }  # fmt: skip


def test_a_transcript_is_who_says_what() -> None:
    assert spoken(TURNS) == [
        ("user", "Go on."), ("call look", '{"at": "é"}'), ("result", "seen"), ("assistant", "so"),
        ("call f", "not json"), ("assistant", ""),
    ]  # fmt: skip


def test_a_row_holds_what_is_to_be_read_and_room_for_the_answer() -> None:
    [row] = read_packet_csv(packet_csv([record()]), "packet.csv")
    assert tuple(row) == CSV_COLUMNS
    assert (row["label"], row["comment"], row["gold"], row["labels"]) == (
        "",
        "",
        '{"answer": 7}',
        "passed, failed, unclear",
    )
    assert row["transcript"].startswith(
        '[user]\nGo on.\n\n[call look]\n{"at": "é"}\n\n[result]\nseen\n\n[assistant]\nso'
    )
    assert read_packet_csv(packet_csv([record(instruction=None, gold=None)]), "x")[0]["gold"] == ""


STARTS = [
    "=1+1",
    "+A1",
    "-A1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "'=1",
    "''+A1",
    "-6.5",
    "7",
    "plain",
    "a\r\nb",
    "a\rb",
    '"=1"',
    'a\n=1\r+2;@A1;"=3"\t\'-4\r\n\n =5',
    "",
]
texts = st.text(st.sampled_from("=+-@\t\r\n'\",; 0a\x00\u202e\uff1dé")) | st.text(st.characters(codec="utf-8"))


@pytest.mark.parametrize("text", STARTS)
def test_each_text_comes_back_and_none_runs(text: str) -> None:
    check(text)


@given(texts)
def test_any_text_comes_back_and_none_runs(text: str) -> None:
    check(text)


def check(text: str) -> None:
    """A packet with the text in each place of a model or a bank."""
    written = packet_csv([record(instruction=text, gold=text, question=text)])
    [row] = read_packet_csv(written, "packet.csv")
    assert (row["instruction"], row["gold"], row["question"]) == (text, text, text)
    for delimiter in ",;\t":
        for cells in csv.reader(io.StringIO(written, newline=""), delimiter=delimiter):
            for cell in cells:
                assert not cell.strip(' \0"').startswith(("=", "+", "-", "@")) or NUMBER.fullmatch(cell)
                assert delimiter != "," or not cell.startswith(("\t", "\r"))
    if NUMBER.fullmatch(text):
        assert f'"{text}"' in written


@pytest.mark.parametrize("text", ["007", "1e5", "12/11", "5%", "TRUE", "-6.5"])
def test_a_text_that_looks_like_a_value_is_no_cell_of_its_own(text: str) -> None:
    [_, row] = csv.reader(io.StringIO(packet_csv([record(instruction=text, gold=text)]), newline=""))
    assert row[CSV_COLUMNS.index("instruction")] == f"[instruction] {text}"
    assert row[CSV_COLUMNS.index("gold")] == f"[gold] {text}"


@pytest.mark.parametrize("comment", ["'=so, ''he'' said", "=so", "'=3 quoted", "-6.5", "''"])
def test_what_a_reviewer_has_typed_comes_back_from_a_spreadsheet(comment: str) -> None:
    text = packet_csv([record(question="=1")]).replace('"abc","",""', f'"abc","passed","{comment}"')
    assert text.startswith("\ufeffsample,"), "which tells a spreadsheet that it is UTF-8"
    for saved in (text, text[1:], text.replace("\n", "\r\n")):
        [row] = read_packet_csv(saved, "packet.csv")
        assert (row["id"], row["label"], row["comment"], row["question"]) == ("abc", "passed", comment, "=1")


def test_a_row_with_more_cells_than_columns_is_named_and_empty_ones_are_none() -> None:
    text = "sample,id,label,comment\n5a,abc,passed,fine\n5a,abd,failed,it says 3, not 4\n"
    with pytest.raises(CorpusError, match="packet.csv: row 3: it has 5 cells, and the header 4; over is ' not 4'"):
        read_packet_csv(text, "packet.csv")
    rows = read_packet_csv(text.replace(", not 4", ",,,"), "packet.csv")
    assert [list(row) for row in rows] == [["sample", "id", "label", "comment"]] * 2
    assert rows[1]["comment"] == "it says 3"


def test_a_file_that_is_no_csv_is_named() -> None:
    with pytest.raises(CorpusError, match="packet.csv: it is no CSV"):
        read_packet_csv('sample,id\n"a"b,"c', "packet.csv")


def test_a_line_is_a_record_with_its_keys_in_order() -> None:
    lines = packet_jsonl([record(), record(id="abd", gold=None)]).split("\n")
    assert [json.loads(line) for line in lines if line] == [record(), record(id="abd", gold=None)]
    assert list(json.loads(lines[0])) == list(record())


def test_the_tasks_and_the_configuration_of_label_studio_fit() -> None:
    [task] = json.loads(label_studio_tasks([record(gold=None)]))
    data = task["data"]
    assert (data["sample"], data["reviewer"], data["packet_id"], data["gold"]) == ("5a", "r1", "abc", "")
    assert data["transcript"][0] == {"role": "user", "text": "Go on."}
    root = ElementTree.fromstring(label_studio_config(["passed", 'a "b"']))
    assert root[0].tag == "Style" and "white-space: pre-wrap" in (root[0].text or ""), "lines of a reply stay apart"
    values = [each.get("value", "") for each in root.iter() if each.tag in ("Header", "Text", "Paragraphs")]
    assert {value[1:] for value in values if value.startswith("$")} == {"question", "instruction", "gold", "transcript"}
    [choices] = root.iter("Choices")
    assert choices.get("name") == "label" and [c.get("value") for c in choices] == ["passed", 'a "b"']
    named = {each.get("name") for each in root.iter()}
    assert all(each.get("toName") in named for each in root.iter() if each.get("toName"))
