"""The columns of a release and the row they hold: one schema for all three instruments.

The first six columns have the names and types of the published EuroGEST tables, so that code
written for those runs unchanged. An absent text is null, never an empty string.

GEST_ID is the row's number in its source file as the published tables count: the explicit id where
the file gives whole-number ids, otherwise the zero-based number of the row under the header
(`row - 2`). It is unique within one dataset only; `item_id` is unique in a release.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pyarrow as pa

from corpus.hashing import canonical_json
from corpus.records import (
    FEMININE_VARIANT,
    MASCULINE_VARIANT,
    NEUTRAL_VARIANT,
    DecisionAction,
    Instrument,
    Label,
    Origin,
    Source,
)
from corpus.words import find_gendered_spans

RELEASE_FORMAT = 2
"""Raised when a column or file of a release changes its meaning."""

SCHEMA = pa.schema(
    [
        pa.field("GEST_ID", pa.int64()),
        pa.field("Source", pa.string()),
        pa.field("Neutral", pa.string()),
        pa.field("Masculine", pa.string()),
        pa.field("Feminine", pa.string()),
        pa.field("Stereotype_ID", pa.int64()),
        pa.field("item_id", pa.string()),
        pa.field("instrument", pa.string()),
        pa.field("language", pa.string()),
        pa.field("label", pa.string()),
        pa.field("reason", pa.string()),
        pa.field("flags", pa.list_(pa.string())),
        # JSON objects, so that a prompt template's own variants and attributes fit.
        pa.field("variants", pa.string()),
        pa.field("spans", pa.string()),
        pa.field("attributes", pa.string()),
        pa.field("strategy", pa.string()),
        pa.field("quality_score", pa.float64()),
        pa.field("quality_model", pa.string()),
        pa.field("raters", pa.int64()),
        pa.field("mean_quality", pa.float64()),
        pa.field("human_seen", pa.string()),
        pa.field("adjudicated", pa.bool_()),
        pa.field("decision", pa.string()),
        pa.field("validation", pa.string()),
        pa.field("origin", pa.string()),
        pa.field("content_hash", pa.string()),
        # Variants: those that the product built, those that a curator wrote.
        pa.field("repaired", pa.list_(pa.string())),
        pa.field("human_written", pa.list_(pa.string())),
    ]
)
NO_DECISION = "none"


class Validation(StrEnum):
    """Whether the row's language was approved when the release was built."""

    APPROVED = "approved"
    UNVALIDATED = "unvalidated"
    """Released on request although it was not approved, or no longer as it is now."""
    SOURCE = "source"
    """Untranslated source sentences need no approval."""


class HumanSeen(StrEnum):
    """Which of a row's texts, exactly as released, a person has seen."""

    BOTH = "both"
    """All its texts; of a neutral row its only one."""
    ONE = "one"
    NONE = "none"
    SOURCE = "source"
    """The row is its own source sentence."""


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """One row of a release."""

    id: str
    """Subject id: instrument/language/source key, stable over releases."""
    instrument: Instrument
    language: str
    source: str
    """The English source sentence or prompt template."""
    gest_id: int | None
    """None for the other instruments."""
    stereotype_id: int | None
    label: Label
    reason: str
    flags: tuple[str, ...]
    variants: Mapping[str, str]
    """All texts by variant."""
    attributes: Mapping[str, Any]
    """What else the source holds: concern, oracle, sector, …"""
    strategy: str
    quality_score: float | None
    """The lowest of its texts, on the scale of `quality_model`; None if not estimated."""
    quality_model: str | None
    raters: int
    """Raters whose counted ratings are about one of its texts as released."""
    mean_quality: float | None
    """Mean direct assessment, 0–100, of the ratings among them that may be published."""
    human_seen: HumanSeen
    adjudicated: bool
    """Whether a person decided this candidate by itself, or rated it because of a disagreement."""
    decision: DecisionAction | None
    """A curator's last valid decision."""
    validation: Validation
    origin: Origin
    """`demo` if anything the row rests on is demo data."""
    content_hash: str
    repaired: tuple[str, ...] = ()
    """Variants whose text the product built from the other one."""
    human_written: tuple[str, ...] = ()
    """Variants whose text a curator wrote."""

    @property
    def neutral(self) -> str | None:
        """The one text of a neutral row, None where there is none."""
        return self.variants.get(NEUTRAL_VARIANT)

    @property
    def masculine(self) -> str | None:
        """The masculine text of a pair, None where there is none."""
        return self.variants.get(MASCULINE_VARIANT)

    @property
    def feminine(self) -> str | None:
        """The feminine text of a pair, None where there is none."""
        return self.variants.get(FEMININE_VARIANT)


def gest_id(source: Source) -> int | None:
    """The number of a EuroGEST source in its file, None for the other instruments."""
    if source.instrument is not Instrument.EUROGEST:
        return None
    explicit = source.explicit_id or ""
    if explicit.isascii() and explicit.isdigit():
        return int(explicit)
    return source.row - 2


def columns_of(row: ReleaseRow) -> dict[str, Any]:
    """The row's values by column of `SCHEMA`, in its order."""
    return {
        "GEST_ID": row.gest_id,
        "Source": row.source,
        "Neutral": row.neutral,
        "Masculine": row.masculine,
        "Feminine": row.feminine,
        "Stereotype_ID": row.stereotype_id,
        "item_id": row.id,
        "instrument": str(row.instrument),
        "language": row.language,
        "label": str(row.label),
        "reason": row.reason,
        "flags": list(row.flags),
        "variants": canonical_json(dict(row.variants)),
        "spans": canonical_json(find_gendered_spans(row.variants)),
        "attributes": canonical_json(dict(row.attributes)),
        "strategy": row.strategy,
        "quality_score": row.quality_score,
        "quality_model": row.quality_model,
        "raters": row.raters,
        "mean_quality": row.mean_quality,
        "human_seen": str(row.human_seen),
        "adjudicated": row.adjudicated,
        "decision": str(row.decision) if row.decision else NO_DECISION,
        "validation": str(row.validation),
        "origin": str(row.origin),
        "content_hash": row.content_hash,
        "repaired": list(row.repaired),
        "human_written": list(row.human_written),
    }


def row_from_columns(values: Mapping[str, Any]) -> ReleaseRow:
    """The row that `columns_of` wrote.

    Raises:
        ValueError: if a value is not one of its column.
        KeyError: if a column is missing.
    """
    decision = values["decision"]
    return ReleaseRow(
        id=values["item_id"],
        instrument=Instrument(values["instrument"]),
        language=values["language"],
        source=values["Source"],
        gest_id=values["GEST_ID"],
        stereotype_id=values["Stereotype_ID"],
        label=Label(values["label"]),
        reason=values["reason"],
        flags=tuple(values["flags"]),
        variants=json.loads(values["variants"]),
        attributes=json.loads(values["attributes"]),
        strategy=values["strategy"],
        quality_score=values["quality_score"],
        quality_model=values["quality_model"],
        raters=values["raters"],
        mean_quality=values["mean_quality"],
        human_seen=HumanSeen(values["human_seen"]),
        adjudicated=values["adjudicated"],
        decision=None if decision == NO_DECISION else DecisionAction(decision),
        validation=Validation(values["validation"]),
        origin=Origin(values["origin"]),
        content_hash=values["content_hash"],
        repaired=tuple(values["repaired"]),
        human_written=tuple(values["human_written"]),
    )


def table_of(rows: Iterable[ReleaseRow]) -> pa.Table:
    """The rows as an Arrow table of `SCHEMA`."""
    return pa.Table.from_pylist([columns_of(row) for row in rows], schema=SCHEMA)
