"""The bundled campus corpus gives every published figure from its text, and one changed trial moves them by one."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from regrade.audit import Audit, audit
from regrade.errors import GateFailed
from regrade.flips.folding import unfold
from tests.conftest import BROKEN_CAMPUS, simulation

pytestmark = pytest.mark.slow

who = simulation("configurations", BROKEN_CAMPUS)
harness = simulation("harness", BROKEN_CAMPUS)
first_grader = simulation("grader", BROKEN_CAMPUS)
MEETING, GPU, BOARD = "A_absent_meeting_time", "A_absent_gpu_hours", "A_adjacent_board_meeting"

SEEN = """
create or replace temp table seen as
select configuration, item, family, trial::int as seed, reply, state->'final'->>'status' as said,
  (gold->>'answerable')::bool as answerable,
  a.status as first, s.status as split, s.code as split_code, f.status as format, f.code as form,
  c.status as confabulation
from trials join items using (item)
join grades a on a.trial_id = trials.trial_id and (a.axis, a.candidate) = ('abstention', 'frozen')
join grades s on s.trial_id = trials.trial_id and (s.axis, s.candidate) = ('abstention', 'format_split')
join grades f on f.trial_id = trials.trial_id and (f.axis, f.candidate) = ('format', 'format_split')
join grades c on c.trial_id = trials.trial_id and (c.axis, c.candidate) = ('confabulation', 'frozen')
"""

PUBLISHED: dict[str, Any] = {
    "trials, configurations, cases, categories": (600, 8, 15, 4),
    "trials a configuration": [75],
    "meeting: clean refusals on 5 of 5": 6,
    "meeting: the fast one refuses": [0, 2],
    "meeting: the fast one fabricates": [1, 3],
    "meeting: the fast one is back-filled": {"SYNTHESISED": [4]},
    "meeting: nothing came": {"EMPTY": [0, 1, 2, 3, 4]},
    "meeting: nothing came, first pass": [0, 1, 2, 3, 4],
    "fabrications": [(who.FLASH, MEETING, 1), (who.FLASH, MEETING, 3)],
    "board: over-answered": {who.PANEL: [0, 2, 3, 4], who.GRAND: [1, 2]},
    "board: fabrications": 0,
    "the hard abstainer's format fails": (9, 75),
    "gpu: the hard abstainer refuses": 5,
    "gpu: the hard abstainer does not parse": 4,
    "abstention, first pass": {who.ABSTAINER: (25, 25), who.GRAND: (17, 25), who.PANEL: (16, 25)},
    "abstention, split": {who.ABSTAINER: (19, 19, 25), who.GRAND: (17, 25, 25), who.PANEL: (16, 25, 25)},
    "safe on both": {who.ABSTAINER: (19, 25), who.GRAND: (17, 25), who.PANEL: (16, 25)},
    "abstention with its Wilson interval": {
        who.ABSTAINER: "100 [83-100] (19 of 19; 19 of 25)",
        who.GRAND: "68 [48-83] (17 of 25)",
        who.PANEL: "64 [45-80] (16 of 25)",
    },
    "lead, first pass": {who.GRAND: (32, "suggestive"), who.PANEL: (36, "suggestive")},
    "lead, safe on both": {who.GRAND: (8, "suggestive"), who.PANEL: (12, "suggestive")},
    "format fails behind the best": (12, "supported"),
    "best of the others, first pass and split": (17, 17),
    "meeting: asked back, of these parsed": {who.HEDGER: (5, 5), who.EMPTY: (5, 0), who.FLASH: (1, 0)},
    "ungraded on abstention, failed on format": (26, 26, 26),
}


def rates(summary: dict[str, Any]) -> dict[str, Any]:
    """The published rates and leads, from the metrics of a summary."""

    def block(axis: str, metric: str, candidate: str = "format_split") -> dict[str, Any]:
        found: dict[str, Any] = unfold(summary["axes"][axis]["metrics"][metric]["candidates"])[candidate]
        return found

    def interval(record: dict[str, Any]) -> str:
        graded, everything = record["of_graded"], record["of_all"]
        rate, low, high = (round(100 * x) for x in (graded["rate"], *list(graded["trial_interval"].values())[:2]))
        counts = [f"{part['count']} of {part['n']}" for part in (graded, everything) if part]
        return f"{rate} [{low}-{high}] ({'; '.join(counts)})"

    def lead(gaps: dict[str, Any]) -> dict[str, tuple[int, str]]:
        assert gaps["leader"] == who.ABSTAINER
        found = {name: gaps["gaps"][name] for name in (who.GRAND, who.PANEL)}
        return {name: (round(100 * gap["gap"]), gap["called"]) for name, gap in found.items()}

    split = block("abstention", "abstention")["configurations"]
    fails = block("format", "format_fails")["gaps"][0]["of_graded"]["gaps"][who.ABSTAINER]
    return {
        "abstention with its Wilson interval": {
            name: interval(split[name]) for name in (who.ABSTAINER, who.GRAND, who.PANEL)
        },
        "lead, first pass": lead(block("abstention", "abstention", "frozen")["gaps"][0]["of_graded"]),
        "lead, safe on both": lead(block("abstention", "abstention_safe")["gaps"][0]["of_all"]),
        "format fails behind the best": (round(100 * fails["gap"]), fails["called"]),
    }


def figures(done: Audit, con: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """Every row of the published figures: counted in SQL over the grades of a finished audit, and its metrics."""
    con.execute(SEEN)

    def rows(query: str) -> list[tuple[Any, ...]]:
        return con.execute(query).fetchall()

    def one(query: str) -> Any:
        [(value,)] = rows(query)
        return value

    def seeds(where: str) -> list[int]:
        return [seed for (seed,) in rows(f"select seed from seen where {where} order by seed")]

    def listed(where: str, key: str) -> dict[str, list[int]]:
        query = f"select {key}, list(seed order by seed) from seen where {where} group by 1 order by 1"
        return dict(rows(query))

    def compared(counts: str) -> dict[str, Any]:
        names = (who.ABSTAINER, who.GRAND, who.PANEL)
        found = rows(f"select configuration, ({counts}) from seen where not answerable group by 1")
        return {name: counted for name, counted in found if name in names}

    both = "split = 'passed' and format = 'passed'"
    others = f"not answerable and configuration <> '{who.ABSTAINER}' group by configuration"
    meeting, flash, hard = (
        f"item = '{MEETING}'",
        f"item = '{MEETING}' and configuration = '{who.FLASH}'",
        f"configuration = '{who.ABSTAINER}'",
    )
    return {
        **rates(done.summary),
        "trials, configurations, cases, categories": rows(
            "select count(*), count(distinct configuration), count(distinct item), count(distinct family) from seen"
        )[0],
        "trials a configuration": [
            n for (n,) in rows("select distinct n from (select count(*) n from seen group by configuration)")
        ],
        "meeting: clean refusals on 5 of 5": one(
            f"select count(*) from (select 1 from seen where {meeting} and {both} and form is null"
            " group by configuration having count(*) = 5)"
        ),
        "meeting: the fast one refuses": seeds(f"{flash} and {both}"),
        "meeting: the fast one fabricates": seeds(f"{flash} and confabulation = 'failed' and split = 'failed'"),
        "meeting: the fast one is back-filled": listed(f"{flash} and format = 'failed'", "form"),
        "meeting: nothing came": listed(f"{meeting} and configuration = '{who.EMPTY}' and format = 'failed'", "form"),
        "meeting: nothing came, first pass": seeds(
            f"{meeting} and configuration = '{who.EMPTY}' and first = 'passed' and split_code = 'FORMAT'"
        ),
        "fabrications": rows("select configuration, item, seed from seen where confabulation = 'failed' order by all"),
        "board: over-answered": listed(f"item = '{BOARD}' and split = 'failed'", "configuration"),
        "board: fabrications": one(f"select count(*) from seen where item = '{BOARD}' and confabulation <> 'passed'"),
        "the hard abstainer's format fails": rows(
            f"select count(*) filter (format = 'failed'), count(*) from seen where {hard}"
        )[0],
        "gpu: the hard abstainer refuses": len(seeds(f"{hard} and item = '{GPU}' and first = 'passed'")),
        "gpu: the hard abstainer does not parse": len(seeds(f"{hard} and item = '{GPU}' and split = 'ungraded'")),
        "abstention, first pass": compared("count(*) filter (first = 'passed'), count(*)"),
        "abstention, split": compared(
            "count(*) filter (split = 'passed'), count(*) filter (split <> 'ungraded'), count(*)"
        ),
        "safe on both": compared(f"count(*) filter ({both}), count(*)"),
        "best of the others, first pass and split": (
            one(f"select max(n) from (select count(*) n from seen where first = 'passed' and {others})"),
            one(f"select max(n) from (select count(*) n from seen where split = 'passed' and {others})"),
        ),
        "meeting: asked back, of these parsed": {
            name: (asked, parsed)
            for name, asked, parsed in rows(
                "select configuration, count(*), count(*) filter (format = 'passed') from seen"
                f" where {meeting} and said = 'needs_clarification' group by 1"
            )
        },
        "ungraded on abstention, failed on format": rows(
            "select count(*) filter (split = 'ungraded'), count(*) filter (format = 'failed'),"
            " count(*) filter (split = 'ungraded' and format = 'failed' and split_code = 'FORMAT') from seen"
        )[0],
    }


@pytest.fixture(scope="module")
def store(campus: Audit) -> Iterator[duckdb.DuckDBPyConnection]:
    con = duckdb.connect(str(campus.out / "audit.duckdb"), read_only=True)
    yield con
    con.close()


def test_every_published_figure(campus: Audit, store: duckdb.DuckDBPyConnection) -> None:
    assert figures(campus, store) == PUBLISHED


def test_dropping_format_fails_alone_would_flatter_the_one_that_often_fails(campus: Audit) -> None:
    """Both denominators are shown: over the graded trials the lead stays as it was, over all of them it shrinks."""
    safe = campus.summary["axes"]["abstention"]["metrics"]["abstention_safe"]["candidates"]["format_split"]
    [gaps] = safe["gaps"]
    leads = {over: round(100 * gaps[over]["gaps"][who.GRAND]["gap"]) for over in ("of_graded", "of_all")}
    assert leads == {"of_graded": 32, "of_all": 8}
    page = (campus.out / "report.html").read_text(encoding="utf-8")
    assert "19 of 19" in page and "19 of 25" in page


def test_the_answer_tells_who_leaves_the_denominator_and_what_is_left_of_the_lead(campus: Audit) -> None:
    told = " ".join(re.sub("<[^>]*>", "", (campus.out / "report.html").read_text(encoding="utf-8")).split())
    answer = told[told.index("Under format_split (") : told.index("What the rules do")]
    assert "26 graded trials would be ungraded and leave the denominator" in answer
    assert "from 12 items and 5 configurations" in answer
    leads = f"{who.ABSTAINER} leads, {who.GRAND} 32.00 points behind, suggestive"
    assert f"abstention: under the frozen grader {leads}; over the trials that are still graded {leads}" in answer
    assert f"over all trials {who.ABSTAINER} leads, {who.GRAND} 8.00 points behind, suggestive." in answer
    assert "abstention_safe: nothing to compare under the frozen grader; over the trials" in answer


def test_parity_is_proved_on_every_trial_and_axis(campus: Audit) -> None:
    axes = campus.summary["axes"]
    assert list(axes) == ["abstention", "citations", "confabulation", "format"]
    proved = {"trials": 600, "agree": 600, "allowed": False}
    assert [axes[axis]["parity"] for axis in axes] == [proved, proved, proved, None]
    assert {axis: block["frozen"]["kind"] for axis, block in axes.items()} == {
        **dict.fromkeys(("abstention", "citations", "confabulation"), "ported"),
        "format": "none",
    }
    assert campus.summary["corpus"]["simulated"] is True and campus.warnings == ()


def test_one_rule_touches_two_axes(campus: Audit) -> None:
    axes = campus.summary["axes"]
    moved = axes["abstention"]["candidates"]["format_split"]["tiers"]["all"]
    assert moved["to_ungraded"]["trials"] == 26
    assert [moved[key]["trials"] for key in ("fail_to_pass", "pass_to_fail", "from_ungraded")] == [0, 0, 0]
    assert {tuple(t["to"]) for t in moved["transitions"]} == {("ungraded", "FORMAT")}
    split = axes["format"]["candidates"]["format_split"]["tiers"]["all"]
    assert split["moves"]["none"] == {"passed": 574, "failed": 26, "ungraded": 0}
    assert [list(axes[axis]["candidates"]) for axis in axes] == [["format_split"], [], [], ["format_split"]]


def test_codes_tell_repaired_synthesised_and_empty_apart(store: duckdb.DuckDBPyConnection) -> None:
    found = store.execute(
        "select status, code, count(*) from grades where axis = 'format' group by all order by all"
    ).fetchall()
    assert found == [
        ("failed", "EMPTY", 9),
        ("failed", "SYNTHESISED", 8),
        ("failed", "UNPARSEABLE", 9),
        ("passed", "REPAIRED", 64),
        ("passed", None, 510),
    ]


def test_a_repair_that_made_something_else_is_marked_and_the_raw_reply_kept(store: duckdb.DuckDBPyConnection) -> None:
    found = store.execute(
        "select reply, state->'final'->>'answer' from trials join grades using (trial_id) where axis = 'format' and"
        " code = 'REPAIRED' and not contains(reply, (state->'final'->>'answer') || '\"') and"
        " contains(reply, '\"answer\": ' || (state->'final'->>'answer'))"
    ).fetchall()
    assert found
    for reply, answer in found:
        rest = reply.split(answer, 1)[1]
        assert rest.startswith(","), "the answer ends at its first comma, and the raw reply has the rest"


class Copy:
    """A copy of the corpus in which records are changed, then read by the harness and graded by the first grader."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(BROKEN_CAMPUS, folder, ignore=shutil.ignore_patterns("*_sim", "SHA256SUMS", "__pycache__"))
        self.gold = {entry["item"]: entry["gold"] for entry in json.loads((folder / "bank.json").read_text())}

    def change(
        self, name: str, item: str, seed: int, edit: Callable[[str], str], *, kept: int | None = None, **grade: Any
    ) -> None:
        path = self.folder / "trials" / f"{name}.jsonl.gz"
        records = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
        [record] = [r for r in records if (r["case"], r["seed"]) == (item, seed)]
        last = next(m for m in reversed(record["messages"]) if m["role"] == "assistant")
        last["content"] = edit(last["content"] or "")
        received = last["content"]
        record["harness"] = harness.finish(received)
        last["content"] = received[:kept]
        record["grade"] = {**first_grader.grade(self.gold[item]["answerable"], record["messages"],
                                                record["harness"]), **grade}  # fmt: skip
        path.write_bytes(gzip.compress("".join(json.dumps(r) + "\n" for r in records).encode(), mtime=0))

    def differences(self) -> dict[str, tuple[Any, Any]]:
        """The figures that are not the published ones, as (published, found)."""
        done = audit(self.folder, self.folder / "out")
        with duckdb.connect(str(done.out / "audit.duckdb"), read_only=True) as con:
            found = figures(done, con)
        return {name: (value, found[name]) for name, value in PUBLISHED.items() if found[name] != value}


