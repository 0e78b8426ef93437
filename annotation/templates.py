"""Template batches: the templated sentences of a language, for translators to validate.

Four items a language: noun and pronoun template, masculine and feminine, around one example
sentence. They are about the template and never enter agreement, gates or the data.

Source: Rowe et al. 2025 (EuroGEST), validation of the templates. Deviation: the example sentence is
drawn by a seed; the study's is not published.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from annotation.batches import CreatedBatch, check_raters, find_created, store_batch
from annotation.ordering import order_for_rater
from corpus.content_notes import find_content_note
from corpus.errors import StateError
from corpus.figures import Figure
from corpus.forms import load_form
from corpus.hashing import sha256_json
from corpus.languages import Edition, Template, TemplateKind, language
from corpus.records import (
    FEMININE_VARIANT,
    MASCULINE_VARIANT,
    NEUTRAL_VARIANT,
    Assignment,
    Batch,
    Candidate,
    Instrument,
    Item,
    Label,
    Origin,
    Purpose,
    Source,
    subject_id,
)
from corpus.standing import SOURCE_LANGUAGE, Standing, language_standing
from corpus.store import Store
from corpus.store.state import State
from corpus.templates import Variants, render, template_for

FORM = "template"
SUBJECT_KIND = "template"
GENDERS = (MASCULINE_VARIANT, FEMININE_VARIANT)


@dataclass(frozen=True, slots=True)
class TemplatePlan:
    """What a template batch is to be."""

    language: str
    raters: tuple[str, ...]
    """Ids of the raters; each of them answers every item."""
    seed: int
    """Of the example's draw and of the raters' orders."""
    example: str | None = None
    """Key of the source whose sentence is shown in the templates; None draws one."""
    edition: Edition = Edition.CORRECTED

    @property
    def templates(self) -> tuple[Template, ...]:
        """The noun and the pronoun template, both after the sentence."""
        return tuple(
            template_for(language(self.language), kind, self.edition) for kind in TemplateKind
        )

    @property
    def id(self) -> str:
        """`<language>-<8 hex>`: a template worded otherwise makes another batch."""
        made_of = [
            *(Purpose.TEMPLATE, self.language, sorted(self.raters), self.seed, self.example),
            [each.content_hash for each in self.templates],
        ]
        return f"{self.language}-{sha256_json(made_of)[:8]}"


def create_template_batch(
    store: Store, plan: TemplatePlan, actor: str, origin: Origin
) -> CreatedBatch:
    """Stores the templated sentences of a language as a batch, in one transaction.

    Raises:
        InputError: if there is no such language.
        StateError: if a rater is unknown or named twice, or there is no neutral sentence to show.
    """
    with store.writing(origin) as writer:
        existing = find_created(writer, Instrument.EUROGEST, plan.id)
        if existing is not None:
            return existing
        check_raters(writer, plan.raters)
        batch, items, assignments = draft_template_batch(writer, plan)
        writer.append_form(load_form(FORM))
        return store_batch(writer, batch, items, assignments, actor, "templates create")


def draft_template_batch(
    state: State, plan: TemplatePlan
) -> tuple[Batch, list[Item], list[Assignment]]:
    """The batch, items and assignments that a plan makes, without writing anything.

    Raises:
        InputError: if there is no such language.
        StateError: if no rater or one twice is named, or there is no neutral sentence to show.
    """
    if not plan.raters or len(set(plan.raters)) != len(plan.raters):
        raise StateError("A batch needs raters, each named once.")
    if plan.language == SOURCE_LANGUAGE:
        raise StateError("English enters untranslated and needs no ratings.")
    candidate, source = _choose_example(state, plan)
    items = _items(plan, candidate.variants[NEUTRAL_VARIANT], source.text)
    batch = Batch(
        id=plan.id,
        instrument=Instrument.EUROGEST,
        language=plan.language,
        form=load_form(FORM).name,
        seed=plan.seed,
        raters_planned=len(plan.raters),
        design={
            "size": len(items),
            "purpose": str(Purpose.TEMPLATE),
            "templates": [each.id for each in plan.templates],
            "example": source.key,
        },
    )
    ids = [item.id for item in items]
    assignments = [
        Assignment(batch.id, rater, order_for_rater(ids, plan.seed, rater)) for rater in plan.raters
    ]
    return batch, items, assignments


@dataclass(frozen=True, slots=True)
class TemplateRating:
    """One rater's counted answer to one templated sentence."""

    item: Item
    rater_id: str
    score_0_100: int
    suggestion: str
    """The whole text as she would have it; empty if she would change nothing."""
    comment: str


