"""The proposal: what is proposed, in two renderings of one content, and every number with the command that gives it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from regrade.audit import Audit, audit
from regrade.errors import RuleError
from regrade.proposing import Proposed, propose
from regrade.report.proposal.examples import around
from regrade.report.proposal.markdown import code, escaped, fenced
from regrade.report.shown import Mark
from regrade.signs import name, visible
from regrade.tables.store import FILE_NAME, Store
from tests.browser import at_width
from tests.commands import run
from tests.conftest import BROKEN_CAMPUS, TOML, TOOL_LOOP, record, twenty, write_corpus
from tests.report.conftest import HOSTILE_REPLY
from tests.report.corpora import TIERS, rules_folder
from tests.report.judged import drawn, made, say
from tests.report.pages import Page, told
from tests.test_estimate_command import should

LENIENT = '[[candidate]]\nname = "lenient"\nrules = ["last_line_fallback_v1", "last_equals_v1"]\n'
TOML_OF_ALL = TOML.replace('"bank.json"', '"bank.json"\nnotes = "notes.toml"') + LENIENT + TIERS
NOTES = """
[[note]]
item = "T01"
kind = "ambiguous"
text = "Does `3=` stay? | <b>say</b> so."
[[note]]
item = "T02"
kind = "retire"
text = "Nobody misses it."
"""


def corpus_in(folder: Path, records: Any = None, toml: str = TOML_OF_ALL) -> Path:
    corpus = write_corpus(folder, twenty() if records is None else records, toml)
    (corpus / "notes.toml").write_text(NOTES, encoding="utf-8")
    return corpus


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Proposed:
    folder = tmp_path_factory.mktemp("proposal")
    return propose(corpus_in(folder / "corpus"), out=folder / "out", store=folder / "store")


@pytest.fixture(scope="module")
def tool_loop_proposal(tool_loop: Audit, tmp_path_factory: pytest.TempPathFactory) -> Proposed:
    return propose(TOOL_LOOP, store=tool_loop.out, out=tmp_path_factory.mktemp("tool_loop_proposal"))


def text_of(done: Proposed, file: str) -> str:
    return (done.out / file).read_text(encoding="utf-8")


def parsed(text: str) -> list[Any]:
    return MarkdownIt("commonmark").enable("table").parse(text)


def plain(token: Any) -> str:
    return "".join(child.content for child in token.children or ())


def tables(text: str) -> list[list[list[str]]]:
    """The tables of a Markdown text, as rows of words."""
    found: list[list[list[str]]] = []
    for place, token in enumerate(tokens := parsed(text)):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type in ("th_open", "td_open"):
            found[-1][-1].append(" ".join(plain(tokens[place + 1]).split()))
    return found


def figures(done: Proposed) -> Iterator[dict[str, Any]]:
    yield from done.plain["figures"]


def gives_again(
    done: Proposed, store: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch, commands: int | None = None
) -> None:
    """Run the command of every figure as it is printed, of those of `regrade` the first few; find the same numbers."""
    monkeypatch.chdir(store)
    printed: dict[str, Any] = {}
    shown = {row[0]: row for row in tables(text_of(done, "proposal.md"))[-1][1:]}
    for figure in figures(done):
        command = figure["command"]
        assert shown[f"[{figure['name']}]"][-1] == command
        if command.startswith("regrade "):
            if command not in printed and len(printed) == commands:
                continue
            if command not in printed:
                words = command.replace("CORPUS", str(corpus)).split()[1:]
                printed[command] = json.loads(run(*words).stdout)
            for path, value in figure["rows"]:
                found = printed[command]
                for key in path.split("."):
                    found = found[key]
                assert found == value, (command, path)
        else:
            with Store.open(store / FILE_NAME, read_only=True) as opened:
                found = opened.con.execute(command)
                assert [c[0] for c in found.description] == figure["columns"], command
                assert [list(row) for row in found.fetchall()] == figure["rows"], command


def test_every_number_is_given_again_by_its_command(small: Proposed, monkeypatch: pytest.MonkeyPatch) -> None:
    gives_again(small, small.out.parent / "store", small.out.parent / "corpus", monkeypatch, 1)


@pytest.mark.slow
def test_so_it_is_by_every_command(small: Proposed, monkeypatch: pytest.MonkeyPatch) -> None:
    gives_again(small, small.out.parent / "store", small.out.parent / "corpus", monkeypatch)


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_every_number_of_a_simulated_corpus_is(
    tool_loop: Audit, tool_loop_proposal: Proposed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gives_again(tool_loop_proposal, tool_loop.out, TOOL_LOOP, monkeypatch)
    both_alike(tool_loop_proposal)
    done = propose(BROKEN_CAMPUS, store=tmp_path)
    gives_again(done, tmp_path, BROKEN_CAMPUS, monkeypatch)
    text = text_of(done, "proposal.md")
    assert "The frozen grader has no figure of it; under the proposal 8 configurations have one" in text
    lead = "tavick-summit leads, ostrick-grand {:.2f} points behind, suggestive"
    assert f"Under the proposal: {lead.format(32)}; over all trials {lead.format(8)}." in text
    both_alike(done)


def both_alike(done: Proposed) -> None:
    page = Page(text_of(done, "proposal.html"))
    in_page, in_text = page.tables.values(), tables(text_of(done, "proposal.md"))
    assert {json.dumps(rows) for rows in in_page} == {json.dumps(rows) for rows in in_text}
    tokens = parsed(text_of(done, "proposal.md"))
    headings = [
        (int(token.tag[1]), plain(tokens[place + 1]))
        for place, token in enumerate(tokens)
        if token.type == "heading_open"
    ]
    assert headings == page.headings


def test_both_renderings_hold_the_same_tables_and_headings(small: Proposed) -> None:
    both_alike(small)


def test_what_is_told_is_what_the_audit_counted(small: Proposed) -> None:
    summary = json.loads((small.out.parent / "store" / "summary.json").read_text("utf-8"))
    block = summary["axes"]["pass"]["candidates"]["v2"]["tiers"]["some"]
    by_caption = Page(text_of(small, "proposal.html")).tables
    [rows] = [rows for caption, rows in by_caption.items() if caption.startswith("Flips of v2 by tier")]
    assert block["fail_to_pass"] == {"trials": 8, "items": 2, "configurations": 4, "weights": 4, "lineages": 4}
    assert rows[2] == ["some", "8 (2/4/4/4)", "66.7% of 12", "0", "0.0% of 8", "4", "20"]
    [rows] = [rows for caption, rows in by_caption.items() if caption.startswith("Smallest set of rules")]
    assert rows[1:] == [
        ["failed, recoded", "format_code_v1", "4 (1/4/4/4)", "4 (1/4/4/4)"],
        ["fail to pass", "ask_accepted_v1", "4 (1/4/4/4)", "4 (1/4/4/4)"],
        ["fail to pass", "last_equals_v1", "4 (1/4/4/4)", "4 (1/4/4/4)"],
    ]
    [rows] = [rows for caption, rows in by_caption.items() if caption.startswith("Items to reword")]
    assert rows[1] == [
        "T01",
        "ambiguous wording; needs a live run",
        "4",
        "4",
        "0",
        "4",
        "0",
        "Does 3= stay? | <b>say</b> so.",
    ]
    text = text_of(small, "proposal.md")
    assert all(
        said in text for said in ("Needs a live run.", "(upper bound)", "NOT COMPARABLE with results of frozen_v1")
    )
    assert text.count("`regrade explain ") == 3, "one of each direction, since each rule moves one item"


def test_an_example_has_every_turn_of_the_user(tmp_path: Path) -> None:
    rows = [record("a", "T01", 0, "read_sensor", "It was 3.\nANSWER: 3=7.0", False, "STALE_DATA")]
    rows[0]["messages"][-1:-1] = [
        {"role": "assistant", "content": "3=12"},
        {"role": "user", "content": "And in Celsius?"},
        *({"role": "user", "content": f"Ask {n}."} for n in range(5, 18)),
    ]
    done = propose(corpus_in(tmp_path / "corpus", rows), store=tmp_path / "store")
    text, page = text_of(done, "proposal.md"), told(text_of(done, "proposal.html"))
    for asked in ("Prompt, 1 of 15 (turn 0):", "Go on.", "Prompt, 5 of 15 (turn 7):", "Ask 7.", "Ask 17."):
        assert asked in text and asked in page
    assert "3 turns of the user left out" in text and "Ask 6." not in text
    del rows[0]["messages"][5:-1]
    done = propose(corpus_in(tmp_path / "two", rows), store=tmp_path / "of two")
    assert re.findall(r"Prompt.*?:\n\n```text\n(.*)\n", text_of(done, "proposal.md")) == [
        "Report unit 3 in Celsius.",
        "Go on.",
        "And in Celsius?",
    ], "the prompt of the item stands in neither of them"


def test_the_examples_of_a_rule_come_before_its_tables_and_where_its_flips_come_from_last(small: Proposed) -> None:
    parts = ["Before and after", "What it flips alone", "With the other rules", "What it might wrongly pass or fail"]
    page, text = text_of(small, "proposal.html"), text_of(small, "proposal.md")
    for found in ([words for level, words in Page(page).headings if level == 4], re.findall(r"(?m)^#### (.*)$", text)):
        assert found[:5] == [*parts, "Where its flips alone come from"]
        assert found.count("Where its flips alone come from") == 2, "format_code_v1 flips nothing"
    folded = re.findall(r"<summary>(.*?)</summary>", page)
    assert {*folded} == {"By lineage: 4 rows", "By weights: 4 rows"}
    assert len(folded) == sum(bool(re.search("by (lineage|weights): fail", caption)) for caption in Page(page).tables)


@pytest.mark.slow
def test_one_trial_moved_moves_the_number(small: Proposed, tmp_path: Path) -> None:
    records = twenty()
    records[0]["messages"][-1]["content"] = "a: converted.\nANSWER: 3=9.9"
    moved = propose(corpus_in(tmp_path / "corpus", records), store=tmp_path / "store")

    def count(done: Proposed) -> list[int]:
        paths = {
            row[0]: row[1]
            for figure in figures(done)
            if figure["columns"] == ["path", "value"]
            for row in figure["rows"]
        }
        [needs] = [figure for figure in figures(done) if figure["what"].startswith("Smallest")]
        by_rule = {tuple(row[:4]): row[4] for row in needs["rows"]}
        return [
            paths["pass.candidates.v2.tiers.some.fail_to_pass.trials"],
            paths["pass.candidates.last_equals.tiers.some.fail_to_pass.trials"],
            by_rule["some", "failed", "passed", "last_equals_v1"],
        ]

    assert [before - after for before, after in zip(count(small), count(moved), strict=True)] == [1, 1, 1]


def test_a_rejected_rule_is_told_of_and_never_proposed(small: Proposed, tmp_path: Path) -> None:
    assert small.plain["candidate"] == "v2" and list(small.plain["rejected"]) == ["last_line_fallback_v1"]
    text = text_of(small, "proposal.md")
    assert "**Why it was rejected:** The prefix is a stated requirement" in text
    assert "Not proposed either, since they have a rejected rule: `lenient`." in text
    corpus = small.out.parent / "corpus"
    for asked in ("lenient", "last_line_fallback"):
        with pytest.raises(RuleError, match="last_line_fallback_v1 is rejected, since: The prefix"):
            propose(corpus, asked, store=tmp_path / "none")
    with pytest.raises(RuleError, match="Unknown candidate 'v3' of twenty.*lenient"):
        propose(corpus, "v3", store=tmp_path / "none")
    assert not (tmp_path / "none").exists(), "nothing is audited for a candidate that cannot be proposed"
    named = propose(corpus, "last_equals", store=small.out.parent / "store", out=tmp_path)
    assert list(named.plain["rules"]) == ["last_equals_v1"]


def test_without_a_declared_candidate_it_asks_for_one(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", twenty())
    with pytest.raises(RuleError, match=r"declares no \[\[candidate\]\]\. Name .* --candidate: ask_accepted, "):
        propose(corpus, store=tmp_path / "store")
    only = write_corpus(tmp_path / "only", twenty(), TOML + LENIENT)
    with pytest.raises(RuleError, match="Nothing of twenty can be proposed"):
        propose(only, store=tmp_path / "store")


def test_the_same_audit_gives_the_same_bytes(small: Proposed) -> None:
    again = propose(small.out.parent / "corpus", store=small.out.parent / "store", out=small.out.parent / "again")
    assert again.plain == small.plain
    assert all(text_of(again, file) == text_of(small, file) for file in ("proposal.md", "proposal.html"))


@pytest.mark.slow
def test_the_same_audit_elsewhere_gives_the_same_bytes_without_a_path(small: Proposed, tmp_path: Path) -> None:
    again = propose(corpus_in(tmp_path / "other"), store=tmp_path / "s")
    assert again.out == tmp_path / "s"
    for file in ("proposal.md", "proposal.html"):
        assert text_of(again, file) == text_of(small, file)
        assert str(small.out.parent) not in text_of(small, file) and "/tmp" not in text_of(small, file)
        assert not re.search(r"20[0-9]{2}-[0-9]{2}", text_of(small, file))
    assert again.plain == small.plain


def test_the_page_is_self_contained_and_its_links_lead_somewhere(small: Proposed) -> None:
    text = text_of(small, "proposal.html")
    page = Page(text)
    assert "default-src 'none'; style-src 'sha256-" in text
    assert not page.tags & {"script", "link", "iframe", "img", "object", "form", "base"}
    assert len(page.ids) == len(set(page.ids))
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    levels = [level for level, _ in page.headings]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(deeper - before <= 1 for before, deeper in zip(levels, levels[1:], strict=False))


METRICS = """
[[metric]]
name = "right"
axis = "pass"
counts = ["passed"]
best = "highest"

