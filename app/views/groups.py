"""What candidates of an instrument are grouped by: stereotype, concern or sector."""

from __future__ import annotations

from app.views import words
from corpus.prompt_sources import FRAME, Kind, PromptFrame, kind_of
from corpus.records import Candidate, Instrument, Source
from corpus.stereotypes import Inventory

TITLES = {
    Instrument.EUROGEST: "Stereotype",
    Instrument.MLA_BITE: "Concern",
    Instrument.SECTORS: "Sector",
}


def describe_group(source: Source | None, inventory: Inventory) -> str:
    """What a source belongs to; empty where nothing says it."""
    if source is None:
        return ""
    if source.instrument is Instrument.MLA_BITE:
        concern = str(source.attributes.get("concern", ""))
        return f"{concern} (community)" if kind_of(source) is Kind.COMMUNITY else concern
    if source.instrument is Instrument.SECTORS:
        return str(source.attributes.get("sector", ""))
    return words.describe_stereotype(source.stereotype_id, inventory)


def describe_frame(candidate: Candidate) -> dict[str, str]:
    """What is sent around a prompt and what its oracle expects, by title; nothing of others."""
    if FRAME not in candidate.evidence:
        return {}
    frame = PromptFrame.from_json(candidate.evidence[FRAME])
    expected = ", ".join(frame.oracle.expected) or frame.oracle.key
    return {
        "Sent before it": frame.task_prefix,
        "Asked of the answer": frame.output_formatting,
        "Oracle": f"{frame.oracle.operation}: {expected}",
    }
