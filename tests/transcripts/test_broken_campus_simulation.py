"""The simulated campus corpus is what it says, varied, and rebuilt from its script alone."""

import ast
import copy
import json
import os
import subprocess
import sys
from collections import Counter
from itertools import combinations
from types import SimpleNamespace

import json_repair
import pytest

from tests.conftest import BROKEN_CAMPUS, simulation
from tests.transcripts.conftest import lines_of

NAMES = ("build", "cases", "configurations", "figures", "grader", "harness", "store", "world")
KEYS = {"config", "case", "seed", "messages", "harness", "grade"}


@pytest.fixture(scope="module")
def campus():
    return SimpleNamespace(**{name: simulation(name, BROKEN_CAMPUS) for name in NAMES})


@pytest.fixture(scope="module")
def stored():
    paths = sorted((BROKEN_CAMPUS / "trials").glob("*.jsonl.gz"))
    return {path.name.removesuffix(".jsonl.gz"): [json.loads(line) for line in lines_of(path)] for path in paths}


@pytest.fixture(scope="module")
def seen(campus, stored):
    return campus.figures.rows_of(stored)


@pytest.fixture(scope="module")
def said():
    return " ".join((BROKEN_CAMPUS / "README.md").read_text(encoding="utf-8").split())


def test_files_records_and_keys(campus, stored):
    assert sorted(stored) == sorted(campus.configurations.NAMES)
    cells = {(item, seed) for item in campus.cases.BY_NAME for seed in range(5)}
    for name, records in stored.items():
        assert {r["config"] for r in records} == {name} and len(records) == 75
        assert {(r["case"], r["seed"]) for r in records} == cells
        for record in records:
            assert record.keys() == KEYS
            assert record["harness"].keys() == {"raw_chars", "parsed", "final", "backfilled"}
            assert record["harness"]["final"].keys() == {"answer", "status", "sources"}
            assert record["grade"].keys() == {"abstention", "confabulation", "citations"}
            assert all(grade.keys() == {"pass", "code"} for grade in record["grade"].values())


def test_the_bank_has_a_control_in_each_category_and_the_chunks_as_they_stood(campus, said):
    bank = json.loads((BROKEN_CAMPUS / "bank.json").read_text(encoding="utf-8"))
    assert [entry["item"] for entry in bank] == list(campus.cases.BY_NAME) and len(bank) == 15
    families = Counter(entry["family"] for entry in bank)
    assert sorted(families.values()) == [3, 3, 3, 6]
    assert {entry["family"] for entry in bank if "_control_" in entry["item"]} == set(families)
    chunks = campus.world.KNOWLEDGE_BASE
    assert list(chunks) == [f"K{n}" for n in range(1, 8)]
    for entry in bank:
        gold = entry["gold"]
        assert entry["knowledge_base"] == {k: chunks[k] for k in gold["chunks"]}
        assert sorted(gold["chunks"] + gold["deleted"]) == list(chunks)
    assert sum(not entry["gold"]["answerable"] for entry in bank) == 5
    assert not [text for text in chunks.values() if text not in said]


def test_no_tool_returned_what_was_deleted_and_every_result_is_what_the_search_gives(campus, stored):
    tools = [campus.world.NOTHING, *campus.world.ERRORS]
    for records in stored.values():
        for record in records:
            deleted = campus.cases.BY_NAME[record["case"]].deleted
            made = {c["id"]: c for m in record["messages"] for c in m.get("tool_calls", ())}
            for message in record["messages"]:
                if message["role"] == "tool":
                    query = json.loads(made[message["tool_call_id"]]["function"]["arguments"])["query"]
                    found = campus.world.search(query, deleted)
                    assert message["content"] in (found, *tools)
                    assert not any(f"[{chunk}]" in message["content"] for chunk in deleted)


def test_every_figure(campus, seen):
    assert [(n, c, w) for n, c, w in campus.figures.all_figures(seen) if c != w] == []


