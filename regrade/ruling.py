"""What `regrade review rule` does: takes rulings on the trials that reviewers did not settle."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from regrade.errors import CorpusError
from regrade.flips.labels import Reviewed, review_counts
from regrade.review.agreed import read_comments
from regrade.review.binding import check_label
from regrade.review.draw import Draw, digest
from regrade.review.key import RULING
from regrade.review.packets import make_packets
from regrade.review.rulings import check_ruling, check_rulings, read_rulings, to_rule
from regrade.review.verdicts import Ruling, append, load_verdicts, rulings_file
from regrade.reviewing import Ground, check_name, review_ground
from regrade.sampling import KEY, packet_files, require_apart, write_files

Ask = Callable[[Mapping[str, Any], Reviewed, Mapping[str, str]], tuple[str, str] | None]
"""Shows a record, its labels and comments; returns label and reason, or None to leave it."""


def rule_from(
    path: Path, file: Path, name: str | None, *, key: Path | None, by: str | None, **how: Any
) -> dict[str, Any]:
    """Take the rulings of a file, all or none; see `read_rulings` and `check_rulings`, and `review_ground`."""
    with review_ground(path, name, **how) as ground:
        given = read_rulings(file, ground.corpus.root, key, by)
        require_apart(ground.corpus, [rulings_file(ground.corpus, ground.spec)])
        made = check_rulings(given, ground.draw.sha256, {each.trial_id: each for each in ground.trials})
        append(rulings_file(ground.corpus, ground.spec), made)
        return _ruled(ground, len(made))


def rule_by_asking(path: Path, name: str | None, ask: Ask, *, by: str, **how: Any) -> dict[str, Any]:
    """Ask for a ruling on each trial that waits for one; each is written as it is given."""
    with review_ground(path, name, **how) as ground:
        ground.require_reviewers()
        waiting, comments = to_rule(ground.trials), read_comments(ground.store.con, ground.spec.name)
        target, made = rulings_file(ground.corpus, ground.spec), 0
        require_apart(ground.corpus, [target])
        for each in waiting:
            [record] = make_packets(ground.store.con, _part(ground.draw, [each]), [by]).records[by]
            if (answer := ask(record, each, comments.get(each.trial_id, {}))) is None:
                continue
            ruling = Ruling(ground.draw.sha256, each.trial_id, check_label(answer[0], "the ruling"), answer[1], by)
            check_ruling(ruling, each, "the ruling")
            append(target, [ruling])
            made += 1
        return _ruled(ground, made)


def packet_to_rule(path: Path, out: Path, name: str | None, *, by: str, **how: Any) -> dict[str, Any]:
    """Write the trials that wait for a ruling as a packet again, blind, with a sealed key of its own."""
    check_name(by, "--by")
    with review_ground(path, name, **how) as ground:
        ground.require_reviewers()
        waiting = to_rule(ground.trials)
        if not waiting:
            raise CorpusError(f"[[sample]] {ground.spec.name}: no trial waits for a ruling.")
        packets = make_packets(ground.store.con, _part(ground.draw, waiting), [by])
        key = json.dumps({**packets.key, "purpose": RULING}, ensure_ascii=False, indent=1) + "\n"
        files = {KEY: key, **packet_files(packets, digest(key))}
        require_apart(ground.corpus, [out / path for path in files])
        write_files(out, files)
        return {**_ruled(ground, 0), "packet": str(out / "packets" / by), "key": str(out / KEY), "by": by}


def _part(draw: Draw, trials: Sequence[Reviewed]) -> Draw:
    kept = {each.trial_id for each in trials}
    return draw._replace(trials=tuple(each for each in draw.trials if each.trial_id in kept))


def _ruled(ground: Ground, made: int) -> dict[str, Any]:
    load_verdicts(ground.store, ground.corpus)
    return {
        "schema": "regrade.rulings/1",
        "sample": ground.spec.name,
        "sha256": ground.draw.sha256,
        "path": str(rulings_file(ground.corpus, ground.spec)),
        "ruled": made,
        "waiting": [each.trial_id for each in to_rule(ground.trials)],
        **review_counts(ground.store.con, ground.spec),
    }
