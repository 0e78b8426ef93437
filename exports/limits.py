"""Limits of a release, each said of its own rows: what the card and the metadata both print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from corpus.languages import load_languages
from corpus.prompt_languages import name_of
from corpus.prompt_sources import Kind, kind_of
from corpus.prompts import US_CENTRED_CONCERNS, concern_key
from corpus.records import NEUTRAL_VARIANT, Instrument, Origin, Source
from corpus.release_schema import HumanSeen, ReleaseRow
from exports.provenance import Draft

_SOURCES = {
    Instrument.EUROGEST: ("source sentences", "stereotypes, wording and templates"),
    Instrument.MLA_BITE: ("prompts and names of communities", "prejudices and communities"),
    Instrument.SECTORS: ("source sentences", "templates and wording"),
}
"""What the sources of an instrument are, and what of them is English-centred."""
_ERRORS = {
    Instrument.EUROGEST: "the translation engine and of the pairing rule, which the label error"
}
_ERRORS_OF_OTHERS = (
    "whoever or whatever wrote, translated or paraphrased them, which the label accuracy"
)
FINAL_MARKS = ".!?…。"


def describe_genders(rows: Sequence[ReleaseRow]) -> str:
    """Which genders there are, e.g. that they are two."""
    names = {name for row in rows for name in row.variants} - {NEUTRAL_VARIANT}
    if not names:
        return (
            f"None of the {len(rows)} rows has gendered texts of its own: gender comes from the "
            "templates alone."
        )
    pairs = sum(len(row.variants) > 1 for row in rows)
    listed = " and ".join(sorted(names, reverse=True))
    if len(names) == 2:
        return (
            f"Gender is binary here: the texts of the {pairs} pairs are {listed}, and there is no "
            "other."
        )
    return f"Genders of the texts of {pairs} rows: {listed}; there is no other."


def describe_subject(draft: Draft) -> str:
    """What the rows are about, and what that leaves out; of sentences the genders there are."""
    rows = [row for each in draft.contents for row in each.rows]
    if draft.instrument is Instrument.MLA_BITE:
        return _describe_prompts(draft, rows)
    return describe_genders(rows)


def _describe_prompts(draft: Draft, rows: Sequence[ReleaseRow]) -> str:
    kinds = Counter(kind_of(draft.sources[key]) for key in _find_row_keys(draft))
    templates = [
        row
        for row, key in zip(rows, _find_row_keys(draft), strict=True)
        if kind_of(draft.sources[key]) is Kind.TEMPLATE
    ]
    politics = sum(
        concern_key(str(row.attributes.get("concern", ""))) in US_CENTRED_CONCERNS
        for row in templates
    )
    paraphrases = sum("augmentation" in row.attributes for row in templates)
    return (
        f"{paraphrases} of {len(templates)} templates are paraphrases that a model wrote; "
        f"{kinds[Kind.COMMUNITY]} rows are names of communities. {politics} of {len(templates)} "
        "templates are about politics; the published ones are centred on the United States. What "
        "an oracle expects, and what is sent around a prompt, is as it was imported or translated: "
        "raters see what is sent, and were not asked whether the values expected fit the language."
    )


def describe_sources(draft: Draft) -> str:
    """Where the sentences come from, and in which languages they are."""
    names = [name_of(each.language) for each in draft.contents]
    keys, datasets = sorted(_find_source_keys(draft)), ", ".join(find_datasets(draft))
    foreign = sum(_has_no_english(draft.sources[key]) for key in keys)
    count = f"{len(keys) - foreign} of {len(keys)}" if foreign else f"All {len(keys)}"
    texts, centred = _SOURCES[draft.instrument]
    return (
        f"{count} {texts} are English ({datasets}): {centred} "
        f"are English-centred in each of the {len(names)} languages "
        f"({', '.join(names)}), all of them European."
    )


def describe_unseen(rows: Sequence[ReleaseRow]) -> str:
    """How many rows nobody saw, and what errors those carry."""
    translated = sum(row.human_seen is not HumanSeen.SOURCE for row in rows)
    unseen = sum(row.human_seen is HumanSeen.NONE for row in rows)
    if not unseen:
        return f"A person has seen a text of each of the {translated} translated rows."
    return (
        f"{unseen} of {translated} translated rows no person has seen: they carry the errors of "
        f"{_ERRORS.get(rows[0].instrument, _ERRORS_OF_OTHERS)} of their language estimates."
    )


def describe_punctuation(draft: Draft) -> str:
    """How texts end: they are released as they are, and scoring adds nothing."""
    texts = [text for each in draft.contents for row in each.rows for text in row.variants.values()]
    marked = sum(text.rstrip()[-1:] in FINAL_MARKS for text in texts)
    other = (
        "; the published EuroGEST texts have none, so do not compare scores of both"
        if draft.instrument is Instrument.EUROGEST
        else ""
    )
    return (
        f"Final punctuation is released as it was translated or written: {marked} of {len(texts)} "
        f"texts end with a mark{other}."
    )


def describe_asked(draft: Draft) -> str:
    """What raters were asked, and that nothing else is labelled."""
    rows = sum(len(each.rows) for each in draft.contents)
    asked = dict.fromkeys(
        f"`{field.name}`" for _, form in sorted(draft.forms.items()) for field in form.fields
    )
    if not asked:
        return f"No rater was asked anything about the {rows} rows."
    return (
        f"Raters were asked for {', '.join(asked)} and nothing else: what readers take from the "
        f"content of the {rows} rows is not labelled."
    )


def describe_demo(draft: Draft) -> str:
    """How much of a release is demonstration data."""
    rows = [row for each in draft.contents for row in each.rows]
    ratings = [rating for each in draft.contents for rating in each.standing.counted]
    made_up = sum(row.origin is Origin.DEMO for row in rows)
    scripted = sum(each.stamp is not None and each.stamp.origin is Origin.DEMO for each in ratings)
    return (
        f"> **DEMONSTRATION DATA.** {made_up} of {len(rows)} rows rest on demonstration data and "
        f"{scripted} of {len(ratings)} ratings were given by scripts, to show how the product "
        "works; draw no conclusion from them."
    )


def find_datasets(draft: Draft) -> list[str]:
    """Names of the datasets that the released rows come from."""
    return sorted({draft.sources[key].dataset for key in _find_source_keys(draft)})


def _has_no_english(source: Source) -> bool:
    """Whether a sector sentence stands for none in English; its dataset ends with its language."""
    language = source.dataset.rpartition(".")[2]
    return source.instrument is Instrument.SECTORS and language in load_languages()


def _find_row_keys(draft: Draft) -> list[str]:
    """The source key of each row, in order."""
    return [each.generated.source_key for one in draft.contents for each in one.candidates]


def _find_source_keys(draft: Draft) -> set[str]:
    return set(_find_row_keys(draft))
