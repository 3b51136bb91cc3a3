"""From a corpus's `[columns]` and `[frozen.*]` to the SQL that reads a batch of records.

A chunk is a relation `lines(record, file_id, stem, member, line, text)` of JSON texts. Every mapped path is
read in one pass by JSON pointer, which tells an absent value from null, knows lists by index and minds the case of
names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from regrade.errors import CorpusError
from regrade.files.corpus import Corpus, FrozenAxis, Part
from regrade.files.paths import FILENAME, LINE, parse_comparison, parse_path
from regrade.tables.schema import KEPT, TURN_TYPE
from regrade.tables.store import literal

KEYS = ("configuration", "item", "run", "trial")
ITEM_FIELDS = ("family", "prompt", "gold")
SPECIAL = (LINE, FILENAME)
NUMBERS = ("DOUBLE", "BIGINT", "UBIGINT", "HUGEINT")
"""JSON types of a number."""

MESSAGE = (
    '[{"role":"JSON","content":"JSON","tool_call_id":"JSON","name":"JSON","tool_calls":"JSON","function_call":"JSON"}]'
)
CALL = '[{"id":"JSON","name":"JSON","arguments":"JSON","function":{"name":"JSON","arguments":"JSON"}}]'

MACROS = f"""
-- A scalar as logged; null for null, absent, objects and lists.
create or replace temp macro scalar_text(j) as
  case when json_type(j) in ('OBJECT', 'ARRAY') then null else j->>'$' end;

-- The text of a message's content: null is the empty text, parts are joined with nothing between. Null = not readable.
create or replace temp macro content_text(j) as case coalesce(json_type(j), 'NULL')
  when 'NULL' then ''
  when 'VARCHAR' then j->>'$'
  when 'ARRAY' then array_to_string(list_transform(json_transform(j, '["JSON"]'), lambda p: case json_type(p)
    when 'VARCHAR' then p->>'$'
    when 'OBJECT' then coalesce(p->>'$.text', '') end), '')
  end;

-- The calls of a message as a list of (id, name, arguments). Null = not readable.
create or replace temp macro message_calls(m) as case
  when coalesce(json_type(m.tool_calls), 'NULL') = 'ARRAY' then
    list_transform(from_json(m.tool_calls, '{CALL}'), lambda c: struct_pack(
      id := scalar_text(c.id), name := scalar_text(coalesce(c.function.name, c.name)),
      arguments := coalesce(c.function.arguments, c.arguments)->>'$'))
  when coalesce(json_type(m.tool_calls), 'NULL') <> 'NULL' then null
  when coalesce(json_type(m.function_call), 'NULL') = 'NULL' then []
  when json_type(m.function_call) = 'OBJECT' then
    [struct_pack(id := null::varchar, name := m.function_call->>'$.name',
      arguments := json_extract(m.function_call, '$.arguments')->>'$')]
  end;

-- Whether a message answers a call: by its id, or by the tool's name where the message has no id.
create or replace temp macro is_answer(m, c) as
  coalesce(m.answers_id = c.id, false) or (m.answers_id is null and coalesce(m.answers_name = c.name, false));

create or replace temp macro is_alike(d, c) as d.id = c.id or (d.id is null and c.id is null and d.name = c.name);

-- The turn in which a call's id is called anew, after which an answer is no longer its own.
create or replace temp macro called_anew(made, c, turn) as coalesce(list_min(
  list_transform(list_filter(made, lambda d: d.turn > turn and is_alike(d, c)), lambda d: d.turn)), 1000000000);

-- Calls of one turn under one id take their answers in order.
create or replace temp macro answered_call(answers, made, calls, c, n, turn) as list_transform(
  list_transform([called_anew(made, c, turn)], lambda u: list_filter(
    answers, lambda a: a.turn > turn and a.turn < u and is_answer(a, c)
  )[len(list_filter(calls[:n], lambda d: is_alike(d, c)))]),
  lambda a: struct_pack(
    name := c.name, arguments := coalesce(c.arguments, ''), result := a.text, answered := a.turn))[1];

