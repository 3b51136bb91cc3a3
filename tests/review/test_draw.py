"""A draw: seeded, stratified, every trial with a chance, bound by a hash."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from fractions import Fraction
from functools import cache
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.errors import CorpusError
from regrade.files.corpus import SampleSpec, Tier
from regrade.flips.tiers import find_tiers
from regrade.review.draw import Draw, allocate, draw_sample
from tests.flips.flip_store import Attempt, attempt, corpus, insert, store

MADE = {
    "ff": ("failed:X", "passed"),
    "pf": ("passed", "failed"),
    "pp": ("passed", "passed"),
    "fo": ("failed:Y", "failed"),
}


def attempts(**numbers: int) -> list[Attempt]:
    """So many trials of each kind of `MADE`, spread over configurations and items."""
    found = []
    for kind, number in numbers.items():
        frozen, now = MADE[kind]
        found += [attempt(f"c{n % 3}", f"{kind}{n % 5}", n, frozen, v2=now) for n in range(number)]
    return found


MANY = attempts(ff=40, pf=3, pp=60, fo=30)


def spec(**changes: Any) -> SampleSpec:
    return SampleSpec(
        **{"name": "s", "candidate": "v2", "stratum": "fail_to_pass", "size": 8, "seed": 7, "axis": "pass", **changes}
    )


def drawn(trials: list[Attempt] | None = None, *, sha256: str = "c0", rules: str = "r0", **changes: Any) -> Draw:
    """A draw from a store of these trials, or of MANY, under rules of a fingerprint."""
    con = many() if trials is None else filled(trials)
    con.execute("update meta set value = ? where key = 'sha256'", [sha256])
    con.execute("update candidates set fingerprint = ? where candidate = 'v2'", [rules])
    return draw_sample(con, spec(**changes))


@cache
def many() -> duckdb.DuckDBPyConnection:
    return filled(MANY)


def filled(trials: list[Attempt]) -> duckdb.DuckDBPyConnection:
    families = {a.item: a.item[-1] for a in trials}
    con = store(trials, configurations={"c0": {"weights": "w"}, "c1": {"weights": "w"}}, families=families)
    insert(con, "meta", [{"key": "sha256", "value": "c0"}])
    find_tiers(con, corpus(tiers=(Tier("some", 0.2), Tier("top", 0.9))))
    return con


def ids(draw: Draw) -> list[str]:
    return [trial.trial_id for trial in draw.trials]


def test_the_first_by_the_hash_of_seed_and_name_are_drawn() -> None:
    names = [a.trial_id for a in MANY if a.item.startswith("ff")]
    ordered = sorted(names, key=lambda name: hashlib.sha256(b"7\0" + name.encode()).hexdigest())
    assert ids(drawn()) == ordered[:8]
    assert ids(drawn(size=9)) == ordered[:9]
    assert ids(drawn(seed=8)) != ordered[:8]
    assert drawn() == drawn(list(reversed(MANY)))


def test_a_trial_keeps_the_chance_it_had() -> None:
    draw = drawn()
    assert (draw.frame, [tuple(s) for s in draw.strata]) == (40, [("fail_to_pass", 40, 8)])
    assert {trial.probability for trial in draw.trials} == {8 / 40}
    assert {t.probability for t in drawn(attempts(ff=41)).trials} == {8 / 41}


def test_balanced_draws_as_many_of_each_and_all_of_a_small_one() -> None:
    draw = drawn(stratum="balanced", size=40)
    assert {s.name: (s.frame, s.drawn) for s in draw.strata} == {
        "fail_to_pass": (40, 12), "pass_to_fail": (3, 3), "both_passed": (60, 12), "both_failed": (30, 13)
    }  # fmt: skip
    assert Counter(t.stratum for t in draw.trials) == {s.name: s.drawn for s in draw.strata}
    chances = {s.name: s.drawn / s.frame for s in draw.strata}
    assert all(t.probability == chances[t.stratum] for t in draw.trials)
    assert drawn(attempts(ff=40), stratum="balanced").strata[1:] == tuple(
        (name, 0, 0) for name in ("pass_to_fail", "both_passed", "both_failed")
    )


def test_an_ungraded_trial_is_in_no_frame() -> None:
    more = [*MANY, attempt("c0", "i", 0, "ungraded", v2="passed"), attempt("c0", "i", 1, "passed", v2="ungraded")]
    assert drawn(more, stratum="balanced").frame == len(MANY)


@pytest.mark.parametrize(
    ("by", "strata"),
    [
        (["code"], {'code = "X"': 40, 'code = "Y"': 30, "code = null": 63}),
        (["weights"], {'weights = "w"': 89, "weights = null": 44}),
        (["family"], {f'family = "{n}"': None for n in range(5)}),
        (["item"], {f'item = "{kind}{n}"': None for kind in MADE for n in range(5 if kind != "pf" else 3)}),
        (["tier"], {'tier = "some"': 133}),
        (
            ["code", "weights"],
            {f"code = {c}, weights = {w}": None for c in ('"X"', '"Y"', "null") for w in ('"w"', "null")},
        ),
    ],
)
def test_strata_are_also_by_what_is_named(by: list[str], strata: dict[str, int | None]) -> None:
    sizes: Counter[str] = Counter()
    for stratum in drawn(stratum="balanced", size=60, by=tuple(by)).strata:
        sizes[stratum.name.partition(", ")[2]] += stratum.frame
    assert sizes.keys() == strata.keys()
    assert all(sizes[name] == size for name, size in strata.items() if size is not None)


def test_the_tier_of_a_trial_is_the_narrowest() -> None:
    trials = [*attempts(ff=12), *[attempt("best", "i", n, "passed", v2="passed") for n in range(20)]]
    draw = drawn(trials, stratum="balanced", size=8, by=("tier",))
    assert [s.name for s in draw.strata if s.drawn] == ['fail_to_pass, tier = "all"', 'both_passed, tier = "top"']


def test_a_balanced_draw_is_balanced_over_moves_before_all_else() -> None:
    by_move: Counter[str] = Counter()
    for stratum in drawn(stratum="balanced", size=40, by=("item",)).strata:
        by_move[stratum.name.partition(",")[0]] += stratum.drawn
    assert by_move == {"fail_to_pass": 12, "pass_to_fail": 3, "both_passed": 12, "both_failed": 13}


UNLIKE = [
    *(attempt("c0", f"i{n}", 0, "failed:X", v2="passed") for n in range(12)), *attempts(pp=60, fo=30),
]  # fmt: skip


@pytest.mark.parametrize(
    ("size", "allocation", "numbers"),
    [
        (22, "equal", (12, 5, 5)),
        (24, "equal", (12, 6, 6)),
        (36, "equal", (12, 12, 12)),
        (24, "proportional", (12, 7, 5)),
        (102, "proportional", (12, 60, 30)),
    ],
)
def test_a_move_of_many_strata_gets_one_trial_of_each(size: int, allocation: str, numbers: tuple[int, ...]) -> None:
    draw = drawn(UNLIKE, stratum="balanced", size=size, by=("item",), allocation=allocation)
    by_move: Counter[str] = Counter()
    for stratum in draw.strata:
        by_move[stratum.name.partition(",")[0]] += stratum.drawn
        assert stratum.drawn >= bool(stratum.frame)
    assert tuple(by_move[move] for move in ("fail_to_pass", "both_passed", "both_failed")) == numbers


@pytest.mark.parametrize("allocation", ["equal", "proportional"])
def test_what_is_refused_as_too_few_is_fewer_than_the_strata(allocation: str) -> None:
    con = filled(UNLIKE)
    for size in range(18, 40):
        asked = spec(stratum="balanced", size=size, by=("item",), allocation=allocation)
        if size < 22:
            with pytest.raises(CorpusError, match=f"{size} trials are too few for 22 strata"):
                draw_sample(con, asked)
        else:
            assert len(draw_sample(con, asked).trials) == size


def test_of_a_frame_that_is_smaller_all_are_drawn() -> None:
    draw = drawn(size=50)
    assert len(draw.trials) == 40 and {t.probability for t in draw.trials} == {1.0}
    assert drawn(attempts(pp=3)).trials == ()


@pytest.mark.parametrize(
    ("changes", "hint"),
    [
        ({"stratum": "balanced", "size": 3}, "3 trials are too few for 4 strata"),
        ({"stratum": "balanced", "size": 17, "by": ("item",)}, "17 trials are too few for 18 strata"),
        ({"by": ("famly",)}, "nothing has 'famly'. Did you mean 'family'"),
        ({"by": ("trial",)}, "nothing has 'trial'"),
    ],
)
def test_what_cannot_be_drawn_is_said(changes: dict[str, Any], hint: str) -> None:
    with pytest.raises(CorpusError, match=hint):
        drawn(**changes)


def test_the_hash_is_of_all_that_the_draw_rests_on() -> None:
    draw = drawn()
    text = json.dumps(draw.bound, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert draw.sha256 == hashlib.sha256(text.encode()).hexdigest()
    others = [
        drawn(sha256="c1"), drawn(rules="r1"), drawn(seed=8), drawn(size=9), drawn(tier="some"),
        drawn(stratum="both_failed"), drawn(by=("code",)), drawn(allocation="proportional"),
        drawn(question="Is it so?"), drawn([*MANY, attempt("c9", "ff0", 0, "failed", v2="passed")]),
    ]  # fmt: skip
    assert len({draw.sha256, *(other.sha256 for other in others)}) == len(others) + 1
    assert drawn([*MANY, attempt("c9", "fo0", 0, "failed", v2="failed")]).sha256 == draw.sha256
    assert drawn(name="t").sha256 == draw.sha256


frames = st.dictionaries(st.text("abcdefgh", min_size=1, max_size=3), st.integers(1, 60), min_size=1, max_size=12)


@given(frames, st.data())
def test_an_equal_allocation_is_as_equal_as_the_strata_allow(sizes: dict[str, int], data: st.DataObject) -> None:
    size = data.draw(st.integers(len(sizes), sum(sizes.values())))
    given_ = allocate(size, sizes, "equal")
    assert sum(given_.values()) == size and given_.keys() == sizes.keys()
    assert all(1 <= given_[name] <= sizes[name] for name in sizes)
    most = max(given_.values())
    assert all(given_[name] in (most, most - 1, sizes[name]) for name in sizes)


@given(frames, st.data())
def test_a_proportional_allocation_is_the_share_rounded_but_never_nothing(
    sizes: dict[str, int], data: st.DataObject
) -> None:
    size, total = data.draw(st.integers(len(sizes), sum(sizes.values()))), sum(sizes.values())
    given_ = allocate(size, sizes, "proportional")
    assert sum(given_.values()) == size and given_.keys() == sizes.keys()
    assert all(1 <= given_[name] <= sizes[name] for name in sizes)
    shares = {name: Fraction(size * n, total) for name, n in sizes.items()}
    assert all(given_[name] < shares[name] + 1 or given_[name] == 1 for name in sizes)
    if all(share >= 1 for share in shares.values()):
        assert all(abs(given_[name] - share) < 1 for name, share in shares.items())


@pytest.mark.parametrize("allocation", ["equal", "proportional"])
@given(st.integers(4, 200))
def test_the_chances_add_up_to_the_frame(allocation: str, size: int) -> None:
    frames = {"a": 40, "b": 3, "c": 60, "d": 30}
    given_ = allocate(min(size, 133), frames, allocation)
    assert sum(Fraction(given_[n]) / Fraction(given_[n], frames[n]) for n in frames) == 133


@pytest.mark.parametrize("allocation", ["equal", "proportional"])
def test_no_stratum_goes_without(allocation: str) -> None:
    with pytest.raises(ValueError):
        allocate(1, {"a": 2, "b": 2}, allocation)
    assert allocate(5, {"a": 1000, "b": 1, "c": 1, "d": 1}, allocation) == {"a": 2, "b": 1, "c": 1, "d": 1}
    assert allocate(10, {"a": 50, "b": 30, "c": 20}, "proportional") == {"a": 5, "b": 3, "c": 2}
