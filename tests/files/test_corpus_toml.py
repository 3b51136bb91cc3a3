import os
from pathlib import Path

import pytest

from regrade.errors import CorpusError
from regrade.files.corpus import Bank, CandidateSpec, FrozenAxis, Note, Part, Partition, SampleSpec, Tier
from regrade.files.corpus_toml import corpus_from, read_corpus

FULL = """
[corpus]
name = "ferry_v1"
benchmark = "ferry"
format = "jsonl"
files = ["trials/*.jsonl.gz", "more/*.jsonl"]
rules = "../../rules"
axis = "tone"
simulated = true

[columns]
configuration = "cfg"
item = "task.id"
trial = "n"
run = "batch"
turns = "log"
state = "world"

[frozen.pass]
passed = "verdict.ok"
code = "verdict.why"
answer = "verdict.saw"
codes = ["LATE", "LOST"]

[frozen.tone]
value = "tone"
passed_values = ["kind", 1, true]
failed_values = ["rude"]

[bank]
file = "bank.json"
retired = true
notes = "notes.toml"
[configurations]
file = "configurations.json"

[[tier]]
name = "top"
min_pass_rate = 0.9
min_trials = 3
[[tier]]
name = "fair"
min_pass_rate = 0.3
cutoffs = [0.2, 0.4]

[[candidate]]
name = "v2"
rules = ["last_stop_v1", "early_v2"]

[[partition]]
name = "overlap"
of = "failed"
sets = ["last_stop", "call_like_text"]

[[sample]]
name = "stops"
candidate = "last_stop"
stratum = "fail_to_pass"
tier = "fair"
size = 5
seed = 7
verdicts = ["reviews/*.jsonl"]
rulings = "reviews/rulings.jsonl"
axis = "pass"
by = ["code", "weights"]
allocation = "proportional"
question = "Was it on time?"
"""
NOTES = '[[note]]\nitem = "a"\nkind = "ambiguous"\ntext = "Two ports share a name."\n'
BANK = '[{"item": "a"}, {"item": 2}]'


def small(**tables):
    """The data of a valid corpus.toml, tables of which are replaced; None removes one."""
    data = {
        "corpus": {"name": "small", "format": "jsonl", "files": ["*.jsonl"]},
        "columns": {"configuration": "$filename", "item": "id", "reply": "text"},
    }
    merged = {**data, **tables}
    return {key: value for key, value in merged.items() if value is not None}


def read(**tables):
    return corpus_from(small(**tables), Path("nowhere"), "corpus.toml")


def refusal(**tables):
    with pytest.raises(CorpusError) as caught:
        read(**tables)
    message = str(caught.value)
    assert message.startswith("corpus.toml: ") and "\n" not in message
    return message


def test_every_key_is_read(make):
    root = make(FULL, {"bank.json": BANK, "notes.toml": NOTES})
    corpus = read_corpus(root)
    assert corpus == read_corpus(root / "corpus.toml")
    assert (corpus.root, corpus.name, corpus.benchmark, corpus.format) == (root, "ferry_v1", "ferry", "jsonl")
    assert corpus.files == ("trials/*.jsonl.gz", "more/*.jsonl")
    assert corpus.rules == Path(os.path.normpath(root / "../../rules"))
    assert (corpus.axis, corpus.axes, corpus.simulated) == ("tone", ("tone", "pass"), True)
    columns = {
        "configuration": "cfg",
        "item": "task.id",
        "run": "batch",
        "trial": "n",
        "turns": "log",
        "state": "world",
    }
    frozen = {
        "pass": FrozenAxis(passed="verdict.ok", code="verdict.why", answer="verdict.saw", codes=("LATE", "LOST")),
        "tone": FrozenAxis(value="tone", passed_values=("kind", 1, True), failed_values=("rude",)),
    }
    assert corpus.parts == (Part(columns, {}, frozen),)
    assert corpus.bank == Bank(file="bank.json", retired=True, notes="notes.toml")
    assert corpus.configurations == "configurations.json"
    assert corpus.tiers == (Tier("top", 0.9, 3), Tier("fair", 0.3, 1, (0.2, 0.4)))
    assert corpus.candidates == (CandidateSpec("v2", ("last_stop_v1", "early_v2")),)
    assert corpus.partitions == (Partition("overlap", ("last_stop", "call_like_text")),)
    assert corpus.samples == (
        SampleSpec(
            "stops",
            "last_stop",
            "fail_to_pass",
            5,
            7,
            "fair",
            ("reviews/*.jsonl",),
            "reviews/rulings.jsonl",
            axis="pass",
            by=("code", "weights"),
            allocation="proportional",
            question="Was it on time?",
        ),
    )
    assert corpus.notes == (Note("a", "ambiguous", "Two ports share a name."),)


