"""Commands about raters: people who rate, known by a pseudonym."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from annotation.consents import describe_rater, record_consent, record_ethics
from annotation.erasure import LabellingServer, erase_rater
from annotation.label_studio.accounts import LabelStudioAccounts
from annotation.label_studio.client import LabelStudioServer
from annotation.pull import pull_batch
from annotation.raters import find_assignments, find_erased, find_rater, invite_rater
from app.commands.labelling import open_server
from app.options import ActorOption, DryRunOption, WorkspaceOption
from app.output import literal, print_table, say
from app.session import Session, open_session
from corpus.errors import Fault, InputError, StateError, UnreachableError
from corpus.people import RATER, Ethics, Person
from corpus.records import AuditEntry, Origin

raters = typer.Typer(help="People who rate.", no_args_is_help=True)
RaterArgument = Annotated[str, typer.Argument(metavar="RATER", help="Her pseudonym.")]


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line."""
    cli.add_typer(raters, name="raters")


@raters.command("add")
def add_rater(
    rater_id: Annotated[str, typer.Argument(help="Pseudonym; the only name in all data.")],
    address: Annotated[
        str | None,
        typer.Option("--address", help="Address of a log-in she has; else `raters invite` her."),
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="Her name, if it is kept.")] = None,
    contact: Annotated[
        str | None, typer.Option("--contact", help="Where she is written to, if it is kept.")
    ] = None,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Add a rater, or change what is known of her; name and addresses stay in one table."""
    if "/" in rater_id or "," in rater_id or not rater_id.strip():
        raise StateError("A rater's id is a short name without slash and comma, e.g. rater-sk-1.")
    with (
        open_session(workspace, actor) as session,
        session.store.writing(Origin.HUMAN) as writer,
    ):
        known = {person.id: person for person in writer.people()}.get(rater_id)
        if known is not None and rater_id in find_erased(writer):
            find_rater(writer, rater_id)
        before = known or Person(rater_id, RATER)
        after = replace(
            before,
            address=before.address if address is None else address,
            name=before.name if name is None else name,
            contact=before.contact if contact is None else contact,
            stamp=None,
        )
        if known is not None and after == replace(known, stamp=None):
            say(f"{rater_id} is there already.")
            return
        writer.append([after])
        writer.append_audit(AuditEntry(session.actor, "raters add", rater_id))
    say(f"{rater_id} added." if known is None else f"{rater_id} changed.")


@raters.command("list")
def list_raters(workspace: WorkspaceOption = None, actor: ActorOption = None) -> None:
    """List raters by pseudonym; names, addresses and what they said of themselves stay hidden."""
    with open_session(workspace, actor) as session, session.store.reading() as state:
        people = [person for person in state.people() if person.kind == RATER]
        consents, erased = state.consents(), find_erased(state)
    rows = [
        (
            person.id,
            "erased" if person.id in erased else "yes" if person.address else "no",
            _answer(consents[person.id].publish) if person.id in consents else "not recorded",
            _answer(bool(person.demographics)),
        )
        for person in people
    ]
    print_table("Raters", ("rater", "has a log-in", "may be published", "described"), rows)


def _answer(value: bool) -> str:
    return "yes" if value else "no"


@raters.command("invite")
def invite(
    rater_id: RaterArgument,
    renew: Annotated[
        bool, typer.Option("--renew", help="A new log-in for one that is lost; both stay hers.")
    ] = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Make a rater's log-in on Label Studio and print the one message to pass on to her.

    The password is shown once and kept nowhere. Invite before or after `batch push`.
    """
    with open_session(workspace, actor) as session:
        open_server(session)
        settings = session.settings
        home = (settings.label_studio_public_url or settings.label_studio_url).rstrip("/")
        token = settings.label_studio_token.get_secret_value()
        invitation = invite_rater(
            session.store,
            LabelStudioAccounts(settings.label_studio_url, token),
            rater_id,
            session.actor,
            study=settings.name,
            home=home,
            link=LabelStudioServer(home, token).labelling_url,
            domain=settings.rater_domain,
            renew=renew,
        )
    if invitation.password is None:
        say(f"{rater_id} has a log-in already. If it is lost: raters invite {rater_id} --renew")
        return
    say("Pass this message on to her over a channel that only she reads; it is shown once.")
    typer.echo(literal(invitation.message))


