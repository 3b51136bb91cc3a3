"""Probes: what is made of an item and what is left out as honest, and what the graders then say."""

from __future__ import annotations

import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.audit import Audit, audit
from regrade.books import rulebook, store_corpus
from regrade.grades.accepted import OPTIONS, Peers, accepted
from regrade.grades.plan import plan
from regrade.grades.probes import NOTHING, PROBES, Asked, Frame, Probe, probes_of
from regrade.grades.probing import find_probes
from regrade.tables.store import Store
from tests.conftest import TOML, record, twenty, write_corpus
from tests.report.corpora import rules_folder


def asked(gold: Any, others: Any = (), prompt: str | None = "How many?", **changes: Any) -> list[Probe]:
    """The probes of an item among others of its family."""
    answers = accepted(gold)
    peers = Peers([("f", answers), *(("f", accepted(other)) for other in others)])
    made: dict[str, Any] = {"prompt": prompt, "gold": gold, "answers": answers, "wrong": None}
    if answers is not None:
        made |= {"wrong": peers.wrong("f", answers), "options": peers.options("f", answers, gold)}
    return probes_of(Asked(**{**made, **changes}))


def replies(probes: list[Probe], name: str) -> dict[str, str]:
    return {probe.variant: probe.reply for probe in probes if probe.name == name}


def test_an_item_has_every_probe_bare_and_framed_without_and_with_calls() -> None:
    probes = asked(7, [9], frame=Frame("ANSWER: ", " C"), has_calls=True)
    assert list(dict.fromkeys(probe.name for probe in probes)) == list(PROBES)
    assert replies(probes, "gold_beside_wrong") == {
        "bare, gold first": "7 or 9",
        "bare, gold first, with calls": "7 or 9",
        "framed, gold first": "ANSWER: 7 or 9 C",
        "framed, gold first, with calls": "ANSWER: 7 or 9 C",
        "bare, gold last": "9 or 7",
        "bare, gold last, with calls": "9 or 7",
        "framed, gold last": "ANSWER: 9 or 7 C",
        "framed, gold last, with calls": "ANSWER: 9 or 7 C",
    }
    assert replies(probes, "do_nothing") == {"bare": NOTHING, "framed": f"ANSWER: {NOTHING} C"}
    assert replies(probes, "question_repeated")["framed"] == "ANSWER: How many? C"
    assert set(replies(probes, "empty")) == {"bare", "bare, with calls", "framed", "framed, with calls"}
    assert all(probe.with_calls == probe.variant.endswith("with calls") for probe in probes)


def test_what_lists_more_than_two_stands_in_lines_too_each_in_the_frame() -> None:
    probes = replies(asked("blue", ["red", "green"], frame=Frame("> ", "")), "all_options")
    assert probes["bare, gold last, in lines"] == "red\ngreen\nblue"
    assert probes["framed, gold first, in lines"] == "> blue\n> red\n> green"
    assert not any("lines" in variant for variant in replies(asked("blue", ["red"]), "all_options"))


@pytest.mark.parametrize(
    ("gold", "prompt", "absent"),
    [
        ("", "q", {"empty", "do_nothing", "all_options", "gold_beside_wrong"}),
        ([], "q", {"empty", "do_nothing", "all_options", "gold_beside_wrong"}),
        ({"answer": ["", "none"]}, "q", {"empty", "do_nothing", "all_options", "gold_beside_wrong"}),
        (NOTHING.upper(), "q", {"do_nothing"}),
        ("say this", " Say  this ", {"question_repeated"}),
        ("yes", None, {"question_repeated"}),
        ("yes", " \n", {"question_repeated"}),
        ({"answer": "yes", "ask": {"after": []}}, "ASK: which?", {"question_repeated"}),
        ({"answer": "yes"}, "ASK: which?", set()),
        ({"answer": ["A", "B"], "choices": ["A", "B"]}, "q", {"all_options"}),
        ({"answer": "A", "choices": ["A", "B"]}, "q", set()),
        ({"actions": []}, "q", {"all_options", "gold_beside_wrong"}),
        (None, "q", {"all_options", "gold_beside_wrong"}),
    ],
)
def test_what_would_be_an_honest_right_answer_is_no_probe(gold: Any, prompt: str | None, absent: set[str]) -> None:
    assert {p.name for p in asked(gold, ["red", "C"], prompt)} == set(PROBES) - absent


