"""The declared samples of a store: drawn, and kept in its table `samples`."""

from __future__ import annotations

from regrade.files.corpus import Corpus
from regrade.flips.samples import check_sample
from regrade.review.draw import draw_sample
from regrade.review.packets import read_bodies
from regrade.tables.store import Store


def find_samples(store: Store, corpus: Corpus, *, masked: bool = True) -> None:
    """Fill the table `samples`, in place of what it held: the draw of each declared sample, by trial.

    Args:
        store: graded, its tiers found.
        corpus: whose samples they are.
        masked: find out which transcripts speak a name, which takes reading them all.

    Raises:
        CorpusError: a name in a sample is unknown, or it cannot be drawn.
    """
    con = store.con
    con.execute("delete from samples")
    for each in corpus.samples:
        spec = check_sample(con, corpus, each)
        draw = draw_sample(con, spec)
        bodies = read_bodies(con, [trial.trial_id for trial in draw.trials]) if masked else []
        spoke = {body.trial_id: body.masked for body in bodies}
        store.insert(
            "samples",
            [
                (
                    spec.name, trial.trial_id, trial.stratum, trial.probability, spec.seed, draw.frame, draw.sha256,
                    spoke.get(trial.trial_id),
                )
                for trial in sorted(draw.trials)
            ],
        )  # fmt: skip
