"""Tiers: limits are exact, and included."""

from hypothesis import given
from hypothesis import strategies as st

from regrade.files.corpus import Tier
from regrade.flips.tiers import PassCount, find_tiers, pass_counts, reaching, tier_names
from tests.flips.flip_store import Attempt, attempt, corpus, insert, store


def members(con, tier):
    rows = con.execute("select configuration from tiers where tier = ? order by 1", [tier]).fetchall()
    return [configuration for (configuration,) in rows]


def test_the_limit_is_included_and_ungraded_trials_have_no_part_in_it():
    attempts = [
        *(attempt("nine_of_ten", "i", n, "failed" if n == 0 else "passed") for n in range(10)),
        *(attempt("eight_of_nine", "i", n, "failed" if n == 0 else "passed") for n in range(9)),
        *(attempt("ungraded_aside", "i", n, "passed" if n else "ungraded") for n in range(3)),
        attempt("ungraded_alone", "i", 0, "ungraded"),
    ]
    con = store(attempts)
    find_tiers(con, corpus(tiers=(Tier("strong", 0.9), Tier("many", 0.0, min_trials=3), Tier("any", 0.0))))
    assert members(con, "strong") == ["nine_of_ten", "ungraded_aside"]
    assert members(con, "many") == ["eight_of_nine", "nine_of_ten"]
    assert members(con, "any") == ["eight_of_nine", "nine_of_ten", "ungraded_aside"]
    assert members(con, "all") == ["eight_of_nine", "nine_of_ten", "ungraded_alone", "ungraded_aside"]


def test_tiers_follow_the_primary_axis():
    grades = {"pass": {"frozen": "failed"}, "format": {"frozen": "passed"}}
    con = store([Attempt("a", "i", "0", grades)])
    find_tiers(con, corpus(axis="pass", tiers=(Tier("half", 0.5),)))
    assert members(con, "half") == []
    find_tiers(con, corpus(axis="format", tiers=(Tier("half", 0.5),)))
    assert members(con, "half") == ["a"]


def test_a_configuration_without_a_trial_is_in_no_tier():
    con = store([attempt("a", "i", 0, "passed")])
    insert(con, "configurations", [{"configuration": "never_ran", "listed": True}])
    find_tiers(con, corpus())
    assert members(con, "all") == ["a"]
    assert pass_counts(con, "pass") == {"a": PassCount(1, 0)}


def test_names_come_all_first_then_as_declared():
    assert tier_names(corpus(tiers=(Tier("usable", 0.3), Tier("strong", 0.9)))) == ("all", "usable", "strong")


@given(st.integers(1, 1000), st.integers(1, 1000))
def test_a_limit_is_the_decimal_it_is_written_as(thousandths, scale):
    """Exactly at a limit of three decimals is in, one trial fewer is out, for any number of trials."""
    limit = float(f"{thousandths / 1000:.3f}")
    at = PassCount(thousandths * scale, (1000 - thousandths) * scale)
    below = PassCount(at.passed - 1, at.failed + 1)
    assert reaching({"at": at, "below": below}, limit, 1) == ["at"]


@given(
    st.dictionaries(st.text(), st.builds(PassCount, st.integers(0, 9), st.integers(0, 9))),
    st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted),
)
def test_tiers_nest_by_their_limits(counts, limits):
    low, high = (reaching(counts, limit, 1) for limit in limits)
    assert set(high) <= set(low)
