"""The command line: a few lines a command, and the one place where errors become exit codes.

Imports of the work are inside the commands, so that `regrade --help` answers at once.
"""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import click

from regrade import __version__
from regrade.command_parts import (
    Cli,
    asked_of,
    claim_options,
    corpus_argument,
    fail_option,
    gap_option,
    json_option,
    map_option,
    open_store,
    out_option,
    print_json,
    progress,
    rules_option,
    store_folder,
    store_option,
    warn,
)
from regrade.errors import GateFailed
from regrade.review_commands import review, sample


@click.group(cls=Cli, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="regrade")
def main() -> None:
    """Audit and regrade saved transcripts of LLM and agent benchmarks."""
    # Rows and records make no cycles: looking for some at every 700 objects takes a tenth of an audit.
    gc.set_threshold(100_000, 20, 50)


@main.command()
@corpus_argument
@out_option
@rules_option
@gap_option
@fail_option
@map_option
@click.option("--benchmark", help="For a log alone: its folder under rules/.")
@click.option("--rule", "rule_names", multiple=True, metavar="NAME", help="A rule to run as a candidate; repeat.")
@json_option
def audit(
    corpus: Path,
    out: Path | None,
    rules: Path | None,
    allow_parity_gap: bool,
    fail_on: tuple[str, ...],
    maps: tuple[str, ...],
    benchmark: str | None,
    rule_names: tuple[str, ...],
    as_json: bool,
) -> None:
    """Verify, load and regrade CORPUS, and write the report.

    CORPUS is a folder with a corpus.toml, or a log alone, whose mapping is then guessed and told on standard error.
    """
    from regrade.audit import audit as run_audit
    from regrade.gates import check_gates, known_gates
    from regrade.report.terminal import print_summary
    from regrade.starting import corpus_of

    gates = [gate for names in fail_on for gate in names.split(",")]
    known_gates(gates)
    known, guesses = corpus_of(corpus, maps, benchmark, rule_names)
    warn(guesses)
    with progress() as told:
        done = run_audit(known, out, rules=rules, allow_parity_gap=allow_parity_gap, progress=told)
    warn([warning for warning in done.warnings if warning not in guesses])
    if as_json:
        print_json(done.summary)
    else:
        print_summary(done.summary, done.out)
    check_gates(done.summary, gates)


@main.command()
@click.argument("log", nargs=-1, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="The corpus's folder. Default: transcripts/<name>.")
@map_option
@json_option
def init(log: tuple[Path, ...], out: Path | None, maps: tuple[str, ...], as_json: bool) -> None:
    """Write a corpus.toml for LOG where it lies; without one make rules/, transcripts/ and reports/.

    LOG is a file, or files or folders of one format. The mapping is guessed and three trials are shown as read.
    """
    from regrade.files.scaffold import make_folders
    from regrade.report.terminal_start import print_made, print_start
    from regrade.starting import init_log

    if log:
        done = init_log(log, out, maps)
        print_json(done) if as_json else print_start(done)
    elif out is not None or maps:
        raise click.UsageError("--out and --map go with a LOG.", click.get_current_context())
    else:
        made = make_folders(Path())
        print_json({"made": [str(path) for path in made]}) if as_json else print_made(made)


@main.command()
@corpus_argument
@rules_option
@json_option
def freeze(corpus: Path, rules: Path | None, as_json: bool) -> None:
    """Write SHA256SUMS of CORPUS, and LOCK of the rules that its candidates use."""
    from regrade import steps
    from regrade.report.terminal_steps import print_frozen

    done = steps.freeze(corpus, rules)
    if as_json:
        print_json(done)
        return
    print_frozen(done)


