"""The commands of the blind review: `regrade sample` and the group `regrade review`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from regrade.command_parts import (
    corpus_argument,
    gap_option,
    json_option,
    print_json,
    progress,
    rules_option,
    sample_options,
)


@click.command(
    epilog="""\b
A sample that corpus.toml declares needs its --name alone. Every trial of the frame has a chance to be drawn, which is
kept in the key. The same corpus, options and seed give the same bytes; a file that says something else is not written
over."""
)
@corpus_argument
@sample_options
@click.option("--reviewers", type=click.IntRange(1), default=2, show_default=True, help="How many: r1, r2, ...")
@click.option("--out", type=click.Path(path_type=Path), help="Output folder. Default: CORPUS/reviews/<name>.")
@rules_option
@gap_option
@json_option
def sample(
    corpus: Path,
    name: str | None,
    reviewers: int,
    out: Path | None,
    rules: Path | None,
    allow_parity_gap: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Draw trials of CORPUS by seed; write a blind packet for each reviewer, and the sealed key."""
    from regrade import sampling
    from regrade.report.terminal_sample import print_sample

    asked = sampling.Asked(name, {key: value for key, value in options.items() if value is not None})
    with progress() as told:
        made = sampling.sample(
            corpus, asked, reviewers=reviewers, out=out, rules=rules, allow_parity_gap=allow_parity_gap, progress=told
        ).plain()
    print_json(made) if as_json else print_sample(made)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def review() -> None:
    """Take reviewers' blind labels back, and tell what they come to."""


@review.command("import")
@corpus_argument
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--key", type=click.Path(path_type=Path), help="The sealed key.json. Default: near FILES or the corpus.")
@click.option("--reviewer", help="Whose packet it is, where a file does not say.")
@click.option("--partial", is_flag=True, help="A row without a label is a trial not labelled yet.")
@rules_option
@json_option
def import_(
    corpus: Path,
    files: tuple[Path, ...],
    key: Path | None,
    reviewer: str | None,
    partial: bool,
    rules: Path | None,
    as_json: bool,
) -> None:
    """Bring home the verdicts in FILES: of the page, a filled CSV or JSON Lines, or a Label Studio export.

    They go to reviews/<sample>/<reviewer>.jsonl in the corpus's folder, all of them or none, over nothing that is
    there.
    """
    from regrade.report.terminal_review import print_imported
    from regrade.reviewing import import_verdicts

    done = import_verdicts(corpus, files, key=key, reviewer=reviewer, partial=partial, rules=rules)
    print_json(done) if as_json else print_imported(done)


@review.command()
@corpus_argument
@click.option("--sample", "name", help="Which declared sample. Default: the only one.")
@rules_option
@gap_option
@json_option
def agreement(corpus: Path, name: str | None, rules: Path | None, allow_parity_gap: bool, as_json: bool) -> None:
    """Tell how far the reviewers agree, with intervals, and list the trials on which they do not."""
    from regrade.report.terminal_review import print_agreement
    from regrade.reviewing import agreement as measure

    with progress() as told:
        found = measure(corpus, name, rules=rules, allow_parity_gap=allow_parity_gap, progress=told)
    print_json(found) if as_json else print_agreement(found)


@review.command(
    epilog="""\b
In this corpus only the draw is left to chance, so the interval is exact and clusters do not enter. Beyond it, lineages
and items are what another corpus has others of. Error rates of the graders take a sample of stratum balanced."""
)
@corpus_argument
@click.option("--sample", "name", help="Which declared sample. Default: the only one.")
@rules_option
@gap_option
@json_option
def estimate(corpus: Path, name: str | None, rules: Path | None, allow_parity_gap: bool, as_json: bool) -> None:
    """Estimate what the labels say of the grades: in this corpus, and apart from that beyond it."""
    from regrade.estimating import estimate as estimate_from
    from regrade.report.terminal_estimate import print_estimate

    with progress() as told:
        found = estimate_from(corpus, name, rules=rules, allow_parity_gap=allow_parity_gap, progress=told)
    print_json(found) if as_json else print_estimate(found)


@review.command(
    "rule",
    epilog="""\b
FILE has lines of {sample, trial, label, reason, by}, or is the verdict file of a packet made with --packet: there the
comment is the reason. Without FILE and --packet each trial is shown and asked for in the terminal.""",
)
@corpus_argument
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--sample", "name", help="Which declared sample. Default: the only one.")
@click.option("--by", help="Who rules. Needed where FILE does not say.")
@click.option("--packet", type=click.Path(path_type=Path), help="Write the disagreements into a packet, blind again.")
@click.option("--key", type=click.Path(path_type=Path), help="The key.json of that packet. Default: near FILE.")
@rules_option
@gap_option
@json_option
def rule_(
    corpus: Path,
    file: Path | None,
    name: str | None,
    by: str | None,
    packet: Path | None,
    key: Path | None,
    rules: Path | None,
    allow_parity_gap: bool,
    as_json: bool,
) -> None:
    """Rule on the trials that the reviewers did not settle: a label, a reason, and who; nothing is written over."""
    from regrade import ruling
    from regrade.report.terminal_review import ask_ruling, print_ruled

    how = {"rules": rules, "allow_parity_gap": allow_parity_gap}
    if file is not None and packet is not None:
        raise click.UsageError("FILE takes rulings and --packet asks for them; name one.", click.get_current_context())
    if file is not None:
        done = ruling.rule_from(corpus, file, name, key=key, by=by, **how)
    elif by is None:
        raise click.UsageError("Say who rules with --by NAME.", click.get_current_context())
    elif packet is not None:
        done = ruling.packet_to_rule(corpus, packet, name, by=by, **how)
    else:
        done = ruling.rule_by_asking(corpus, name, ask_ruling, by=by, **how)
    print_json(done) if as_json else print_ruled(done)
