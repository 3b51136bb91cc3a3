"""Recounts of the corpus as a whole and of samples."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from tests.recount.ground import STATUSES, Elsewhere, Ground

LABELS = ("passed", "failed", "unclear")
MOVES = {
    "fail_to_pass": ("failed", "passed"),
    "pass_to_fail": ("passed", "failed"),
    "both_passed": ("passed", "passed"),
    "both_failed": ("failed", "failed"),
}
COUNTS = ("reviewers", "agree", "disagree", "upheld", "rulings", "open", "lack_labels", "labelled_by")
DRAWN = Elsewhere("tests/review/test_draw.py")
AGREED = Elsewhere("tests/review/test_agreement.py")
ESTIMATED = Elsewhere("tests/review/test_estimates.py")
IMPORTED = Elsewhere("tests/review/test_import.py")
SUMS = Elsewhere("tests/files/test_manifest.py")


def corpus(on: Ground) -> dict[str, Any]:
    [counts] = on.rows(
        "select (select count(*) from files), (select ifnull(sum(records), 0)::bigint from files), "
        "(select ifnull(sum(loaded), 0)::bigint from files), (select count(*) from rejects), "
        "(select count(*) from trials)"
    )
    unlisted = on.rows("select configuration from configurations where not listed order by 1")
    return {
        "name": on.corpus.name,
        "benchmark": on.corpus.benchmark,
        "simulated": on.corpus.simulated,
        **dict(zip(("files", "records", "loaded", "rejected", "trials"), counts, strict=True)),
        "sha256": SUMS,
        "rejects": dict(on.rows("select reason, count(*) from rejects group by 1")),
        "empty": [path for (path,) in on.rows("select path from files where records = 0 order by 1")],
        "unlisted": [name for (name,) in unlisted] if on.corpus.configurations else [],
        "identical": _identical(on),
        "signals": dict(on.rows("select signal, count(distinct trial_id) from signals group by 1")),
        "stopped": _stopped(on),
    }


def _identical(on: Ground) -> list[dict[str, Any]]:
    rows = on.rows(
        "select a.configuration, b.configuration, count(*), count(*) filter (a.reply = b.reply) from trials a "
        "join trials b on a.item = b.item and a.trial = b.trial and ifnull(a.run, '') = ifnull(b.run, '') "
        "and a.configuration < b.configuration group by 1, 2 having 10 * count(*) filter (a.reply = b.reply) > "
        "9 * count(*) order by 1, 2"
    )
    return [{"configurations": [a, b], "shared": shared, "identical": same} for a, b, shared, same in rows]


def _stopped(on: Ground) -> dict[str, Any]:
    on.con.execute(
        "create or replace temp table stops as select trial_id, ifnull(status, 'none') as status, "
        "nullif(trim(left(if(json_type(extra->'$.limit.type') = 'VARCHAR', extra->>'$.limit.type', ''), 200)), '') "
        "as reached, case json_type(extra->'$.error') when 'VARCHAR' then trim(extra->>'$.error') <> '' "
        "when 'OBJECT' then len(json_keys(extra->'$.error')) > 0 when 'BOOLEAN' then (extra->>'$.error') = 'true' "
        "else false end as broke, extra->>'$.log.status' as log from trials "
        "left join (from frozen_grades where axis = $axis) using (trial_id)", {"axis": on.corpus.axis},
    )  # fmt: skip
    outcomes = (*STATUSES, "none")
    by_status = ", ".join(f"count(*) filter (status = '{status}')" for status in outcomes)
    counted = f"count(*), {by_status}, min(trial_id)"
    keys = ("trials", *outcomes, "first")

    def one(where: str) -> dict[str, Any]:
        return dict(zip(keys, on.rows(f"select {counted} from stops where {where}")[0], strict=True))

    def each(column: str, where: str) -> dict[str, Any]:
        rows = on.rows(f"select {column}, {counted} from stops where {where} group by 1")
        return {name: dict(zip(keys, rest, strict=True)) for name, *rest in rows}

    return {
        "any": one("ifnull(broke, false) or reached is not null"),
        "limit": each("reached", "reached is not null"),
        "error": one("broke"),
        "log": each("log", "log in ('started', 'cancelled', 'error')"),
    }


def samples(on: Ground) -> dict[str, Any]:
    return {spec.name: _sample(on, spec, spec.axis or on.corpus.axis) for spec in on.corpus.samples}


def _sample(on: Ground, spec: Any, axis: str) -> dict[str, Any]:
    moves = list(MOVES) if spec.stratum == "balanced" else [spec.stratum]
    bound = {"axis": axis, "candidate": spec.candidate, "tier": spec.tier}
    frames = {
        move: on.rows(
            "select count(*) from regraded join member using (configuration) where axis = $axis "
            "and candidate = $candidate and tier = $tier and (from_status, status) = ($old, $new)",
            **bound, old=MOVES[move][0], new=MOVES[move][1],
        )[0][0]
        for move in moves
    }  # fmt: skip
    drawn = on.rows("select trial_id, sha256, masked from samples where sample = $s order by 1", s=spec.name)
    reviewers = [name for (name,) in on.rows("select distinct reviewer from verdicts where sample = $s order by 1",
                                             s=spec.name)]  # fmt: skip
    strata = on.rows("select stratum, count(*) from samples where sample = $s group by 1 order by 1", s=spec.name)
    told: dict[str, Any] = {
        "axis": axis,
        "candidate": spec.candidate,
        "stratum": spec.stratum,
        "seed": spec.seed,
        "size": spec.size,
        "frame": sum(frames.values()),
        "sha256": drawn[0][1] if drawn else None,
        **dict.fromkeys(COUNTS),
        "tier": spec.tier,
        "by": list(spec.by),
        "allocation": spec.allocation,
        "question": DRAWN,
        "drawn": len(drawn),
        "masked": len([1 for *_, masked in drawn if masked]),
        "strata": [
            {"stratum": stratum, "frame": DRAWN, "drawn": n, "probability": DRAWN}
            if spec.by
            else {"stratum": stratum, "frame": frames[stratum], "drawn": n, "probability": n / frames[stratum]}
            for stratum, n in strata
        ],
        "to_do": IMPORTED,
        "other_draws": IMPORTED,
        "undefined": None if reviewers else IMPORTED,
        "agreement": None,
        "estimates": None,
    }  # fmt: skip
    if not reviewers:
        return told
    _settle(on, spec.name, len(reviewers))
    [(labelled, compared, agree)] = on.rows(
        "select count(*) filter (given > 0), count(*) filter (given > 1), count(*) filter (given > 1 and kinds = 1) "
        "from settled"
    )
    status = "(select status from grades g where g.trial_id = s.trial_id and g.axis = $axis and candidate = $name)"
    [(upheld,)] = on.rows(f"select count(*) from settled s where final = {status}", axis=axis, name=spec.candidate)
    [(ruled, undecided, lacking)] = on.rows(
        "select count(ruling), count(*) filter (final is null), count(*) filter (final is null and kinds < 2) "
        "from settled"
    )
    by = on.rows("select given, count(*) from settled group by 1 order by 1 desc")
    labelled_by = [{"reviewers": given, "trials": trials} for given, trials in by]
    counts = (len(reviewers), agree, compared - agree, upheld, ruled, undecided, lacking, labelled_by)
    told |= dict(zip(COUNTS, counts, strict=True))
    final = {
        label: on.rows("select count(*) from settled where ifnull(final, 'open') = $label", label=label)[0][0]
        for label in (*LABELS, "open")
    }
    told["agreement"] = {
        "reviewers": [_reviewer(on, spec.name, who) for who in reviewers],
        "labelled": labelled, "compared": compared, "agree": agree, "disagree": compared - agree,
        "level": 0.95, "raw": {"value": agree / compared if compared else None, "low": AGREED, "high": AGREED,
                               "undefined": AGREED},
        "pairs": [_pair(on, spec.name, one, other) for one, other in combinations(reviewers, 2)],
        "alpha": AGREED, "ac1": AGREED,
        "ruled": ruled, "final": final, "upheld": upheld, "labelled_by": labelled_by,
        "disagreements": _disagreements(on, spec.name, status, axis, spec.candidate),
        "other_rulings": Elsewhere("tests/review/test_rulings.py"),
    }  # fmt: skip
    told["estimates"] = {
        "labels": final,
        "upheld": {move: _upheld(on, move, frames[move], axis, spec.candidate) for move in moves if frames[move]},
        "errors": ESTIMATED,
    }
    return told


def _settle(on: Ground, sample: str, reviewers: int) -> None:
    """A row a drawn trial: labels given, their kinds, the ruling, and the final label."""
    on.con.execute(
        "create or replace temp table settled as select s.trial_id, count(v.label) as given, "
        "count(distinct v.label) as kinds, any_value(r.label) as ruling, coalesce(any_value(r.label), "
        "if(count(distinct v.label) = 1 and count(v.label) = $n, any_value(v.label), null)) as final "
        "from (from samples where sample = $s) s left join (from verdicts where sample = $s) v using (trial_id) "
        "left join (from rulings where sample = $s) r using (trial_id) group by 1", {"s": sample, "n": reviewers},
    )  # fmt: skip


def _reviewer(on: Ground, sample: str, who: str) -> dict[str, Any]:
    counts = dict(
        on.rows("select label, count(*) from verdicts where sample = $s and reviewer = $w group by 1", s=sample, w=who)
    )
    [(drawn,)] = on.rows("select count(*) from samples where sample = $s", s=sample)
    labelled = sum(counts.values())
    return {"reviewer": who, "labelled": labelled, "unlabelled": drawn - labelled,
            "labels": {label: counts.get(label, 0) for label in LABELS}}  # fmt: skip


def _pair(on: Ground, sample: str, one: str, other: str) -> dict[str, Any]:
    counts = {
        (a, b): n
        for a, b, n in on.rows(
            "select a.label, b.label, count(*) from verdicts a join verdicts b using (sample, trial_id) "
            "where sample = $s and a.reviewer = $a and b.reviewer = $b group by 1, 2",
            s=sample,
            a=one,
            b=other,
        )
    }
    table = [[counts.get((a, b), 0) for b in LABELS] for a in LABELS]
    return {"reviewers": [one, other], "trials": sum(counts.values()), "agree": sum(table[at][at] for at in range(3)),
            "table": table, "kappa": AGREED}  # fmt: skip


def _disagreements(on: Ground, sample: str, status: str, axis: str, candidate: str) -> list[dict[str, Any]]:
    found = []
    for trial, now in on.rows(
        f"select trial_id, {status} from settled s where kinds > 1 order by 1", axis=axis, name=candidate
    ):
        said = on.rows("select reviewer, label, comment from verdicts where sample = $s and trial_id = $t order by 1",
                       s=sample, t=trial)  # fmt: skip
        ruled = on.rows(
            'select label, reason, "by" from rulings where sample = $s and trial_id = $t', s=sample, t=trial
        )
        ruling, reason, by = ruled[0] if ruled else (None, None, None)
        found.append({
            "trial": trial, "candidate": now, "labels": {who: label for who, label, _ in said},
            "comments": {who: comment for who, _, comment in said if comment}, "ruling": ruling, "reason": reason,
            "by": by,
        })  # fmt: skip
    return found


def _upheld(on: Ground, move: str, frame: int, axis: str, candidate: str) -> dict[str, Any]:
    old, new = MOVES[move]
    [(drawn, upheld, undecided)] = on.rows(
        "select count(*), count(*) filter (final = r.status), count(*) filter (final is null) from settled s "
        "join regraded r using (trial_id) where r.axis = $axis and candidate = $name and from_status = $old "
        "and r.status = $new", axis=axis, name=candidate, old=old, new=new,
    )  # fmt: skip
    return {"frame": frame, "drawn": drawn, "upheld": upheld, "open": undecided, "share": ESTIMATED,
            "in_corpus": ESTIMATED, "exact": ESTIMATED, "beyond": ESTIMATED}  # fmt: skip
