"""What must hold of every corpus: counts add up, and one changed grade moves exactly one figure."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.files.corpus import Partition, Tier
from tests.flips.flip_store import Attempt, as_json, axes_summary, corpus, grade, insert, store

CORPUS = corpus(
    tiers=(Tier("usable", 0.3, cutoffs=(0.2, 0.5)), Tier("strong", 0.9)),
    partitions=(Partition("p", ("one", "two", "call_like_text")),),
)
GRADES = st.sampled_from(["passed", "passed:REPAIRED", "failed", "failed:A", "failed:B", "ungraded", "ungraded:CUT"])
KEYS = st.tuples(st.sampled_from("abcd"), st.sampled_from(["i", "j"]), st.sampled_from("012"))
CORPORA = st.dictionaries(KEYS, st.tuples(GRADES, GRADES, GRADES, st.booleans()), min_size=1)
CONFIGURATIONS = {"a": {"weights": "w", "lineage": "l"}, "b": {"weights": "w", "lineage": "l"}, "c": {"weights": "v"}}
FLIPS = {
    "fail_to_pass": {("failed", "passed")},
    "pass_to_fail": {("passed", "failed")},
    "to_ungraded": {("passed", "ungraded"), ("failed", "ungraded")},
    "from_ungraded": {("ungraded", "passed"), ("ungraded", "failed")},
}


def summarise(grades):
    con = store(
        [
            Attempt(*key, {"pass": {"frozen": frozen, "one": one, "two": two}})
            for key, (frozen, one, two, _) in grades.items()
        ],
        configurations=CONFIGURATIONS,
        families={"i": "f"},
    )
    shown = ["/".join(key) for key, (*_, signal) in grades.items() if signal]
    insert(con, "signals", ({"trial_id": trial, "signal": "call_like_text"} for trial in shown))
    return as_json(axes_summary(con, CORPUS))["pass"]


@settings(max_examples=8, deadline=None)
@given(CORPORA)
def test_everything_adds_up(grades):
    axis = summarise(grades)
    assert axis["tiers"]["all"]["trials"] == len(grades)
    for tier, frozen in axis["tiers"].items():
        assert frozen["passed"] + frozen["failed"] + frozen["ungraded"] == frozen["trials"]
        assert sum(frozen["codes"].values()) <= frozen["failed"]
        for name, candidate in axis["candidates"].items():
            block = candidate["tiers"][tier]
            moves = block["moves"]
            assert block["trials"] == frozen["trials"] == sum(n for row in moves.values() for n in row.values())
            assert {status: sum(row.values()) for status, row in moves.items()} == {s: frozen[s] for s in moves}
            flipped = 0
            for direction, pairs in FLIPS.items():
                assert block[direction]["trials"] == sum(moves[old][new] for old, new in pairs)
                flipped += block[direction]["trials"]
                for groups in (axis["items"][tier], axis["families"][tier], *axis["breakdowns"][tier].values()):
                    if direction in ("fail_to_pass", "pass_to_fail"):
                        parts = [r["flips"][name][direction]["trials"] for r in groups.values() if name in r["flips"]]
                        assert sum(parts) == block[direction]["trials"]
            assert sum(t["trials"] for t in block["transitions"]) == flipped + block["recoded"]
            assert sum(t["trials"] for t in block["transitions"]) + block["unmoved"] == block["trials"]
        assert sum(each["trials"] for each in frozen["grades"]) == frozen["trials"]
        for groups in (axis["items"][tier], axis["families"][tier], *axis["breakdowns"][tier].values()):
            for key in ("trials", "passed", "failed", "ungraded"):
                assert sum(record[key] for record in groups.values()) == frozen[key]
        cells = axis["partitions"]["p"][tier]["cells"]
        assert len(cells) == 8
        assert sum(cell["trials"] for cell in cells) == axis["partitions"]["p"][tier]["total"] == frozen["failed"]
        in_one = sum(cell["trials"] for cell in cells if "one" in cell["in"])
        assert in_one == axis["candidates"]["one"]["tiers"][tier]["fail_to_pass"]["trials"]
    check_tiers(axis)


def check_tiers(axis):
    """Tiers nest, and each is among its own cut-offs."""
    nested = [axis["tiers"][tier] for tier in ("strong", "usable", "all")]
    for inner, outer in zip(nested, nested[1:], strict=False):
        assert all(inner[key] <= outer[key] for key in inner if key not in ("codes", "grades"))
    for tier in ("usable", "strong"):
        rows = axis["cutoffs"][tier]
        assert [row["failed"] for row in rows] == sorted((row["failed"] for row in rows), reverse=True)
        own = next(row for row in rows if row["min_pass_rate"] == {"usable": 0.3, "strong": 0.9}[tier])
        assert own["failed"] == axis["tiers"][tier]["failed"]
        assert own["configurations"] == axis["tiers"][tier]["configurations"]
        for name, flips in own["flips"].items():
            block = axis["candidates"][name]["tiers"][tier]
            assert flips == {key: block[key]["trials"] for key in ("fail_to_pass", "pass_to_fail")}


@settings(max_examples=5, deadline=None)
@given(CORPORA, st.data())
def test_one_changed_grade_moves_exactly_that_figure(grades, data):
    """A candidate's grade is in its own moves and transitions once, and in nothing of another candidate."""
    key = data.draw(st.sampled_from(sorted(grades)))
    frozen, old, two, signal = grades[key]
    new = data.draw(GRADES.filter(lambda g: g != old))
    before, after = summarise(grades), summarise({**grades, key: (frozen, new, two, signal)})
    assert before["tiers"] == after["tiers"]
    assert before["candidates"]["two"] == after["candidates"]["two"]
    one, other = (axis["candidates"]["one"]["tiers"]["all"] for axis in (before, after))
    assert difference(one, other) == {
        place: n for place, n in (Counter(figures(frozen, new)) - Counter(figures(frozen, old))).items()
    }
    assert difference(other, one) == dict(Counter(figures(frozen, old)) - Counter(figures(frozen, new)))


def figures(frozen, candidate):
    """The figures that one trial stands in."""
    (old, old_code), (new, new_code) = grade(frozen).values(), grade(candidate).values()
    yield "moves", old, new
    if old == new and old_code != new_code:
        yield ("recoded",)
    if (old, old_code) != (new, new_code):
        yield "transitions", old, old_code, new, new_code
    for direction, pairs in FLIPS.items():
        if (old, new) in pairs:
            yield direction, "trials"


def difference(before, after):
    """What grew from one block to the other, and by how much."""
    return dict(Counter(flat(after)) - Counter(flat(before)))


def flat(block):
    found = {("moves", old, new): n for old, row in block["moves"].items() for new, n in row.items()}
    found["recoded",] = block["recoded"]
    found.update({(d, "trials"): block[d]["trials"] for d in FLIPS})
    found.update({("transitions", *t["from"], *t["to"]): t["trials"] for t in block["transitions"]})
    return found