@raters.command("erase")
def erase(
    rater_id: RaterArgument,
    here_only: Annotated[
        bool,
        typer.Option("--here-only", help="Without Label Studio: her user there is left to you."),
    ] = False,
    dry_run: DryRunOption = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first; for scripts.")] = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Erase all that is known of a rater, here and on Label Studio; it cannot be undone.

    It says what that is and asks first. Her ratings stay under the pseudonym. What she did not rate
    is then nobody's.
    """
    with open_session(workspace, actor) as session:
        with session.store.reading() as state:
            is_erased = rater_id in find_erased(state)
            if not is_erased:
                find_rater(state, rater_id)
        server = None if here_only else _find_labelling_server(session, rater_id)
        account = ", and her account on Label Studio," if server else ""
        erases = f"erase name, addresses and description of {rater_id} here{account} for good"
        if dry_run:
            say(f"Dry run: would {erases}.")
            return
        # Of one who was erased before only the files of the database are cleaned again.
        if not (yes or is_erased):
            _ask(f"This will {erases}. Her ratings stay under the pseudonym.")
        erased = erase_rater(session.store, server, rater_id, session.actor)
    say(f"{rater_id} is erased. Accounts deleted on Label Studio: {erased.accounts}.")
    if erased.open_items:
        say(f"{erased.open_items} items that she did not rate are nobody's now.")
    for each in erased.remains:
        say(f"- {each}")


def _ask(warning: str) -> None:
    """Goes on only after a yes.

    Raises:
        StateError: if there is nobody to ask, or the answer is no.
    """
    say(warning)
    if not sys.stdin.isatty():
        raise StateError("Nothing was erased: nobody can be asked here. Give --yes to go on.")
    if not typer.confirm("Go on?", err=True):
        raise StateError("Nothing was erased.")


def _find_labelling_server(session: Session, rater_id: str) -> LabellingServer | None:
    """What erasing needs of Label Studio; None if she was never there.

    Raises:
        UnreachableError: if she may have an account there and it cannot be reached.
    """
    with session.store.reading() as state:
        assigned = any(each.external_id for each in find_assignments(state, rater_id))
        known = bool(state.log_in_addresses().get(rater_id))
    settings = session.settings
    if not (assigned or known):
        return None
    try:
        server = open_server(session)
    except UnreachableError as error:
        raise UnreachableError(
            f"{error} She may have an account there, so nothing is erased yet. Start it, or erase "
            "her here only with --here-only and delete her user there yourself."
        ) from error
    token = settings.label_studio_token.get_secret_value()
    return LabellingServer(
        LabelStudioAccounts(settings.label_studio_url, token),
        lambda batch_id: pull_batch(session.store, server, batch_id, session.actor, full=True),
    )


@raters.command("consent")
def consent(
    rater_id: RaterArgument,
    publish: Annotated[
        bool, typer.Option("--yes/--no", help="Whether her ratings may be published.")
    ],
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Record whether a rater agreed that her ratings are published; the latest answer counts."""
    with open_session(workspace, actor) as session:
        new = record_consent(session.store, rater_id, publish, session.actor)
    may = "may" if publish else "may not"
    say(f"The ratings of {rater_id} {may} be published{'' if new else ' (recorded already)'}.")


@raters.command("describe")
def describe(
    rater_id: RaterArgument,
    facts: Annotated[
        list[str],
        typer.Argument(metavar="KEY=VALUE...", help="E.g. gender=woman 'native language=sk'."),
    ],
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Record what a rater chose to say of herself; only counts of it are ever shown.

    KEY= takes a fact back.
    """
    with open_session(workspace, actor) as session:
        describe_rater(session.store, rater_id, _read_facts(facts), session.actor)
    say(f"{rater_id} is described.")


def _read_facts(facts: Sequence[str]) -> dict[str, str]:
    faults = [
        Fault("facts", number, None, "it has no `=`", "Write KEY=VALUE")
        for number, each in enumerate(facts, start=1)
        if "=" not in each
    ]
    if faults:
        raise InputError(faults)
    return {key: value for key, _, value in (each.partition("=") for each in facts)}


@raters.command("ethics")
def ethics(
    body: Annotated[str | None, typer.Option("--body", help="Name of the committee.")] = None,
    number: Annotated[str | None, typer.Option("--number", help="Its approval's number.")] = None,
    consent_file: Annotated[
        Path | None, typer.Option("--consent-file", help="Text that raters consent to (UTF-8).")
    ] = None,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Show or record the study's ethics approval and the text that raters consent to."""
    with open_session(workspace, actor) as session:
        with session.store.reading() as state:
            known = state.ethics()
        if body is None and number is None and consent_file is None:
            _print_ethics(known)
            return
        before = known or Ethics("", "", "")
        given = Ethics(
            before.body if body is None else body,
            before.number if number is None else number,
            before.consent_text if consent_file is None else _read_text(consent_file),
        )
        new = record_ethics(session.store, given, session.actor)
    say("Recorded." if new else "That is recorded already.")


def _print_ethics(known: Ethics | None) -> None:
    rows = (
        [("committee", known.body), ("number", known.number), ("consent text", known.consent_text)]
        if known
        else []
    )
    print_table("Ethics approval", ("what", "value"), rows or [("not recorded", "")])


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            [Fault(file.name, None, None, f"cannot be read ({error})", "Give a UTF-8 text file")]
        ) from error