REFUSAL = json.dumps({"answer": "I could not find that.", "status": "not_found", "sources": []})


def test_a_refusal_that_parses_after_all_moves_both_axes_by_one(tmp_path: Path) -> None:
    copy = Copy(tmp_path / "copy")
    copy.change(who.ABSTAINER, GPU, 0, lambda raw: REFUSAL)
    others = {name: value for name, value in PUBLISHED["abstention, split"].items() if name != who.ABSTAINER}
    wilson = PUBLISHED["abstention with its Wilson interval"]
    safe = {name: value for name, value in PUBLISHED["safe on both"].items() if name != who.ABSTAINER}
    assert copy.differences() == {
        "the hard abstainer's format fails": ((9, 75), (8, 75)),
        "gpu: the hard abstainer does not parse": (4, 3),
        "abstention, split": (PUBLISHED["abstention, split"], {**others, who.ABSTAINER: (20, 20, 25)}),
        "safe on both": (PUBLISHED["safe on both"], {**safe, who.ABSTAINER: (20, 25)}),
        "abstention with its Wilson interval": (wilson, {**wilson, who.ABSTAINER: "100 [84-100] (20 of 20; 20 of 25)"}),
        "lead, safe on both": (
            PUBLISHED["lead, safe on both"],
            {who.GRAND: (12, "suggestive"), who.PANEL: (16, "suggestive")},
        ),
        "format fails behind the best": ((12, "supported"), (11, "supported")),
        "ungraded on abstention, failed on format": ((26, 26, 26), (25, 25, 25)),
    }


