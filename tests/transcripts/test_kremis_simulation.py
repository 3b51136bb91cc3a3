"""The simulated fabrication corpora are what they say, come out at the figures, and are rebuilt from their script."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.transcripts.kremis import NAMES, PACKAGE, Stored, folder, read_json, simulation

figures = simulation("figures")
SILENCE = "ANSWER: UNKNOWN"


@pytest.fixture(scope="session", params=NAMES)
def stored(request: pytest.FixtureRequest) -> Stored:
    return Stored(request.param)


@pytest.fixture(scope="session")
def base() -> Stored:
    return Stored("base")


@pytest.fixture(scope="session")
def horizon() -> Stored:
    return Stored("horizon")


# --- what is stored


def test_a_cache_holds_a_reply_a_count_and_a_verdict_and_nothing_else(stored: Stored) -> None:
    for cache in stored.caches.values():
        for key, (reply, tokens, verdict) in cache.items():
            world, services, *_, hint, ctx, run, source, target = key.split("|")
            assert (world, services) == (stored.name, str(len(stored.facts["services"])))
            assert hint in ("True", "False") and ctx.isdecimal() and run.isdecimal()
            assert any((q["source"], q["target"]) == (source, target) for q in stored.facts["questions"])
            assert isinstance(reply, str) and isinstance(tokens, int)
            assert verdict.keys() == {"status", "code"}


def test_every_configuration_asks_every_question_in_each_run_and_is_described(stored: Stored) -> None:
    asked = Counter((row.configuration, row.run) for row in stored.rows())
    assert set(asked.values()) == {len(stored.facts["questions"])}
    assert {name for name, _ in asked} == {entry["configuration"] for entry in stored.configurations}
    assert all(entry["lineage"] and entry["weights"] for entry in stored.configurations)


def test_no_prompt_was_cut(stored: Stored) -> None:
    shortest = stored.facts["context_prompt_chars_min"]
    for cache in stored.caches.values():
        for key, (_, tokens, _) in cache.items():
            if "|llm-context|" in key:
                assert tokens >= shortest["hint" if "|True|" in key else "no_hint"] // 5


def test_no_two_configurations_reply_alike(stored: Stored) -> None:
    texts: dict[str, dict[Any, str]] = {}
    for row in stored.rows():
        texts.setdefault(row.configuration, {})[row.question.key, row.run] = row.reply
    for one, two in combinations(texts.values(), 2):
        shared = one.keys() & two.keys()
        assert sum(one[key] == two[key] for key in shared) <= 0.6 * len(shared)


def test_names_are_not_those_of_the_real_worlds(stored: Stored, shared: Path) -> None:
    for path in sorted((shared / "data" / "kremis").glob("world_*.json")):
        taken = read_json(path)
        assert not {*taken["services"], *taken["absent"]} & {*stored.facts["services"], *stored.facts["absent"]}


# --- the worlds can be proved


def paths(facts: dict[str, Any], source: str, target: str) -> list[list[str]]:
    """Every path without a loop from one name to another, by walking all links."""
    found, open_ends = [], [[source]]
    while open_ends:
        path = open_ends.pop()
        for one, two in facts["dependencies"]:
            if one == path[-1] and two not in path:
                (found if two == target else open_ends).append([*path, two])
    return found


def test_each_answer_is_the_only_path_and_each_other_pair_has_none(stored: Stored) -> None:
    for question in stored.facts["questions"]:
        expected = [question["truth"]] if question["truth"] else []
        assert paths(stored.facts, question["source"], question["target"]) == expected, question


def test_a_withheld_link_is_absent_and_would_close_the_chain(horizon: Stored) -> None:
    lengths = {(q["source"], q["target"]): q["horizon"] for q in horizon.facts["questions"]}
    places: dict[int, Counter[int]] = {}
    for one in horizon.facts["withheld"]:
        assert one["link"] not in horizon.facts["dependencies"]
        closed = {"dependencies": [*horizon.facts["dependencies"], one["link"]]}
        [path] = paths(closed, one["source"], one["target"])
        assert len(path) - 1 == lengths[one["source"], one["target"]]
        places.setdefault(len(path) - 1, Counter())[path.index(one["link"][0])] += 1
    # From the last link backwards, so that a short chain has each of its links withheld and none twice in a round.
    assert all(max(at) == length - 1 and len(at) == min(6, length) for length, at in places.items())


def test_sizes_and_shapes_are_those_of_the_benchmark(base: Stored, horizon: Stored) -> None:
    counts = {name: stored.facts["counts"] for name, stored in (("base", base), ("horizon", horizon))}
    keys = ("services", "dependencies", "absent", "questions", "answerable", "unanswerable", "withheld")
    assert [counts["base"][key] for key in keys] == [9, 5, 2, 24, 8, 16, 0]
    assert [counts["horizon"][key] for key in keys] == [420, 330, 0, 90, 30, 60, 30]
    by_length = Counter((q["horizon"], q["category"].split("@")[0]) for q in horizon.facts["questions"])
    kinds = ("intact", "reverse_path", "broken_link")
    assert by_length == {(length, kind): 6 for length in (2, 4, 6, 8, 10) for kind in kinds}


# --- the figures


def test_every_figure_comes_out_of_the_stored_text(stored: Stored) -> None:
    found = figures.all_figures(stored.world, stored.rows())
    assert [(name, counted, wanted) for name, counted, wanted in found if counted != wanted] == []
    assert len(found) == {"base": 13, "horizon": 11}[stored.name]


SOLVANE, PICKET, AULDREN, MERRIN = "solvane:4b", "picket-mini", "auldren-cloud", "tollgate/merrin-70b"
TABLE = [
    ("base", SOLVANE, 16384, 0, 16, 8, 8),
    ("base", PICKET, 16384, 2, 16, 2, 8),
    ("base", AULDREN, 16384, 0, 16, 8, 8),
    ("base", "harrowby:7b", 8192, 2, 16, 8, 8),
    ("base", PICKET, 8192, 3, 16, 4, 8),
    ("base", "moravel:8b", 8192, 4, 16, 8, 8),
    ("horizon", AULDREN, 16384, 0, 60, 30, 30),
    ("horizon", SOLVANE, 16384, 2, 60, 6, 30),
    ("horizon", PICKET, 16384, 1, 60, 2, 30),
    ("horizon", MERRIN, 16384, 37, 60, 30, 30),
]


@pytest.mark.parametrize(("world", "model", "ctx", "fabricated", "silent", "right", "asked"), TABLE)
def test_counts_of_the_stored_verdicts(
    world: str, model: str, ctx: int, fabricated: int, silent: int, right: int, asked: int
) -> None:
    """The same rows once more, from the stored verdicts alone."""
    stored, truths = Stored(world), {}
    for question in stored.facts["questions"]:
        truths[question["source"], question["target"]] = question["truth"]
    with_answer, without = Counter[Any](), Counter[Any]()
    for cache in stored.caches.values():
        for key, (_, _, verdict) in cache.items():
            if f"|{model}|llm-context|False|{ctx}|0|" in key:
                source, target = key.split("|")[-2:]
                (with_answer if truths[source, target] else without)[verdict["status"], verdict["code"]] += 1
    assert (without["failed", "FABRICATION"], without.total()) == (fabricated, silent)
    assert (with_answer["passed", None], with_answer.total()) == (right, asked)
    if model == MERRIN:
        assert without["passed", "MALFORMED"] == 17


def key_of(stored: Stored, row: Any) -> str:
    provider, model, arm, hint, ctx = row.configuration.replace("hint=", "").replace("ctx=", "").split(" ")
    parts = (stored.name, len(stored.world.services), provider, model, arm, hint, ctx, row.run, *row.question.key)
    return "|".join(map(str, parts))


def change(stored: Stored, row: Any, reply: str) -> list[Any]:
    return stored.rows({key_of(stored, row): reply})


def name_of(stored: Stored, model: str, ctx: int = 16384) -> str:
    [name] = {
        entry["configuration"]
        for entry in stored.configurations
        if f" {model} llm-context hint=False ctx={ctx}" in entry["configuration"]
    }
    return name


def claim(row: Any) -> str:
    return f"ANSWER: {row.question.source} -> {row.question.target}"


@pytest.mark.parametrize(("world", "model", "ctx", "fabricated", "silent", "right", "asked"), TABLE)
def test_one_trial_moves_a_row_by_one(
    world: str, model: str, ctx: int, fabricated: int, silent: int, right: int, asked: int
) -> None:
    stored = Stored(world)
    name = name_of(stored, model, ctx)
    kept = figures.of(stored.rows(), name)
    quiet = next(row for row in kept if row.question.truth is None and not row.asserted)
    told = figures.of(change(stored, quiet, claim(quiet)), name)
    assert figures.fabricated(told).startswith(f"{fabricated + 1} of {silent} = ")
    assert figures.accuracy(told) == figures.accuracy(kept)
    good = next(row for row in kept if row.right)
    hushed = figures.of(change(stored, good, SILENCE), name)
    assert figures.accuracy(hushed).startswith(f"{right - 1} of {asked} = ")
    assert figures.fabricated(hushed) == figures.fabricated(kept)


def test_one_trial_moves_the_hops_the_trap_and_the_malformed_by_its_own(horizon: Stored) -> None:
    picket, merrin = name_of(horizon, PICKET), name_of(horizon, MERRIN)
    rows = horizon.rows()
    silent = next(row for row in figures.of(rows, picket) if row.question.truth is None and not row.asserted)
    assert figures.invented_hops(figures.of(change(horizon, silent, claim(silent)), picket)) == "2 of 6 = 33.33%"
    most = figures.of(rows, merrin)
    before = figures.by_category(most)
    for category in ("broken_link@6", "reverse_path@10"):
        fabricated = next(row for row in most if row.question.category == category and row.asserted)
        after = figures.by_category(figures.of(change(horizon, fabricated, SILENCE), merrin))
        assert after == {**before, category: before[category] - 1}
    stray = next(row for row in most if row.code == "MALFORMED")
    assert figures.malformed(figures.of(change(horizon, stray, SILENCE), merrin)) == 16
    assert figures.by_category(figures.of(change(horizon, stray, SILENCE), merrin)) == before


def test_one_repeat_moves_a_band_by_one(base: Stored) -> None:
    name = name_of(base, "harrowby:7b", 8192)
    rows = [row for row in base.rows() if row.configuration == name and row.run == 1]
    assert figures.band(base.rows(), name) == (24, 0, 0)
    good = next(row for row in rows if row.right)
    assert figures.band(change(base, good, SILENCE), name) == (24, 1, 0)
    # The same verdict over another chain is another form, another wording of the same chain is neither.
    chain = list(good.question.truth)
    other = " -> ".join([chain[0], "ruddock-post", *chain[1:]])
    assert figures.band(change(base, good, f"ANSWER: {other}"), name) == (24, 0, 1)
    assert figures.band(change(base, good, f"Seen.\nanswer: {' → '.join(chain)}."), name) == (24, 0, 0)


def test_the_verdict_that_moved_was_right_first_and_went_astray_then(base: Stored) -> None:
    name = name_of(base, PICKET, 8192)
    readings: dict[Any, list[Any]] = {}
    for row in base.rows():
        if row.configuration == name:
            readings.setdefault(row.question.key, []).append(row)
    [(first, again)] = [pair for pair in readings.values() if pair[0].reading.verdict != pair[1].reading.verdict]
    assert first.right and again.code == "MALFORMED" and again.reading.chain[-1] != again.question.target


def test_an_edited_reply_under_its_old_verdict_is_noticed(stored: Stored) -> None:
    row = next(row for row in stored.rows() if row.right)
    _, gaps, wanted = figures.parity(change(stored, row, SILENCE))
    assert gaps == [row.question.key] and wanted == []


def test_who_retrieves_answers_only_what_the_lines_show(stored: Stored) -> None:
    prompts = simulation("prompts")
    rows = [row for row in stored.rows() if " llm-rag " in row.configuration and row.right]
    assert rows
    for row in rows:
        links = prompts.seen(stored.world, "llm-rag", row.question).dependencies
        assert set(pairwise(row.question.truth)) <= set(links)


# --- the script stands alone


def test_the_script_imports_only_the_standard_library() -> None:
    roots = set()
    for module in [*(folder(name) / "simulate.py" for name in NAMES), *PACKAGE.glob("*.py")]:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                roots |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0
                roots.add(str(node.module).split(".")[0])
    assert roots - {"kremis_sim"} <= sys.stdlib_module_names


@pytest.mark.parametrize("name", NAMES)
def test_the_rebuilt_corpus_is_the_same(name: str, tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONHASHSEED": "4242", "TZ": "Pacific/Chatham", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(folder(name) / "simulate.py"), "--out", str(tmp_path)]
    subprocess.run(command, check=True, env=env, cwd=tmp_path, capture_output=True)
    built = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.json"))
    assert built == sorted(path.relative_to(folder(name)) for path in folder(name).rglob("*.json"))
    for path in built:
        assert (tmp_path / path).read_bytes() == (folder(name) / path).read_bytes(), path
