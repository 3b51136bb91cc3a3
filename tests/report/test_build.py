from __future__ import annotations

import base64
import hashlib
import json
import os
import posixpath
import re
import subprocess
import sys
from pathlib import Path

import jinja2
import pytest

from regrade.audit import Audit
from regrade.report import moved
from regrade.report.build import SECTIONS
from regrade.report.sections import integrity
from regrade.report.shown import anchor
from regrade.tables.store import FILE_NAME, Store
from tests.conftest import TOML, record, twenty
from tests.report.conftest import HOSTILE_REPLY
from tests.report.corpora import TIERS, audited, page_of, rules_folder
from tests.report.pages import OURS, Page, marked, replies, told, unmarked

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def small_page(small: Audit) -> Page:
    return Page((small.out / "report.html").read_text("utf-8"))


@pytest.fixture(scope="module")
def tool_loop_page(tool_loop: Audit) -> Page:
    return Page((tool_loop.out / "report.html").read_text("utf-8"))


@pytest.fixture(scope="module")
def loud_text(loud: Audit) -> str:
    return (loud.out / "report.html").read_text("utf-8")


def test_every_section_has_a_template_and_no_template_is_left_over() -> None:
    names = {section.__name__ for section in SECTIONS}
    templates = {Path(t).stem for t in jinja2.PackageLoader("regrade.report").list_templates() if "/" not in t}
    assert templates == names | {"page", "macros", "sheet", "trial", "trials", "proposal"}
    assert all(section.__module__ == f"regrade.report.sections.{section.__name__}" for section in SECTIONS)


