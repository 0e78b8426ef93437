"""The command line `stereoscope`: nouns, then verbs; exit code 0 ok, 1 failed, 2 usage."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from app.commands import (
    agreement,
    approving,
    batches,
    comparing,
    decisions,
    explaining,
    generation,
    importing,
    labelling,
    listening,
    measuring,
    pairing,
    progress,
    prompt_augmentation,
    prompt_figures,
    prompt_judging,
    prompt_quality,
    prompt_release,
    prompt_reporting,
    prompt_running,
    prompts,
    publishing,
    quality,
    raters,
    referring,
    releases,
    reports,
    score_figures,
    score_runs,
    scores_group,
    scoring,
    sector_figures,
    sector_sentences,
    sectors,
    serving,
    sheets,
    staffing,
    study,
    templates,
    translations,
)
from app.output import say
from corpus.errors import InputError, StereoscopeError
from corpus.hashing import unstorable_fault
from corpus.version import PRODUCT

INTERRUPTED = 130
"""Exit code of a command stopped with Ctrl-C, as shells have it."""
UNWRITABLE = frozenset(
    {
        errno.EACCES,
        errno.EDQUOT,
        errno.EEXIST,
        errno.EFBIG,
        errno.EISDIR,
        errno.ENAMETOOLONG,
        errno.ENOSPC,
        errno.ENOTDIR,
        errno.EPERM,
        errno.EROFS,
    }
)
"""What is wrong with the place of a file or the room on its disk, which a person can mend."""

cli = typer.Typer(
    name="stereoscope",
    help=(
        "Multilingual gender-stereotype test data: generate, annotate, agree and decide, release, "
        "score."
    ),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for module in (
    study,
    generation,
    importing,
    reports,
    pairing,
    quality,
    translations,
    raters,
    batches,
    progress,
    staffing,
    explaining,
    labelling,
    listening,
    templates,
    agreement,
    decisions,
    referring,
    approving,
    releases,
    publishing,
    scoring,
    scores_group,
    score_figures,
    score_runs,
    comparing,
    sectors,
    sector_sentences,
    sector_figures,
    measuring,
    prompts,
    prompt_judging,
    prompt_reporting,
    prompt_running,
    prompt_augmentation,
    prompt_quality,
    prompt_release,
    prompt_figures,
    serving,
    sheets,
):
    module.register(cli)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(PRODUCT)
        raise typer.Exit


@cli.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Multilingual gender-stereotype test data that can be trusted, and models scored on it."""


def main() -> None:
    """Runs the command line; an error of the product is one message and exit code 1."""
    try:
        _check_arguments(sys.argv[1:])
        cli(prog_name="stereoscope")
    except StereoscopeError as error:
        say(str(error))
        sys.exit(1)
    except OSError as error:
        # Any other is a fault of the product, whose traceback is worth more than a sentence.
        if error.errno not in UNWRITABLE:
            raise
        say(describe_unwritable(error))
        sys.exit(1)
    except KeyboardInterrupt:
        _say_interrupted()
        sys.exit(INTERRUPTED)
    except SystemExit as end:
        # Typer makes this of Ctrl-C while a command runs, and says nothing.
        if end.code == INTERRUPTED:
            _say_interrupted()
        raise


def describe_unwritable(error: OSError) -> str:
    """What could not be written and why, and that the rest is whole."""
    named = (error.filename2 or error.filename) if error.filename else "A file"
    why = "there is a file of this name" if error.errno == errno.EEXIST else error.strerror
    return (
        f"{named} cannot be written: {why}. Files written before are whole: make room "
        "or choose another place, and run the same command again."
    )


def _say_interrupted() -> None:
    say("Interrupted; run the same command again to go on where it stopped.")


def _check_arguments(arguments: Sequence[str]) -> None:
    """Refuses arguments that are not Unicode: no text of the product can hold them."""
    checked = (
        unstorable_fault(argument, "command line", number, "argument")
        for number, argument in enumerate(arguments, start=1)
    )
    faults = [fault for fault in checked if fault is not None]
    if faults:
        raise InputError(faults)


if __name__ == "__main__":
    main()
