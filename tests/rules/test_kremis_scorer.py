"""What the fabrication benchmark's own scorer says of 1,597 replies, and what its port says of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import polars as pl
import pytest

from regrade.audit import audit
from regrade.files.corpus_toml import corpus_from
from regrade.files.loaders.kremis_world import bank_of
from tests.files.test_kremis import CACHES
from tests.rules.test_kremis_rules import graded, verdict

pytestmark = pytest.mark.slow


class Real(NamedTuple):
    """One of its caches: what is expected, the world, and a store of it, graded."""

    expected: dict[str, Any]
    bank: dict[str, Any]
    replies: dict[str, str]
    con: duckdb.DuckDBPyConnection


@pytest.fixture(scope="module", params=CACHES)
def real(request: pytest.FixtureRequest, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    data, name = shared / "data" / "kremis", request.param
    expected = json.loads((data / f"expected_{name}.json").read_text())
    world = f"world_{expected['world']}.json"
    tables = {"corpus": {"name": name, "benchmark": "kremis", "files": [f"cache_{name}.json"]}, "bank": {"file": world}}
    done = audit(corpus_from(tables, data, "corpus.toml"), tmp_path_factory.mktemp(name) / "out")
    replies = {k: reply for k, (reply, _) in json.loads((data / f"cache_{name}.json").read_text()).items()}
    with duckdb.connect(str(done.out / "audit.duckdb"), read_only=True) as con:
        yield Real(expected, bank_of(json.loads((data / world).read_text()), world), replies, con)


def rows_of(group: Mapping[str, Any], real: Real) -> pl.DataFrame:
    """The replies of a group graded, in the order of its rows."""
    parts = [real.expected["world"], real.expected["services"]]
    parts += [group[part] for part in ("provider", "model", "arm", "hint", "num_ctx", "run")]
    keys = ["|".join(map(str, [*parts, row["source"], row["target"]])) for row in group["rows"]]
    items = [f"{row['source']} -> {row['target']}" for row in group["rows"]]
    return graded([real.replies[k] for k in keys], items, real.bank)


def test_every_verdict_and_chain_is_the_scorers(real: Real) -> None:
    told = 0
    for group in real.expected["groups"]:
        for row, grade in zip(group["rows"], rows_of(group, real).to_dicts(), strict=True):
            assert (verdict(grade), grade["value"]) == (row["verdict"], row["chain"]), row
            told += 1
    assert told == real.expected["replies"] == sum(real.con.execute("select sum(records) from files").fetchone() or ())


def test_what_the_store_has_is_what_the_grader_says(real: Real) -> None:
    rows = real.con.execute(
        "select i.item, t.reply, g.status, g.code, g.value from grades g join trials t using (trial_id) "
        "join items i using (item) where candidate = 'frozen' order by trial_id"
    ).fetchall()
    anew = graded([row[1] for row in rows], [row[0] for row in rows], real.bank)
    assert [row[2:4] for row in rows] == anew.select("status", "code").rows()
    assert [row[4] for row in rows] == [v and json.dumps(v)[:200] for v in anew["value"].to_list()]


def percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


SCORED = """
select i.item, (gold->>'answerable')::boolean as answerable, gold->>'category' as category, gold->>'horizon' as horizon,
       i.family, g.status, g.code, coalesce(a.amount, 0)::bigint as asserted, coalesce(b.amount, 0)::bigint as invented
from trials t join configurations c using (configuration) join items i using (item)
join grades g on g.trial_id = t.trial_id and g.candidate = $candidate
left join measures a on a.trial_id = t.trial_id and a.candidate = g.candidate and a.measure = 'hops_asserted'
left join measures b on b.trial_id = t.trial_id and b.candidate = g.candidate and b.measure = 'hops_invented'
where provider = $provider and model = $model and arm = $arm and (c.extra->>'hint')::boolean = $hint
  and (c.extra->>'ctx')::bigint = $num_ctx and trial = $run::varchar
"""


def score(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of the scorer, from the store."""
    none = [r for r in rows if not r["answerable"]]
    some = [r for r in rows if r["answerable"]]
    fabricated = sum(r["code"] == "FABRICATION" for r in none)
    hops, invented = (sum(r[what] for r in rows) for what in ("asserted", "invented"))
    return {
        "false_assertion_rate": percent(fabricated, len(none)),
        "abstention_recall": percent(sum(r["status"] == "passed" for r in none), len(none)),
        "answer_accuracy": percent(sum(r["status"] == "passed" for r in some), len(some)),
        "fabrications": fabricated,
        "unanswerable_total": len(none),
        "wrong_answers": sum(r["code"] == "WRONG_ANSWER" for r in rows),
        "answerable_total": len(some),
        "malformed": sum(r["code"] == "MALFORMED" for r in rows),
        "hop_fabrication_rate": percent(invented, hops),
        "invented_hops": invented,
        "asserted_hops": hops,
    }


def by(rows: list[dict[str, Any]], what: str) -> dict[str, dict[str, Any]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row[what], []).append(row)
    return {
        name: {
            "n": len(some),
            "fabricated": (n := sum(r["code"] == "FABRICATION" for r in some)),
            "rate": percent(n, len(some)),
        }
        for name, some in found.items()
    }


def scored(real: Real, group: Mapping[str, Any], candidate: str = "frozen") -> list[dict[str, Any]]:
    bound = {part: group[part] for part in ("provider", "model", "arm", "hint", "num_ctx", "run")}
    cursor = real.con.execute(SCORED, {**bound, "candidate": candidate})
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def test_every_rate_category_and_horizon_is_the_scorers(real: Real) -> None:
    for group in real.expected["groups"]:
        rows, told = scored(real, group), group["score"]
        said = score(rows)
        assert said == {name: told[name] for name in said}
        none = [r for r in rows if not r["answerable"]]
        assert by(none, "category") == told["by_category"]
        chains = rows_of(group, real)["value"].to_list()
        assert told["fabricated_chains"] == [
            f"{row['source']} -> {row['target']}: claimed {' -> '.join(names)}"
            for row, names, code in zip(group["rows"], chains, rows_of(group, real)["code"], strict=True)
            if code == "FABRICATION"
        ]
        for horizon, figures in told.get("by_horizon", {}).items():
            mine = [r for r in rows if r["horizon"] == horizon]
            said = score(mine)
            assert {name: said[name] for name in figures if name != "by_trap"} | {
                "by_trap": by([r for r in mine if not r["answerable"]], "family")
            } == figures
        assert told.keys() - said.keys() <= {"by_category", "fabricated_chains", "by_horizon"}


def test_the_two_bounds_enclose_the_rate_and_the_malformed_are_the_difference(real: Real) -> None:
    for group in real.expected["groups"]:
        lower, upper = (scored(real, group, name) for name in ("frozen", "malformed_asserts"))
        malformed = sum(r["code"] == "MALFORMED" and not r["answerable"] for r in lower)
        assert score(upper)["fabrications"] == score(lower)["fabrications"] + malformed
        assert score(upper)["answer_accuracy"] == score(lower)["answer_accuracy"]


def test_runs_that_the_benchmark_would_not_report_are_ungraded(real: Real) -> None:
    for group in real.expected["groups"]:
        rows = scored(real, group, "reported_runs")
        whole = group["guard"] in ("ok", "not_guarded")
        assert {r["status"] == "ungraded" for r in rows} == {not whole}
        assert whole or {r["code"] for r in rows} == {"UNREPORTED"}