def test_the_least_that_is_needed():
    corpus = read()
    assert (corpus.axis, corpus.axes) == ("pass", ())
    assert corpus.parts == (Part({"configuration": "$filename", "item": "id", "reply": "text"}, {}, {}),)
    assert (corpus.bank, corpus.configurations, corpus.rules, corpus.simulated) == (Bank(), None, None, False)
    assert corpus.tiers == corpus.candidates == corpus.partitions == corpus.samples == corpus.notes == ()


def test_primary_axis_is_the_first_declared():
    assert read(frozen={"zeal": {"passed": "z"}, "alpha": {"passed": "a"}}).axes == ("zeal", "alpha")


EACH = [
    {"configuration": "small", "reply": "s.text", "frozen": {"pass": {"passed": "s.ok"}}},
    {
        "configuration": "large",
        "trial": 3,
        "item": "big_id",
        "turns": "l.log",
        "frozen": {"pass": {"value": "l.score"}},
    },
]


def test_each_overrides_columns_and_frozen():
    with pytest.raises(CorpusError, match=r"\[\[each\]\] 2: \[frozen.pass\]: it must say in one way"):
        read(each=EACH)
    corpus = read(each=[EACH[0], {**EACH[1], "frozen": {"pass": {"value": "l.score", "passes": ">= 2"}}}])
    assert corpus.parts == (
        Part({"item": "id", "reply": "s.text"}, {"configuration": "small"}, {"pass": FrozenAxis(passed="s.ok")}),
        Part(
            {"item": "big_id", "turns": "l.log"},
            {"configuration": "large", "trial": "3"},
            {"pass": FrozenAxis(value="l.score", passes=">= 2")},
        ),
    )


def test_each_takes_the_common_keys_of_its_axis():
    common = {"pass": {"passes": "> 0", "code": "why"}}
    corpus = read(frozen=common, each=[{"frozen": {"pass": {"value": "x"}}}, {"frozen": {"pass": {"value": "y"}}}])
    assert [part.frozen["pass"] for part in corpus.parts] == [
        FrozenAxis(value=path, passes="> 0", code="why") for path in "xy"
    ]


@pytest.mark.parametrize(
    ("tables", "parts"),
    [
        ({"colums": {}}, ["unknown key 'colums'", "Did you mean 'columns'?"]),
        ({"columns": {"item": "id", "repyl": "x"}}, ["[columns]", "'repyl'", "Did you mean 'reply'?"]),
        ({"frozen": {"pass": {"pased": "x"}}}, ["[frozen.pass]", "'pased'", "Did you mean 'passed'?"]),
        ({"bank": {"fiel": "x"}}, ["[bank]", "'fiel'", "Did you mean 'file'?"]),
        ({"bank": {"columns": {"promt": "x"}}}, ["[bank.columns]", "'promt'", "Did you mean 'prompt'?"]),
        ({"configurations": {"fil": "x"}}, ["[configurations]", "'fil'", "Did you mean 'file'?"]),
        ({"each": [{}, {"satte": "x"}]}, ["[[each]] 2", "'satte'", "Did you mean 'state'?"]),
        ({"tier": [{"name": "a", "min_passrate": 1}]}, ["[[tier]] 1", "Did you mean 'min_pass_rate'?"]),
        ({"candidate": [{"name": "a", "rule": []}]}, ["[[candidate]] 1", "Did you mean 'rules'?"]),
        ({"partition": [{"name": "a", "set": []}]}, ["[[partition]] 1", "Did you mean 'sets'?"]),
        ({"sample": [{"nam": "a"}]}, ["[[sample]] 1", "Did you mean 'name'?"]),
    ],
)
def test_unknown_key_names_table_key_and_near_key(tables, parts):
    message = refusal(**tables)
    assert all(part in message for part in parts), message