@main.command()
@corpus_argument
@rules_option
@click.option(
    "--parity",
    "parity_only",
    is_flag=True,
    help="Only replay the frozen grader, and show the trials that it grades otherwise.",
)
@click.option("--first", type=click.IntRange(0), help="With --parity: trials shown of each axis. Default: 5.")
@json_option
def verify(corpus: Path, rules: Path | None, parity_only: bool, first: int | None, as_json: bool) -> None:
    """Check the files of CORPUS against SHA256SUMS, its rules against LOCK, and parity."""
    from regrade import steps
    from regrade.report.terminal_steps import print_proof

    if parity_only:
        _verify_parity(corpus, rules, 5 if first is None else first, as_json)
        return
    if first is not None:
        raise click.UsageError("--first goes with --parity.", click.get_current_context())
    with progress() as told:
        found = steps.prove(corpus, rules, progress=told)
    warn(found["warnings"])
    if as_json:
        print_json(found)
        return
    print_proof(found)


@main.command()
@corpus_argument
@out_option
@json_option
def load(corpus: Path, out: Path | None, as_json: bool) -> None:
    """Verify CORPUS and load it into a new store."""
    from regrade import steps

    with progress() as told:
        counts = steps.load_only(corpus, out, progress=told)
    warn(counts["warnings"])
    if as_json:
        print_json(counts)
    else:
        click.echo(
            f"{counts['store']}: {counts['files']:,} files, {counts['records']:,} records = {counts['loaded']:,} loaded"
            f" + {counts['rejected']:,} rejected."
        )


@main.command()
@store_option
@rules_option
@gap_option
@json_option
def run(store_dir: Path | None, rules: Path | None, allow_parity_gap: bool, as_json: bool) -> None:
    """Run every candidate over a loaded store and prove parity; a report that stood there is gone."""
    from regrade import steps

    with progress() as told:
        done = steps.run_only(store_folder(store_dir), rules=rules, allow_parity_gap=allow_parity_gap, progress=told)
    warn(done["warnings"])
    if as_json:
        print_json(done["grades"])
    else:
        for row in done["grades"]:
            click.echo(f"{row['axis']}  {row['candidate']}  {row['status']}  {row['trials']:,}")


@main.command("try")
@click.argument("rule")
@store_option
@rules_option
@click.option(
    "--on",
    type=click.Choice(["flips", "failures", "passes"]),
    default="flips",
    help="Which trials to show: those whose grade moves, or those that fail or pass under the rule.",
)
@click.option("-n", "number", type=click.IntRange(0), default=10, show_default=True, help="How many of them.")
@json_option
def try_(rule: str, store_dir: Path | None, rules: Path | None, on: str, number: int, as_json: bool) -> None:
    """Run RULE, a name or a rule file, over a loaded store and show what it moves; nothing is written."""
    from regrade.report.terminal_try import print_try
    from regrade.trying import try_rule

    with open_store(store_dir) as store:
        found = try_rule(store, rule, rules=rules, on=on, number=number)
    if as_json:
        print_json(found)
    else:
        print_try(found, on)


@main.command()
@store_option
@click.option("--candidate", help="Only this candidate.")
@click.option("--axis", help="Only this axis.")
@click.option("--tier", help="Only this tier.")
@click.option("--configuration", help="Only this configuration, all its trials; not with --tier.")
@click.option("--csv", "csv_path", type=click.Path(path_type=Path), help="Write the flips to this file, a row each.")
@json_option
def flips(
    store_dir: Path | None,
    candidate: str | None,
    axis: str | None,
    tier: str | None,
    configuration: str | None,
    csv_path: Path | None,
    as_json: bool,
) -> None:
    """Count flips both ways on a graded store."""
    if tier is not None and configuration is not None:
        raise click.UsageError("A configuration's trials are the same in each of its tiers: give it without --tier.")
    from regrade.flips.flips_csv import write_flips_csv
    from regrade.report.terminal import choose, print_flips
    from regrade.report.terminal_gains import of_configuration, print_gains
    from regrade.summing import summarise

    with open_store(store_dir) as store:
        axes = choose(summarise(store)["axes"], axis, candidate, tier)
        shown = axes if configuration is None else of_configuration(axes, configuration)
        if csv_path is not None:
            write_flips_csv(store.con, csv_path, axis=axis, candidate=candidate, tier=tier, configuration=configuration)
    if as_json:
        print_json(shown)
    elif configuration is not None:
        print_gains(shown)
    else:
        print_flips(axes)