def test_the_page_is_self_contained_and_well_formed(small: Audit, small_page: Page) -> None:
    text = (small.out / "report.html").read_text("utf-8")
    assert "default-src 'none'; style-src 'sha256-" in text
    assert not small_page.tags & {"link", "iframe", "img", "object", "form", "base"}
    assert small_page.scripts == [OURS]
    digest = base64.b64encode(hashlib.sha256(OURS.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in text
    assert not {a for a in small_page.attributes if a.startswith("on") or a in ("style", "src")}
    assert all(link.startswith("#") for link in small_page.links)
    assert len(small_page.ids) == len(set(small_page.ids))
    levels = [level for level, _ in small_page.headings]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(deeper - before <= 1 for before, deeper in zip(levels, levels[1:], strict=False))


def test_every_link_leads_somewhere(small_page: Page, loud_text: str, tool_loop: Audit, tool_loop_page: Page) -> None:
    for page in (small_page, Page(loud_text)):
        assert {link.removeprefix("#").split("?")[0] for link in page.links} <= set(page.ids)
    assert not any(link.startswith("trials/") for link in small_page.links)
    folder = {f"trials/{p.name}": Page(p.read_text("utf-8")) for p in (tool_loop.out / "trials").iterdir()}
    pages = {"report.html": tool_loop_page, **folder}
    for name, page in pages.items():
        for link in page.links:
            path, _, place = link.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            assert not place or place.split("?")[0] in pages[target].ids, (name, link)
            assert target in pages, (name, link)


def test_a_flip_leads_from_its_figure_to_its_group_to_its_trial(small: Audit, small_page: Page) -> None:
    with Store.open(small.out / FILE_NAME, read_only=True) as store:
        flips = store.con.execute("select axis, candidate, trial_id from flips order by all").fetchall()
    assert len(flips) == 4 + 4 + 8 + 4
    for axis, candidate, trial_id in flips:
        assert f"#{anchor('g', axis, candidate, 'fail_to_pass')}" in small_page.links
        assert f"#{anchor('t', trial_id)}" in small_page.links
    trials = [name for name in small_page.ids if name.startswith("t-")]
    assert sorted(trials) == sorted({anchor("t", trial_id) for _, _, trial_id in flips})


def number(cell: str) -> int:
    return int(re.match(r"[\d,]+", cell)[0].replace(",", ""))  # type: ignore[index]


def test_the_numbers_of_the_page_are_those_of_the_summary(tool_loop: Audit, tool_loop_page: Page) -> None:
    page = tool_loop_page
    axis = tool_loop.summary["axes"]["pass"]
    rows = {row[0]: row for row in page.tables["Frozen grades by tier, axis pass"][1:]}
    for tier, block in axis["tiers"].items():
        keys = ("configurations", "weights", "lineages", "items", "trials", "passed", "failed", "ungraded")
        assert [number(cell) for cell in rows[tier][2:10]] == [block[key] for key in keys]
        flips = {
            r[0]: r for r in page.tables[f"Flips and recodes of each candidate, axis pass, tier {tier} (upper bound)"]
        }
        for name, candidate in axis["candidates"].items():
            counted, row = candidate["tiers"][tier], flips[name]
            shown = [number(row[i]) for i in (2, 4, 6, 7)]
            directions = ("fail_to_pass", "pass_to_fail")
            assert shown == [*(counted[d]["trials"] for d in directions), counted["recoded"], counted["trials"]]
            assert not counted["to_ungraded"]["trials"] + counted["from_ungraded"]["trials"]
            if counted["fail_to_pass"]["trials"]:
                spread = [counted["fail_to_pass"][k] for k in ("items", "configurations", "weights", "lineages")]
                assert row[2].endswith(f"({'/'.join(map(str, spread))})")
    codes = {row[0]: row[1:] for row in page.tables["Codes of failed trials by tier, axis pass"][1:]}
    for tier, place in (("all", 0), ("strong", 1), ("usable", 2)):
        assert {c: number(r[place]) for c, r in codes.items() if c != "all failed"} == axis["tiers"][tier]["codes"]
    cells = page.tables["Partition signals: failed trials by tier"]
    assert [number(row[3]) for row in cells[1:]] == [1336, 251, 477, 0, 2064]
    families = {
        r[0]: r for r in page.tables["Frozen grades and flips by item family, tier strong, axis pass (upper bound)"]
    }
    assert [number(c) for c in families["clarify_before_acting"][1:4]] == [264, 170, 94]


def test_the_bundled_corpus_gives_a_page_of_a_size_that_opens(tool_loop: Audit) -> None:
    text = (tool_loop.out / "report.html").read_bytes()
    assert len(text) < 5_000_000
    with Store.open(tool_loop.out / FILE_NAME, read_only=True) as store:
        query = "select count(distinct trial_id) from (from flips union all from recodes)"
        [(shown,)] = store.con.execute(query).fetchall()
    sheets = sorted((tool_loop.out / "trials").iterdir())
    assert sum(sheet.read_bytes().count(b'<article class="trial"') for sheet in sheets) == shown > 2900
    assert sum(sheet.stat().st_size for sheet in sheets) < 6_500_000
    assert all(b"SIMULATED" in page for page in (text, *(sheet.read_bytes() for sheet in sheets)))


def test_the_answer_says_both_directions_and_leaves_out_what_is_nothing(tmp_path: Path, small: Audit) -> None:
    toml = TOML + '[[candidate]]\nname = "v2"\nrules = ["ask_accepted_v1"]\n'
    both = told((audited(tmp_path / "both", toml).out / "report.html").read_text("utf-8"))
    assert "4 of the 12 failed trials would pass (upper bound), from 1 item and 4 configurations" in both
    assert "; none of the 8 passed trials would fail." in both and "change their code" not in both
    assert "recodes 0" not in both
    failed = [row for row in twenty() if not row["grade"]["pass"]]
    none = told((audited(tmp_path / "none", toml, failed).out / "report.html").read_text("utf-8"))
    assert "; no trial passed, so none can flip to fail." in none
    assert "33.3% of 12 failed, no trial passed" in none and "\u2013 of 0" not in none
    text = told((small.out / "report.html").read_text("utf-8"))
    assert "none of the 8 passed trials would fail; 4 would keep their status and change their code." in text


def test_what_a_corpus_lacks_has_no_section(small_page: Page, carried: Audit) -> None:
    titles = {"Candidates", "Partitions", "Blind review", "Rules", "Evidence"}
    assert titles <= {text for level, text in small_page.headings if level == 2}
    page = Page((carried.out / "report.html").read_text("utf-8"))
    shown = {text for level, text in page.headings if level == 2}
    assert not titles & shown
    assert {"The answer", "Integrity", "Tiers", "Breakdowns", "What this audit cannot establish"} <= shown


def test_turns_that_all_trials_of_an_item_share_stand_once(small: Audit) -> None:
    text = (small.out / "report.html").read_text("utf-8")
    assert text.count("Go on.") == len({"T01", "T02"})
    assert text.count("Turn 0 stands above") == text.count("<article")
    assert text.count("calls <code>read_sensor</code>") == 4


def test_recodes_are_listed_by_candidate(small_page: Page) -> None:
    table = small_page.tables["format_code, recode: trials by kind of move and tier"]
    both = (
        "failed FABRICATION to failed FORMAT under format_code, v2; "
        "failed FABRICATION to passed under last_line_fallback"
    )
    assert [row[1:] for row in table[1:]] == [["4", "4", both]]
    assert f"#{anchor('r', 'pass', 'format_code')}" in small_page.links
    assert all(f"#{anchor('t', f'{name}/T02/1')}" in small_page.links for name in "abcd")


def test_hostile_text_is_shown_and_never_obeyed(loud_text: str) -> None:
    page = Page(loud_text)
    assert page.scripts == [OURS] and "img" not in page.tags and "<i>no json" not in loud_text
    assert not set("\x00\x1b\x9b\u202e\u202c") & set(loud_text)
    [reply] = [r for r in replies(loud_text) if "alert(1)" in r]
    expected = HOSTILE_REPLY
    for character, sign in {"\x1b": "ESC", "\x00": "NUL", "\u202e": "U+202E", "\u202c": "U+202C"}.items():
        assert f'<small class="sign">[{sign}]</small>' in reply
        expected = expected.replace(character, f"[{sign}]")
    assert unmarked(reply) == expected
    assert "␛[31m" in loud_text


def test_readings_are_marked_at_their_characters(small: Audit) -> None:
    text = (small.out / "report.html").read_text("utf-8")
    [reply] = [r for r in replies(text) if "a: converted." in r]
    assert unmarked(reply) == "a: converted.\nANSWER: 3=7.0"
    assert marked(reply) == [
        ("frozen, last_equals +1 answer | frozen value", "3"),
        ("", "="),
        ("last_equals +1 value", "7.0"),
    ]
    assert '<b title="last_equals, v2 value">last_equals +1 value</b>' in reply


def test_rejects_gap_and_stamp_are_shown_where_there_are_any(loud_text: str, small: Audit) -> None:
    quiet = (small.out / "report.html").read_text("utf-8")
    tables = Page(loud_text).tables
    assert tables["Rejects by reason"][1:] == [["not_json", "1"], ["unknown_item", "1"], ["all", "2"]]
    assert tables["Rejected records: the first 2 of 2"][1][:3] == ["trials.jsonl", "23", "not_json"]
    for text in ("SIMULATED", "Parity gap on pass", "Rejects by reason"):
        assert text in loud_text and text not in quiet


def test_a_new_axis_is_measured_and_never_flips(tmp_path: Path) -> None:
    rules = rules_folder(tmp_path / "rules", prefix=NEW_AXIS)
    toml = TOML.replace('"tool_loop"', '"made"')
    done = audited(tmp_path, toml, rules=rules)
    page = Page((done.out / "report.html").read_text("utf-8"))
    assert done.summary["axes"]["format"]["frozen"]["kind"] == "none"
    assert page.tables["Grades of each candidate, axis format, tier all"][1][2:] == ["20", "16", "4", "0"]
    assert not [name for name in page.ids if name.startswith(("g-", "t-"))]


NEW_AXIS = """
def line(trial):
    return text.answer_line(trial.reply)

@per_row("answer")
def same(trial):
    return trial.answer

@per_row("answer")
def present(trial):
    return ["line"] if trial.answer is None else []

def named(trial):
    return pl.lit(None, pl.String)

GRADER = {"format": {"*": Stages(extract=line, read=same, check=present, code=named)}}
"""


def test_the_page_says_upper_bound_until_there_are_verdicts(small: Audit) -> None:
    summary = json.loads((small.out / "summary.json").read_text("utf-8"))
    assert "(upper bound)" in page_of(small, summary)
    summary["samples"]["flips"].update(reviewers=2, agree=5, disagree=0, upheld=5)
    judged = page_of(small, summary)
    assert "2 reviewers upheld 5." in judged
    assert "(upper bound)" in judged, "the flips of the other candidates are not judged"
    spec = summary["samples"]["flips"]
    caption = f"Grades that changed under {spec['candidate']}, axis {spec['axis']}, tier all"
    assert f"{caption} (upper bound)" in page_of(small) and caption in judged
    assert f"{caption} (upper bound)" not in judged, "its own flips are"
    for axis, block in summary["axes"].items():
        for number, candidate in enumerate(block["candidates"]):
            one = {**summary["samples"]["flips"], "axis": axis, "candidate": candidate}
            summary["samples"][f"{axis}_{number}"] = one
    judged = page_of(small, summary)
    assert "(upper bound)" not in judged and "An upper bound" not in judged


def test_too_many_flips_are_cut_evenly_and_counted(small: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moved, "MOST", 3)
    text = page_of(small)
    assert text.count("<article") == 3 and "3 of them stand here" in text
    assert text == page_of(small)
    assert {link.removeprefix("#").split("?")[0] for link in Page(text).links} <= set(Page(text).ids)


def test_the_same_store_gives_the_same_bytes_elsewhere(small: Audit, tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from tests.report.corpora import page_of; from regrade.audit import"
        " Audit;sys.stdout.buffer.write(page_of(Audit(Path(sys.argv[1]), {}, (), {})).encode())"
    )
    env = {**os.environ, "PYTHONHASHSEED": "77", "TZ": "Asia/Tokyo", "PYTHONPATH": str(ROOT), "LC_ALL": "C"}
    command = [sys.executable, "-c", script, str(small.out)]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout == (small.out / "report.html").read_bytes()


def test_the_same_corpus_in_another_folder_gives_the_same_bytes(small: Audit, tmp_path: Path) -> None:
    other = audited(tmp_path / "elsewhere", TOML + TIERS, twenty())
    assert (other.out / "report.html").read_bytes() == (small.out / "report.html").read_bytes()


def test_a_count_of_a_tier_adds_up_from_the_lists_below_it(tool_loop: Audit) -> None:
    text = (tool_loop.out / "report.html").read_text("utf-8")
    whole = text.split(f'id="{anchor("g", "pass", "last_line_fallback", "fail_to_pass")}"')[1].split("<h4")[0]
    group = told(whole)
    tiers = tool_loop.summary["axes"]["pass"]["candidates"]["last_line_fallback"]["tiers"]
    strong, usable, every = (tiers[t]["fail_to_pass"]["trials"] for t in ("strong", "usable", "all"))
    assert f"{strong} also in strong + {usable - strong} more in usable = {usable} in usable" in group
    page = Page(text)
    table = page.tables["last_line_fallback, fail to pass: trials by kind of move and tier"]
    assert table[0][1:4] == ["strong", "usable", "all"]
    assert [sum(number(row[n]) for row in table[1:]) for n in (1, 2, 3)] == [strong, usable, every]
    kinds = {row[0]: [number(cell) for cell in row[1:4]] for row in table[1:]}
    for kind, counted in kinds.items():
        section = re.search(rf">{kind}: .*?</section>", text, re.DOTALL)[0]  # type: ignore[index]
        lists = re.findall(r"<p>In ([^:]*): ([\d,]+) trials?</p>\s*<ul class=\"rows\">(.*?)</ul>", section, re.DOTALL)
        sizes = {where: number(trials) for where, trials, _ in lists}
        assert all(rows.count("<li>") == number(trials) for _, trials, rows in lists)
        assert sizes.get("strong and usable", 0) == counted[0] and sum(sizes.values()) == counted[2]


def test_a_carried_grader_has_no_reading(tmp_path: Path, small: Audit) -> None:
    body = "\n\ndef extract(trial, base):\n    return text.number_after_last_equals(trial.reply)\n"
    done = audited(tmp_path, TOML.replace('"tool_loop"', '"made"'), rules=rules_folder(tmp_path / "r", tail=body))
    text = (done.out / "report.html").read_text("utf-8")
    assert text.count("<article") > 0
    assert text.count("carried: what the frozen grader read is not known") == text.count("<article")
    assert {label for r in replies(text) for label, _ in marked(r)} == {"tail answer and value"}
    assert (
        "is what the frozen grader read" not in text
        and "what it read is not known; the answer that its log records is marked" in told(text)
    )
    ported = (small.out / "report.html").read_text("utf-8")
    assert "carried:" not in ported and "is what the frozen grader read" in ported


def test_an_answer_that_the_store_has_the_beginning_of_ends_in_an_ellipsis(tmp_path: Path) -> None:
    long, whole = "3=7.0 " + "y" * 400, "3=7.0 " + "z" * 194
    rows = [
        record("a", "T01", n, "read_sensor", f"ANSWER: {answer}", False, "STALE_DATA")
        for n, answer in enumerate((long, whole))
    ]
    text = (audited(tmp_path, records=rows).out / "report.html").read_text("utf-8")
    assert f"<q>{long[:200]}…</q>" in text
    assert len(whole) == 200 and f"<q>{whole}</q>" in text


def test_declared_candidates_stand_before_single_rules(small_page: Page) -> None:
    named = {caption: rows for caption, rows in small_page.tables.items() if "axis pass" in caption}
    [flips] = [rows for caption, rows in named.items() if caption.startswith("Flips and recodes") and "all" in caption]
    assert [row[0] for row in flips[1:3]] == ["v2", "ask_accepted"]
    for what, first in (("Cut-offs tried", 4), ("Frozen grades and flips by item family", 7), ("Gain of each", 9)):
        heads = [rows[0] for caption, rows in named.items() if caption.startswith(what)]
        assert heads and all(head[first].startswith("v2") for head in heads), what


def test_moves_to_and_from_ungraded_have_a_column_where_there_are_some(small: Audit, small_page: Page) -> None:
    assert told((small.out / "report.html").read_text("utf-8")).count("No trial moves to or from ungraded.") == 2
    assert not [c for rows in small_page.tables.values() for c in rows[0] if re.match("(To|From) ungraded", c)]
    summary = json.loads((small.out / "summary.json").read_text("utf-8"))
    summary["axes"]["pass"]["candidates"]["v2"]["tiers"]["all"]["to_ungraded"]["trials"] = 1
    text = page_of(small, summary)
    assert told(text).count("No trial moves from ungraded.") == 2
    heads = [rows[0] for caption, rows in Page(text).tables.items() if caption.startswith(("Flips and", "Smallest"))]
    to = ["To ungraded(items/configurations/weights/lineages)"]
    assert heads and all([cell for cell in head if "ngraded" in cell] == to for head in heads)


def test_every_file_stands_with_its_hash_as_far_as_there_are_not_too_many(
    small: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(small.out / FILE_NAME, read_only=True) as store:
        query = "select path, format, records, loaded, rejected, bytes, sha256 from files order by file_id"
        stored = [tuple(map(str, row)) for row in store.con.execute(query).fetchall()]
    rows = Page((small.out / "report.html").read_text("utf-8")).tables["Files as they were read"][1:]
    assert [tuple(cell.replace(",", "") for cell in row) for row in rows] == stored
    monkeypatch.setattr(integrity, "FILES", 0)
    assert f"Files as they were read: the first 0 of {len(stored)}" in Page(page_of(small)).tables