def test_the_readme_counts_the_forms(campus, seen, said):
    forms = Counter(row.form for row in seen)
    assert (
        f"{forms['whole']} whole objects, {forms['REPAIRED']} that had to be repaired, {forms['UNPARSEABLE']} in prose,"
        f" {forms['SYNTHESISED']} in pieces, and {forms['EMPTY']} were empty" in said
    )
    masked = {campus.figures.mask(row.kept["final"]["answer"]) for row in seen}
    assert f"{len({row.raw for row in seen})} of the 600 differ" in said
    assert f"the final answers have {len(masked)} forms" in said
    assert len(masked) > 400


def test_refusals_and_answers_come_in_every_form(campus, seen):
    """What a reply looks like does not say what it does: refusals and answers are whole, repaired, prose and pieces."""
    found = {(row.form, campus.figures.says_no(row)) for row in seen if row.raw.strip()}
    assert found == {(form, no) for form in ("whole", "REPAIRED", "UNPARSEABLE", "SYNTHESISED") for no in (True, False)}


def test_what_is_called_repaired_is_what_json_repair_makes_of_it(campus, seen):
    repaired = [row for row in seen if row.form == "REPAIRED"]
    for row in repaired:
        found = json_repair.loads(row.raw[row.raw.index("{") :])
        found = found[0] if isinstance(found, list) else found
        assert {name: found[name] for name in ("answer", "status", "sources")} == row.kept["final"], row.raw
        with pytest.raises(ValueError):
            json.loads(row.raw)
    lost = [row for row in repaired if f"{row.kept['final']['answer']}, " in row.raw]
    assert lost, "some are mended into something else: an answer that ends at its first comma"


def test_no_two_configurations_reply_alike(seen):
    by_name = {}
    for row in seen:
        by_name.setdefault(row.config, {})[row.item, row.seed] = row.raw
    for one, two in combinations(by_name.values(), 2):
        assert sum(one[key] == two[key] for key in one) < 0.2 * len(one)


def test_script_imports_only_the_standard_library():
    roots = set()
    for module in [BROKEN_CAMPUS / "simulate.py", *(BROKEN_CAMPUS / "broken_campus_sim").glob("*.py")]:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                roots |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0
                roots.add(node.module.split(".")[0])
    assert roots - {"broken_campus_sim"} <= sys.stdlib_module_names


def test_same_seed_same_bytes(tmp_path):
    env = {**os.environ, "PYTHONHASHSEED": "4242", "TZ": "Pacific/Chatham", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(BROKEN_CAMPUS / "simulate.py"), "--out", str(tmp_path)]
    subprocess.run(command, check=True, env=env, cwd=tmp_path, capture_output=True)
    built = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.gz"))
    assert built == sorted(path.relative_to(BROKEN_CAMPUS) for path in BROKEN_CAMPUS.rglob("*.gz"))
    for path in built:
        assert lines_of(tmp_path / path) == lines_of(BROKEN_CAMPUS / path), path
    for name in ("bank.json", "configurations.json"):
        assert (tmp_path / name).read_bytes() == (BROKEN_CAMPUS / name).read_bytes()
    head = (tmp_path / built[0]).read_bytes()[:10]
    assert head[3] == 0 and head[4:8] == bytes(4)


def test_another_reply_moves_a_figure_and_the_script_would_say_so(campus, stored):
    changed = copy.deepcopy(stored)
    name, item = campus.configurations.ABSTAINER, campus.figures.GPU
    [record] = [r for r in changed[name] if (r["case"], r["seed"]) == (item, 3)]
    record["messages"][-1]["content"] = "I could not find that."
    missed = [n for n, c, w in campus.figures.all_figures(campus.figures.rows_of(changed)) if c != w]
    assert missed == [
        "the hard abstainer's format fails",
        "gpu: the hard abstainer refuses, does not parse",
        "abstention of the hard abstainer",
        "stored grades that differ from the first grader",
        "stored objects that differ from the harness",
    ]