@main.command()
@click.argument("trial")
@store_option
@click.option("--candidate", help="Only this candidate beside the frozen grade.")
@json_option
def explain(trial: str, store_dir: Path | None, candidate: str | None, as_json: bool) -> None:
    """Show prompt, gold, and what each candidate read, missed and coded in TRIAL, marked in its reply."""
    from regrade.report.explain import explain_trial, print_explanation

    with open_store(store_dir) as store:
        found = explain_trial(store.con, trial, candidate)
    if as_json:
        print_json(found)
    else:
        print_explanation(found)


@main.command()
@click.argument("name", required=False)
@click.option("--benchmark", help="The folder under rules/. Default: every one.")
@rules_option
@click.option("--check", is_flag=True, help="Run its cases: those that must flip and those that must hold.")
@json_option
def rule(name: str | None, benchmark: str | None, rules: Path | None, check: bool, as_json: bool) -> None:
    """List the rules, or print rule NAME with its cases, fingerprint and decision."""
    from regrade.books import rule_roots, rules_here
    from regrade.grades.listing import describe_rule, list_rules
    from regrade.report.terminal import print_rule, print_rules

    roots = rule_roots(rules or rules_here())
    if name is None:
        listed = list_rules(roots, benchmark, check=check)
    else:
        listed = [describe_rule(roots, name, benchmark, check=check)]
    if as_json:
        print_json(listed if name is None else listed[0])
    elif name is None:
        print_rules(listed)
    else:
        print_rule(listed[0])
    failed = [r["rule"] for r in listed if check and not r["cases_hold"]]
    if failed:
        raise GateFailed(f"The cases of {', '.join(failed)} do not all hold. Mend the rule or the case.")


@main.command(
    epilog="""\b
A and B are each one of:
  DIR, DIR/audit.duckdb   an audit, each candidate compared with the one of its name
  CORPUS                  a folder with a corpus.toml, loaded and graded in a scratch store
  DIR:NAME, CORPUS:NAME   one candidate of it, or frozen
  NAME                    a candidate of the store, or frozen
  RULE_v1+OTHER_v1        rules graded on the store, which is not written to
A folder of the name comes first. A cell is the grade of a trial on an axis; its status and code are compared.
Swapping A and B swaps the counts."""
)
@click.argument("a")
@click.argument("b")
@store_option
@rules_option
@gap_option
@click.option("-n", "limit", type=click.IntRange(0), help="Trials in each list. Default: 5; with --html 50.")
@click.option("--html", type=click.Path(path_type=Path), help="Write the comparison to this file, as a page.")
@json_option
def diff(
    a: str,
    b: str,
    store_dir: Path | None,
    rules: Path | None,
    allow_parity_gap: bool,
    limit: int | None,
    html: Path | None,
    as_json: bool,
) -> None:
    """Compare the grades of A with those of B, cell by cell: candidates, rule sets, audits or corpora."""
    from regrade.comparing import compare
    from regrade.report.terminal_diff import print_diff

    with progress() as told:
        found = compare(
            a, b, store=lambda: open_store(store_dir), rules=rules, allow_parity_gap=allow_parity_gap,
            limit=(5 if html is None else 50) if limit is None else limit, html=html, progress=told,
        )  # fmt: skip
    warn(found["warnings"])
    if as_json:
        print_json(found)
    else:
        print_diff(found)