@pytest.mark.parametrize(
    ("tables", "parts"),
    [
        ({"corpus": None}, ["[corpus]", "'name' is missing"]),
        ({"corpus": {"name": "x"}}, ["[corpus]", "'files' is missing"]),
        ({"corpus": {"name": "x", "files": "a.jsonl"}}, ["files", "expected", "'a.jsonl'"]),
        ({"corpus": {"name": "x", "files": ["a", 3]}}, ["files[1]", "'a', 3"]),
        ({"corpus": {"name": "x", "files": []}}, ["files is empty"]),
        ({"corpus": {"name": "x", "files": ["/abs/*.jsonl"]}}, ["'/abs/*.jsonl'", "relative"]),
        ({"corpus": {"name": "a/b", "files": ["a"]}}, ["'a/b'", "folder"]),
        ({"corpus": {"name": "..", "files": ["a"]}}, ["'..'", "folder"]),
        ({"corpus": {"name": "x", "files": ["a"], "simulated": 1}}, ["simulated", "bool", "found 1"]),
        ({"corpus": {"name": "x", "files": ["a"], "format": "jsnl"}}, ["'jsnl'", "Did you mean 'jsonl'?"]),
        ({"columns": 3}, ["columns must be a table", "found 3"]),
        ({"tier": {"name": "a"}}, ["tier must be a list of tables", "[[tier]]"]),
        ({"frozen": {"pass": "ok"}}, ["pass must be a table"]),
        ({"tier": [{"name": "a", "min_pass_rate": "high"}]}, ["min_pass_rate", "'high'"]),
        ({"tier": [{"name": "a", "min_pass_rate": 1.5}]}, ["min_pass_rate", "<= 1.0", "found 1.5"]),
        ({"tier": [{"name": "a", "min_pass_rate": float("nan")}]}, ["min_pass_rate", "found nan"]),
        ({"tier": [{"name": "a", "min_pass_rate": 1, "cutoffs": [2]}]}, ["cutoffs[0]"]),
        ({"tier": [{"name": "a"}]}, ["'min_pass_rate' is missing"]),
        ({"each": [{"trial": True}]}, ["trial", "found True"]),
    ],
)
def test_wrong_or_missing_value(tables, parts):
    message = refusal(**tables)
    assert all(part in message for part in parts), message


TIER = {"min_pass_rate": 0.5}
SAMPLE = {"candidate": "c", "stratum": "fail_to_pass", "size": 1, "seed": 1}


