"""`regrade certify`: what a certificate says, what it is bound to, and that a check believes nothing of it."""

from __future__ import annotations

import copy
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from regrade.audit import audit
from regrade.certifying import Asked, certify, check
from regrade.publish.claims import Question
from tests.commands import run
from tests.conftest import ROOT, TOML, draft_rules, twenty, write_corpus
from tests.files.inspect_logs import document, sample
from tests.publish.grounds import grounded

pytestmark = pytest.mark.slow

SERVICES = ["a", "b", "c", "d"]
WORLD = {
    "world": "small",
    "services": SERVICES,
    "absent": ["ghost"],
    "dependencies": [["a", "b"], ["b", "c"]],
    "questions": [
        {"category": "direct", "source": "a", "target": "c", "truth": ["a", "b", "c"], "horizon": None},
        {"category": "reverse_path", "source": "c", "target": "a", "truth": None, "horizon": None},
        {"category": "isolated", "source": "a", "target": "d", "truth": None, "horizon": None},
        {"category": "absent_service", "source": "ghost", "target": "a", "truth": None, "horizon": None},
    ],
    "categories": ["reverse_path", "isolated", "absent_service"],
    "horizons": [],
    "withheld": [],
    "context_prompt_chars_min": {"no_hint": 10, "hint": 10},
}
KREMIS = """
[corpus]
name = "small_world"
benchmark = "kremis"
format = "kremis"
files = ["cache.json"]
[bank]
file = "world.json"
[[candidate]]
name = "both"
rules = ["malformed_asserts_v1", "prose_asserts_v1"]
[[metric]]
name = "false_assertion_rate"
counts = ["FABRICATION"]
where = {answerable = false}
[[metric]]
name = "hop_fabrication_rate"
ratio = ["hops_invented", "hops_asserted"]
"""


def small_world(folder: Path, replies: dict[tuple[str, str], str] | None = None) -> Path:
    """Two models on four questions, one of which has an answer; one of them fabricates once."""
    folder.mkdir()
    said = {("one", "c>a"): "ANSWER: c -> b -> a", ("one", "a>d"): "ANSWER: d -> a", **(replies or {})}
    cache = {}
    for model in ("one", "two"):
        for question in WORLD["questions"]:
            source, target = question["source"], question["target"]
            reply = said.get((model, f"{source}>{target}"), "ANSWER: UNKNOWN")
            cache[f"small|4|local|{model}|llm-context|False|8192|0|{source}|{target}"] = [reply, 100]
    (folder / "cache.json").write_text(json.dumps(cache))
    (folder / "world.json").write_text(json.dumps(WORLD))
    (folder / "corpus.toml").write_text(KREMIS)
    return folder


def certified(corpus: Path, file: Path, *options: Any, code: int = 0) -> dict[str, Any]:
    run("certify", corpus, "--out", file, *options, code=code)
    return json.loads(file.read_bytes())


