"""What the commands share: options, where a store is, what is told on standard error, and errors as exit codes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from regrade.errors import RegradeError, StoreError, near, one_line

if TYPE_CHECKING:
    from regrade.certifying import Asked
    from regrade.tables.store import Store


class Cli(click.Group):
    """Turns every error into one line on standard error and its exit code."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run; never shows a traceback, unless REGRADE_DEBUG is set."""
        try:
            code = super().main(*args, **{**kwargs, "standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message(), err=True)
            sys.exit(error.exit_code)
        except click.ClickException as error:
            hint = f" See: {error.ctx.command_path} --help" if isinstance(error, click.UsageError) and error.ctx else ""
            fail(f"{error.format_message()}{hint}", error.exit_code)
        except click.Abort:
            fail("Stopped.", 130)
        except RegradeError as error:
            fail(str(error), error.exit_code)
        except BrokenPipeError:
            # The reader of standard output has gone; what is left in its buffer has nowhere to go.
            sys.stdout = open(os.devnull, "w")
            sys.exit(0)
        except Exception as error:
            if "REGRADE_DEBUG" in os.environ:
                raise
            where = "Cannot read or write" if isinstance(error, OSError) else "Unexpected"
            fail(f"{where}: {type(error).__name__}: {error}. Set REGRADE_DEBUG=1 to see where.", 2)
        sys.exit(code if isinstance(code, int) else 0)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Suggest the near command where there is none of the name."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise RegradeError(f"Unknown command {args[0]!r}.{near(args[0], self.commands)}")
        return super().resolve_command(ctx, args)


def fail(message: str, code: int) -> NoReturn:
    """End with one line on standard error."""
    click.echo(f"regrade: {one_line(message)}", err=True)
    sys.exit(code)


corpus_argument = click.argument("corpus", type=click.Path(path_type=Path))
out_option = click.option("--out", type=click.Path(path_type=Path), help="Output folder. Default: reports/<name>.")
rules_option = click.option(
    "--rules", type=click.Path(path_type=Path), help="A rules folder that wins over all others."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the machine form alone on standard output.")
gap_option = click.option(
    "--allow-parity-gap",
    is_flag=True,
    help="Go on where the frozen grader is not reproduced; the gap is shown everywhere.",
)
fail_option = click.option(
    "--fail-on",
    multiple=True,
    metavar="WHAT",
    help="Exit 1 on rejects, flips, draft or harness_parse, after all is written; repeat, or join by commas.",
)
map_option = click.option(
    "--map",
    "maps",
    multiple=True,
    metavar="COLUMN=PATH",
    help="Where a column stands in a log, such as item=task_id or frozen.pass.passed=grade.ok; repeat.",
)
store_option = click.option(
    "--store",
    "store_dir",
    type=click.Path(path_type=Path),
    help="Folder of a loaded store. Default: the only one under reports/.",
)


def store_folder(store_dir: Path | None) -> Path:
    """The folder of --store, or the only one under reports/ that has a store."""
    from regrade.tables.store import FILE_NAME

    if store_dir is not None:
        return store_dir.parent if store_dir.name == FILE_NAME else store_dir
    found = sorted(Path("reports").glob(f"*/{FILE_NAME}"))
    if len(found) != 1:
        listed = ", ".join(str(p.parent) for p in found) or "none"
        make = "" if found else " Make one with: regrade audit CORPUS"
        raise StoreError(
            f"Found {len(found)} stores under reports/ ({listed}), expected one. Name one with --store DIR.{make}"
        )
    return found[0].parent


def open_store(store_dir: Path | None) -> Store:
    """Open that store for reading."""
    from regrade.tables.store import FILE_NAME, Store

    return Store.open(store_folder(store_dir) / FILE_NAME, read_only=True)


def progress() -> Any:
    """A bar on work over two seconds, where standard error is a terminal."""
    from regrade.report.progress import progress_bar

    return progress_bar()


def warn(warnings: Sequence[str]) -> None:
    """Tell what a reader must know, a line each."""
    for warning in warnings:
        click.echo(f"Warning: {one_line(warning)}", err=True)


def print_json(value: Any) -> None:
    """Print the machine form."""
    click.echo(json.dumps(value, indent=1, ensure_ascii=False))


CLAIM_OPTIONS = (
    click.option("--counts", multiple=True, metavar="CODE", help="A code or status to count; repeat for any."),
    click.option("--axis", help="Default: the primary axis."),
    click.option("--candidate", help="Whose grades are counted. Default: frozen."),
    click.option("--where", multiple=True, metavar="KEY=VALUE", help="Only items whose gold has it; repeat."),
    click.option("--family", multiple=True, help="Only items of this family; repeat."),
    click.option("--needs", metavar="AXIS", help="Another axis on which a trial must have passed."),
    click.option("--tier", help="Only configurations of this tier."),
    click.option("--configuration", "configurations", multiple=True, help="Only this configuration; repeat."),
    click.option("--absence", "absences", multiple=True, metavar="ITEM", help="Only the absence of this item; repeat."),
)
"""What `certify` may claim."""
OF_COUNTS = ("axis", "where", "family", "needs")
"""Those that a metric says itself."""


def claim_options(function: Any) -> Any:
    """Give a command the options of a claim."""
    for option in reversed(CLAIM_OPTIONS):
        function = option(function)
    return function


SAMPLE_OPTIONS = (
    click.option("--name", help="A declared sample, or what to call this one."),
    click.option("--candidate", help="Whose grades stand beside the frozen ones."),
    click.option(
        "--stratum",
        type=click.Choice(["fail_to_pass", "pass_to_fail", "both_passed", "both_failed", "balanced"]),
        help="What moved; balanced is all four, as many of each.",
    ),
    click.option("--tier", help="Only configurations of this tier."),
    click.option("--size", type=click.IntRange(1), help="How many trials."),
    click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Any number; it decides the draw."),
    click.option("--axis", help="Default: the primary axis."),
    click.option(
        "--by",
        callback=lambda ctx, param, value: value and value.split(","),
        metavar="NAME,...",
        help="Stratify by these as well: code, tier, family, item, weights, gold.KEY, extra.KEY, ...",
    ),
    click.option("--allocation", type=click.Choice(["equal", "proportional"]), help="Over the strata. Default: equal."),
    click.option("--question", help="What to ask of each trial, in place of the usual question."),
)
"""What a sample is drawn by."""


def sample_options(function: Any) -> Any:
    """Give a command the options of a sample."""
    for option in reversed(SAMPLE_OPTIONS):
        function = option(function)
    return function


def asked_of(given: Mapping[str, Any]) -> Asked:
    """What the options of a claim ask for, of those that were given."""
    from regrade.certifying import Asked

    alone = [f"--{name}" for name in OF_COUNTS if name in given]
    if alone and "counts" not in given:
        raise RegradeError(f"{', '.join(alone)} without --counts CODE: name what to count there.")
    return Asked(**{**given, "where": _values(given.get("where", ()))})


def _values(pairs: Sequence[str]) -> dict[str, Any]:
    """`KEY=VALUE`, the value as JSON where it is a scalar of it, else as text; of a key that is repeated any."""
    found: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not (key and equals):
            raise RegradeError(f"--where {pair!r}: expected KEY=VALUE, such as answerable=false.")
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        value = text if value is None or isinstance(value, dict | list) else value
        found[key] = value if key not in found else (*_several(found[key]), value)
    return found


def _several(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