@pytest.mark.parametrize(
    ("tables", "found"),
    [
        ({"tier": [{"name": "to-p", **TIER}]}, "'to-p'"),
        ({"tier": [{"name": "all", **TIER}]}, "'all' is reserved"),
        ({"tier": [{"name": "x", **TIER}, {"name": "x", **TIER}]}, "'x' stands twice"),
        ({"tier": [{"name": "x", **TIER}, {"name": "X", **TIER}]}, "'X' stands beside 'x'"),
        ({"candidate": [{"name": "frozen", "rules": ["a_v1"]}]}, "'frozen' is reserved"),
        ({"candidate": [{"name": "2nd", "rules": ["a_v1"]}]}, "'2nd'"),
        ({"candidate": [{"name": "a\n", "rules": ["a_v1"]}]}, r"'a\n'"),
        ({"candidate": [{"name": "a", "rules": ["a v1"]}]}, "'a v1'"),
        ({"candidate": [{"name": "a", "rules": ["a_v1", "a_v1"]}]}, "'a_v1' stands twice"),
        ({"candidate": [{"name": "a", "rules": []}]}, "empty list"),
        ({"partition": [{"name": "é", "sets": ["a"]}]}, "'é'"),
        ({"partition": [{"name": "p", "sets": []}]}, "empty list"),
        ({"partition": [{"name": "p", "sets": ["a"], "of": "fail"}]}, "Did you mean 'failed'?"),
        ({"sample": [{"name": "", **SAMPLE}]}, "''"),
        ({"sample": [{"name": "s", **SAMPLE, "stratum": "fail_pass"}]}, "Did you mean 'fail_to_pass'?"),
        ({"sample": [{"name": "s", **SAMPLE, "stratum": "balance"}]}, "Did you mean 'balanced'?"),
        ({"sample": [{"name": "s", **SAMPLE, "size": 0}]}, "size"),
        ({"sample": [{"name": "s", **SAMPLE, "allocation": "equally"}]}, "Did you mean 'equal'?"),
        ({"sample": [{"name": "s", **SAMPLE, "by": ["code", "code"]}]}, "stands twice"),
        ({"sample": [{"name": "s", **SAMPLE, "tier": "x"}]}, "unknown tier 'x'"),
        ({"frozen": {"my axis": {"passed": "p"}}}, "'my axis'"),
        ({"frozen": {"frozen": {"passed": "p"}}}, "'frozen' is reserved"),
        ({"frozen": {"pass": {"passed": "p"}, "Pass": {"passed": "p"}}}, "'Pass' stands beside 'pass'"),
        ({"corpus": {**small()["corpus"], "axis": "pas"}, "frozen": {"pass": {"passed": "p"}}}, "Did you mean 'pass'?"),
    ],
)
def test_names(tables, found):
    assert found in refusal(**tables)


def test_a_sample_is_of_the_primary_axis_unless_it_says_otherwise():
    samples = [{"name": "s", **SAMPLE}, {"name": "t", **SAMPLE, "axis": "tone"}]
    assert [s.axis for s in read(sample=samples).samples] == ["pass", "tone"]


def test_a_sample_may_be_of_any_declared_tier_and_of_all():
    samples = [{"name": "s", **SAMPLE}, {"name": "t", **SAMPLE, "tier": "x"}]
    assert [s.tier for s in read(tier=[{"name": "x", **TIER}], sample=samples).samples] == ["all", "x"]


@pytest.mark.parametrize(
    "axis",
    [
        {"passed": "p"},
        {"value": "v", "passes": "<2"},
        {"value": "v", "passed_values": ["C"]},
        {"value": "v", "failed_values": [0]},
        {"value": "v", "passed_values": [True], "failed_values": [1]},
        {"passed": "p", "code": "c", "codes": ["A"], "answer": "a"},
    ],
)
def test_one_way_to_say_passed(axis):
    assert read(frozen={"pass": axis}).axes == ("pass",)


@pytest.mark.parametrize(
    "axis",
    [
        {},
        {"code": "c"},
        {"value": "v"},
        {"passes": ">= 1"},
        {"passed": "p", "value": "v"},
        {"passed": "p", "passes": ">= 1"},
        {"passed": "p", "passed_values": ["C"]},
        {"value": "v", "passes": ">= 1", "failed_values": ["I"]},
        {"passed": "p", "value": "v", "passes": ">= 1"},
        {"value": "v", "passed_values": []},
    ],
)
def test_not_exactly_one_way_to_say_passed(axis):
    assert "it must say in one way what passed" in refusal(frozen={"pass": axis})


@pytest.mark.parametrize("passes", ["", "1", ">=", "=> 1", "!= 1", ">= one", ">= nan", ">= 1 2", ">= 0x1"])
def test_bad_comparison(passes):
    assert "is no comparison" in refusal(frozen={"pass": {"value": "v", "passes": passes}})


def test_contradictions_of_an_axis():
    assert "'C' stands in passed_values and in failed_values" in refusal(
        frozen={"pass": {"value": "v", "passed_values": ["C"], "failed_values": ["I", "C"]}}
    )
    assert "no code is named" in refusal(frozen={"pass": {"passed": "v", "codes": ["A"]}})


