"""`batch explain`: a curator says what was found out about invalid ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from annotation.explanations import explain_ratings
from app.commands.batches import BatchArgument, batch
from app.options import ActorOption, WorkspaceOption
from app.output import print_table, say
from app.session import open_session
from app.views.invalid_ratings import build_invalid_rating_rows
from corpus.errors import SettingsError
from corpus.invalid_ratings import InvalidRating


def register(cli: typer.Typer) -> None:
    """Adds this command to the command line; it is a verb of `batch`."""


@batch.command("explain")
def explain(
    batch_id: BatchArgument,
    reason: Annotated[
        str | None,
        typer.Option("--reason", help="What was found out about them; without it they are listed."),
    ] = None,
    rater_id: Annotated[
        str | None, typer.Option("--rater", help="Only those of this rater.")
    ] = None,
    items: Annotated[
        list[str] | None,
        typer.Option("--item", help="Only this item, as `batch explain` lists it; repeatable."),
    ] = None,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """List a batch's invalid ratings, or explain those that nobody has explained yet.

    An approval needs each of them explained. A later answer to the same item is a new one.
    """
    with open_session(workspace, actor) as session:
        with session.store.reading() as state:
            found = state.batch(batch_id)
        standing = session.standing(found.instrument, found.language)
        batch_of = {item.id: item.batch_id for item in standing.items}
        chosen = [
            each
            for each in standing.invalid
            if batch_of[each.rating.item_id] == batch_id
            and rater_id in {None, each.rating.rater_id}
            and (not items or each.rating.item_id in items)
        ]
        unknown = sorted(set(items or ()) - {each.rating.item_id for each in chosen})
        if unknown:
            raise SettingsError(
                f"--item: there is no invalid rating of {', '.join(unknown)} in {batch_id}."
            )
        if reason is None:
            _print_invalid(chosen, batch_id)
            return
        unexplained = [each for each in chosen if each.explanation is None]
        explain_ratings(session.store, unexplained, reason, session.actor)
    say(f"Invalid ratings explained: {len(unexplained)}.")


def _print_invalid(invalid: Sequence[InvalidRating], batch_id: str) -> None:
    rows = [
        (each.item, each.rater, each.why_invalid, each.answers, each.explanation, each.by)
        for each in build_invalid_rating_rows(invalid)
    ]
    columns = ("item", "rater", "why invalid", "answers", "explanation", "by")
    print_table(f"Invalid ratings of {batch_id}", columns, rows)
