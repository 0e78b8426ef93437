"""What an item shows of a candidate, and which part of a sample it belongs to, by instrument."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.labels import COMMUNITY, PROMPT_TEMPLATE, STATED
from corpus.content_notes import CONTENT_NOTE, find_content_note
from corpus.forms import Form
from corpus.prompt_sources import FRAME, Kind, PromptFrame, kind_of
from corpus.prompts import concern_key
from corpus.records import Candidate, Instrument, Source, YesNoLabel

FORMS = {
    Instrument.EUROGEST: "sentence",
    Instrument.MLA_BITE: "prompt_template",
    Instrument.SECTORS: "sector_sentence",
}
"""Id of the form that asks about candidates of an instrument."""
SUBJECT_KINDS = {
    Instrument.EUROGEST: "sentence",
    Instrument.MLA_BITE: PROMPT_TEMPLATE,
    Instrument.SECTORS: "sector_sentence",
}
COMMUNITIES = "communities"
"""The part of a sample that holds names of communities, of whatever concern."""
NOTHING = "–"
"""Stands where nothing is sent with a prompt."""


def find_stratum(candidate: Candidate, source: Source | None) -> str:
    """What a sample is proportional over: stereotype, concern or sector."""
    if source is None:
        return ""
    if candidate.instrument is Instrument.MLA_BITE:
        if _is_community(source):
            return COMMUNITIES
        return concern_key(str(source.attributes.get("concern", "")))
    if candidate.instrument is Instrument.SECTORS:
        return str(source.attributes.get("sector", ""))
    return str(source.stereotype_id)


def find_subject_kind(source: Source) -> str:
    """What an item of this source shows."""
    if source.instrument is Instrument.MLA_BITE and _is_community(source):
        return COMMUNITY
    return SUBJECT_KINDS[source.instrument]


def build_shown(form: Form, candidate: Candidate, variant: str, source: Source) -> dict[str, str]:
    """The texts of an item by the form's names; the text under test is the variant, unchanged."""
    shown = {
        "src_text": str(source.attributes.get(variant, source.text)),
        "mt_text": candidate.variants[variant],
        CONTENT_NOTE: find_content_note(source),
        "src_frame": _describe_frame(source.attributes, source),
        "mt_frame": _describe_frame(candidate.evidence.get(FRAME, {}), source),
    }
    return {each.name: shown[each.name] for each in form.shown if each.name in shown}


def build_making(source: Source) -> dict[str, Any]:
    """What an item keeps of its source, unseen by raters: the answer that a template states."""
    if source.instrument is not Instrument.SECTORS or "shows_gender" not in source.attributes:
        return {}
    return {STATED: str(YesNoLabel.YES if source.attributes["shows_gender"] else YesNoLabel.NO)}


def _is_community(source: Source) -> bool:
    return kind_of(source) is Kind.COMMUNITY


def _describe_frame(data: Mapping[str, Any], source: Source) -> str:
    """What is sent before and after a prompt, as it is."""
    if source.instrument is not Instrument.MLA_BITE or "oracle_prediction" not in data:
        return NOTHING
    frame = PromptFrame.from_json(data)
    return "\n".join(filter(None, (frame.task_prefix, frame.output_formatting))) or NOTHING
