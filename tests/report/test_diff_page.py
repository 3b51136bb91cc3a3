"""The page of a diff: every number that of `--json`, hostile text shown and never run, the same bytes each time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from regrade.audit import load_store, regrade_store
from regrade.files.corpus_toml import read_corpus
from tests.axe import axe_source, grave_violations
from tests.browser import at_width, in_theme, requested
from tests.commands import run
from tests.conftest import BANK, TOML, draft_rules, record, twenty, write_corpus
from tests.report.pages import Page, told

EVIL = "<script>document.title='owned'</script>\x1b[31m"
MORE = """
[[candidate]]
name = "v2"
rules = ["last_equals_v1", "ask_accepted_v1"]
[[tier]]
name = "some"
min_pass_rate = 0.4
"""
Diff = tuple[dict[str, Any], str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three audits: `first`, `second` of other trials, bank and rules, `third`, one trial from `second`."""
    made = tmp_path_factory.mktemp("diff")
    rows = [row for row in twenty() if (row["config"], row["rep"]) != ("d", 1)]
    rows.append(record(EVIL, "T01", 0, "read_sensor", f"{EVIL}\u202e\nANSWER: 7.0", True))
    # Another reply, and so another grade, on one trial; another code on others.
    rows[0] = record("a", "T01", 0, "read_sensor", "ANSWER: 7.0", True)
    bank = [BANK[0], {**BANK[1], "gold": {**BANK[1]["gold"], "code": "GUESSED"}}]  # type: ignore[dict-item]
    for row in rows:
        if row["grade"]["code"] == "FABRICATION":
            row["grade"]["code"] = "GUESSED"
    rules = draft_rules(made / "rules")
    path = rules / "tool_loop" / "last_equals_v1.py"
    text = path.read_text().replace("text.first_of(", "text.first_of(base(trial), ")
    path.write_text(text.replace("\nWhy:", "\nA line <b>more</b>.\nWhy:", 1))
    third = [*rows]
    place = next(n for n, row in enumerate(third) if (row["config"], row["rep"], row["episode"]) == ("b", 0, "T01"))
    third[place] = record("b", "T01", 0, "read_sensor", "b: converted.\nANSWER: 7.0", True)
    for out, trials, items, root in (
        ("first", twenty(), BANK, None), ("second", rows, bank, rules), ("third", third, bank, rules)
    ):  # fmt: skip
        corpus = read_corpus(write_corpus(made / f"{out}_corpus", trials, TOML + MORE, items))
        with load_store(corpus, made / out) as store:
            regrade_store(store, corpus, rules=root)
    return made


@pytest.fixture(scope="module")
def diffed(folder: Path) -> Callable[..., Diff]:
    """What the command prints for a script, and the page that it writes."""

    def diff(a: str, b: str, *more: Any) -> Diff:
        page = folder / "diff.html"
        found = json.loads(run("diff", folder / a, folder / b, "--html", page, "--json", *more).stdout)
        return found, page.read_text("utf-8")

    return diff


@pytest.fixture(scope="module")
def versions(diffed: Callable[..., Diff]) -> Diff:
    """Two audits of two versions of a corpus."""
    return diffed("first", "second")


def spread(count: Mapping[str, Any] | None) -> str:
    if not count or not count["trials"]:
        return "0"
    parts = "/".join(str(count[key]) for key in ("items", "configurations", "weights", "lineages"))
    return f"{count['trials']} ({parts})"


def rate(count: Mapping[str, Any] | None) -> str:
    if not count or not count["graded"]:
        return "\u2013"
    return f"{count['passed']} of {count['graded']} {100 * count['passed'] / count['graded']:.1f}%"


KINDS = ("fail_to_pass", "pass_to_fail", "recoded", "only_in_a", "only_in_b")


