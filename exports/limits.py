"""Limits of a release, each said of its own rows: what the card and the metadata both print."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.languages import language as find_language
from corpus.records import NEUTRAL_VARIANT, Instrument
from corpus.release_schema import HumanSeen, ReleaseRow
from exports.provenance import Draft

FINAL_MARKS = ".!?…。"


def describe_genders(rows: Sequence[ReleaseRow]) -> str:
    """Which genders there are, e.g. that they are two."""
    names = {name for row in rows for name in row.variants} - {NEUTRAL_VARIANT}
    if not names:
        return "No row has gendered texts of its own: gender comes from the templates alone."
    listed = " and ".join(sorted(names, reverse=True))
    if len(names) == 2:
        return f"Gender is binary here: the texts of a pair are {listed}, and there is no other."
    return f"Genders of the texts: {listed}; there is no other."


def describe_sources(draft: Draft) -> str:
    """Where the sentences come from, and in which languages they are."""
    names = [find_language(each.language).name for each in draft.contents]
    keys, datasets = _find_source_keys(draft), ", ".join(find_datasets(draft))
    return (
        f"All {len(keys)} source sentences are English ({datasets}): stereotypes, "
        f"wording and templates are English-centred in each of the {len(names)} languages "
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
        "the translation engine and of the pairing rule, which the label error of their language "
        "estimates."
    )


def describe_punctuation(draft: Draft) -> str:
    """How texts end: they are released as they are, and scoring adds nothing."""
    texts = [text for each in draft.contents for row in each.rows for text in row.variants.values()]
    marked = sum(text.rstrip()[-1:] in FINAL_MARKS for text in texts)
    said = (
        f"Final punctuation is released as it was translated or written: {marked} of {len(texts)} "
        "texts end with a mark."
    )
    if draft.instrument is not Instrument.EUROGEST:
        return said
    return f"{said} The published EuroGEST texts have none: do not compare scores of both."


def find_datasets(draft: Draft) -> list[str]:
    """Names of the datasets that the released rows come from."""
    return sorted({draft.sources[key].dataset for key in _find_source_keys(draft)})


def _find_source_keys(draft: Draft) -> set[str]:
    return {each.generated.source_key for one in draft.contents for each in one.candidates}