NAMED = {"configuration": "$filename", "item": "id"}


@pytest.mark.parametrize(
    ("tables", "found"),
    [
        ({"columns": NAMED}, "neither turns nor reply"),
        ({"columns": {**NAMED, "turns": "t", "reply": "r"}}, "both turns and reply"),
        ({"columns": NAMED, "each": [{"reply": "r"}, {"configuration": "x"}]}, "[[each]] 2: neither turns nor reply"),
        ({"columns": {"item": "id", "reply": "r"}}, "no configuration is named"),
        ({"columns": {"configuration": "c", "reply": "r"}}, "no item is named"),
        ({"columns": {**NAMED, "reply": "a..b"}}, "key 2 is empty"),
        ({"columns": {**NAMED, "reply": "$line"}}, "begins with $"),
        ({"columns": {**NAMED, "configuration": "$line", "reply": "r"}}, "$filename"),
        ({"columns": {**NAMED, "item": "$lin", "reply": "r"}}, "$filename or $line"),
        ({"frozen": {"pass": {"passed": "$filename"}}}, "begins with $"),
        ({"frozen": {"pass": {"passed": "a."}}}, "is empty"),
        ({"bank": {"columns": {"gold": ".a"}}}, "[bank.columns]: gold"),
        ({"each": [{"configuration": "$filename"}]}, "taken literally"),
        ({"bank": {"file": "bank.json", "columns": {"gold": "g"}}}, "Keep the one"),
    ],
)
def test_columns_that_cannot_be_used(tables, found):
    assert found in refusal(**tables)


def test_variables_and_quoted_keys():
    columns = {"configuration": '"$oid".name', "item": "$line", "trial": "$filename", "reply": '"a.b".0'}
    assert read(columns=columns).parts[0].columns == columns


def test_loader_defaults_are_filled_in_where_the_file_gives_none():
    head = {"name": "x", "files": ["*.json"], "format": "tau-bench"}
    plain = read(corpus=head, columns=None)
    assert plain.parts == (
        Part(
            {"configuration": "$filename", "item": "task_id", "trial": "trial", "turns": "traj"},
            {},
            {"pass": FrozenAxis(value="info.reward_info.reward", passes=">= 1.0")},
        ),
    )
    assert plain.bank == Bank(columns={"prompt": "info.task.instruction", "gold": "info.task"})
    own = read(
        corpus=head,
        columns={"item": "name", "reply": "final"},
        frozen={"done": {"passed": "d"}},
        bank={"file": "bank.json"},
    )
    assert own.parts[0].columns == {"configuration": "$filename", "item": "name", "trial": "trial", "reply": "final"}
    assert (own.axes, own.bank) == (("done",), Bank(file="bank.json"))
    assert read(corpus=head, columns=None, bank={"columns": {"gold": "g"}}).bank.columns["gold"] == "g"


def test_format_is_detected_from_the_first_file_that_is_not_empty(make, minimal):
    toml = minimal.replace('format = "jsonl"\n', "").replace("*.jsonl", "*")
    assert read_corpus(make(toml, {"trials/a": "", "trials/b": '{"id": 1}\n'})).format == "jsonl"
    with pytest.raises(CorpusError, match=r"trials/b: no known format; it begins with '<html>'"):
        read_corpus(make(toml, {"trials/b": "<html>"}))


def test_places_of_errors(make, minimal, tmp_path):
    with pytest.raises(CorpusError, match=r"corpus.toml: not TOML: .*line 2, column 8"):
        read_corpus(make("[corpus]\nname = = 1\n", {}))
    with pytest.raises(CorpusError, match="not UTF-8 at byte 10"):
        read_corpus(make("", {"corpus.toml": b"[corpus]#\n\xff"}))
    assert (
        read_corpus(make("", {"corpus.toml": b"\xef\xbb\xbf" + minimal.replace("\n", "\r\n").encode()})).name == "small"
    )
    with pytest.raises(CorpusError, match="no such file. Name a folder with a corpus.toml"):
        read_corpus(tmp_path)
