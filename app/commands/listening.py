"""`batch listen`: pulls a batch as soon as Label Studio says that something in it changed."""

from __future__ import annotations

import logging
import secrets
import signal
import sys
import threading
from typing import Annotated

import typer

from annotation.label_studio.protocol import AnnotationServer
from annotation.label_studio.server import LOOPBACK, find_free_port
from annotation.label_studio.webhooks import LabelStudioWebhooks
from annotation.pull import pull_batch
from app.commands.batches import batch
from app.commands.labelling import open_server
from app.options import ActorOption, WorkspaceOption
from app.output import say
from app.session import Session, open_session
from corpus.errors import SettingsError, StateError, StereoscopeError
from corpus.records import AssignmentState
from corpus.store import Store

PORT = 8091
REGISTER_S = 60.0
"""How often newly sent projects are registered."""
TERMINATED = 143
"""Exit code of a process ended by SIGTERM, as shells have it."""


def register(cli: typer.Typer) -> None:
    """Adds this command to the command line; it is a verb of `batch`."""


@batch.command("listen")
def listen(
    port: Annotated[int, typer.Option("--port", help="Port; the next free one is taken.")] = PORT,
    address: Annotated[
        str, typer.Option("--address", help="Only for containers: where to listen.")
    ] = LOOPBACK,
    url: Annotated[
        str | None, typer.Option("--url", help="Where Label Studio reaches it, if elsewhere.")
    ] = None,
    registering: Annotated[
        bool,
        typer.Option("--register/--no-register", help="Tell Label Studio by itself, and untell."),
    ] = True,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Pull each batch as soon as Label Studio says that something changed; stop it with Ctrl-C.

    What Label Studio says is never trusted: it only starts the same pull as `batch pull`.
    """
    from annotation.webhook import PATH, SECRET_HEADER, PullQueue, build_application, build_server

    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    # Without this a terminated listener would stay registered.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    with open_session(workspace, actor) as session:
        server = open_server(session)
        secret = _choose_secret(session, registering)
        free = find_free_port(port) if address == LOOPBACK else port
        here = (url or f"http://{LOOPBACK}:{free}").rstrip("/") + PATH
        queue = PullQueue(
            lambda project_id: find_batch(session.store, project_id),
            lambda batch_id: _pull(session, server, batch_id),
        )
        hooks = LabelStudioWebhooks(
            session.settings.label_studio_url,
            session.settings.label_studio_token.get_secret_value(),
        )
        headers = {SECRET_HEADER: secret}
        receiver = build_server(build_application(secret, queue.add), address, free)
        with queue.working(), _Registration(session.store, hooks, here, headers, registering):
            say(f"Listening for {here}. Stop: Ctrl-C")
            receiver.run()


def find_batch(store: Store, project_id: str) -> str | None:
    """The batch that a project on Label Studio belongs to, None if it is none of this study."""
    return next(
        (batch_id for known, batch_id in _find_projects(store) if known == project_id), None
    )


def _find_projects(store: Store) -> list[tuple[str, str]]:
    """Project and batch of everybody who still answers."""
    with store.reading() as state:
        assignments = state.assignments([each.id for each in state.batches()])
    return [
        (each.external_id, each.batch_id)
        for each in assignments
        if each.external_id is not None and each.state is AssignmentState.ACTIVE
    ]


def _pull(session: Session, server: AnnotationServer, batch_id: str) -> None:
    pulled = pull_batch(session.store, server, batch_id, session.actor)
    added = sum(each.added for each in pulled)
    say(f"Batch {batch_id}: {added} new revisions.")


def _choose_secret(session: Session, registering: bool) -> str:
    """The secret that is set, else a new one.

    Raises:
        SettingsError: if it is too short to be one, or nobody would know a new one.
    """
    from annotation.webhook import SECRET_LENGTH

    given = session.settings.webhook_secret.get_secret_value()
    if given and (len(given) < SECRET_LENGTH or not given.isascii()):
        raise SettingsError(
            f"STEREOSCOPE_WEBHOOK_SECRET needs {SECRET_LENGTH} ASCII characters or more."
        )
    if not (given or registering):
        raise SettingsError(
            "Set STEREOSCOPE_WEBHOOK_SECRET to what Label Studio sends in the header, or let "
            "--register make a secret and tell it."
        )
    return given or secrets.token_urlsafe(24)


class _Registration:
    """Webhooks that are there while the block lasts, also for projects that are sent meanwhile."""

    def __init__(
        self,
        store: Store,
        hooks: LabelStudioWebhooks,
        url: str,
        headers: dict[str, str],
        wanted: bool,
    ) -> None:
        self._store, self._hooks, self._url, self._headers = store, hooks, url, headers
        self._wanted = wanted
        self._known: set[str] = set()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="registration", daemon=True)

    def __enter__(self) -> None:
        if self._wanted:
            self._register()
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        if self._wanted:
            self._ended.set()
            self._thread.join()
            try:
                self._hooks.remove(self._url)
            except StereoscopeError as error:
                say(f"The webhooks for {self._url} are still on Label Studio: {error}")

    def _keep(self) -> None:
        while not self._ended.wait(REGISTER_S):
            try:
                self._register()
            except StereoscopeError as error:
                say(str(error))

    def _register(self) -> None:
        """Registers what is new; one project that is gone does not keep back the others.

        Raises:
            StateError: if the server takes none of them.
        """
        refused: list[StateError] = []
        for project_id, _ in _find_projects(self._store):
            if project_id in self._known:
                continue
            try:
                self._hooks.register(project_id, self._url, self._headers)
                self._known.add(project_id)
            except StateError as error:
                refused.append(error)
        if refused and not self._known:
            raise refused[0]
        for each in refused:
            say(str(each))