[[metric]]
name = "stale"
axis = "pass"
counts = ["STALE_DATA"]

[[metric]]
name = "never"
axis = "pass"
counts = ["UNHEARD_OF"]
best = "lowest"
"""


def test_every_declared_metric_stands_frozen_and_proposed(tmp_path: Path) -> None:
    heading = "right by configuration, where it moves"

    def rates(name: str, records: list[Any]) -> tuple[str, list[list[str]]]:
        done = propose(corpus_in(tmp_path / name, records, TOML_OF_ALL + METRICS), store=tmp_path / f"store of {name}")
        text, page = text_of(done, "proposal.md"), text_of(done, "proposal.html")
        [[first, *rows]] = [rows for caption, rows in Page(page).tables.items() if heading in caption]
        assert first == ["Configuration", "Frozen", "v2"]
        assert tables(text.partition(f"**{heading}**")[2].partition("**")[0])[0][1:] == rows
        return text, rows

    records = twenty()
    text, before = rates("one", records)
    assert "It moves for 4 of 4 configurations" in text
    assert "which end is best is not declared" in text
    assert "Frozen and under the proposal: all 4 configurations are level." in text
    warning = "never counts UNHEARD_OF, which is neither status nor code of any grade on its axis"
    assert warning in text and warning in " ".join(audit(tmp_path / "one", tmp_path / "store of one").warnings)
    assert before[0] == ["a", "2 of 5 (40.00%)", "4 of 5 (80.00%)"]
    records[0]["messages"][-1]["content"] = "a: converted.\nANSWER: 3=9.9"
    _, after = rates("two", records)
    assert after == [["a", "2 of 5 (40.00%)", "3 of 5 (60.00%)"], *before[1:]]


def test_every_region_of_the_page_has_a_name_of_its_own(small: Proposed, tmp_path: Path) -> None:
    folder = small.out.parent
    one = propose(folder / "corpus", store=folder / "store", out=tmp_path, candidate="last_equals")
    names = re.findall(r'role="region"[^>]* aria-label="([^"]*)"', text_of(one, "proposal.html"))
    assert len(names) == len(set(names)) and "In short: Frozen grades by tier, axis pass" in names
    captions = [name.partition(": ")[2] for name in names]
    assert len(captions) > len(set(captions)), "a proposal of one rule has tables of it twice"


HOSTILE = HOSTILE_REPLY.replace("שלום", "שלום\n````\n# not a heading\n[r1]: javascript:alert(1)\n")


def test_hostile_text_is_shown_and_never_obeyed(tmp_path: Path) -> None:
    rows = [record('<img src=x>\x1b[31m`|"', "T01", 1, "read_sensor", HOSTILE, False, "STALE_DATA")]
    toml = TOML_OF_ALL.replace("benchmark =", "simulated = true\nbenchmark =")
    done = propose(corpus_in(tmp_path / "corpus", rows, toml), store=tmp_path / "store")
    text, page = text_of(done, "proposal.md"), text_of(done, "proposal.html")
    for shown in (text, page):
        assert not set("\x00\x1b\x9b\u202e\u202c") & set(shown)
        assert "SIMULATED" in shown
    assert not Page(page).tags & {"script", "img", "i"}
    tokens = parsed(text)
    assert not [t for t in tokens if t.type == "html_block"]
    inline = [child for token in tokens for child in token.children or ()]
    assert not [c for c in inline if c.type in ("html_inline", "link_open", "image")]
    assert "not a heading" not in "".join(
        plain(tokens[n + 1]) for n, t in enumerate(tokens) if t.type == "heading_open"
    )
    commands = {child.content for child in inline if child.type == "code_inline" and "explain" in child.content}
    [again] = {shlex.join(command) for command in map(shlex.split, commands) if command[1] == "explain"}
    assert again in unescape(page)
    run(*shlex.split(again.replace("--store .", f"--store {shlex.quote(str(tmp_path / 'store'))}"))[1:])
    [reply] = [t.content for t in tokens if t.type == "fence" and "alert(1)" in t.content]
    bare = [line[4:] for line in reply.splitlines() if line.startswith("  | ")]
    assert "".join(bare) == name(HOSTILE).replace("\u240a", "")
    assert "^^^ v2 value" in reply and "- frozen value" in reply


@pytest.mark.slow
def test_flips_that_need_several_rules_and_those_that_another_undoes(tmp_path: Path) -> None:
    rules = rules_folder(
        tmp_path / "rules",
        tail="\ndef extract(trial, base):\n    return text.last_line(trial.reply)\n\n",
        first="\ndef read(trial, base):\n    return text.first_number(trial.answer)\n\n",
    )
    toml = TOML.replace('"tool_loop"', '"made"') + '[[candidate]]\nname = "v2"\nrules = ["tail_v1", "first_v1"]\n'
    rows = [
        record("a", "T01", 0, "read_sensor", "12 units\nin all 7.0", False, "X"),
        record("b", "T01", 0, "read_sensor", "7.0 degrees\nThat is it.", False, "X"),
    ]
    done = propose(write_corpus(tmp_path / "corpus", rows, toml), store=tmp_path / "store", rules=rules)
    found = {figure["what"]: figure["rows"] for figure in figures(done)}
    [needs] = [rows for what, rows in found.items() if what.startswith("Smallest sets")]
    assert needs == [["all", "failed", "passed", "tail_v1 + first_v1", 1, 1, 1, 1, 1]]
    [undone] = [rows for what, rows in found.items() if what.startswith("What a rule moves alone")]
    assert undone == [["first", "all", "failed", "X", "passed", None, "failed", "X", 1, 1, 1, 1, 1]]
    text = text_of(done, "proposal.md")
    assert text.count("1 fail to pass need it together with `first_v1`") == 1
    assert text.count("1 fail to pass need it together with `tail_v1`") == 1
    assert "1 that it makes `passed` alone are `failed X` in the proposal, where another rule decides" in text
    assert "Draft, and free to change under the same name until `regrade freeze CORPUS` locks them" in text
    assert "NOT COMPARABLE with results of the logged grader" in text
    shown = [each for rule in done.plain["rules"].values() for each in rule["examples"]]
    assert shown == 2 * [{"axis": "pass", "trial": "a/T01/0", "from": "failed", "to": "passed"}]


@pytest.mark.slow
def test_the_command_says_what_is_proposed_and_where_it_is(small: Proposed, tmp_path: Path) -> None:
    where = [small.out.parent / "corpus", "--store", small.out.parent / "store", "--out", tmp_path]
    shown = run("propose", *where)
    assert "Proposed for twenty: v2, not comparable with frozen results." in shown.stdout
    assert "Rejected: last_line_fallback_v1." in shown.stdout and str(tmp_path / "proposal.html") in shown.stdout
    assert json.loads(run("propose", *where, "--json").stdout) == small.plain
    failed = run("propose", *where, "--candidate", "lenient", code=2)
    assert failed.stdout == "" and failed.stderr.startswith("regrade: lenient is not proposed: last_line_fallback_v1")


@pytest.mark.slow
def test_an_audit_that_is_not_there_or_is_of_other_rules_is_made_first(tmp_path: Path) -> None:
    corpus, store = corpus_in(tmp_path / "corpus"), tmp_path / "store"
    first = json.loads(run("propose", corpus, "--store", store, "--json").stdout)
    assert sorted(path.name for path in store.iterdir()) == [
        "audit.duckdb", "flips.csv", "proposal.html", "proposal.md", "report.html", "summary.json",
    ]  # fmt: skip
    written = (store / "audit.duckdb").stat().st_mtime_ns
    shown = run("propose", corpus, "--store", store)
    assert (store / "audit.duckdb").stat().st_mtime_ns == written, "the audit that is there is taken"
    assert "Proposed for twenty: v2" in shown.stdout and str(store / "proposal.html") in shown.stdout
    assert shown.stderr.count("Warning: No SHA256SUMS") == 1
    corpus_in(corpus, twenty()[:10])
    run("audit", corpus, "--out", store)
    assert not (store / "proposal.md").exists(), "it was written from another store"
    again = json.loads(run("propose", corpus, "--store", store, "--json").stdout)
    assert [again["figures"][0]["rows"][0][-1], first["figures"][0]["rows"][0][-1]] == [10, 20]


@pytest.mark.slow
def test_the_audit_of_another_corpus_is_left_as_it_is(small: Proposed, tmp_path: Path) -> None:
    store = small.out.parent / "store"
    before = {path.name: path.read_bytes() for path in store.iterdir() if path.is_file()}
    other = corpus_in(tmp_path / "other", toml=TOML_OF_ALL.replace('name = "twenty"', 'name = "others"'))
    told = run("propose", other, "--store", store, "--out", tmp_path / "out", code=2).stderr
    assert f"{store} holds the audit of another corpus, " in told.replace("\n", " ") and "--store" in told
    assert {path.name: path.read_bytes() for path in store.iterdir() if path.is_file()} == before
    assert not (tmp_path / "out").exists()


def test_what_was_judged_stands_beside_the_flips(tool_loop_proposal: Proposed) -> None:
    text = text_of(tool_loop_proposal, "proposal.md")
    assert (
        "50 drawn of 477 (fail to pass, seed 20260101); 2 reviewers agree on 49 and disagree on 1; 45 are upheld"
        in text
    )
    assert "between 376 and 459 of the 477 are upheld (95%, over what may have been drawn)" in text
    assert "Items to retire: `T01`, `T02`, `T15`, `T33`, `T35`, `T42`, `T43`." in text
    assert "19 items of 48 never failed in the tier strong" in text


@pytest.mark.slow
def test_the_errors_that_a_balanced_sample_shows_stand_beside_what_it_is_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, store = made(tmp_path, "abcd", {}, ""), tmp_path / "out"
    done = audit(corpus, store)
    for who in ("r1", "r2"):
        say(corpus, done, "whole", who, {trial: should(trial) for trial in drawn(done, "whole")})
    found = propose(corpus, "last_equals", store=store)
    summary = json.loads((store / "summary.json").read_text("utf-8"))
    credit = summary["samples"]["whole"]["estimates"]["errors"]["graders"]["last_line_fallback"]["false_credit"]
    text = text_of(found, "proposal.md")
    assert f"false credit of last_line_fallback: {credit['count']} of {credit['n']} labelled" in text
    assert "false penalty of frozen: " in text
    assert "Sample `flips`: " in text and "; no figures, since nobody has labelled a trial yet." in text
    gives_again(found, store, corpus, monkeypatch)
    both_alike(found)


ANY = st.text() | st.text("`~|*_<[]()#&\\\\ \\n1.-ab")
"""Of any signs, or of those that mean something to Markdown."""


@settings(max_examples=60)
@given(ANY)
def test_no_text_means_anything_to_markdown(text: str) -> None:
    [opened, inline, closed] = parsed(f"{escaped(text)}x")
    assert (opened.type, closed.type) == ("paragraph_open", "paragraph_close")
    assert {child.type for child in inline.children} <= {"text"} | {"text_special"}
    assert plain(inline) == f"{name(text)}x".strip(" ")


@settings(max_examples=60)
@given(ANY)
@example("````\n# no heading\n``")
def test_code_and_fences_hold_any_text(text: str) -> None:
    [_, inline, _] = parsed(f"x{code(text)}x")
    assert [child.type for child in inline.children] == ["text", "code_inline", "text"]
    assert inline.children[1].content == (name(text) or "(empty)")
    [fence] = parsed(fenced(text))
    assert fence.content == f"{visible(text)}\n"


@settings(max_examples=40)
@given(st.text(min_size=1, max_size=300), st.data())
def test_a_text_that_is_cut_keeps_the_characters_of_its_marks(text: str, data: st.DataObject) -> None:
    edges = st.integers(0, len(text))
    pairs = data.draw(st.lists(st.tuples(edges, edges).map(sorted), max_size=4))
    marks = [Mark(start, stop, "m", True, False) for start, stop in pairs]
    cut, moved = around(text, marks, 3)
    assert len(cut) <= len(text) or "left out" in cut
    for mark, now in zip(marks, moved, strict=True):
        before, after = text[mark.start : mark.stop], cut[now.start : now.stop]
        assert after[:3] == before[:3] and after[-3:] == before[-3:] if len(before) < 6 else True
        assert "left out" in after or before == after


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_asks_for_nothing_and_fits(chromium: Any, small: Proposed, width: int) -> None:
    at_width(chromium, width)
    chromium.get((small.out / "proposal.html").as_uri())
    assert chromium.get_log("browser") == []
    assert chromium.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert chromium.execute_script("return document.documentElement.scrollWidth") <= width
    link = chromium.find_element("css selector", "caption a")
    link.click()
    row = chromium.find_element("css selector", ":target").find_element("xpath", "ancestor::tr")
    assert row.text.startswith(link.text) and "regrade flips --store . --axis pass --json" in row.text
