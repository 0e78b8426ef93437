"""Typed records: the only form in which data moves between packages.

Frozen, without behaviour beyond derived keys. Every stored record carries a `Stamp` once it has
been written: when, by what, from where, and its position in the one log of the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from corpus.hashing import content_hash, sha256_json, translation_key


class Instrument(StrEnum):
    """The three studies' test kinds."""

    EUROGEST = "eurogest"
    MLA_BITE = "mla-bite"
    SECTORS = "sectors"


class Origin(StrEnum):
    """Who or what a row comes from; `demo` rows say so everywhere they are shown."""

    HUMAN = "human"
    MACHINE = "machine"
    IMPORT = "import"
    DEMO = "demo"


class Wrapper(StrEnum):
    """The frame that forces a gender on a translation."""

    NONE = "none"
    MASCULINE = "masculine"
    FEMININE = "feminine"


class Label(StrEnum):
    """What a source sentence is in a language after pairing."""

    NEUTRAL = "neutral"
    PAIR = "pair"
    DISCARDED = "discarded"


class GenderLabel(StrEnum):
    """A rater's label of the speaker's grammatical gender."""

    NEUTRAL = "neutral"
    MASCULINE = "masculine"
    FEMININE = "feminine"
    OTHER = "other"
    UNSURE = "unsure"


class YesNoLabel(StrEnum):
    """A rater's answer to the question that a form asks in place of the speaker's gender."""

    YES = "yes"
    NO = "no"
    UNSURE = "unsure"


RaterLabel = GenderLabel | YesNoLabel


class Purpose(StrEnum):
    """Why an item is in a batch; only sample items enter agreement."""

    SAMPLE = "sample"
    REPEAT = "repeat"
    DEGRADED = "degraded"
    PROBE = "probe"
    TEMPLATE = "template"
    TARGETED = "targeted"
    ADJUDICATION = "adjudication"


class RatingState(StrEnum):
    """What a pulled answer is; only valid ratings count."""

    VALID = "valid"
    INVALID = "invalid"
    SKIPPED = "skipped"
    DRAFT = "draft"
    DELETED = "deleted"


class AssignmentState(StrEnum):
    """Whether a rater still answers her items."""

    ACTIVE = "active"
    LEFT = "left"
    """She left; what she answered counts, what she did not is another rater's."""


class DecisionAction(StrEnum):
    """What a curator decided about a candidate."""

    ACCEPT = "accept"
    RELABEL = "relabel"
    EDIT = "edit"
    REJECT = "reject"
    REOPEN = "reopen"
    """Every decision so far is taken back: the generated content stands, undecided."""


class ApprovalAction(StrEnum):
    """A sign-off of a language, or its withdrawal."""

    APPROVE = "approve"
    REVOKE = "revoke"


NEUTRAL_VARIANT = "neutral"
MASCULINE_VARIANT = "masculine"
FEMININE_VARIANT = "feminine"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What every stored row knows about itself."""

    position: int
    """Place in the one log of the store, assigned in the committing transaction, from 1 on."""
    at: datetime
    """Commit time, UTC, aware."""
    origin: Origin
    made_by: str
    """Product version or name of what made the row, e.g. `stereoscope 0.1.0`."""


def subject_id(instrument: Instrument, language: str, source_key: str) -> str:
    """Stable id of a subject: instrument/language/source key, never content."""
    return f"{instrument}/{language}/{source_key}"


@dataclass(frozen=True, slots=True)
class Source:
    """An English sentence or prompt template to be tested, as its file had it (NFC)."""

    instrument: Instrument
    dataset: str
    """Name of the file or collection; ids never cross datasets."""
    row: int
    """Line number of the record's start in its file: 2 is the first row under a header."""
    text: str
    explicit_id: str | None = None
    stereotype_id: int | None = None
    """1–16 for eurogest, None for the other instruments."""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """What else the instrument needs: concern, oracle, sector, …"""
    stamp: Stamp | None = None

    @property
    def key(self) -> str:
        """`dataset/explicit id`, or `dataset/row` where the file has no ids."""
        return f"{self.dataset}/{self.explicit_id if self.explicit_id is not None else self.row}"


@dataclass(frozen=True, slots=True)
class Translation:
    """One engine's output for one exact text and language; `text_sent` includes the wrapper."""

    text_sent: str
    language: str
    engine: str
    model: str
    version: str
    text: str
    """The output, NFC, otherwise unchanged."""
    characters_billed: int = 0
    stamp: Stamp | None = None

    @property
    def key(self) -> str:
        """sha256 over the exact text sent, language, engine, model and version."""
        return translation_key(self.text_sent, self.language, self.engine, self.model, self.version)