def test_every_table_holds_the_numbers_of_the_json(versions: Diff) -> None:
    found, text = versions
    tables = Page(text).tables
    head, *rows = tables["Cells of each pair, from A to B"]
    assert head[5:] == ["Fail to pass", "Pass to fail", "Recoded", "Only in A", "Only in B"]
    for block, row in zip(found["compared"], rows, strict=True):
        counts = [block["a"]["cells"], block["b"]["cells"], block["same"]["trials"]]
        name = block["a"]["candidate"]
        assert row == [name, "pass", *map(str, counts), *(spread(block[kind]) for kind in KINDS)]
        here = f"{name}, axis pass"
        for key, groups in block["by"].items():
            expected = [
                [g["name"], *(spread(g.get(kind)) for kind in KINDS), rate(g["a"]), rate(g["b"])] for g in groups
            ]
            shown = [[cell.replace("\u241b", "\x1b") for cell in row] for row in tables[f"By {key}: {here}"][1:]]
            assert shown == expected
        expected = [
            [tier, rate(r["a"]), rate(r["b"]), *(rate({**r["both"], "passed": r["both"][side]}) for side in "ab"),
             spread(r["fail_to_pass"]), spread(r["pass_to_fail"])]
            for tier, r in block["tiers"].items()
        ]  # fmt: skip
        assert tables[f"Pass rates by tier: {here}"][1:] == expected
        matrix = tables[f"From the grade in A, down, to the grade in B, across: {here}"]
        cells = {(row[0], column): cell for row in matrix[1:] for column, cell in zip(matrix[0], row, strict=True)}
        for move in block["transitions"]:
            old, new = (" ".join(filter(None, move[end])) for end in ("from", "to"))
            assert cells.pop((old, new)) == spread(move)
        assert {cell for (_, column), cell in cells.items() if column != "A"} <= {""}
    for tier, record_ in found["tiers"].items():
        [row] = [row for row in tables["Configurations in each tier"] if row[0] == tier]
        counts = [record_["a"], record_["b"], record_["both"], len(record_["only_in_a"]), len(record_["only_in_b"])]
        assert row[3:] == [str(count) for count in counts]


def test_what_is_counted_is_right(versions: Diff) -> None:
    found, text = versions
    frozen = found["compared"][0]
    units, files = frozen["by"]["family"]
    assert (units["name"], units["fail_to_pass"]["trials"], units["a"]) == ("units", 1, {"passed": 4, "graded": 8})
    assert (files["name"], files["recoded"]["trials"], files["only_in_a"]["trials"]) == ("files", 7, 1)
    assert frozen["tiers"]["all"]["both"] == {"a": 7, "b": 8, "graded": 18}
    some = found["tiers"]["some"]
    assert (some["min_pass_rate"], some["a"], some["b"], some["both"]) == ({"a": 0.4, "b": 0.4}, 4, 4, 3)
    assert some["only_in_a"] == [
        {"configuration": "d", "a": {"passed": 2, "graded": 5}, "b": {"passed": 1, "graded": 3}}
    ]
    assert some["only_in_b"] == [{"configuration": EVIL, "a": None, "b": {"passed": 1, "graded": 1}}]
    assert found["trials"]["only_in_a"] == ["d/T01/1", "d/T02/1"] and len(found["trials"]["only_in_b"]) == 1
    [changed] = found["trials"]["changed"]
    assert (changed["trial_id"], changed["parts"]) == ("a/T01/0", ["reply", "turns"])
    assert [changed[s]["text"][changed[s]["start"] : changed[s]["stop"]] for s in "ab"] == [
        "a: converted.\nANSWER: 3=",
        "ANSWER: ",
    ]
    assert "18 trials, 1 of them with another transcript" in told(text)
    assert "Of 18 trials in both, 1 has another reply, turn, call or final state." in told(text)
    assert '<mark class="f o z"><b title="what differs">A</b>a: converted.' in text
    assert "+ A line &lt;b&gt;more&lt;/b&gt;." in text and "<ins>" in text and "<del>" not in text
    assert "GUESSED" in Page(text).tables["Items that differ"][1][3]


def test_one_trial_moved_moves_the_figures_by_one(diffed: Callable[..., Diff], versions: Diff) -> None:
    found, text = diffed("first", "third")
    before, after = (block["compared"][0] for block in (versions[0], found))
    assert after["fail_to_pass"]["trials"] == before["fail_to_pass"]["trials"] + 1 == 2
    assert after["same"]["trials"] == before["same"]["trials"] - 1
    assert after["by"]["family"][0]["b"]["passed"] == before["by"]["family"][0]["b"]["passed"] + 1
    assert after["tiers"]["all"]["both"]["b"] == before["tiers"]["all"]["both"]["b"] + 1
    assert found["changes"]["trials"]["changed"] == 2
    assert Page(text).tables["Cells of each pair, from A to B"][1][5] == "2 (1/2/2/2)"


