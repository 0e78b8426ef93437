"""Commands about templates: their validation by translators, and what it said."""

from __future__ import annotations

from typing import Annotated

import typer

from annotation.template_choices import (
    choose_template,
    is_wording,
    list_options,
    read_frame,
    write_frame,
)
from annotation.templates import (
    TemplatePlan,
    compute_template_figures,
    create_template_batch,
    draft_template_batch,
    list_template_ratings,
)
from app.options import (
    ActorOption,
    DryRunOption,
    JsonOption,
    LanguageOption,
    WorkspaceOption,
    split_list,
)
from app.output import describe_figure, print_figures, print_table, say
from app.session import open_session
from corpus.errors import StateError
from corpus.hashing import combined_hash
from corpus.languages import Edition, TemplateKind
from corpus.languages import languages as find_languages
from corpus.records import Origin, TemplateChoice

templates = typer.Typer(
    help="Templates of a language, validated by translators.", no_args_is_help=True
)


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line."""
    cli.add_typer(templates, name="templates")


@templates.command("create")
def create(
    language: LanguageOption,
    rater_ids: Annotated[str, typer.Option("--raters", help="Rater ids with commas.")],
    example: Annotated[
        str | None,
        typer.Option("--example", help="Source key of the sentence to show; else one is drawn."),
    ] = None,
    edition: Annotated[
        Edition, typer.Option("--edition", help="corrected, or as published.")
    ] = Edition.CORRECTED,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Seed of the draw.")] = None,
    dry_run: DryRunOption = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Make a batch of a language's templated sentences: noun and pronoun, man and woman."""
    [found] = find_languages([language], "--language")
    if edition is Edition.CHOSEN:
        raise StateError("Have the corrected or the published wording rated; then choose.")
    with open_session(workspace, actor) as session:
        plan = TemplatePlan(
            language=found.code,
            raters=tuple(split_list(rater_ids)),
            seed=seed if seed is not None else session.settings.seed,
            example=example,
            edition=edition,
        )
        if dry_run:
            with session.store.reading() as state:
                _, items, _ = draft_template_batch(state, plan)
        else:
            created = create_template_batch(session.store, plan, session.actor, Origin.HUMAN)
            items = list(created.items)
    rows = [(each.shown["src_text"], each.shown["mt_text"]) for each in items]
    if dry_run:
        print_table(f"Dry run: batch {plan.id}", ("English", "to rate"), rows)
        return
    there = "created" if created.created else "is there already"
    say(f"Batch {there}: {len(items)} items. Next: stereoscope batch push {plan.id}")
    typer.echo(plan.id)


@templates.command("options")
def options(
    language: LanguageOption,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """List the wordings that a language's templates can take, shipped and suggested."""
    [found] = find_languages([language], "--language")
    with open_session(workspace, actor) as session, session.store.reading() as state:
        listed = list_options(found.code, list_template_ratings(state, found.code))
        current = {each.kind: each for each in state.template_choices(found.code)}
    rows = []
    for number, each in enumerate(listed, start=1):
        chosen = current.get(each.kind)
        is_chosen = chosen is not None and is_wording(chosen, each)
        rows.append(
            (
                number,
                str(each.kind),
                each.source,
                write_frame(each.masculine),
                write_frame(each.feminine),
                "yes" if is_chosen else "",
            )
        )
    columns = ("number", "kind", "wording", "masculine", "feminine", "chosen")
    print_table(f"Templates of {found.name}; {{}} is the sentence", columns, rows)


@templates.command("choose")
def choose(
    language: LanguageOption,
    reason: Annotated[str, typer.Option("--reason", help="Why.")],
    option: Annotated[
        int | None, typer.Option("--option", min=1, help="Number in `templates options`.")
    ] = None,
    kind: Annotated[
        TemplateKind | None, typer.Option("--kind", help="Of a wording of your own.")
    ] = None,
    masculine: Annotated[
        str | None, typer.Option("--masculine", help="Its masculine frame, {} for the sentence.")
    ] = None,
    feminine: Annotated[
        str | None, typer.Option("--feminine", help="Its feminine frame, {} for the sentence.")
    ] = None,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Choose the final wording of one of a language's templates; releases and scores use it."""
    [found] = find_languages([language], "--language")
    with open_session(workspace, actor) as session:
        if option is not None and not (kind or masculine or feminine):
            with session.store.reading() as state:
                listed = list_options(found.code, list_template_ratings(state, found.code))
            if option > len(listed):
                raise StateError(f"There are {len(listed)} options; see `templates options`.")
            wording = listed[option - 1]
            texts = (write_frame(wording.masculine), write_frame(wording.feminine))
            kind = wording.kind
        elif option is None and kind and masculine and feminine:
            texts = (masculine, feminine)
        else:
            raise StateError(
                "Name either a number with --option or a wording of your own with --kind, "
                "--masculine and --feminine."
            )
        choice = TemplateChoice(
            found.code, kind, read_frame(texts[0]), read_frame(texts[1]), reason, session.actor
        )
        choose_template(session.store, choice)
    say(f"The {kind} template of {found.name} is settled: {texts[0]} / {texts[1]}")


@templates.command("show")
def show(
    language: LanguageOption,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Show how translators rated a language's templates, and what they suggest."""
    [found] = find_languages([language], "--language")
    with open_session(workspace, actor) as session, session.store.reading() as state:
        ratings = list_template_ratings(state, found.code)
    figures = compute_template_figures(ratings, found.code)
    if as_json:
        inputs = combined_hash(
            f"{each.item.id}/{each.rater_id}/{each.score_0_100}" for each in ratings
        )
        print_figures("templates show", inputs, figures)
        return
    rows = [
        (each.item.shown["mt_text"], each.rater_id, each.score_0_100, each.suggestion, each.comment)
        for each in ratings
    ]
    columns = ("rated", "rater", "DA", "suggestion", "comment")
    print_table(f"Templates of {found.name}", columns, rows)
    if not ratings:
        say("No rating of these templates counts yet.")
        return
    say(f"Mean DA: {describe_figure(figures[-1])}, n = {figures[-1].n}")
