"""Charts: drawn in a child process from plain data; a picture that cannot be had leaves its table."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.report.charts import MOST, OFF, Chart, Drawing, identifier, label, wanted
from regrade.report.drawing.names import short
from tests.report.corpora import audited
from tests.report.pages import Page

HOSTILE = "\x1b[31m\x00</svg><script>alert(1)</script>\ud800\ufffe" + "x" * 500


def flips(name: str, *names: str, kind: str = "flips") -> Chart:
    rows = [(each, 3, 1) for each in names]
    headings = ("Candidate", "Fail to pass", "Pass to fail")
    return Chart(kind, name, "A finding", "Bars.", ("candidate", "up", "down"), rows, headings, {"axis": "of 9"})


def test_the_same_chart_gives_the_same_picture_and_its_numbers_stand_in_it(drawn: None) -> None:
    with Drawing() as first, Drawing() as second:
        one, two = (d.draw([flips("a", "v2", HOSTILE), flips("b", "v3")])() for d in (first, second))
    assert one == two
    told = {text for text in ET.fromstring(str(one[0].svg)).itertext() if text.strip()}
    assert {"v2", "3", "1", "of 9", "fail to pass", "pass to fail"} <= told
    assert len({e.get("id") for chart in one for e in ET.fromstring(str(chart.svg)).iter() if e.get("id")}) == len(
        [e for chart in one for e in ET.fromstring(str(chart.svg)).iter() if e.get("id")]
    )


@pytest.mark.slow
def test_a_chart_that_cannot_be_drawn_costs_its_picture_alone(drawn: None) -> None:
    with Drawing() as drawing:
        good, unknown, ragged = drawing.draw([flips("a", "v2"), flips("b", "v2", kind="none"), flips("c")])()
        assert good.svg is not None and unknown.svg is None and ragged.svg is None
        assert drawing.draw([flips("d", "v2")])()[0].svg is not None


@given(st.text())
def test_a_label_is_one_line_that_xml_can_hold(text: str) -> None:
    shown = label(text)
    assert len(shown) <= MOST and "\n" not in shown
    ET.fromstring(f"<t>{shown.replace('&', '').replace('<', '')}</t>")
    json.dumps(shown).encode()


@given(st.text(), st.text())
def test_names_that_differ_give_different_identifiers(one: str, other: str) -> None:
    assert (identifier(one) == identifier(other)) == (one == other)


def test_without_charts_the_page_has_tables_and_an_audit_with_them_writes_it_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not wanted()
    plain = (audited(tmp_path).out / "report.html").read_text("utf-8")
    monkeypatch.delenv(OFF[0])
    shown = (audited(tmp_path).out / "report.html").read_text("utf-8")
    assert "<svg" not in plain and "No picture was drawn" in plain
    assert "<svg" in shown and "No picture was drawn" not in shown
    assert Page(plain).tables == Page(shown).tables


def test_long_names_keep_what_tells_them_apart() -> None:
    one, other = (f"{'server weights ' * 4}ctx={size}" for size in (8192, 16384))
    assert label(one) != label(other) and label(one).endswith("ctx=8192")
    assert short(["a", "a", "b"]) == ["a", "a (2)", "b"]


@pytest.mark.slow
def test_an_audit_whose_charts_could_not_be_drawn_says_so_and_is_made_again(
    drawn: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "vl_convert.py").write_text("raise ImportError", "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(broken))
    first = audited(tmp_path)
    assert first.summary["undrawn"] == (first.out / "report.html").read_text("utf-8").count("No picture was drawn") > 0
    assert any(f"{first.summary['undrawn']} of the report's charts" in told for told in first.warnings)
    monkeypatch.delenv("PYTHONPATH")
    again = audited(tmp_path)
    assert "undrawn" not in again.summary and "<svg" in (again.out / "report.html").read_text("utf-8")