def list_template_ratings(state: State, code: str) -> list[TemplateRating]:
    """The counted answers to a language's templated sentences, by item and rater.

    Raises:
        InputError: if there is no such language.
    """
    return gather_template_ratings(language_standing(state, Instrument.EUROGEST, code))


def gather_template_ratings(standing: Standing) -> list[TemplateRating]:
    """The counted answers to a language's templated sentences, by item and rater."""
    items = {item.id: item for item in standing.items if item.purpose is Purpose.TEMPLATE}
    found = [
        TemplateRating(
            items[each.item_id],
            each.rater_id,
            int(each.answers["quality"]),
            str(each.answers.get("suggestion") or ""),
            str(each.answers.get("comment") or ""),
        )
        for each in standing.counted
        if each.item_id in items
    ]
    return sorted(found, key=lambda each: (each.item.id, each.rater_id))


def compute_template_figures(ratings: Sequence[TemplateRating], code: str) -> list[Figure]:
    """Mean DA of each templated sentence over its raters, and of all of them.

    The study reports a mean of 98.8 over the four sentences of all its languages.
    """
    scores: dict[str, list[int]] = {}
    for each in ratings:
        scores.setdefault(each.item.subject_id, []).append(each.score_0_100)
    figures = [
        _mean_figure(each, (("language", code), ("template", name.split("/template/")[1])))
        for name, each in sorted(scores.items())
    ]
    everything = [each.score_0_100 for each in ratings]
    return [*figures, _mean_figure(everything, (("language", code),))]


def _mean_figure(scores: Sequence[int], scope: tuple[tuple[str, str], ...]) -> Figure:
    return Figure(
        name="template_mean_da",
        value=sum(scores) / len(scores) if scores else None,
        n=len(scores),
        definition="mean direct assessment of templated sentences, 0 to 100; n is ratings",
        method="arithmetic mean",
        reason=None if scores else "no_data",
        scope=scope,
    )


def _choose_example(state: State, plan: TemplatePlan) -> tuple[Candidate, Source]:
    """A kept neutral candidate without a content note, and its source."""
    standing = language_standing(state, Instrument.EUROGEST, plan.language)
    sources = {source.key: source for source in state.sources(Instrument.EUROGEST)}
    neutral = {
        each.candidate.source_key: each.candidate
        for each in standing.candidates
        if not each.rejected and each.candidate.label is Label.NEUTRAL
    }
    if plan.example is not None:
        if plan.example not in neutral:
            raise StateError(
                f"Source {plan.example} has no neutral candidate in {plan.language} that could be "
                "an example; `stereoscope candidates export` lists them."
            )
        return neutral[plan.example], sources[plan.example]
    harmless = sorted(key for key in neutral if not find_content_note(sources[key]))
    if not harmless:
        raise StateError(
            f"Language {plan.language} has no neutral sentence to show in its templates; run "
            f"`stereoscope generate --languages {plan.language}` first."
        )
    key = Random(f"{plan.seed}/{plan.language}/template example").choice(harmless)
    return neutral[key], sources[key]


def _items(plan: TemplatePlan, sentence: str, english_sentence: str) -> list[Item]:
    """An item for each template and gender, noun before pronoun."""
    items: list[Item] = []
    for template in plan.templates:
        kind = TemplateKind(template.kind)
        english = render(template_for(language(SOURCE_LANGUAGE), kind), english_sentence)
        # Where both genders are said alike, each is still rated against its own English.
        texts = render(template, sentence, allow_identical=True)
        for gender in GENDERS:
            name = f"{template.id}/{gender}"
            items.append(
                Item(
                    id=f"{plan.id}/{len(items) + 1:04}",
                    batch_id=plan.id,
                    instrument=Instrument.EUROGEST,
                    subject_kind=SUBJECT_KIND,
                    subject_id=subject_id(Instrument.EUROGEST, plan.language, f"template/{name}"),
                    variant=gender,
                    purpose=Purpose.TEMPLATE,
                    shown={"src_text": _of(english, gender), "mt_text": _of(texts, gender)},
                    content_hash=template.content_hash,
                )
            )
    return items


def _of(texts: Variants, gender: str) -> str:
    return texts.masculine if gender == MASCULINE_VARIANT else texts.feminine
