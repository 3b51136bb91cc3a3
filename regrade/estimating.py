"""What `regrade review estimate` does: from the labels of a sample to what they say of its grades."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from regrade.review.labelled import estimate_sample
from regrade.reviewing import review_ground


def estimate(path: Path, name: str | None = None, **how: Any) -> dict[str, Any]:
    """Estimate what the labels of a sample say of its grades, in the corpus and apart from that beyond it.

    Args:
        path: folder with a corpus.toml, or the file.
        name: the sample; None is the only one.
        how: `rules`, `allow_parity_gap` and `progress` of `review_ground`.

    Returns:
        What `estimate_sample` gives.

    Raises:
        CorpusError: nobody has labelled a trial.
        RegradeError: as `review_ground`.
    """
    with review_ground(path, name, every=True, **how) as ground:
        ground.require_reviewers()
        return estimate_sample(ground.store.con, ground.spec, ground.corpus.simulated)