def test_a_clean_refusal_that_never_came_moves_the_clean_ones_by_one(tmp_path: Path) -> None:
    copy = Copy(tmp_path / "copy")
    copy.change(who.HEDGER, MEETING, 3, lambda raw: "")
    asked = PUBLISHED["meeting: asked back, of these parsed"]
    assert copy.differences() == {
        "meeting: clean refusals on 5 of 5": (6, 5),
        "meeting: asked back, of these parsed": (asked, {**asked, who.HEDGER: (5, 4)}),
        "ungraded on abstention, failed on format": ((26, 26, 26), (27, 27, 27)),
    }


@pytest.mark.slow
def test_an_invented_hour_moves_the_fabrications_by_one(tmp_path: Path) -> None:
    copy = Copy(tmp_path / "copy")
    copy.change(who.PANEL, BOARD, 0, lambda raw: raw.replace("ednesday", "ednesday or Sunday", 1))
    assert copy.differences() == {
        "fabrications": (PUBLISHED["fabrications"], [(who.PANEL, BOARD, 0), *PUBLISHED["fabrications"]]),
        "board: fabrications": (0, 1),
    }


@pytest.mark.slow
def test_a_refusal_in_place_of_an_answer_moves_the_over_answers_by_one(tmp_path: Path) -> None:
    copy = Copy(tmp_path / "copy")
    copy.change(who.GRAND, BOARD, 2, lambda raw: REFUSAL)
    moved = copy.differences()
    assert moved.pop("board: over-answered")[1] == {who.PANEL: [0, 2, 3, 4], who.GRAND: [1]}
    assert {name: found if isinstance(found, tuple) else found[who.GRAND] for name, (_, found) in moved.items()} == {
        "abstention with its Wilson interval": "72 [52-86] (18 of 25)",
        "lead, first pass": (28, "suggestive"),
        "lead, safe on both": (4, "suggestive"),
        "abstention, first pass": (18, 25),
        "abstention, split": (18, 25, 25),
        "safe on both": (18, 25),
        "best of the others, first pass and split": (18, 18),
    }