@dataclass(frozen=True, slots=True)
class QualityEstimate:
    """A reference-free quality score of one translation."""

    translation_key: str
    estimator: str
    model: str
    revision: str
    score: float | None
    """On the model's own scale; None with a reason when it could not be estimated."""
    reason: str | None = None
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A source in a language after pairing: neutral (one text), pair (two) or discarded."""

    instrument: Instrument
    language: str
    source_key: str
    label: Label
    reason: str
    """Reason code: why it is what it is."""
    variants: Mapping[str, str]
    """`neutral` → text, or `masculine` and `feminine` → texts; for a discarded candidate whatever
    texts there are, for browsing."""
    strategy: str
    """Pairing strategy and its version, or `source` for untranslated English."""
    flags: tuple[str, ...] = ()
    """Marks that keep a candidate in: `object_gender`, `repaired`, …"""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    """Translation keys, quality scores and model, differing words: what the label rests on."""
    run_id: str | None = None
    stamp: Stamp | None = None

    @property
    def id(self) -> str:
        """Subject id: instrument/language/source key."""
        return subject_id(self.instrument, self.language, self.source_key)

    @property
    def content_hash(self) -> str:
        """Hash of instrument, language, label and variants: what a decision is bound to."""
        return content_hash(self.instrument, self.language, self.label, dict(self.variants))


@dataclass(frozen=True, slots=True)
class Batch:
    """A sample of one language sent to raters."""

    id: str
    instrument: Instrument
    language: str
    form: str
    """Form id and version, e.g. `sentence/1`."""
    seed: int
    raters_planned: int
    """Raters per item."""
    design: Mapping[str, Any] = field(default_factory=dict)
    """Size asked for, allocation, control shares: enough to draw the same sample again."""
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One text in a batch; shows one variant of a subject."""

    id: str
    """`<batch id>/<4-digit number>`; unique in the store."""
    batch_id: str
    instrument: Instrument
    subject_kind: str
    """`sentence`, `prompt_template`, `sector_sentence` or `template`."""
    subject_id: str
    variant: str
    purpose: Purpose
    shown: Mapping[str, str]
    """What the rater sees, by the form's shown names: `src_text`, `mt_text`."""
    content_hash: str
    """Content hash of the candidate the item was made from."""
    weight: float = 1.0
    """Inverse of the relative inclusion probability; 1 under proportional allocation."""
    making: Mapping[str, Any] = field(default_factory=dict)
    """How a control item was made: the item it repeats or degrades, how, and what was changed."""
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """The items of a batch that one rater answers, in her order.

    A later row for the same batch and rater replaces an earlier one (e.g. once the Label Studio
    project is known).
    """

    batch_id: str
    rater_id: str
    item_ids: tuple[str, ...]
    channel: str = "label-studio"
    external_id: str | None = None
    """Label Studio project id, once pushed."""
    state: AssignmentState = AssignmentState.ACTIVE
    stamp: Stamp | None = None

    @property
    def id(self) -> str:
        """`<batch id>/<rater id>`."""
        return f"{self.batch_id}/{self.rater_id}"


@dataclass(frozen=True, slots=True)
class PullMark:
    """How far an assignment's project has been read, and what was wrong with it then."""

    assignment_id: str
    project_id: str
    seen_until: datetime | None
    """Latest change of a task that has been read, by the server's clock; None: none has one."""
    tasks: int
    """Tasks that the project held."""
    problems: tuple[Mapping[str, Any], ...] = ()
    """Each with `code`, `count` and what it is about; empty if nothing was wrong."""
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class RatingRevision:
    """One state of one rater's answer to one item; revisions are kept, the latest one counts."""

    item_id: str
    rater_id: str
    state: RatingState
    answers: Mapping[str, Any]
    """Field name → value, as the form names them; whatever came back if invalid."""
    reasons: tuple[str, ...] = ()
    """Why it is invalid; empty otherwise."""
    source: str = "label-studio"
    source_id: str = ""
    """Annotation id or cell address where it came from."""
    source_revision: str = ""
    """What tells this revision from the one before: the source's update time and content hash."""
    answered_at: datetime | None = None
    lead_time_s: float | None = None
    stamp: Stamp | None = None

    @property
    def key(self) -> str:
        """Hash of what makes this revision: pulled a second time, it is recognised."""
        return sha256_json(
            [
                self.item_id,
                self.rater_id,
                self.state,
                dict(self.answers),
                list(self.reasons),
                self.source,
                self.source_id,
                self.source_revision,
            ]
        )


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A rater left out of (or reinstated in) all figures of a batch."""

    rater_id: str
    batch_id: str
    excluded: bool
    reason: str
    by: str
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """A curator's verdict on a candidate, void when the candidate's content changes."""

    subject_id: str
    content_hash: str
    """Content hash of the candidate (with earlier decisions applied) it was made on."""
    action: DecisionAction
    reason: str
    by: str
    label: Label | None = None
    """New label for `relabel`; None otherwise."""
    variants: Mapping[str, str] | None = None
    """New texts for `edit` and `relabel`; None otherwise."""
    rule: str | None = None
    """Name of the bulk rule, None when decided one by one."""
    written: tuple[str, ...] = ()
    """Variants whose text the curator wrote and no engine gave: to be rated before a release."""
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class TemplateChoice:
    """The final wording of one of a language's templates, chosen from what raters said of it."""

    language: str
    kind: str
    """`noun` or `pronoun`."""
    masculine: tuple[str, str]
    """What stands before and after the sentence in the masculine variant."""
    feminine: tuple[str, str]
    reason: str
    by: str
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class Approval:
    """A curator's sign-off of a language (or its withdrawal), bound to the data it was made on."""

    instrument: Instrument
    language: str
    action: ApprovalAction
    data_hash: str
    figures: tuple[Mapping[str, Any], ...]
    """The agreement figures it was given on, as `Figure.as_json()`."""
    gates: tuple[Mapping[str, Any], ...]
    """Each gate with name, passed, value, threshold."""
    by: str
    override: str | None = None
    """Written reason for approving against a gate."""
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Who did what to what, with before and after; no addresses, no tokens."""

    actor: str
    action: str
    subject: str
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class ReleaseRecord:
    """A built release: its number, the log position it was frozen at and its checksum."""

    version: str
    frozen_position: int
    languages: tuple[str, ...]
    sums_sha256: str
    """sha256 of its SHA256SUMS."""
    instrument: Instrument = Instrument.EUROGEST
    stamp: Stamp | None = None
