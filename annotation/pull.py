"""Fetching ratings: what the server has is reconciled with what the store knows.

A pull can be repeated any number of times, in any order. A project of which nothing changed since
it was last read is not read again; where little changed, only that is read; where anything is
wrong, or on request, all of it. One transaction a rater: a pull that is cut off is finished by the
next one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from annotation.label_studio.protocol import AnnotationServer
from annotation.project_pull import Changes, KnownBatches, ProjectPull, PulledAssignment, load_known
from annotation.push import CLAIM
from corpus.errors import EngineError
from corpus.records import Origin
from corpus.store import Store

PULL_DEADLINE_S = 3600.0
"""After so long no further project is begun."""
CALLS_AT_ONCE = 4
"""Projects asked for changes together: a server with several processes answers so many at once."""


def pull_batch(
    store: Store,
    server: AnnotationServer,
    batch_id: str,
    actor: str,
    origin: Origin = Origin.MACHINE,
    advance: Callable[[], None] = lambda: None,
    *,
    full: bool = False,
) -> list[PulledAssignment]:
    """Brings one batch's ratings up to what the server has; raises as `pull_batches` does."""
    return pull_batches(store, server, [batch_id], actor, origin, advance, full=full)


def pull_batches(
    store: Store,
    server: AnnotationServer,
    batch_ids: Collection[str],
    actor: str,
    origin: Origin = Origin.MACHINE,
    advance: Callable[[], None] = lambda: None,
    *,
    full: bool = False,
    deadline_s: float = PULL_DEADLINE_S,
) -> list[PulledAssignment]:
    """Brings the ratings of batches up to what the server has, one transaction a rater.

    Args:
        store: Where the batches are.
        server: Where they were sent.
        batch_ids: The batches.
        actor: Who pulls.
        origin: What the revisions are marked with.
        advance: Called after each rater.
        full: Whether projects are read as a whole that have not changed.
        deadline_s: No further project is begun after so many seconds.

    Raises:
        StateError: if there is no such batch.
        UnreachableError: if the server does not answer or refuses the token.
        EngineError: if the deadline has passed; what was pulled is stored.
    """
    with store.reading() as state:
        for batch_id in batch_ids:
            state.batch(batch_id)
    with store.claiming(CLAIM):
        return pull_claimed(
            store, server, batch_ids, actor, origin, advance, full=full, deadline_s=deadline_s
        )


def pull_claimed(
    store: Store,
    server: AnnotationServer,
    batch_ids: Collection[str],
    actor: str,
    origin: Origin = Origin.MACHINE,
    advance: Callable[[], None] = lambda: None,
    *,
    full: bool = False,
    deadline_s: float = PULL_DEADLINE_S,
) -> list[PulledAssignment]:
    """What `pull_batches` does, for a caller that holds the claim."""
    ends_at = time.monotonic() + deadline_s
    known = load_known(store, batch_ids)
    if not known.assignments:
        return []
    now = server.fetch_time()
    pulls = _plan_pulls(store, server, known)
    pulled: list[PulledAssignment] = []
    with _fetching_changes([] if full else pulls) as changes:
        for pull in pulls:
            if time.monotonic() > ends_at:
                raise EngineError(
                    f"The pull took longer than {deadline_s:.0f} s; what was pulled until now is "
                    "stored. Pull again: it goes on from there."
                )
            pulled.append(pull.run(now, actor, origin, changes.get(pull.assignment.id)))
            advance()
    return pulled


def _plan_pulls(store: Store, server: AnnotationServer, known: KnownBatches) -> list[ProjectPull]:
    users = server.user_ids()
    projects = {each.id: each for each in server.find_projects()}
    pulls = []
    for assignment in known.assignments:
        addresses = known.addresses.get(assignment.rater_id, frozenset())
        accounts = {each: users[each] for each in addresses if each in users}
        project = projects.get(str(assignment.external_id))
        pulls.append(ProjectPull(store, server, known, assignment, project, accounts))
    return pulls


@contextmanager
def _fetching_changes(pulls: Sequence[ProjectPull]) -> Iterator[dict[str, Changes]]:
    """Changes of the projects of which no more need be read, by assignment, as they arrive."""
    pool = ThreadPoolExecutor(CALLS_AT_ONCE)
    try:
        asked = {pull.assignment.id: (pull, pull.find_since()) for pull in pulls}
        yield {
            each: pool.submit(pull.fetch_changes, since)
            for each, (pull, since) in asked.items()
            if since is not None
        }
    finally:
        # Only whole exports take long, and none is made here: an interrupted pull ends soon.
        pool.shutdown(cancel_futures=True)