@main.command(
    epilog="""\b
Without --counts every [[metric]] that counts trials is claimed for each configuration, and without --absence every
absence that a grader tells of. Exit codes: 0 written, or valid; 1 stale or false; 2 not usable.
A check grades the corpus again, in a scratch store, and needs nothing but its files and rules. Without CORPUS it looks
for the one of the certificate's name here, in transcripts/, or near FILE."""
)
@click.argument("corpus", required=False, type=click.Path(path_type=Path))
@click.option("--check", "certificate", metavar="FILE", type=click.Path(path_type=Path), help="Check a certificate.")
@claim_options
@click.option("--out", type=click.Path(path_type=Path), help="Default: reports/<name>/certificate.json.")
@rules_option
@json_option
def certify(
    corpus: Path | None, certificate: Path | None, out: Path | None, rules: Path | None, as_json: bool, **asked: Any
) -> None:
    """Write a claim about CORPUS, bound to the hashes of its files, world and rules; or check one."""
    from regrade import certifying
    from regrade.report.terminal_certify import print_certificate, print_check

    asked = {name: value for name, value in asked.items() if value}
    context = click.get_current_context()
    if certificate is not None:
        if asked or out is not None:
            raise click.UsageError("Only CORPUS, --rules and --json go with --check.", context)
        with progress() as told:
            found = certifying.check(certificate, corpus, rules=rules, progress=told)
        print_json(found) if as_json else print_check(found)
        certifying.require_valid(found, certificate)
        return
    if corpus is None:
        raise click.UsageError("Name a CORPUS, or a certificate with --check FILE.", context)
    with progress() as told:
        made, path = certifying.certify_to(corpus, out, asked_of(asked), rules=rules, progress=told)
    warn(made.warnings)
    plain = made.certificate.plain()
    print_json(plain) if as_json else print_certificate(plain, path)


@main.command(
    epilog="""\b
Without --candidate the first one that corpus.toml declares and that has no rejected rule is proposed. An audit that is
not there, or no longer of these files and rules, is made first. Writes proposal.md and proposal.html."""
)
@corpus_argument
@click.option("--candidate", help="What is proposed. Default: the first declared one without a rejected rule.")
@click.option(
    "--store", "store_dir", type=click.Path(path_type=Path), help="Folder of the audit. Default: reports/<name>."
)
@click.option("--out", type=click.Path(path_type=Path), help="Where to write. Default: the folder of the audit.")
@rules_option
@gap_option
@json_option
def propose(
    corpus: Path,
    candidate: str | None,
    store_dir: Path | None,
    out: Path | None,
    rules: Path | None,
    allow_parity_gap: bool,
    as_json: bool,
) -> None:
    """Write the proposal of the next version of CORPUS's grader, from its audit."""
    from regrade import proposing
    from regrade.report.terminal_proposal import print_proposal

    store = None if store_dir is None else store_folder(store_dir)
    with progress() as told:
        done = proposing.propose(
            corpus, candidate, store=store, out=out, rules=rules, allow_parity_gap=allow_parity_gap, progress=told
        )
    warn(done.warnings)
    print_json(done.plain) if as_json else print_proposal(done.plain, done.out)


main.add_command(sample)
main.add_command(review)


@main.command()
@store_option
@out_option
@json_option
def report(store_dir: Path | None, out: Path | None, as_json: bool) -> None:
    """Write report.html, flips.csv and summary.json from a graded store."""
    from regrade import steps

    with open_store(store_dir) as store:
        target = out or store.path.parent
        summary = steps.report_only(store, target)
    if as_json:
        print_json(summary)
    else:
        click.echo(f"{target / 'report.html'}")


def _verify_parity(corpus: Path, rules: Path | None, first: int, as_json: bool) -> None:
    from regrade.parity import compare_parity, require_parity
    from regrade.report.terminal_parity import print_parity

    with progress() as told:
        found = compare_parity(corpus, rules, first=first, progress=told)
    warn(found["warnings"])
    if as_json:
        print_json(found)
    else:
        print_parity(found)
    require_parity(found)


if __name__ == "__main__":
    main()