def test_one_option_is_no_list_and_a_lone_text_has_no_wrong_answer() -> None:
    assert {p.name for p in asked("alone")} == set(PROBES) - {"all_options", "gold_beside_wrong"}


def test_a_frame_that_says_the_answer_is_for_probes_that_say_it_too() -> None:
    frame = Frame("It is 7.00, so: ", "")
    framed = {p.name for p in asked(7, [9], frame=frame) if p.variant.startswith("framed")}
    assert framed == {"all_options", "gold_beside_wrong"}
    assert "do_nothing" in {p.name for p in asked(7, [9], frame=Frame("It is 17, so: ", "")) if "framed" in p.variant}


def test_a_frame_is_the_line_of_the_answer() -> None:
    reply = "So it is 7.\r\nANSWER: 7 C\r\nBye, 7."
    assert Frame.of_line(reply, 21, 22).put("X") == "ANSWER: X C"
    assert Frame.of_line("7", 0, 1).put("X") == "X"


NUMBERS = st.decimals(-1000, 1000, places=2)


@given(NUMBERS, st.none() | st.decimals(-5, 300, places=1), st.lists(NUMBERS, max_size=5))
def test_a_wrong_number_is_never_within_the_tolerance(gold: Decimal, tolerance: Decimal | None, others: Any) -> None:
    bank = [accepted({"answer": str(n), "kind": "number", "tolerance": tolerance}) for n in (gold, *others)]
    assert bank[0] is not None
    peers = Peers((None, answers) for answers in bank)
    wrong = peers.wrong(None, bank[0])
    assert wrong is not None and abs(Decimal(wrong) - gold) > (tolerance or 0)
    assert all(abs(Decimal(o) - gold) > (tolerance or 0) for o in peers.options(None, bank[0], None)[1:])


TEXTS = st.text("abAB 17.,\n", max_size=6)


@given(TEXTS | st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=4), st.none() | TEXTS)
def test_no_probe_is_the_gold_and_no_two_of_a_name_are_the_same(gold: Any, others: Any, prompt: str | None) -> None:
    probes = asked(gold, others, prompt, has_calls=True)
    answers = accepted(gold)
    assert answers is None or not any(answers.holds(probe.reply) for probe in probes)
    assert (
        len({(p.name, p.variant) for p in probes})
        == len(probes)
        == len({(p.name, p.reply, p.with_calls) for p in probes})
    )


def test_a_wrong_answer_is_in_no_answer_and_has_none_in_it() -> None:
    answers = accepted("Tomas Brandt")
    assert answers is not None
    bank = [("f", answers), ("f", accepted("tomas")), ("f", accepted("Mr Tomas  Brandt")), ("g", accepted("Ines"))]
    assert Peers(bank).wrong("f", answers) == "Ines"
    assert Peers(bank[:3]).wrong("f", answers) is None


def test_options_come_from_the_gold_the_menu_or_the_family() -> None:
    def options(gold: Any, *others: Any) -> list[str]:
        answers = accepted(gold)
        assert answers is not None
        return Peers([("f", answers), *(("f", accepted(o)) for o in others)]).options("f", answers, gold)

    assert options({"answer": "red", "choices": ["blue", "red"]}, "green") == ["red", "blue"]
    assert options({"answer": "C", "choices": ["blue", "red", "grey"]}) == ["C", "A", "B"]
    assert options({"answer": 1, "choices": ["blue", "red", "grey"]}) == ["1", "0", "2"]
    assert options({"answer": "b", "choices": {"a": "x", "b": "y"}}) == ["b", "a"]
    assert options({"answer": "y", "choices": {"a": "x", "b": "y"}}) == ["y", "x"]
    menu = {"answer": "DONE: 3", "menu": [r"DONE: \d+|STALLED", "FAILED: .+", "("]}
    assert options(menu, "FAILED: full", "elsewhere", 9) == ["DONE: 3", "STALLED", "FAILED: full"]
    assert options(7, "red", 9, 7.0, 9) == ["7", "9"]
    assert len(options(0, *range(1, 50))) == OPTIONS


