"""The store's schema, declared once as data: DDL, Arrow schema and the README's table come from it."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

KEPT = 200
"""Characters of an answer, a value, an excerpt or a signal that are stored."""

WORLD = "world"
"""Fact of a store: what the items are asked about, as JSON; the same for all of them."""

VERSION = 5
"""Raised when a table changes its meaning; a store of another version is refused."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    name: str
    type: str
    """DuckDB type."""
    about: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the store."""

    name: str
    about: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    """Columns that name a row; asserted by tests, not by an index, which would slow the ingest."""

    def ddl(self) -> str:
        """The `create table` statement."""
        body = ", ".join(f"{quote(c.name)} {c.type}{' not null' if c.required else ''}" for c in self.columns)
        return f"create table {quote(self.name)} ({body})"

    def arrow(self) -> pa.Schema:
        """The Arrow schema of rows to insert."""
        return pa.schema([pa.field(c.name, ARROW[c.type], nullable=not c.required) for c in self.columns])


def quote(name: str) -> str:
    """Quote an identifier for SQL; the one helper that does."""
    return '"' + name.replace('"', '""') + '"'


TURN_TYPE = 'struct("role" varchar, "text" varchar)'
CALL_TYPE = 'struct("turn" bigint, "call" bigint, "name" varchar, arguments varchar, result varchar, answered bigint)'

ARROW = {
    "varchar": pa.string(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "json": pa.string(),
    "varchar[]": pa.list_(pa.string()),
}


def _c(name: str, type_: str, about: str, required: bool = False) -> Column:
    return Column(name, type_, about, required)


TABLES: tuple[Table, ...] = (
    Table(
        "meta",
        "What the store was made from, and with what.",
        (_c("key", "varchar", "name of the fact", True), _c("value", "varchar", "its value")),
        ("key",),
    ),
    Table(
        "files",
        "The transcript files, as stored.",
        (
            _c("file_id", "bigint", "number of the file, from 0 in path order", True),
            _c("path", "varchar", "path relative to corpus.toml", True),
            _c("sha256", "varchar", "SHA-256 of the file as stored", True),
            _c("bytes", "bigint", "size of the file as stored", True),
            _c("format", "varchar", "name of the loader", True),
            _c("records", "bigint", "records found; loaded + rejected", True),
            _c("loaded", "bigint", "records that became trials", True),
            _c("rejected", "bigint", "records in `rejects`", True),
        ),
        ("file_id",),
    ),
    Table(
        "rejects",
        "Records that did not become trials, each with its reason.",
        (
            _c("file_id", "bigint", "the file", True),
            _c("member", "varchar", "member of an archive"),
            _c("line", "bigint", "physical line, from 1"),
            _c("reason", "varchar", "why, from a closed list", True),
            _c("excerpt", "varchar", "what was found, cut short"),
        ),
    ),
    Table(
        "configurations",
        "What was run: the configurations file joined with those met in the transcripts.",
        (
            _c("configuration", "varchar", "its name", True),
            _c("model", "varchar", "the name it was asked for by"),
            _c("weights", "varchar", "the weights it shares with others"),
            _c("lineage", "varchar", "the model family of the weights"),
            _c("provider", "varchar", "who served it"),
            _c("server", "varchar", "serving software"),
            _c("quant", "varchar", "quantisation"),
            _c("reasoning", "varchar", "reasoning setting"),
            _c("arm", "varchar", "experimental arm"),
            _c("extra", "json", "other keys of its entry"),
            _c("listed", "boolean", "named in the configurations file", True),
        ),
        ("configuration",),
    ),
    Table(
        "items",
        "The bank.",
        (
            _c("item", "varchar", "its name", True),
            _c("family", "varchar", "item family"),
            _c("prompt", "varchar", "what was asked"),
            _c("gold", "json", "what the bank accepts"),
            _c("extra", "json", "other keys of its entry"),
            _c("mark", "varchar", "hash of what the grades of its trials rest on"),
        ),
        ("item",),
    ),
    Table(
        "trials",
        "One attempt at an item by a configuration.",
        (
            _c(
                "trial_id", "varchar", "configuration/item/trial or configuration/item/run/trial, percent-encoded", True
            ),
            _c("configuration", "varchar", "the configuration", True),
            _c("item", "varchar", "the item", True),
            _c("run", "varchar", "which of several pooled runs"),
            _c("trial", "varchar", "which attempt, as logged", True),
            _c("file_id", "bigint", "the file it stands in", True),
            _c("line", "bigint", "physical line, from 1"),
            _c("reply", "varchar", "text of the last assistant turn, as first returned", True),
            _c("reply_turn", "bigint", "turn of the reply, from 0; null where there is none"),
            _c("turns", f"{TURN_TYPE}[]", "the transcript; null where the log has a reply alone"),
            _c("calls", f"{CALL_TYPE}[]", "the calls that the turns make, in order, each with its result", True),
            _c("state", "json", "the final state of the world"),
            _c("extra", "json", "other facts the log gives of the trial"),
        ),
        ("trial_id",),
    ),
    Table(
        "frozen_grades",
        "The grades that were recorded when the benchmark was run; never rewritten.",
        (
            _c("trial_id", "varchar", "the trial", True),
            _c("axis", "varchar", "the axis", True),
            _c("status", "varchar", "passed, failed or ungraded", True),
            _c("code", "varchar", "its code"),
            _c("answer", "varchar", "what the log says was read"),
            _c("score", "double", "the number it was taken from"),
            _c("stored", "boolean", "the log has it; false where the ported grader's own is taken in its place", True),
        ),
        ("trial_id", "axis"),
    ),
    Table(
        "grades",
        "The what-if grades: a row a trial, axis and candidate, `frozen` the replayed frozen grader.",
        (
            _c("trial_id", "varchar", "the trial", True),
            _c("axis", "varchar", "the axis", True),
            _c("candidate", "varchar", "the candidate", True),
            _c("status", "varchar", "passed, failed or ungraded", True),
            _c("code", "varchar", "its code"),
            _c("answer", "varchar", "the answer text, at most 200 characters"),
            _c("value", "varchar", "the value read, at most 200 characters; JSON where it is a list"),
            _c("score", "double", "a number, where the grader gives one"),
            _c("answer_turn", "bigint", "turn of the reply, from 0"),
            _c("answer_start", "bigint", "first code point of the answer in the reply"),
            _c("answer_stop", "bigint", "code point after its last"),
            _c("value_start", "bigint", "first code point of the value in the reply"),
            _c("value_stop", "bigint", "code point after its last"),
            _c("missed", "varchar[]", "requirements missed, in the bank's order; null = could not grade"),
            _c(
                "decided_by",
                "varchar[]",
                "smallest list of rules that gives this grade; null = as frozen, empty = the ported grader alone",
            ),
            _c("fingerprint", "varchar", "the candidate's", True),
        ),
        ("trial_id", "axis", "candidate"),
    ),
    Table(
        "measures",
        "Amounts that a grader counts beside the status.",
        (
            _c("trial_id", "varchar", "the trial", True),
            _c("axis", "varchar", "the axis", True),
            _c("candidate", "varchar", "the candidate", True),
            _c("measure", "varchar", "what is counted", True),
            _c("amount", "double", "how much", True),
        ),
        ("trial_id", "axis", "candidate", "measure"),
    ),
    Table(
        "candidates",
        "The what-if columns.",
        (
            _c("axis", "varchar", "the axis", True),
            _c("candidate", "varchar", "its name", True),
            _c("rules", "varchar[]", "its rules, in order", True),
            _c("fingerprint", "varchar", "hash of grader and rules", True),
        ),
        ("axis", "candidate"),
    ),
    Table(
        "graders",
        "The frozen grader of each axis, and its parity.",
        (
            _c("axis", "varchar", "the axis", True),
            _c("kind", "varchar", "ported, carried or none", True),
            _c("rule", "varchar", "name of the grader file, where ported"),
            _c("fingerprint", "varchar", "hash of its source"),
            _c("parity_trials", "bigint", "trials compared; null where nothing is"),
            _c("parity_agree", "bigint", "trials whose status and code agree"),
            _c("parity_allowed", "boolean", "the gap was let through"),
        ),
        ("axis",),
    ),
    Table(
        "rules",
        "The rules and grader files that the candidates use.",
        (
            _c("rule", "varchar", "its name", True),
            _c("axis", "varchar", "the axis"),
            _c("stage", "varchar", "the stage it changes"),
            _c("decision", "varchar", "proposed, adopted or rejected; frozen for a grader file"),
            _c("reason", "varchar", "why it was rejected"),
            _c("locked", "boolean", "named with this fingerprint in LOCK", True),
            _c("fingerprint", "varchar", "hash of its source and of every word it reaches", True),
            _c("doc", "varchar", "its text under the fixed headings"),
            _c("must_flip", "varchar[]", "its cases that must flip, each as JSON", True),
            _c("must_hold", "varchar[]", "its cases that must hold, each as JSON", True),
        ),
        ("rule",),
    ),
    Table(
        "graded",
        "Trials graded, by candidate and file.",
        (
            _c("axis", "varchar", "the axis", True),
            _c("candidate", "varchar", "the candidate", True),
            _c("file_id", "bigint", "the file", True),
            _c("fingerprint", "varchar", "the candidate's", True),
            _c("trials", "bigint", "trials graded", True),
        ),
        ("axis", "candidate", "file_id"),
    ),
    Table(
        "probes",
        "Made-up trials that no honest one resembles, graded: what the graders pass of them.",
        (
            _c("axis", "varchar", "the axis", True),
            _c("candidate", "varchar", "the candidate, or `frozen`", True),
            _c("item", "varchar", "the item", True),
            _c("probe", "varchar", "its name", True),
            _c("variant", "varchar", "how it is put", True),
            _c("status", "varchar", "passed, failed or ungraded", True),
            _c("code", "varchar", "its code; RAISED where a stage raised"),
            _c("value", "varchar", "the value read, at most 200 characters; JSON where it is a list"),
            _c("reply", "varchar", "what the probe says", True),
        ),
        ("axis", "candidate", "item", "probe", "variant"),
    ),
    Table(
        "rule_sets",
        "Trials by what they come to under sets of the axis's rules: with all of the ones and none of the others.",
        (
            _c("axis", "varchar", "the axis", True),
            _c("configuration", "varchar", "the configuration", True),
            _c("with_rules", "varchar[]", "rules that the set has, in the order in which they act", True),
            _c("without_rules", "varchar[]", "rules that it has not; any other rule may be in it or not", True),
            _c("status", "varchar", "passed, failed or ungraded", True),
            _c("trials", "bigint", "trials that come to it", True),
        ),
        ("axis", "configuration", "with_rules", "without_rules", "status"),
    ),
    Table(
        "tiers",
        "Which configurations are in which tier; every one with a trial is in `all`.",
        (_c("tier", "varchar", "the tier", True), _c("configuration", "varchar", "the configuration", True)),
        ("tier", "configuration"),
    ),
    Table(
        "signals",
        "Things noticed in a transcript that are no grade.",
        (
            _c("trial_id", "varchar", "the trial", True),
            _c("signal", "varchar", "its name", True),
            _c("turn", "bigint", "turn it was seen in, from 0"),
            _c("start", "bigint", "first code point in that turn's text"),
            _c("stop", "bigint", "code point after its last"),
            _c("text", "varchar", "what was seen, at most 200 characters"),
        ),
    ),
    Table(
        "samples",
        "Seeded blind draws.",
        (
            _c("sample", "varchar", "its name", True),
            _c("trial_id", "varchar", "the trial drawn", True),
            _c("stratum", "varchar", "its stratum", True),
            _c("probability", "double", "inclusion probability", True),
            _c("seed", "bigint", "the seed", True),
            _c("frame", "bigint", "size of the frame it was drawn from", True),
            _c("sha256", "varchar", "hash that binds corpus, candidate, frame, seed and draw", True),
            _c("masked", "boolean", "its transcript speaks a name of a model or vendor, which packets mask"),
        ),
        ("sample", "trial_id"),
    ),
    Table(
        "verdicts",
        "Labels given by reviewers who did not see the grade.",
        (
            _c("sample", "varchar", "the sample", True),
            _c("trial_id", "varchar", "the trial", True),
            _c("reviewer", "varchar", "who", True),
            _c("label", "varchar", "the label", True),
            _c("comment", "varchar", "a remark"),
        ),
        ("sample", "trial_id", "reviewer"),
    ),
    Table(
        "rulings",
        "Adjudicated labels, with their reason.",
        (
            _c("sample", "varchar", "the sample", True),
            _c("trial_id", "varchar", "the trial", True),
            _c("label", "varchar", "the label", True),
            _c("reason", "varchar", "why", True),
            _c("by", "varchar", "who ruled", True),
        ),
        ("sample", "trial_id"),
    ),
)

BY_NAME = {table.name: table for table in TABLES}

VIEWS: tuple[tuple[str, str], ...] = (
    (
        "turns",
        "select trial_id, i - 1 as turn, turns[i].role as role, turns[i].text as text "
        "from trials, range(1, len(turns) + 1) as r(i)",
    ),
    (
        "calls",
        "select trial_id, c.turn, c.call, c.name, c.arguments, c.result, c.answered "
        "from (select trial_id, unnest(calls) as c from trials)",
    ),
    (
        "moves",
        "select g.trial_id, g.axis, g.candidate, coalesce(f.status, 'none') as from_status, g.status as to_status, "
        "f.code as from_code, g.code as to_code from grades g "
        "left join frozen_grades f on f.trial_id = g.trial_id and f.axis = g.axis "
        "where g.candidate <> 'frozen'",
    ),
    ("flips", "select * from moves where from_status <> to_status and from_status <> 'none'"),
    ("recodes", "select * from moves where from_status = to_status and from_code is distinct from to_code"),
)
"""Views in creation order; `whatif` depends on the candidates and is made after grading."""


def markdown() -> str:
    """The README's table of the store: a row a table, its columns in order."""
    rows = [f"| `{t.name}` | {t.about} | {', '.join(c.name for c in t.columns)} |" for t in TABLES]
    return "\n".join(["| table | what | columns |", "| --- | --- | --- |", *rows])