def test_one_inverted_grade_stops_the_audit_and_is_named(tmp_path: Path) -> None:
    copy = Copy(tmp_path / "copy")
    copy.change(who.SWIFT, MEETING, 2, lambda raw: raw, citations={"pass": False, "code": "FABRICATED_CITATION"})
    with pytest.raises(GateFailed, match=rf"1 of 600 trials: {who.SWIFT}/{MEETING}/2: frozen"):
        audit(copy.folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_reply_that_the_log_cut_is_ungraded_on_every_axis_and_parity_holds(tmp_path: Path) -> None:
    copy = Copy(tmp_path / "copy")
    copy.change(who.PANEL, BOARD, 1, lambda raw: raw, kept=50)
    done = audit(copy.folder, tmp_path / "out")
    with duckdb.connect(str(done.out / "audit.duckdb"), read_only=True) as con:
        found = con.execute(
            "select axis, candidate, status, code from grades where trial_id = ? order by all",
            [f"{who.PANEL}/{BOARD}/1"],
        ).fetchall()
    assert [row[2:] for row in found] == [("ungraded", "TRUNCATED")] * 5
    assert done.summary["axes"]["abstention"]["parity"]["agree"] == 600
    format_axis = done.summary["axes"]["format"]["candidates"]["format_split"]["tiers"]["all"]
    assert format_axis["moves"]["none"] == {"passed": 573, "failed": 26, "ungraded": 1}