def test_a_worked_solution_is_answered_by_the_end_of_its_last_line() -> None:
    assert [a.texts for a in map(accepted, ("1 + 2\nA: 3", "so\n#### 1,200 ")) if a] == [("3",), ("1,200",)]


# What the graders say.


def probed(done: Audit, query: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(done.out / "audit.duckdb"), read_only=True) as con:
        return con.execute(query).fetchall()


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    folder = tmp_path_factory.mktemp("probed")
    return audit(write_corpus(folder / "corpus", twenty()), folder / "out")


def test_a_reader_of_the_first_number_passes_the_gold_beside_a_wrong_one(done: Audit) -> None:
    block = done.summary["axes"]["pass"]["probes"]
    assert list(block) == ["frozen", *done.summary["axes"]["pass"]["candidates"]]
    assert block["frozen"]["gold_beside_wrong"] == {
        "items": 1, "ungraded": 0, "passing": ["T01"], "probes": 8, "passed": 1,
    }  # fmt: skip
    [(variant, value, reply)] = probed(
        done, "select variant, value, reply from probes where candidate = 'frozen' and status = 'passed'"
    )
    assert (variant, value, reply) == ("framed, gold first, with calls", "7.0", "ANSWER: 7.0 or 8.1")


def test_a_rule_that_forgives_the_frame_passes_bare_probes(done: Audit) -> None:
    found = probed(done, "select variant from probes where candidate = 'last_line_fallback' and status = 'passed'")
    assert sorted(v for (v,) in found) == ["bare, gold first, with calls", "framed, gold first, with calls"]


def test_probes_are_in_no_other_table_and_no_count(done: Audit) -> None:
    assert done.summary["corpus"]["trials"] == 20
    assert probed(done, "select count(*), count(distinct trial_id) from grades where candidate = 'frozen'") == [
        (20, 20)
    ]
    [(moved,)] = probed(done, "select count(*) from flips where trial_id not in (select trial_id from trials)")
    assert moved == 0


def test_every_grader_has_every_probe_once_and_in_the_same_order_again(done: Audit, tmp_path: Path) -> None:
    rows = "select * from probes"
    copy = shutil.copy(done.out / "audit.duckdb", tmp_path)
    with Store.open(Path(copy)) as store:
        corpus = store_corpus(store)
        find_probes(store, plan(corpus, rulebook(corpus)))
        assert store.con.execute(rows).fetchall() == probed(done, rows)
    [(least, most)] = probed(
        done, "select min(n), max(n) from (select count(*) as n from probes group by axis, candidate)"
    )
    assert least == most > 0


CARRIED = TOML.replace('benchmark = "tool_loop"', 'benchmark = "made"')
LAST = "def extract(trial, base):\n    return text.last_number(trial.reply)\n"
BREAKS = """
@per_row("reply")
def extract(trial, base):
    return text.whole(trial.reply[trial.reply.index("ANSWER"):]) if "NOT_FOUND" not in trial.reply else base(trial)
"""


def test_a_carried_grader_is_not_probed_but_a_candidate_over_it_is_and_the_log_is_asked(tmp_path: Path) -> None:
    idle = record("e", "T01", 0, "x", "Nothing to do.", True)
    del idle["messages"][1:3]
    failed = {**idle, "rep": 1, "grade": {"pass": False}}
    folder = rules_folder(tmp_path / "rules", last=LAST)
    corpus = write_corpus(tmp_path / "c", [*twenty(), idle, failed], CARRIED)
    done = audit(corpus, tmp_path / "out", rules=folder)
    axis = done.summary["axes"]["pass"]
    assert axis["idle_passes"] == {"trials": 1, "passing": ["e/T01/0"]}
    block = axis["probes"]
    assert block["frozen"] is None
    assert block["last"]["gold_beside_wrong"]["passing"] == ["T01"]
    assert block["last"]["empty"]["ungraded"] == block["last"]["empty"]["items"] == 2
    statuses = "select distinct candidate, status from probes order by all"
    assert probed(done, statuses) == [("last", "passed"), ("last", "ungraded")]