def verdict(file: Path, *options: Any) -> dict[str, Any]:
    """What a check says, after its exit code was compared with it."""
    found = run("certify", "--check", file, "--json", *options, code=None)
    said = json.loads(found.stdout)
    assert found.exit_code == (0 if said["verdict"] == "valid" else 1)
    return said


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return small_world(tmp_path / "corpus")


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The certificate of all that is certified of the small world unless it is asked otherwise."""
    folder = tmp_path_factory.mktemp("once")
    certified(small_world(folder / "corpus"), folder / "certificate.json")
    return (folder / "certificate.json").read_text()


@pytest.fixture
def file(corpus: Path, once: str, tmp_path: Path) -> Path:
    """It beside the corpus, which is the same to the byte."""
    (tmp_path / "certificate.json").write_text(once)
    return tmp_path / "certificate.json"


def test_each_metric_of_each_configuration_and_each_absence(file: Path) -> None:
    made = json.loads(file.read_bytes())
    assert made["schema"] == "regrade.certificate/1"
    assert [(c["question"]["configurations"], c["count"], c["graded"], c["trials"]) for c in made["claims"]] == [
        (["local one llm-context hint=False ctx=8192"], 1, 3, 3),
        (["local two llm-context hint=False ctx=8192"], 0, 3, 3),
    ]
    assert made["claims"][1]["statement"] == (
        "0 of 3 trials are FABRICATION on the axis pass under the frozen grader (ported), where answerable = false and "
        "configuration = local two llm-context hint=False ctx=8192."
    )
    state = made["world"]["sha256"]
    assert {a["item"]: (a["absent"], a["witness"], a["state"]) for a in made["absences"]} == {
        "c -> a": ("path from c to a", {"reached": ["c"]}, state),
        "a -> d": ("path from a to d", {"reached": ["a", "b", "c"]}, state),
        "ghost -> a": ("path from ghost to a", {"reached": ["ghost"]}, state),
    }
    found = verdict(file)
    assert found["verdict"] == "valid" and len(found["statements"]) == 5


def test_a_witness_needs_no_trust(file: Path) -> None:
    made = json.loads(file.read_bytes())
    for absence in made["absences"]:
        source, target = absence["item"].split(" -> ")
        reached = absence["witness"]["reached"]
        assert source in reached and target not in reached
        assert not [pair for pair in WORLD["dependencies"] if pair[0] in reached and pair[1] not in reached]


def test_the_same_inputs_give_the_same_bytes(corpus: Path, file: Path, tmp_path: Path) -> None:
    once = file.read_bytes()
    moved = tmp_path / "elsewhere" / "corpus"
    shutil.copytree(corpus, moved)
    certified(moved, tmp_path / "elsewhere" / "again.json")
    assert (tmp_path / "elsewhere" / "again.json").read_bytes() == once
    assert run("certify", corpus, "--out", file, "--json").stdout == once.decode()


def test_one_trial_moves_the_figure_by_one(corpus: Path, file: Path, tmp_path: Path) -> None:
    other = small_world(tmp_path / "other", {("two", "c>a"): "ANSWER: c -> b -> a"})
    made = certified(other, tmp_path / "other.json")
    assert [claim["count"] for claim in made["claims"]] == [1, 1]
    assert verdict(file, other)["verdict"] == "stale"
    assert verdict(tmp_path / "other.json", corpus)["verdict"] == "stale"


def test_what_is_counted_where_under_whom(corpus: Path) -> None:
    with grounded(corpus, {"malformed_asserts"}) as ground:

        def claim(*counts: str, candidate: str = "frozen", **scope: Any) -> tuple[int, int, int, int]:
            made = ground.claim(Question("pass", candidate, counts, **scope))
            return made.count, made.graded, made.items, made.configurations

        absent = {"answerable": False}
        assert claim("FABRICATION") == (1, 8, 4, 2)
        assert claim("FABRICATION", where=absent) == (1, 6, 3, 2)
        # Malformed on an unanswerable question: a pass of the frozen grader, an assertion under the rule.
        assert claim("FABRICATION", candidate="malformed_asserts", where=absent) == (2, 6, 3, 2)
        assert claim("FABRICATION", "MALFORMED") == (2, 8, 4, 2)
        assert claim("FABRICATION", family=("reverse_path", "isolated")) == (1, 4, 2, 2)
        assert claim("passed", where={"source": ("a", "c")}) == (3, 6, 3, 2)
        assert claim("failed", configurations=("local two llm-context hint=False ctx=8192",)) == (1, 4, 4, 1)


def test_all_of_it_as_options(corpus: Path, tmp_path: Path) -> None:
    two = "local two llm-context hint=False ctx=8192"
    options = ("--counts", "FABRICATION", "--counts", "passed", "--where", "source=a", "--where", "source=c")
    options += ("--where", "answerable=false", "--family", "reverse_path", "--family", "isolated", "--needs", "pass")
    options += ("--configuration", two, "--tier", "all", "--axis", "pass", "--candidate", "malformed_asserts")
    [made] = certified(corpus, tmp_path / "c.json", *options)["claims"]
    assert made["question"] == {
        "axis": "pass",
        "candidate": "malformed_asserts",
        "counts": ["FABRICATION", "passed"],
        "where": {"source": ["a", "c"], "answerable": False},
        "family": ["reverse_path", "isolated"],
        "needs": "pass",
        "tier": "all",
        "configurations": [two],
    }
    assert (made["count"], made["graded"]) == (2, 2)
    assert verdict(tmp_path / "c.json")["verdict"] == "valid"


def test_a_candidate_that_is_declared_is_bound_to_its_rules(corpus: Path, tmp_path: Path) -> None:
    made = certified(corpus, tmp_path / "c.json", "--counts", "FABRICATION", "--candidate", "both")
    assert list(made["rules"]) == ["frozen_v1", "frozen_v1.absences", "malformed_asserts_v1", "prose_asserts_v1"]
    assert verdict(tmp_path / "c.json")["verdict"] == "valid"


def test_only_the_absences_that_are_named(corpus: Path, tmp_path: Path) -> None:
    made = certified(corpus, tmp_path / "c.json", "--absence", "a -> d")
    assert made["claims"] == [] and [a["item"] for a in made["absences"]] == ["a -> d"]
    assert verdict(tmp_path / "c.json")["verdict"] == "valid"
    said = run("certify", corpus, "--absence", "a -> c", "--out", tmp_path / "no.json", code=2).stderr
    assert "No absence can be certified for the item 'a -> c'" in said and not (tmp_path / "no.json").exists()


# What a check does not believe.


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a scalar."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, (*path, key))
    else:
        yield path


def edited(made: Any, path: tuple[Any, ...]) -> Any:
    """A copy with one scalar changed."""
    whole = part = copy.deepcopy(made)
    for key in path[:-1]:
        part = part[key]
    old = part[path[-1]]
    part[path[-1]] = (
        not old if isinstance(old, bool) else old + 1 if isinstance(old, int) else "x" if old is None else f"{old}x"
    )
    return whole


def test_an_edit_of_a_claim_or_an_absence_is_noticed(corpus: Path, file: Path, tmp_path: Path) -> None:
    made = json.loads(file.read_bytes())
    for kind in ("claims", "absences"):
        [one, *_] = made[kind]
        # An item that is another one has its own absence, which is not what is said.
        copies = [edited(one, path) for path in leaves(one)]
        file.write_text(json.dumps({**made, kind: [*made[kind], *copies]}))
        found = verdict(file, corpus)
        whose = {place.partition(".")[0] for place in places(found["differs"])}
        assert whose == {f"{kind}[{number}]" for number in range(len(made[kind]), len(made[kind]) + len(copies))}
        assert found["verdict"] == "false" and len(found["statements"]) == 5


def places(records: list[dict[str, Any]]) -> set[str]:
    return {record["where"] for record in records}


def test_an_edit_of_what_is_told_of_the_corpus_is_noticed(corpus: Path, file: Path) -> None:
    told = made = json.loads(file.read_bytes())
    names = ("name", "benchmark", "simulated", "records", "loaded", "rejected", "stopped")
    for path in [("check",), *(("corpus", name) for name in names)]:
        told = edited(told, path)
    file.write_text(json.dumps(told))
    found = verdict(file, corpus)
    assert found["verdict"] == "false" and places(found["differs"]) == {"check", *(f"corpus.{n}" for n in names)}
    assert {*made["corpus"]} == {*names, "sha256", "files"}


def test_an_edit_of_a_hash_is_noticed(corpus: Path, file: Path) -> None:
    made = json.loads(file.read_bytes())
    hashes = [("corpus", "sha256"), *(("corpus", *path) for path in leaves({"files": made["corpus"]["files"]}))]
    for path in [*hashes, *leaves({key: made[key] for key in ("world", "rules")})]:
        file.write_text(json.dumps(edited(made, path)))
        assert check(file, corpus)["verdict"] == "stale", path


def test_under_other_versions_a_certificate_is_stale_and_what_holds_is_told(corpus: Path, file: Path) -> None:
    made = json.loads(file.read_bytes())
    assert {"regrade", "python", "duckdb", "json-repair", "scipy"} <= {*made["versions"]}
    software = list(leaves({key: made[key] for key in ("versions", "code")}))
    for path in software:
        made = edited(made, path)
    made["versions"]["sqlite"] = "3"
    file.write_text(json.dumps(made))
    found = verdict(file, corpus)
    assert found["verdict"] == "stale" and found["differs"] == [] and len(found["statements"]) == 5
    assert {(record["kind"], record["name"]) for record in found["moved"]} == {
        ("code", "regrade"),
        *(("version", name) for name in made["versions"]),
    }
    file.write_text(denied(json.dumps(made)))
    found = verdict(file, corpus)
    assert found["verdict"] == "stale" and "claims[0].count" in places(found["differs"])
    assert len(found["statements"]) == 4


def test_a_key_that_stands_twice_is_refused(corpus: Path, file: Path) -> None:
    # A reader that takes the first is told one thing, one that takes the last another.
    file.write_text(file.read_text().replace('"count": 1,', '"count": 0, "count": 1,'))
    assert "the key 'count' stands twice" in run("certify", "--check", file, corpus, code=2).stderr


def test_all_of_the_text_is_compared(corpus: Path, file: Path) -> None:
    made = json.loads(file.read_bytes())
    del made["claims"][0]["question"]["needs"], made["corpus"]["rejected"]
    file.write_text(json.dumps(made))
    found = verdict(file, corpus)
    assert found["verdict"] == "false"
    assert places(found["differs"]) == {"claims[0].question.needs", "corpus.rejected"}


def denied(text: str) -> str:
    """The certificate, its one fabrication denied wherever it is told."""
    assert '"count": 1' in text and '"statement": "1 of 3' in text
    return text.replace('"count": 1', '"count": 0').replace('"statement": "1 of 3', '"statement": "0 of 3')


def test_a_figure_that_is_edited_throughout_is_false(corpus: Path, file: Path, tmp_path: Path) -> None:
    file.write_text(denied(file.read_text()))
    found = verdict(file, corpus)
    assert found["verdict"] == "false" and found["moved"] == []
    assert {(d["where"], d["said"], d["found"]) for d in found["differs"] if "count" in d["where"]} == {
        ("claims[0].count", 0, 1)
    }
    said = run("certify", "--check", file, corpus, code=1)
    assert said.stdout.startswith("false\n") and "claims[0].count is 1, not 0" in said.stderr


def test_a_store_that_says_the_same_as_an_edited_certificate_is_not_asked(
    corpus: Path, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = audit(corpus, tmp_path / "reports" / "small_world").out
    with duckdb.connect(str(out / "audit.duckdb")) as con:
        for table in ("grades", "frozen_grades"):
            con.execute(f"update {table} set status = 'passed', code = 'ABSTAINED' where code = 'FABRICATION'")
    for name in ("certificate.json", "reports/small_world/certificate.json"):
        text = (
            file.read_text().replace('"count": 1', '"count": 0').replace('"statement": "1 of 3', '"statement": "0 of 3')
        )
        (tmp_path / name).write_text(text)
        assert verdict(tmp_path / name)["verdict"] == "false"
    assert certified(corpus, out / "certificate.json")["claims"][0]["count"] == 1


def test_a_forged_question_is_not_valid(corpus: Path, file: Path) -> None:
    made = json.loads(file.read_bytes())
    changes = [
        {"candidate": "invented"},
        {"counts": ["FABRICATON"]},
        {"tier": "strong"},
        {"where": {"answerabel": False}},
        {"configurations": ["three"]},
        {"axis": "other"},
        {"needs": "other"},
        {"family": ["unheard_of"]},
        {"counts": []},
    ]
    clean = made["claims"][1]
    made["claims"] += [{**clean, "question": {**clean["question"], **change}} for change in changes]
    file.write_text(json.dumps(made))
    found = verdict(file, corpus)
    assert found["verdict"] == "false" and len(found["statements"]) == 5
    assert [record["where"] for record in found["differs"]] == [f"claims[{2 + i}]" for i in range(len(changes))]


def test_an_absence_of_what_is_there_is_false(corpus: Path, file: Path) -> None:
    made = json.loads(file.read_bytes())
    forged = {**made["absences"][0], "item": "a -> c", "absent": "path from a to c"}
    file.write_text(json.dumps({**made, "absences": [*made["absences"], forged]}))
    found = verdict(file, corpus)
    assert found["verdict"] == "false" and "absences[3]" in [d["where"] for d in found["differs"]]
    assert len(found["statements"]) == 5


# What has moved.


def moved(found: dict[str, Any]) -> list[tuple[str, str]]:
    assert found["verdict"] == "stale" and found["differs"] == [] and found["statements"] == []
    return [(record["kind"], record["name"]) for record in found["moved"]]


def test_which_hash_has_moved(corpus: Path, file: Path) -> None:
    for name, kind in (("cache.json", "corpus"), ("corpus.toml", "corpus"), ("world.json", "world")):
        before = (corpus / name).read_bytes()
        (corpus / name).write_bytes(before + b"\n")
        assert moved(verdict(file)) == [(kind, name)]
        (corpus / name).write_bytes(before)
    shutil.copy(corpus / "cache.json", corpus / "more.json")
    (corpus / "corpus.toml").write_text(KREMIS.replace('["cache.json"]', '["*e.json"]'))
    assert moved(verdict(file)) == [("corpus", "corpus.toml"), ("corpus", "more.json")]
    os.remove(corpus / "more.json")
    (corpus / "corpus.toml").write_text(KREMIS)
    assert verdict(file)["verdict"] == "valid"
    os.remove(corpus / "world.json")
    assert moved(verdict(file)) == [("world", "world.json")]


def test_a_frozen_corpus_that_was_edited_is_stale_too(corpus: Path, tmp_path: Path) -> None:
    rules = draft_rules(tmp_path / "rules")
    run("freeze", corpus, "--rules", rules)
    certified(corpus, tmp_path / "c.json", "--rules", rules)
    assert verdict(tmp_path / "c.json", "--rules", rules)["verdict"] == "valid"
    (corpus / "cache.json").write_bytes((corpus / "cache.json").read_bytes() + b"\n")
    assert moved(verdict(tmp_path / "c.json", "--rules", rules)) == [("corpus", "cache.json")]
    assert "cache.json" in run("certify", corpus, "--out", tmp_path / "no.json", "--rules", rules, code=1).stderr
    assert not (tmp_path / "no.json").exists()


def test_a_rule_or_a_word_under_it_has_moved(corpus: Path, tmp_path: Path) -> None:
    rules, file = draft_rules(tmp_path / "rules"), tmp_path / "c.json"
    certified(corpus, file, "--rules", rules, "--counts", "FABRICATION", "--candidate", "malformed_asserts")
    words = rules / "kremis" / "_words.py"
    before = words.read_text()
    words.write_text(before + "\n\n# A comment counts for nothing.\n")
    assert verdict(file, "--rules", rules)["verdict"] == "valid"
    words.write_text(before.replace("if len(names) > 1 else None", "if len(names) > 2 else None"))
    assert ("rule", "frozen_v1") in moved(verdict(file, "--rules", rules))
    words.write_text(before.replace("names |= more", "names = names | more"))
    assert moved(verdict(file, "--rules", rules)) == [("rule", "frozen_v1.absences")]
    words.write_text(before)
    os.remove(rules / "kremis" / "malformed_asserts_v1.py")
    assert moved(verdict(file, "--rules", rules)) == [("rule", "malformed_asserts_v1")]


def test_a_newer_frozen_grader_makes_it_stale(corpus: Path, tmp_path: Path) -> None:
    rules, file = draft_rules(tmp_path / "rules"), tmp_path / "c.json"
    certified(corpus, file, "--rules", rules)
    shutil.copy(rules / "kremis" / "frozen_v1.py", rules / "kremis" / "frozen_v2.py")
    assert moved(verdict(file, "--rules", rules)) == [
        ("rule", "frozen_v1"),
        ("rule", "frozen_v1.absences"),
        ("rule", "frozen_v2"),
        ("rule", "frozen_v2.absences"),
    ]


# Other corpora, and what cannot be used.


def test_ungraded_trials_leave_the_denominator_and_are_told(tmp_path: Path) -> None:
    records = twenty()
    records[0]["grade"] = {"pass": None, "code": None}
    toml = TOML.replace('benchmark = "tool_loop"\n', 'benchmark = "nobody_knows"\n')
    corpus = write_corpus(tmp_path / "corpus", records, toml)
    [claim] = certified(corpus, tmp_path / "c.json", "--counts", "FABRICATION")["claims"]
    assert (claim["count"], claim["graded"], claim["trials"], claim["grader"]) == (8, 19, 20, "carried")
    assert claim["statement"].startswith("8 of 19 graded trials (20 with the ungraded) are FABRICATION")
    made = json.loads((tmp_path / "c.json").read_bytes())
    assert list(made["rules"]) == ["carried"] and made["absences"] == []
    assert verdict(tmp_path / "c.json")["verdict"] == "valid"


def test_records_that_could_not_be_read_are_told(tmp_path: Path) -> None:
    corpus, file = write_corpus(tmp_path / "corpus", twenty()), tmp_path / "c.json"
    clean = certified(corpus, file, "--counts", "FABRICATION")
    held = {"records": 20, "loaded": 20, "rejected": 0, "stopped": 0}
    assert held.items() <= clean["corpus"].items() and clean["claims"][0]["statement"].endswith("(ported).")
    # One that has the code is damaged.
    write_corpus(corpus, [*twenty()[:3], b'{"config": "a", "episode": "T02"', *twenty()[4:]])
    said = run("certify", corpus, "--counts", "FABRICATION", "--out", file)
    told = "1 of 20 records of the corpus could not be read as trials and are in no count."
    assert f"Warning: {told}" in said.stderr
    made = json.loads(file.read_bytes())
    assert {**held, "loaded": 19, "rejected": 1}.items() <= made["corpus"].items()
    assert made["claims"][0]["statement"].endswith(f"under the frozen grader (ported). {told}")
    assert made["claims"][0]["count"] == clean["claims"][0]["count"] - 1
    assert verdict(file)["verdict"] == "valid"
    made["corpus"].update(records=19, rejected=0)
    file.write_text(json.dumps(made))
    assert places(verdict(file, corpus)["differs"]) == {"corpus.records", "corpus.rejected"}


def test_trials_that_a_limit_or_an_error_ended_are_told(tmp_path: Path) -> None:
    logs = document(sample(1, value="C"), sample(2, value="I", limit={"type": "message", "limit": 3}))
    (tmp_path / "log.json").write_bytes(logs)
    (tmp_path / "corpus.toml").write_text('[corpus]\nname = "c"\nformat = "inspect"\nfiles = ["log.json"]\n')
    said = run("certify", tmp_path, "--counts", "passed", "--out", tmp_path / "c.json")
    assert "Warning: Trials that a limit or an error ended: 1." in said.stderr
    assert json.loads((tmp_path / "c.json").read_bytes())["corpus"]["stopped"] == 1


def test_a_tier_and_a_gold_key_of_a_bank_of_items(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", twenty(), TOML + '[[tier]]\nname = "half"\nmin_pass_rate = 0.4\n')
    made = certified(corpus, tmp_path / "c.json", "--counts", "STALE_DATA", "--tier", "half", "--where", "kind=number")
    assert (made["claims"][0]["count"], made["claims"][0]["graded"]) == (4, 8)
    assert made["claims"][0]["statement"].endswith("where kind = number and tier = half.")
    assert made["world"]["path"] == "bank.json" and made["corpus"]["simulated"] is False
    assert verdict(tmp_path / "c.json")["verdict"] == "valid"


def test_simulated_data_is_called_so(tmp_path: Path) -> None:
    toml = TOML.replace("[columns]", "simulated = true\n[columns]")
    corpus = write_corpus(tmp_path / "corpus", twenty(), toml)
    [claim] = certified(corpus, tmp_path / "c.json", "--counts", "passed")["claims"]
    assert claim["statement"].startswith("Simulated: 8 of 20 trials are passed")
    made = json.loads((tmp_path / "c.json").read_bytes())
    made["corpus"]["simulated"] = False
    (tmp_path / "c.json").write_text(json.dumps(made).replace("Simulated: ", ""))
    assert verdict(tmp_path / "c.json")["verdict"] == "false"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--counts", "FABRICATON"], "Did you mean 'FABRICATION'?"),
        (["--counts", "FABRICATION", "--candidate", "bot"], "Unknown candidate 'bot' of small_world"),
        (["--counts", "FABRICATION", "--where", "answerabel=false"], "Did you mean 'answerable'?"),
        (["--counts", "FABRICATION", "--where", "answerable"], "expected KEY=VALUE"),
        (["--counts", "FABRICATION", "--axis", "pas"], "Did you mean 'pass'?"),
        (["--counts", "FABRICATION", "--tier", "strong"], "no configuration is in the tier 'strong'"),
        (["--counts", "FABRICATION", "--configuration", "two"], "no trial is of the configuration 'two'"),
        (["--where", "answerable=false"], "--where without --counts"),
    ],
)
def test_what_cannot_be_asked(corpus: Path, tmp_path: Path, options: list[str], said: str) -> None:
    result = run("certify", corpus, "--out", tmp_path / "c.json", *options, code=2)
    assert said in result.stderr and result.stderr.count("\n") == 1 + result.stderr.count("Warning")
    assert not (tmp_path / "c.json").exists()


def test_a_claim_about_nothing_is_refused(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", twenty())
    assert "nothing to certify" in run("certify", corpus, "--out", tmp_path / "c.json", code=2).stderr
    records = [{**r, "grade": {"pass": None}} if r["episode"] == "T01" else r for r in twenty()]
    toml = TOML.replace('benchmark = "tool_loop"\n', 'benchmark = "nobody_knows"\n')
    corpus = write_corpus(tmp_path / "ungraded", records, toml)
    options = ("--counts", "failed", "--where", "kind=number", "--out", tmp_path / "c.json")
    assert "about nothing" in run("certify", corpus, *options, code=2).stderr


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"schema": "regrade.certificate/2"}', '{"schema": "regrade.certificate/1"}']
)
def test_what_is_no_certificate(corpus: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "c.json").write_text(text)
    assert "c.json" in run("certify", "--check", tmp_path / "c.json", corpus, code=2).stderr
    run("certify", "--check", tmp_path / "none.json", corpus, code=2)


def test_a_certificate_of_nothing_is_none(corpus: Path, file: Path) -> None:
    made = json.loads(file.read_bytes())
    file.write_text(json.dumps({**made, "claims": [], "absences": []}))
    assert "certifies nothing" in run("certify", "--check", file, corpus, code=2).stderr


def test_the_corpus_is_looked_for_by_name(
    corpus: Path, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = tmp_path / "far" / "reports" / "x"
    far.mkdir(parents=True)
    monkeypatch.chdir(far)
    deep = tmp_path / "1" / "2" / "3" / "4" / "5"
    deep.mkdir(parents=True)
    shutil.copy(file, deep / "c.json")
    assert "Found no corpus of the name 'small_world'" in run("certify", "--check", deep / "c.json", code=2).stderr
    shutil.copytree(corpus, tmp_path / "1" / "2" / "transcripts" / "any")
    assert verdict(deep / "c.json")["verdict"] == "valid"
    shutil.copytree(corpus, tmp_path / "1" / "2" / "twin")
    assert "Found 2 corpora" in run("certify", "--check", deep / "c.json", code=2).stderr
    assert verdict(deep / "c.json", corpus)["verdict"] == "valid"


def test_where_it_goes_and_what_goes_with_a_check(
    corpus: Path, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = run("certify", corpus)
    assert (tmp_path / "reports" / "small_world" / "certificate.json").read_bytes() == file.read_bytes()
    assert "No SHA256SUMS" in said.stderr and "0 of 3 trials are FABRICATION" in said.stdout
    assert run("certify", "--check", "reports/small_world/certificate.json").stdout.startswith(
        "valid\n5 statements hold"
    )
    run("certify", code=2)
    run("certify", corpus, "--check", file, "--counts", "FABRICATION", code=2)
    (tmp_path / "blocked").write_text("")
    assert "--out" in run("certify", corpus, "--out", tmp_path / "blocked" / "c.json", code=2).stderr


def test_a_world_that_is_not_proved_certifies_nothing(corpus: Path, tmp_path: Path) -> None:
    world = {**WORLD, "dependencies": [["a", "b"], ["b", "c"], ["c", "a"]]}
    (corpus / "world.json").write_text(json.dumps(world))
    assert "c -> a" in run("certify", corpus, "--out", tmp_path / "c.json", code=2).stderr
    assert not (tmp_path / "c.json").exists()


def test_from_python(corpus: Path, tmp_path: Path) -> None:
    made = certify(corpus, Asked(counts=["FABRICATION"], where={"answerable": [False, True]}, absences=[])).certificate
    assert (made.claims[0].count, made.claims[0].graded, made.absences) == (1, 8, ())
    (tmp_path / "c.json").write_text(made.text())
    assert check(tmp_path / "c.json", corpus)["verdict"] == "valid"


@pytest.mark.slow
def test_the_bundled_corpora(tmp_path: Path) -> None:
    transcripts = ROOT / "transcripts"
    made = certified(transcripts / "kremis_horizon", tmp_path / "k.json")
    assert len(made["absences"]) == 60
    assert (0, 60) in [(claim["count"], claim["graded"]) for claim in made["claims"]]
    assert verdict(tmp_path / "k.json", transcripts / "kremis_horizon")["verdict"] == "valid"
    options = (
        "--counts",
        "STALE_DATA",
        "--candidate",
        "last_equals",
        "--tier",
        "strong",
        "--family",
        "read_and_convert_units",
    )
    made = certified(transcripts / "tool_loop_v1", tmp_path / "t.json", *options)
    assert made["claims"][0]["graded"] == 264 and list(made["rules"]) == ["frozen_v1", "last_equals_v1"]
    assert verdict(tmp_path / "t.json", transcripts / "tool_loop_v1")["verdict"] == "valid"
