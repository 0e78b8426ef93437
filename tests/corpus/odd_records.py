"""Records that hold every odd text, and databases to put them into."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import sqlalchemy as sa

from corpus.forms import FormRecord, form_definition, load_form
from corpus.invalid_ratings import Explanation
from corpus.people import Consent, Ethics, Person
from corpus.records import (
    Approval,
    ApprovalAction,
    Assignment,
    AssignmentState,
    AuditEntry,
    Batch,
    Candidate,
    Decision,
    DecisionAction,
    Exclusion,
    Instrument,
    Item,
    Label,
    PullMark,
    Purpose,
    QualityEstimate,
    RatingRevision,
    RatingState,
    ReleaseRecord,
    Source,
    TemplateChoice,
    Translation,
)
from corpus.store import Store
from corpus.store.mapping import TABLES, record_from_row

ODD = (
    "NA ‘’ \"quotes\" 'single' \\ \n\t; DROP TABLE source; -- 😀 👩\u200d🔬 "
    "שלום \u200fمرحبا\u200f e\u0301 é %s {x} :y"
)
AT = datetime(2026, 3, 29, 1, 30, 0, 123456, tzinfo=UTC)


@dataclass
class Database:
    url: str
    engine: sa.Engine
    store: Store


BATCH = Batch("sk-1", Instrument.EUROGEST, "sk", "sentence/1", 2**31 - 1, 2, {"size": 3, "x": ODD})
ITEM = Item(
    "sk-1/0001",
    "sk-1",
    Instrument.EUROGEST,
    "sentence",
    "eurogest/sk/made/2",
    "feminine",
    Purpose.SAMPLE,
    {"src_text": ODD, "mt_text": "NA"},
    "0" * 64,
    weight=1 / 3,
    making={"kind": "drop_words", "of": "sk-1/0000", "words": [ODD]},
)
SOURCE = Source(
    Instrument.MLA_BITE, ODD, 7, ODD, "NA", 16, {"concern": ["a", None, 1.5], "oracle": {"é": ODD}}
)
CANDIDATE = Candidate(
    Instrument.EUROGEST,
    "sk",
    "made/2",
    Label.PAIR,
    "one_word",
    {"masculine": ODD, "feminine": "NA"},
    "strict/1",
    ("object_gender", "repaired"),
    {"words": [["rád", "rada"]], "score": 0.1 + 0.2, "model": None},
    "run-1",
)
RATING = RatingRevision(
    "sk-1/0001",
    "rater-1",
    RatingState.INVALID,
    {"quality": 50, "comment": ODD, "odd": {"a": [1, 2.5, None]}},
    ("out_of_range:quality", "wrong_rater"),
    "label-studio",
    "1/2",
    "rev",
    AT.astimezone(timezone(timedelta(hours=2))),
    12.25,
)
APPROVAL = Approval(
    Instrument.SECTORS,
    "es",
    ApprovalAction.APPROVE,
    "h" * 64,
    ({"name": "kappa", "value": None, "reason": "no_variation"},),
    ({"name": "mean_da", "passed": None},),
    "curator-1",
    ODD,
)
RECORDS: list[Any] = [
    SOURCE,
    Translation(ODD, "sk", "google", "m", "v", "NA", 123456),
    QualityEstimate("k" * 64, "comet", "m", "r", None, "unsupported_language"),
    QualityEstimate("k" * 64, "comet", "m", "r2", 0.1 + 0.2),
    CANDIDATE,
    FormRecord("sentence", 1, form_definition(load_form("sentence", 1))),
    Person("rater-1", "rater", ODD, "ž@example.org", "ž2@example.org", {"gender": ODD}),
    Consent("rater-1", False, "c" * 64, "curator-1"),
    Ethics(ODD, "2026/1", ODD),
    BATCH,
    ITEM,
    Assignment("sk-1", "rater-1", ("sk-1/0001", "sk-1/0000"), external_id="42"),
    PullMark("sk-1/rater-1", "42", AT, 100, ({"code": "foreign_task", "count": 1},)),
    PullMark("sk-1/rater-1", "42", None, 0),
    Assignment("sk-1", "rater-1", ("sk-1/0001",), state=AssignmentState.LEFT),
    RATING,
    Explanation("sk-1/0001", "rater-1", 2**40, ODD, "curator-1"),
    Exclusion("rater-1", "sk-1", True, ODD, "curator-1"),
    Decision("eurogest/sk/made/2", "0" * 64, DecisionAction.REJECT, ODD, "curator-1"),
    Decision(
        "eurogest/sk/made/2",
        "0" * 64,
        DecisionAction.RELABEL,
        "r",
        "curator-1",
        Label.NEUTRAL,
        {"neutral": ODD},
        "rule",
        ("neutral",),
    ),
    TemplateChoice("sk", "noun", (ODD, "NA"), ("", ODD), ODD, "curator-1"),
    APPROVAL,
    AuditEntry("curator-1", "decide", ODD, {"a": [ODD]}, {"b": None}),
    ReleaseRecord("1.0.0", 2**40, ("es", "sk"), "s" * 64, Instrument.MLA_BITE),
]


def read_all(engine: sa.Engine, kind: type[Any]) -> list[Any]:
    table = TABLES[kind]
    with engine.connect() as connection:
        rows = connection.execute(sa.select(table)).mappings()
        return [record_from_row(kind, row) for row in rows]


def unstamped(record: Any) -> Any:
    return replace(record, stamp=None)


def add_item(store: Store) -> None:
    with store.writing() as writer:
        writer.append([BATCH])
        writer.append([ITEM])