create or replace temp macro unreadable(m) as m is null or m.role is null or m.text is null or m.calls is null
  or len(list_filter(m.calls, lambda c: c.name is null)) > 0;

-- Messages to turns, each call with its result. Null = some message is not readable.
create or replace temp macro join_results(ms, answers, made) as
  case when ms is not null and len(list_filter(ms, lambda m: unreadable(m))) = 0 then
    list_transform(ms, lambda m: struct_pack(role := m.role, text := m.text,
      calls := list_transform(m.calls, lambda c, n: answered_call(answers, made, m.calls, c, n, m.turn))))
  end;

create or replace temp macro last_reply(ts) as
  coalesce(list_last(list_filter(ts, lambda t: t.role = 'assistant')).text, '');
"""
"""Macros of the reading connection."""


def pointer(path: str, where: str) -> str:
    """The JSON pointer of a dotted path."""
    try:
        segments = parse_path(path)
    except CorpusError as error:
        raise CorpusError(f"{where}: {error}") from None
    return "".join("/" + s.replace("~", "~0").replace("/", "~1") for s in segments)


class Reader:
    """The SQL that reads one corpus's records."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        paths: dict[str, None] = {}
        for part in corpus.parts:
            for path in [*part.columns.values(), *_frozen_paths(part.frozen.values())]:
                if path not in SPECIAL:
                    paths[path] = None
        for path in corpus.bank.columns.values():
            paths[path] = None
        self.pointers = {path: pointer(path, "corpus.toml [columns]") for path in paths}
        self.slots = {path: i + 1 for i, path in enumerate(self.pointers)}

    def parsed(self) -> str:
        """Relation (record, file_id, stem, member, line, text, form, twice, v).

        `form` is `not_json`, `not_object` or null; `v` holds the mapped values in one list.
        """
        listed = ", ".join(literal(p) for p in self.pointers.values())
        values = f"json_extract(j, [{listed}])" if listed else "[]::json[]"
        parents: dict[str, list[str]] = {}
        for path in self.pointers:
            *above, last = parse_path(path)
            for depth in range(len(above) + 1):
                key = (*above, last)[depth]
                parent = "".join("/" + s.replace("~", "~0").replace("/", "~1") for s in above[:depth])
                parents.setdefault(parent, [])
                if key not in parents[parent]:
                    parents[parent].append(key)
        twice = []
        for i, keys in enumerate(parents.values()):
            names = ", ".join(literal(k) for k in keys)
            kept = f"list_filter(k[{i + 1}], lambda n: list_contains([{names}], n))"
            twice.append(f"coalesce(len({kept}) <> len(list_distinct({kept})), false)")
        listed_parents = ", ".join(literal(p) for p in parents) or "''"
        return f"""
            select * exclude (j, k), {" or ".join(twice) or "false"} as twice
            from (select *, json_keys(j, [{listed_parents}]) as k, {values} as v
            from (select *, case when form is null then text end as j
            from (select record, file_id, stem, member, line, text, case
                when not json_valid(text) or record in (select record from lax) then 'not_json'
                when json_type(text) <> 'OBJECT' then 'not_object' end as form from lines)))
        """

    def counted(self) -> str:
        """The number of objects in `parsed`, then for each mapped path of how many it is a part."""
        parts = "".join(f", count(*) filter (v[{slot}] is not null)" for slot in self.slots.values())
        return f"select count(*) filter (form is null){parts} from parsed"

    def staged(self, index: int) -> str:
        """Relation of one part's trials over `parsed`; `reason` says why a record cannot be loaded."""
        part = self.corpus.parts[index]
        keys = {name: self._key(part, name) for name in KEYS}
        turns = self._json(part.columns.get("turns"))
        has_turns = "turns" in part.columns
        reply = self._json(part.columns.get("reply"))
        faults = [("form is not null", "form", "''"), ("twice", "'duplicate_key'", "''")]
        for name in ("configuration", "item", "trial"):
            faults.append((f"{keys[name]} is null", "'missing_key'", self._absent(part, name)))
        run = self._json(part.columns.get("run"))
        no_key = f"json_type({run}) in ('OBJECT', 'ARRAY')"
        faults.append((no_key, "'missing_key'", f"'run is no text or number: ' || {run}::varchar"))
        frozen, bad = [], []
        for axis, spec in part.frozen.items():
            present, status, code, answer, score, valid = self._frozen(spec)
            frozen.append(
                f"struct_pack(axis := {literal(axis)}, present := {present}, status := {status}, code := {code}, "
                f"answer := left({answer}, {KEPT}), score := {score})"
            )
            found = " || ', ' || ".join(
                f"{literal(f'{p} = ')} || coalesce({self._json(p)}::varchar, 'absent')"
                for p in dict.fromkeys(_frozen_paths([spec]))
                if p != spec.answer
            )
            bad.append((f"not ({valid})", "'bad_grade'", found))
        graded = f"[{', '.join(frozen)}]" if frozen else "[]"
        if has_turns:
            null = f"coalesce(json_type({turns}), 'NULL') = 'NULL'"
            faults.append((null, "'missing_key'", self._absent(part, "turns")))
            faults.append(("turns is null", "'bad_turns'", f"{turns}::varchar"))
        else:
            faults.append((f"{reply} is null", "'missing_key'", self._absent(part, "reply")))
            faults.append(("content_text(reply) is null", "'bad_turns'", f"{reply}::varchar"))
        faults += bad
        reason, fault = (" ".join(f"when {f[0]} then {f[at]}" for f in faults) for at in (1, 2))
        bank = {name: self._json(self.corpus.bank.columns.get(name)) for name in ITEM_FIELDS}
        mapped = ", ".join(f"{sql} as {name}" for name, sql in {**keys, **bank}.items())
        found_reply = "last_reply(turns)" if has_turns else "content_text(reply)"
        kept = ", ".join(f"{self._json(part.columns.get(name))} as {name}" for name in ("state", "extra"))
        source = f"select *, {reply} as reply, {kept} from parsed"
        if has_turns:
            source = f"""
                select * exclude (ms, answers, made), join_results(ms, answers, made) as turns
                from (select *,
                    list_filter(ms, lambda m: m.answers_id is not null or m.answers_name is not null) as answers,
                    flatten(list_transform(ms, lambda m: list_transform(m.calls, lambda c: struct_pack(
                        id := c.id, name := c.name, turn := m.turn)))) as made
                from (select *, {self._messages(turns)} as ms from ({source})))
            """
        else:
            source = f"select *, null::{TURN_TYPE}[] as turns from ({source})"
        return f"""
            select record, file_id, member, line, {index} as part, case {reason} end as reason,
                left(coalesce(nullif(case {fault} end, '') || ' in ', '') || text, {KEPT}) as excerpt,
                {mapped}, {found_reply} as reply, turns, state, extra, {graded} as graded from ({source})
        """

    def _absent(self, part: Part, name: str) -> str:
        return literal(f"{name} = {part.columns.get(name)} is absent")

    def _json(self, path: str | None) -> str:
        if path is None:
            return "null::json"
        return f"v[{self.slots[path]}]"

    def _key(self, part: Part, name: str) -> str:
        if name in part.literals:
            return literal(part.literals[name])
        path = part.columns.get(name)
        if path is None:
            return "'0'" if name == "trial" else "null::varchar"
        if path == LINE:
            return "line::varchar"
        if path == FILENAME:
            return "stem"
        return f"scalar_text({self._json(path)})"

    def _messages(self, messages: str) -> str:
        """The messages of a transcript: what each says, answers and calls; null where they are no list."""
        return f"""case when json_type({messages}) = 'ARRAY' then
            list_transform(from_json({messages}, '{MESSAGE}'), lambda m, i: struct_pack(
                turn := i - 1, role := case when json_type(m.role) = 'VARCHAR' then m.role->>'$' end,
                text := content_text(m.content),
                answers_id := case when m.role->>'$' = 'tool' then scalar_text(m.tool_call_id) end,
                answers_name := case when m.role->>'$' in ('tool', 'function') then scalar_text(m.name) end,
                calls := message_calls(m))) end"""

    def _frozen(self, spec: FrozenAxis) -> tuple[str, str, str, str, str, str]:
        """SQL of (present, status, code, answer, score, is it a grade of the declared kind)."""
        value = self._json(spec.passed or spec.value)
        kind = f"json_type({value})"
        null = f"(coalesce({kind}, 'NULL') = 'NULL' or {kind} = 'DOUBLE' and {value}->>'$' = 'NaN')"
        numeric = ", ".join(literal(k) for k in NUMBERS)
        number = f"case when not {null} and {kind} in ({numeric}) then try_cast({value}->>'$' as double) end"
        if spec.passed is not None:
            yes = f"({value}->>'$' = 'true' and json_type({value}) = 'BOOLEAN' or {number} = 1)"
            no = f"({value}->>'$' = 'false' and json_type({value}) = 'BOOLEAN' or {number} = 0)"
        elif spec.passes is not None:
            passes = parse_comparison(spec.passes)
            yes = f"({number} {'=' if passes.operator == '==' else passes.operator} {passes.limit!r})"
            no = f"(not {yes})"
        else:
            yes = _one_of(value, number, spec.passed_values)
            no = _one_of(value, number, spec.failed_values)
            kinds = _json_types([*(spec.passed_values or ()), *(spec.failed_values or ())])
            if spec.passed_values is None:
                yes = f"(not {no} and json_type({value}) in ({kinds}))"
            elif spec.failed_values is None:
                no = f"(not {yes} and json_type({value}) in ({kinds}))"
        status = f"case when {null} then 'ungraded' when {yes} then 'passed' when {no} then 'failed' end"
        code = self._json(spec.code)
        code_text = f"scalar_text({code})"
        valid = [f"{status} is not null", f"coalesce(json_type({code}), 'NULL') not in ('OBJECT', 'ARRAY')"]
        if spec.codes is not None:
            listed = ", ".join(literal(c) for c in spec.codes)
            valid.append(f"({code_text} is null or list_contains([{listed}]::varchar[], {code_text}))")
        return (
            f"({value} is not null)",
            status,
            code_text,
            f"{self._json(spec.answer)}->>'$'",
            number,
            " and ".join(valid),
        )


def _one_of(value: str, number: str, listed: Iterable[str | int | float | bool] | None) -> str:
    tests = ["false"]
    for known in listed or ():
        if isinstance(known, bool):
            tests.append(f"(json_type({value}) = 'BOOLEAN' and {value}->>'$' = {literal(json.dumps(known))})")
        elif isinstance(known, str):
            tests.append(f"(json_type({value}) = 'VARCHAR' and {value}->>'$' = {literal(known)})")
        else:
            tests.append(f"coalesce({number} = {float(known)!r}, false)")
    return f"({' or '.join(tests)})"


def _json_types(listed: Iterable[str | int | float | bool]) -> str:
    """The JSON types, as SQL, that a value like the listed ones may have."""
    kinds = {
        kind
        for known in listed
        for kind in (("BOOLEAN",) if isinstance(known, bool) else ("VARCHAR",) if isinstance(known, str) else NUMBERS)
    }
    return ", ".join(literal(kind) for kind in sorted(kinds))


def _frozen_paths(specs: Iterable[FrozenAxis]) -> list[str]:
    return [p for spec in specs for p in (spec.passed, spec.value, spec.code, spec.answer) if p is not None]
