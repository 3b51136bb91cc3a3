"""Ranks in the report: sentences, tables and charts of what the summary says."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from regrade.audit import Audit
from regrade.report.sections.ranks import MOST, _telling
from tests.conftest import TOML, record
from tests.report.corpora import TIERS, audited, page_of
from tests.report.pages import OURS, Page, told

RANKS = "Ranks in the tier {}, axis pass, those that share a rank marked ="


def apart() -> list[dict[str, Any]]:
    """Three configurations: `a` leads, `b` would share its rank under a rule, `c` has no such trial."""
    return [
        *(record("a", "T01", at, "read_sensor", "ANSWER: 7.0", True) for at in range(2)),
        record("b", "T01", 0, "read_sensor", "ANSWER: 7.0", True),
        record("b", "T01", 1, "read_sensor", "ANSWER: 3=7.0", False, "STALE_DATA"),
        record("c", "T01", 0, "read_sensor", "ANSWER: 7.0", True),
        record("c", "T01", 1, "read_sensor", "ANSWER: 9.0", False, "STALE_DATA"),
    ]


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    return audited(tmp_path_factory.mktemp("three"), TOML + TIERS, apart())


def section(text: str) -> str:
    start = text.index('<section id="ranks"')
    return text[start : text.index("</section>", start)]


def test_each_candidate_has_a_sentence_with_its_moves_and_who_leads(three: Audit) -> None:
    words = told(section(page_of(three)))
    assert "Under the frozen grades a stands first alone in the tier some, of 3 with a rank." in words
    moved = (
        "changes the rank of 2 of 3 configurations in some (1 up, 1 down); the largest move is that of b, from 2 to 1"
    )
    assert words.count(f"{moved}; the first rank is then shared by a, b.") == 2, "last_equals and v2, no other"
    assert "format_code changes no rank of the 3 configurations in some; the first rank stays where it was." in words


def test_the_tables_have_the_ranks_and_ranges_of_the_summary(three: Audit) -> None:
    tables = Page(page_of(three)).tables
    heading, *rows = tables[RANKS.format("some")]
    assert heading == ["Configuration", "Passed of graded", "Frozen", "v2 passed of graded", "Any set of rules",
                       "Any set without a rejected rule"]  # fmt: skip
    assert rows == [
        ["a", "2 of 2", "1", "1= 2 of 2", "1", "1"], ["b", "1 of 2", "2=", "1= 2 of 2", "1\u20132", "1\u20132"],
        ["c", "1 of 2", "2=", "3 1 of 2", "2\u20133", "2\u20133"],
    ]  # fmt: skip


def test_names_and_ranks_lead_to_the_trials_that_move(three: Audit) -> None:
    text = section(page_of(three))
    assert '<a href="#find" data-view="configuration=b"><bdi>b</bdi></a>' in text
    assert '<a href="#find" data-view="configuration=b&amp;candidate=pass.20v2"><bdi>1=</bdi></a>' in text
    assert "configuration=a" not in text, "no trial of a moves"


def test_a_range_is_said_to_be_of_the_rules_and_not_of_chance(three: Audit) -> None:
    words = told(section(page_of(three)))
    ranks = three.summary["axes"]["pass"]["ranks"]
    assert f"over all {ranks['sets']} sets of the rules that may change a status" in words
    assert "Of 3 configurations in some, 1 keeps one rank under all sets, and 2 may stand first" in words
    assert "nothing of chance" in words and "significant" not in words


def test_the_first_stands_against_the_next_with_what_p_takes_for_granted(three: Audit) -> None:
    page = page_of(three)
    rows = Page(page).tables["a against the next under the frozen grades, tier some"]
    assert rows[1] == ["b", "2", "1", "0", "1.0000", "1", "1", "0", "1.0000"]
    assert "It takes trials to be independent, which those of one item are not" in told(section(page))


def changed(summary: Mapping[str, Any], **values: Any) -> dict[str, Any]:
    axis = summary["axes"]["pass"]
    return {**summary, "axes": {"pass": {**axis, "ranks": {**axis["ranks"], **values}}}}


def test_what_is_undefined_is_said_with_its_reason(three: Audit) -> None:
    text = page_of(three, changed(three.summary, range_undefined="there are 11 rules"))
    assert "over all sets of rules is undefined: there are 11 rules." in told(section(text))
    assert "Any set of rules" not in Page(text).tables[RANKS.format("some")][0]
    nothing = {"p": None, "items": {"shared": 0, "leader": 0, "other": 0, "p": None}, "undefined": "they share nothing"}
    pairs = {"frozen": [{**three.summary["axes"]["pass"]["ranks"]["pairs"]["frozen"][0], **nothing}]}
    text = page_of(three, changed(three.summary, pairs=pairs))
    assert Page(text).tables["a against the next under the frozen grades, tier some"][1] == [
        "b", "undefined: they share nothing"
    ]  # fmt: skip


def test_where_one_configuration_is_alone_nobody_is_ranked(tmp_path: Path) -> None:
    done = audited(tmp_path, TOML, apart()[:2])
    assert 'id="ranks"' not in page_of(done)
    assert done.summary["axes"]["pass"]["ranks"]["tiers"]["all"]["configurations"]["a"]["rank"] == 1


def test_hostile_names_are_shown_and_not_obeyed(tmp_path: Path) -> None:
    names = {"a": "<script>alert(1)</script>\x1b[2J", "b": "\x00</td>\u202eb", "c": "c"}
    records = [{**row, "config": names[row["config"]]} for row in apart()]
    text = page_of(audited(tmp_path, TOML, records))
    assert Page(text).scripts == [OURS] and "\x1b" not in text and "\x00" not in text and "\u202e" not in text
    rows = [row[0] for row in Page(text).tables[RANKS.format("all")]]
    assert len(rows) == 4 and "<script>alert(1)</script>\u241b[2J" in rows


def test_a_chart_has_the_first_and_those_that_move_most() -> None:
    moves = {f"c{at:02}": at % 7 for at in range(50)}
    picked = _telling(moves)
    assert len(picked) == MOST and picked == sorted(picked) and picked[: MOST // 2] == list(moves)[: MOST // 2]
    assert min(moves[name] for name in picked[MOST // 2 :]) >= 4
    assert _telling({"a": 1, "b": 0}) == ["a", "b"]


@pytest.mark.slow
def test_the_pictures_are_drawn_with_every_configuration(drawn: None, tmp_path: Path) -> None:
    text = section(page_of_drawn(tmp_path))
    assert text.count("<svg") == 2 and "No picture was drawn" not in text
    assert "By colour and dash, not by slope" in text
    for name in ("a", "b", "c"):
        assert f">{name}  " in text or f"  {name}<" in text


def page_of_drawn(folder: Path) -> str:
    return (audited(folder, TOML + TIERS, apart()).out / "report.html").read_text("utf-8")


def test_who_was_given_other_trials_or_another_arm_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    arms = [{"configuration": name, "arm": arm} for name, arm in (("a", "plain"), ("b", "retrieval"), ("c", "plain"))]
    (tmp_path / "corpus" / "configurations.json").write_text(json.dumps(arms), "utf-8")
    toml = TOML + '[configurations]\nfile = "configurations.json"\n'
    uneven = told(section(page_of(audited(tmp_path, toml, apart()[:-1]))))
    assert "They are not ranked on the same trials: a rate is of 1 to 2." in uneven
    assert "Configurations of 2 arms (plain, retrieval) are ranked together" in uneven


def test_a_gap_in_parity_is_said_where_a_range_starts_from_the_replayed_grader(loud: Audit, three: Audit) -> None:
    gap = "a frozen rank may lie outside its range"
    assert gap in told(section(page_of(loud))) and gap not in told(section(page_of(three)))


def test_where_the_answer_is_of_another_tier_each_section_says_of_which_it_is(tmp_path: Path, three: Audit) -> None:
    text = page_of(audited(tmp_path, TOML + TIERS + '[[tier]]\nname = "top"\nmin_pass_rate = 0.4\n', apart()))
    of = "This is of the tier top, the one with the highest limit, and not of some, of which the answer speaks:"
    parts = dict(re.findall(r'<section id="(\w+)"(.*?)</section>', text, re.DOTALL))
    assert [name for name, part in parts.items() if of in told(part)] == ["breakdowns", "ranks", "items"]
    assert "The answer speaks of the tier some, the declared one with the lowest limit" in told(parts["answer"])
    assert "of which the answer speaks" not in page_of(three)


def test_neither_is_said_where_it_is_not_so(three: Audit) -> None:
    words = told(section(page_of(three)))
    assert "not ranked on the same trials" not in words and "arms" not in words
