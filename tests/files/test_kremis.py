"""Reply caches of the fabrication benchmark: an entry, a damaged one, and a run that is not whole."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.audit import audit
from regrade.errors import CorpusError, GateFailed
from regrade.files.bank import read_bank_file
from regrade.files.corpus_toml import corpus_from, read_corpus
from regrade.files.manifest import digest_files
from regrade.tables.ingest import load
from regrade.tables.store import Store
from tests.files.kremis_logs import ASKED, TOML, WORLD, key, sweep, write_caches
from tests.files.loading import FIXTURES, grades, rows_of

pytestmark = pytest.mark.slow

MODEL = "ollama tern:3b llm-context hint=False ctx=8192"
BARE = "ollama tern:3b llm-bare hint=False ctx=8192"
HINTED = "ollama tern:3b llm-bare hint=True ctx=8192"
CACHES = ("base_panel", "base_arms", "horizon_panel", "horizon_arms")


@contextmanager
def store(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    corpus = read_corpus(folder)
    with Store.create(Path(":memory:")) as made:
        load(made, corpus, digest_files(corpus))
        yield made.con


def counts(con: duckdb.DuckDBPyConnection) -> tuple[int, int, int]:
    [found] = con.execute("select sum(records), sum(loaded), sum(rejected) from files").fetchall()
    return found


def test_an_entry_is_a_trial_whatever_the_order_of_keys(tmp_path: Path) -> None:
    data = (FIXTURES / "kremis" / "shuffled_indented.json").read_bytes()
    with store(write_caches(tmp_path, cache=data)) as con:
        assert counts(con) == (10, 10, 0)
        assert con.execute(
            "select trial_id, configuration, item, run, trial, line, reply, turns, extra->>'prompt_tokens' from trials "
            "where reply like 'Checked%'"
        ).fetchall() == [
            (
                f"{MODEL}/ash-gate -> cedar-mail/0",
                *(MODEL, "ash-gate -> cedar-mail", None, "0"),
                next(
                    n
                    for n, line in enumerate(data.split(b"\n"), 1)
                    if b"0|ash-gate|cedar-mail" in line and b"False" in line
                ),
                "Checked.\r\nANSWER: ash-gate \u2192 birch-store -> cedar-mail",
                *(None, "301"),
            )
        ]
        assert con.execute(
            "select configuration, provider, model, arm, lineage, extra::varchar, listed from configurations order by 1"
        ).fetchall() == [
            (HINTED, "ollama", "tern:3b", "llm-bare", None, '{"hint": true, "ctx": 8192}', False),
            (MODEL, "ollama", "tern:3b", "llm-context", None, '{"hint": false, "ctx": 8192}', False),
        ]  # fmt: skip


@given(st.permutations(list(sweep(run=0).items()) + list(sweep("ANSWER: NO", run=1).items())))
def test_the_order_of_keys_changes_nothing_but_the_order(order: list[tuple[str, Any]]) -> None:
    cut = rows_of("kremis", json.dumps(dict(order)).encode())
    assert {(row["item"], row["trial"], row["reply"]) for _, row, _ in cut} == {
        (f"{k.split('|')[8]} -> {k.split('|')[9]}", k.split("|")[7], reply) for k, (reply, _) in order
    }


def test_a_world_is_the_bank(tmp_path: Path) -> None:
    bank = read_bank_file(read_corpus(write_caches(tmp_path, cache=sweep())))
    assert bank is not None
    assert [(i.item, i.family, i.gold["category"], i.gold["horizon"]) for i in bank.items] == [
        ("ash-gate -> birch-store", "answerable", "direct", None),
        ("ash-gate -> cedar-mail", "answerable", "intact@2", 2),
        ("cedar-mail -> ash-gate", "reverse_path", "reverse_path@2", 2),
        ("ash-gate -> elm-relay", "absent_service", "absent_service", None),
        ("ash-gate -> dogwood-queue", "broken_link", "broken_link@2", 2),
    ]
    assert bank.items[1].gold == {
        "answerable": True,
        "truth": ["ash-gate", "birch-store", "cedar-mail"],
        "category": "intact@2",
        "horizon": 2,
        "source": "ash-gate",
        "target": "cedar-mail",
        "withheld": None,
    }
    assert bank.items[4].gold["withheld"] == ["cedar-mail", "dogwood-queue"]
    assert bank.world == {name: WORLD[name] for name in ("services", "absent", "dependencies")}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"services": None}, "wrong value of services: expected list"),
        ({"dependencies": [["a", "b", "c"]]}, "wrong value of dependencies"),
        ({"questions": [{"source": "a", "target": "b", "truth": None}]}, "category"),
        ({"withheld": [{"source": "x", "target": "y", "link": ["x", "y"]}]}, "'x -> y', which is no question"),
    ],
)
def test_a_world_that_cannot_be_read(tmp_path: Path, change: dict[str, Any], found: str) -> None:
    folder = write_caches(tmp_path, {**WORLD, **change}, cache=sweep())
    with pytest.raises(CorpusError, match=found) as caught:
        read_bank_file(read_corpus(folder))
    assert "world.json" in str(caught.value) and "\n" not in str(caught.value)


def test_a_key_of_the_world_is_missing(tmp_path: Path) -> None:
    folder = write_caches(tmp_path, {k: v for k, v in WORLD.items() if k != "questions"}, cache=sweep())
    with pytest.raises(
        CorpusError, match="world.json: the key 'questions' is missing. It is read as the world of a kremis"
    ):
        read_bank_file(read_corpus(folder))


DAMAGED: list[tuple[str, str, str, str]] = [
    ("the value is no list", f'"{key(*ASKED[0])}": "ANSWER: UNKNOWN"', "missing_key", "the reply in "),
    ("no token count", f'"{key(*ASKED[0])}": ["x"]', "missing_key", "the reply in "),
    ("four parts", f'"{key(*ASKED[0])}": ["x", 1, null, 2]', "missing_key", "the reply in "),
    ("the value is null", f'"{key(*ASKED[0])}": null', "missing_key", "the reply in "),
    ("no JSON in the value", f'"{key(*ASKED[0])}": [nothing, 1]', "not_json", ""),
    ("a reply that is a number", f'"{key(*ASKED[0])}": [12, 1]', "bad_turns", ""),
    ("nine parts", '"grove|4|ollama|tern:3b|llm-context|False|8192|0|ash-gate": ["x", 1]', "missing_key", "a key "),
    ("eleven parts", f'"{key(*ASKED[0])}|x": ["x", 1]', "missing_key", "a key of 10"),
    ("another hint", f'"{key(*ASKED[0], hint="maybe")}": ["x", 1]', "missing_key", "a key of 10"),
    ("another question", f'"{key("ash-gate", "oak-bus")}": ["x", 1]', "unknown_item", "item ash-gate -> oak-bus in "),
    ("another world", f'"{key(*ASKED[0], world="heath")}": ["x", 1]', "unknown_item", "the bank's world is grove of 4"),
    ("a larger world", f'"{key(*ASKED[0], services=3000)}": ["x", 1]', "unknown_item", "the bank's world is grove"),
    ("half a character", f'"{key(*ASKED[0])}": ["\\ud800", 1]', "not_json", ""),
    ("the same key again", f'"{key(*ASKED[4])}": ["x", 1]', "duplicate_trial", f"{MODEL}/ash-gate -> dogwood-queue/0"),
]  # fmt: skip


@pytest.mark.parametrize(("entry", "reason", "found"), [d[1:] for d in DAMAGED], ids=[d[0] for d in DAMAGED])
def test_a_damaged_entry_is_a_reject_with_its_reason(tmp_path: Path, entry: str, reason: str, found: str) -> None:
    good = json.dumps(sweep(asked=ASKED[1:]))
    with store(write_caches(tmp_path, cache=f"{good[:-1]},\n{entry}}}")) as con:
        assert counts(con) == (5, 4, 1)
        [(line, told, excerpt)] = con.execute("select line, reason, excerpt from rejects").fetchall()
    assert (line, told) == (2, reason)
    assert excerpt.startswith(found) and "ash-gate" in excerpt


def test_a_cache_that_breaks_off_is_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="expected the rest of a record, found the end of the file"):
        with store(write_caches(tmp_path, cache=json.dumps(sweep())[:-20])):
            pass


def guards(con: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], set[str | None]]:
    found: dict[tuple[str, str], set[str | None]] = {}
    for configuration, run, guard, same in con.execute(
        "select configuration, trial, extra->>'guard', state->>'guard' is not distinct from extra->>'guard' from trials"
    ).fetchall():
        assert same
        found.setdefault((configuration, run), set()).add(guard)
    return found


@pytest.mark.parametrize(
    ("cache", "guard"),
    [
        (sweep(tokens=200), "ok"),
        (sweep(tokens=200) | sweep(tokens=199, asked=ASKED[2:3]), "truncated"),
        (sweep(tokens=219, hint=True), "truncated"),
        (sweep(tokens=220, hint=True), "ok"),
        (sweep(tokens=None) | sweep(tokens=200, asked=ASKED[2:3]), "ok"),
        (sweep(tokens=None), "no_token_counts"),
        (sweep(tokens=0), "no_token_counts"),
        (sweep(tokens=1, arm="llm-rag"), "not_guarded"),
        (sweep(asked=ASKED[:4]), "incomplete"),
        (sweep(asked=ASKED[:4], arm="llm-rag"), "incomplete"),
        (sweep(asked=ASKED[:4], tokens=9), "truncated"),
    ],
)
def test_whether_the_benchmark_would_report_a_run(tmp_path: Path, cache: Mapping[str, Any], guard: str) -> None:
    other = sweep(run=1)
    with store(write_caches(tmp_path, cache=cache | other)) as con:
        found = guards(con)
    [own] = found[next(name for name in found if name[1] == "0")]
    assert own == guard and found[MODEL, "1"] == {"ok"}


@pytest.mark.parametrize(
    ("known", "cache", "guard"),
    [
        (None, sweep(tokens=1), "not_checkable"),
        ({"hint": 1100}, sweep(tokens=1), "not_checkable"),
        ({"no_hint": 4}, sweep(tokens=1), "ok"),
        (None, sweep(tokens=None), "no_token_counts"),
        (None, sweep(tokens=1, arm="llm-bare"), "not_guarded"),
        (None, sweep(asked=ASKED[:4]), "incomplete"),
    ],
)
def test_a_world_that_does_not_say_how_long_its_prompt_is_shows_no_cut(
    tmp_path: Path, known: dict[str, int] | None, cache: Mapping[str, Any], guard: str
) -> None:
    world = {k: v for k, v in WORLD.items() if k != "context_prompt_chars_min"}
    if known is not None:
        world["context_prompt_chars_min"] = known
    with store(write_caches(tmp_path, world, cache=cache)) as con:
        assert list(guards(con).values()) == [{guard}]


def test_a_cache_without_a_bank_tells_of_no_guard(tmp_path: Path) -> None:
    with store(write_caches(tmp_path, None, TOML.partition("[bank]")[0], cache=sweep(tokens=1))) as con:
        assert guards(con) == {(MODEL, "0"): {None}}


def test_a_run_that_is_not_whole_is_told_and_graded_apart(tmp_path: Path) -> None:
    cache = sweep(tokens=9) | sweep(asked=ASKED[:2], run=1) | sweep(run=2)
    done = audit(write_caches(tmp_path / "c", cache=cache), tmp_path / "out")
    stopped = done.summary["corpus"]["stopped"]
    assert {what: record["trials"] for what, record in stopped["limit"].items()} == {"context": 5}
    assert {what: record["trials"] for what, record in stopped["log"].items()} == {"started": 2}
    candidates = done.summary["axes"]["pass"]["candidates"]
    assert candidates["reported_runs"]["tiers"]["all"]["to_ungraded"]["trials"] == 7
    page = (done.out / "report.html").read_text(encoding="utf-8")
    assert "5 trials stopped at a limit" in page and "2 trials stood in a log that was left unfinished" in page


def test_a_world_that_moves_a_guard_moves_the_grades_that_rest_on_it(tmp_path: Path) -> None:
    folder, out = write_caches(tmp_path / "c", cache=sweep(tokens=300)), tmp_path / "out"
    audit(folder, out)
    # Neither the cache nor any item's gold is another; only what the loader makes of the cache is.
    write_caches(folder, {**WORLD, "context_prompt_chars_min": {"no_hint": 9999, "hint": 9999}})
    again, anew = audit(folder, out), audit(folder, tmp_path / "new")
    for done in (again, anew):
        tiers = done.summary["axes"]["pass"]["candidates"]["reported_runs"]["tiers"]
        assert tiers["all"]["to_ungraded"]["trials"] == 5
    assert again.summary["axes"] == anew.summary["axes"]


def test_a_world_that_knows_another_name_moves_the_grades(tmp_path: Path) -> None:
    cache = sweep("ANSWER: cedar-mail -> oak-bus -> ash-gate")
    folder, out = write_caches(tmp_path / "c", cache=cache), tmp_path / "out"
    assert audit(folder, out).summary["axes"]["pass"]["tiers"]["all"]["codes"] == {"MALFORMED": 2}
    write_caches(folder, {**WORLD, "absent": ["elm-relay", "oak-bus"]})
    codes = audit(folder, out).summary["axes"]["pass"]["tiers"]["all"]["codes"]
    assert codes == {"FABRICATION": 1, "MALFORMED": 2}


def test_a_world_that_moves_no_guard_keeps_the_grades(tmp_path: Path) -> None:
    folder, out = write_caches(tmp_path / "c", cache=sweep(tokens=300)), tmp_path / "out"
    assert audit(folder, out).graded["pass"]["frozen"] == 5
    write_caches(folder, {**WORLD, "context_prompt_chars_min": {"no_hint": 1005, "hint": 1100}})
    assert set(audit(folder, out).graded["pass"].values()) <= {0}


def test_stored_verdicts_are_proved(tmp_path: Path) -> None:
    text = (FIXTURES / "kremis" / "with_verdicts.json").read_text()
    done = audit(write_caches(tmp_path / "c", cache=text), tmp_path / "out")
    assert done.summary["axes"]["pass"]["parity"] == {"trials": 5, "agree": 5, "allowed": False}
    with store(tmp_path / "c") as con:
        assert grades(con) == {"pass": ["failed", "failed", "passed", "passed", "passed"]}
    wrong = json.loads(text)
    wrong[key(*ASKED[3])][2]["code"] = "MALFORMED"
    with pytest.raises(
        GateFailed, match="1 of 5 trials: .*ash-gate -> elm-relay/0: frozen passed MALFORMED, replayed passed ABS"
    ):
        audit(write_caches(tmp_path / "w", cache=wrong), tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_verdict_that_is_none_is_a_reject(tmp_path: Path) -> None:
    cache = json.loads((FIXTURES / "kremis" / "with_verdicts.json").read_text())
    cache[key(*ASKED[1])][2] = {"status": "abstained"}
    with store(write_caches(tmp_path, cache=cache)) as con:
        assert con.execute("select reason, excerpt[:29] from rejects").fetchall() == [
            ("bad_grade", 'verdict.status = "abstained",')
        ]


def test_a_bare_cache_has_no_parity_and_its_frozen_grades_are_the_ported_graders(tmp_path: Path) -> None:
    done = audit(write_caches(tmp_path / "c", cache=sweep()), tmp_path / "out")
    axis = done.summary["axes"]["pass"]
    assert axis["frozen"]["kind"] == "ported" and axis["parity"] is None
    assert axis["tiers"]["all"]["passed"] == 3 and axis["tiers"]["all"]["codes"] == {"ABSTAINED": 2}


def test_an_entry_without_a_verdict_among_others_has_the_ported_graders(tmp_path: Path) -> None:
    cache = json.loads((FIXTURES / "kremis" / "with_verdicts.json").read_text())
    for ends in (ASKED[0], ASKED[3]):
        cache[key(*ends)] = cache[key(*ends)][:2]
    done = audit(write_caches(tmp_path / "c", cache=cache), tmp_path / "out")
    assert done.summary["axes"]["pass"]["parity"] == {"trials": 3, "agree": 3, "allowed": False}
    assert done.summary["axes"]["pass"]["tiers"]["all"]["passed"] == 3
    with duckdb.connect(str(done.out / "audit.duckdb"), read_only=True) as con:
        rows = con.execute("select trial_id, status from frozen_grades where not stored order by all").fetchall()
    assert rows == [
        (f"{MODEL}/ash-gate -> {one}/0", two) for one, two in (("birch-store", "failed"), ("elm-relay", "passed"))
    ]
    # One that is there and says less than a verdict is not taken for none.
    cache[key(*ASKED[0])] = [*cache[key(*ASKED[0])], {"code": "ABSTAINED"}]
    with store(write_caches(tmp_path / "code", cache=cache)) as con:
        assert con.execute("select status, count(*) from frozen_grades group by all order by all").fetchall() == [
            *(("failed", 1), ("passed", 2), ("ungraded", 1))
        ]


def test_a_bare_cache_is_not_read_to_know_its_axes_and_lacks_no_path(tmp_path: Path) -> None:
    folder = write_caches(tmp_path / "c", cache=sweep())
    done = audit(folder, tmp_path / "out")
    assert not [warning for warning in done.warnings if "verdict" in warning]
    (folder / "cache.json").write_text("{")
    assert list(read_corpus(folder).axes) == ["pass"]


def test_a_bare_cache_of_a_benchmark_without_rules_says_that_nothing_is_graded(tmp_path: Path) -> None:
    toml = TOML.replace('benchmark = "kremis"', 'benchmark = "another"')
    done = audit(write_caches(tmp_path / "c", toml=toml, cache=sweep()), tmp_path / "out")
    assert any(warning.startswith("Nothing is graded on the axis 'pass': no record") for warning in done.warnings)
    text = (FIXTURES / "kremis" / "with_verdicts.json").read_text()
    done = audit(write_caches(tmp_path / "c", cache=text), tmp_path / "out")
    assert not any("Nothing is graded" in warning for warning in done.warnings)


def test_the_configurations_file_counts_and_the_keys_fill_what_it_leaves_out(tmp_path: Path) -> None:
    entry = {"configuration": MODEL, "lineage": "tern", "model": "Tern 3B", "hint": "no", "price": 1}
    toml = TOML.replace('["*.json"]', '["cache.json"]') + '[configurations]\nfile = "configurations.json"\n'
    folder = write_caches(tmp_path, toml=toml, cache=sweep() | sweep(arm="llm-bare"))
    (folder / "configurations.json").write_text(json.dumps([entry, {"configuration": "never run"}]))
    with store(folder) as con:
        rows = con.execute(
            "select configuration, model, lineage, arm, extra::json, listed from configurations order by 1"
        ).fetchall()
    assert [(*row[:4], json.loads(row[4] or "{}"), row[5]) for row in rows] == [
        ("never run", None, None, None, {}, True),
        (BARE, "tern:3b", None, "llm-bare", {"hint": False, "ctx": 8192}, False),
        (MODEL, "Tern 3B", "tern", "llm-context", {"hint": "no", "ctx": 8192, "price": 1}, True),
    ]  # fmt: skip


@pytest.mark.parametrize("name", CACHES)
def test_real_layout_every_group_has_its_replies_counts_and_guard(shared: Path, name: str) -> None:
    data = shared / "data" / "kremis"
    expected = json.loads((data / f"expected_{name}.json").read_text())
    head = {"name": name, "files": [f"cache_{name}.json"]}
    corpus = corpus_from({"corpus": head, "bank": {"file": f"world_{expected['world']}.json"}}, data, "corpus.toml")
    assert corpus.format == "kremis"
    with Store.create(Path(":memory:")) as made:
        load(made, corpus, digest_files(corpus))
        found = made.con.execute(
            "select provider, model, arm, (c.extra->>'hint')::boolean, (c.extra->>'ctx')::bigint, trial::bigint, "
            "count(*), any_value(t.extra->>'guard'), count(distinct t.extra->>'guard'), "
            "min((t.extra->>'prompt_tokens')::bigint), max((t.extra->>'prompt_tokens')::bigint) "
            "from trials t join configurations c using (configuration) group by all"
        ).fetchall()
        assert counts(made.con) == (expected["replies"], expected["replies"], 0)
    assert Counter(found) == Counter(
        (
            *(g[part] for part in ("provider", "model", "arm", "hint", "num_ctx", "run", "replies")),
            *(g["guard"].removeprefix("abort_"), 1),
            *(g["prompt_tokens"] or (None, None)),
        )
        for g in expected["groups"]
    )