def test_both_readings_are_marked_in_the_reply(diffed: Callable[..., Diff]) -> None:
    found, text = diffed("first:frozen", "first:v2")
    [block] = found["compared"]
    assert block["fail_to_pass"]["trials"] == 8
    assert len(block["trials"]) == 8 and len(re.findall('<article class="trial"', text)) == 8
    box = text[text.index('id="t-pass-frozen-v2-a/T01/0"') :].split("</article>")[0]
    assert re.findall(r"<b[^>]*>([^<]*)</b>([^<]*)</mark>", box) == [("A value", "3"), ("B value", "7.0")]
    assert "No cell that both sides have differs" not in told(text)
    _, other = diffed("first:frozen", "first:last_line_fallback")
    box = other[other.index('id="t-pass-frozen-last_line_fallback-a/T02/1"') :].split("</article>")[0]
    assert 'class="c o z"><b title="B answer and value">B answer and value</b>NOT_FOUND</mark>' in box
    few, short = diffed("first:frozen", "first:v2", "-n", 3)
    assert few["compared"][0]["fail_to_pass"] == block["fail_to_pass"]
    assert len(re.findall('<article class="trial"', short)) == 3 and "The first 3 are shown" in told(short)


def test_nothing_that_differs_is_said(diffed: Callable[..., Diff]) -> None:
    found, text = diffed("first", "first")
    assert "No cell that both sides have differs." in told(text) and "<article" not in text
    assert all(not any(block["by"].values()) for block in found["compared"])
    assert told(text).count("The same on both sides.") == 5


def test_a_corpus_is_graded_for_its_page_and_its_warnings_stand_on_it(diffed: Callable[..., Diff]) -> None:
    found, text = diffed("first_corpus:v2", "second:v2")
    assert [found[side]["kind"] for side in "ab"] == ["corpus", "audit"]
    assert "a corpus, graded for this" in told(text) and found["warnings"]
    assert all(warning.split("SHA256SUMS")[0].split("/")[0] in told(text) for warning in found["warnings"])
    assert Page(text).tables["Cells of each pair, from A to B"][1][3:5] == ["19", "12"]


def test_the_same_bytes_and_nothing_hostile(diffed: Callable[..., Diff], versions: Diff) -> None:
    assert diffed("first", "second")[1] == versions[1]
    page = Page(versions[1])
    assert "script" not in page.tags and "img" not in page.tags and "\x1b" not in versions[1]
    assert not {name for name in page.attributes if name.startswith("on")}
    assert len(page.ids) == len(set(page.ids)) and {link[1:] for link in page.links} <= set(page.ids)
    assert "\u202e" not in versions[1] and "&lt;script&gt;" in versions[1]


def test_a_page_that_cannot_be_written_is_an_error_of_one_line(folder: Path) -> None:
    result = run(
        "diff", folder / "first", folder / "second", "--html", folder / "first" / "audit.duckdb" / "x.html", code=2
    )
    assert "Cannot write into" in result.stderr and result.stderr.count("\n") == 1
    assert "Name another file with --html." in result.stderr and "--out" not in result.stderr


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_in_a_browser(
    chromium: Any, folder: Path, diffed: Callable[..., Diff], drawn: None, width: int
) -> None:
    diffed("first", "second")
    at_width(chromium, width)
    requested(chromium)
    chromium.get((folder / "diff.html").as_uri())
    assert chromium.get_log("browser") == [] and requested(chromium) == []
    assert chromium.title != "owned"
    assert chromium.execute_script("return document.documentElement.scrollWidth") <= width
    assert len(chromium.find_elements("css selector", "figure svg")) == 2
    chromium.find_element("link text", "last_equals").click()
    assert chromium.find_element("css selector", ":target").text.startswith("last_equals, axis pass")


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_grave_violation(
    chromium: Any, folder: Path, diffed: Callable[..., Diff], drawn: None, width: int, theme: str
) -> None:
    source = axe_source()
    diffed("first", "second")
    at_width(chromium, width)
    in_theme(chromium, theme)
    chromium.get((folder / "diff.html").as_uri())
    assert grave_violations(chromium, source) == []
    in_theme(chromium, "")