def test_a_stage_that_raises_on_a_probe_leaves_it_ungraded_and_the_others_graded(tmp_path: Path) -> None:
    folder = rules_folder(tmp_path / "rules", breaks=BREAKS)
    records = [r for r in twenty() if "ANSWER" in r["messages"][-1]["content"]]
    done = audit(write_corpus(tmp_path / "c", records, CARRIED), tmp_path / "out", rules=folder)
    rows = dict(probed(done, "select code, count(*) from probes group by code"))
    assert rows["RAISED"] > 0
    ended = "select count(*) from probes where code = 'RAISED' and status <> 'ungraded'"
    assert probed(done, ended) == [(0,)]
    assert probed(done, "select count(*) from probes where reply like 'ANSWER%' and code = 'RAISED'") == [(0,)]


GRADER = '''"""Compare the final state."""
from regrade.grades import Stages, per_row, text

def extract(trial):
    return text.whole(trial.reply)

def read(trial):
    return text.whole(trial.answer)

@per_row("state", "gold")
def check(trial):
    return [] if trial.state == trial.gold.state else ["state"]

@per_row("missed")
def code(trial):
    return None

GRADER = {"pass": {"*": Stages(extract=extract, read=read, check=check, code=code)}}
'''


def test_a_grader_of_the_final_state_passes_who_does_nothing_where_nothing_was_to_change(tmp_path: Path) -> None:
    (tmp_path / "rules" / "made").mkdir(parents=True)
    (tmp_path / "rules" / "made" / "frozen_v1.py").write_text(GRADER, encoding="utf-8")
    toml = CARRIED.replace('turns = "messages"', 'turns = "messages"\nstate = "state"')
    states = {"T01": "moved", "T02": "as it was"}
    bank = [{"item": item, "prompt": "Go.", "gold": {"state": state}} for item, state in states.items()]
    records: list[dict[str, Any]] = []
    for item, state in states.items():
        worked = {**record("a", item, 0, "move", "Done.", True), "state": state}
        still = {**record("a", item, 1, "move", "No.", state == "as it was"), "state": "as it was"}
        del still["messages"][1:3]
        records += [worked, still]
    done = audit(
        write_corpus(tmp_path / "c", records, toml.replace('code = "grade.code"\n', ""), bank),
        tmp_path / "out",
        rules=tmp_path / "rules",
    )
    block = done.summary["axes"]["pass"]
    assert block["parity"]["agree"] == 4
    assert block["probes"]["frozen"]["do_nothing"]["passing"] == ["T02"]
    assert block["probes"]["frozen"]["empty"]["passing"] == ["T01", "T02"]


LOG = "example_model_solutions.jsonl"


def test_the_reader_of_the_last_number_passes_a_question_that_ends_in_the_gold(shared: Path, tmp_path: Path) -> None:
    lines = (shared / "data" / "gsm8k" / LOG).read_text(encoding="utf-8").splitlines()[:60]
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "log.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "c" / "corpus.toml").write_text(
        '[corpus]\nname = "g"\nbenchmark = "gsm8k"\nfiles = ["log.jsonl"]\n[columns]\nitem = "$line"\n'
        'configuration = "$filename"\nreply = "175b_verification.solution"\n[frozen.pass]\n'
        'passed = "175b_verification.is_correct"\n[bank.columns]\nprompt = "question"\ngold = "ground_truth"\n',
        encoding="utf-8",
    )
    block = audit(tmp_path / "c", tmp_path / "out").summary["axes"]["pass"]["probes"]
    assert block["frozen"]["question_repeated"]["passing"] == block["frozen"]["gold_beside_wrong"]["passing"] == []
    assert block["last_number"]["question_repeated"]["passing"] == ["45", "5"]
    assert len(block["last_number"]["gold_beside_wrong"]["passing"]) == 60
