"""The tables, one per record type of `corpus.records`; columns are named as the record's fields.

All but `run` are append-only: each row carries position, commit time, origin and maker, and the
current state is a query over rows up to a position.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class UtcDateTime(TypeDecorator[datetime]):
    """An aware UTC time; SQLite has no time zones, so the zone is put back on reading."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """The time in UTC; a naive time is refused because its zone would be a guess."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("only aware times are stored")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """The stored time, aware."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _stamped(name: str, *columns: sa.Column[Any] | sa.Constraint | sa.Index) -> sa.Table:
    """An append-only table: its own columns behind the four of `corpus.records.Stamp`."""
    return sa.Table(
        name,
        metadata,
        sa.Column("position", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.Column("origin", sa.String(16), nullable=False),
        sa.Column("made_by", sa.String(200), nullable=False),
        *columns,
    )


def _text(name: str, **options: Any) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=options.pop("nullable", False), **options)


def _json(name: str, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.JSON(none_as_null=True), nullable=nullable)


log_position = sa.Table(
    "log_position",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("value", sa.BigInteger, nullable=False),
)
"""One row: the last position given out. Updating it is the lock that orders all writers."""

source = _stamped(
    "source",
    _text("key", unique=True),
    _text("instrument"),
    _text("dataset"),
    sa.Column("row", sa.Integer, nullable=False),
    _text("text"),
    _text("explicit_id", nullable=True),
    sa.Column("stereotype_id", sa.Integer, nullable=True),
    _json("attributes"),
)

translation = _stamped(
    "translation",
    _text("key", unique=True),
    _text("text_sent"),
    _text("language"),
    _text("engine"),
    _text("model"),
    _text("version"),
    _text("text"),
    sa.Column("characters_billed", sa.Integer, nullable=False),
)

quality_estimate = _stamped(
    "quality_estimate",
    _text("translation_key"),
    _text("estimator"),
    _text("model"),
    _text("revision"),
    sa.Column("score", sa.Float, nullable=True),
    _text("reason", nullable=True),
    sa.UniqueConstraint("translation_key", "estimator", "model", "revision"),
)

candidate = _stamped(
    "candidate",
    _text("id", index=True),
    _text("instrument"),
    _text("language"),
    _text("source_key"),
    _text("label"),
    _text("reason"),
    _json("variants"),
    _text("strategy"),
    _json("flags"),
    _json("evidence"),
    _text("run_id", nullable=True),
    _text("content_hash"),
    sa.Index(None, "instrument", "language"),
)

form = _stamped(
    "form",
    _text("id"),
    sa.Column("version", sa.Integer, nullable=False),
    _json("definition"),
    sa.UniqueConstraint("id", "version"),
)

person = _stamped(
    "people",
    _text("id", index=True),
    _text("kind"),
    _text("name", nullable=True),
    _text("address", nullable=True),
    _text("contact", nullable=True),
    _json("demographics"),
)

consent = _stamped(
    "consent",
    _text("rater_id", index=True),
    sa.Column("publish", sa.Boolean, nullable=False),
    _text("text_sha256"),
    _text("by"),
)

ethics = _stamped(
    "ethics",
    _text("body"),
    _text("number"),
    _text("consent_text"),
)

batch = _stamped(
    "batch",
    _text("id", unique=True),
    _text("instrument"),
    _text("language"),
    _text("form"),
    sa.Column("seed", sa.Integer, nullable=False),
    sa.Column("raters_planned", sa.Integer, nullable=False),
    _json("design"),
)

item = _stamped(
    "item",
    _text("id", unique=True),
    sa.Column("batch_id", sa.Text, sa.ForeignKey("batch.id"), nullable=False, index=True),
    _text("instrument"),
    _text("subject_kind"),
    _text("subject_id"),
    _text("variant"),
    _text("purpose"),
    _json("shown"),
    _text("content_hash"),
    sa.Column("weight", sa.Float, nullable=False),
    _json("making"),
)

assignment = _stamped(
    "assignment",
    sa.Column("batch_id", sa.Text, sa.ForeignKey("batch.id"), nullable=False, index=True),
    _text("rater_id"),
    _json("item_ids"),
    _text("channel"),
    _text("external_id", nullable=True),
    _text("state"),
)

pull_mark = _stamped(
    "pull_mark",
    _text("assignment_id", index=True),
    _text("project_id"),
    sa.Column("seen_until", UtcDateTime, nullable=True),
    sa.Column("tasks", sa.Integer, nullable=False),
    _json("problems"),
)

rating_revision = _stamped(
    "rating_revision",
    sa.Column("item_id", sa.Text, sa.ForeignKey("item.id"), nullable=False, index=True),
    _text("rater_id"),
    _text("state"),
    _json("answers"),
    _json("reasons"),
    _text("source"),
    _text("source_id"),
    _text("source_revision"),
    sa.Column("answered_at", UtcDateTime, nullable=True),
    sa.Column("lead_time_s", sa.Float, nullable=True),
)

explanation = _stamped(
    "explanation",
    sa.Column("item_id", sa.Text, sa.ForeignKey("item.id"), nullable=False, index=True),
    _text("rater_id"),
    sa.Column("revision", sa.BigInteger, nullable=False),
    _text("reason"),
    _text("by"),
)

exclusion = _stamped(
    "exclusion",
    _text("rater_id"),
    sa.Column("batch_id", sa.Text, sa.ForeignKey("batch.id"), nullable=False, index=True),
    sa.Column("excluded", sa.Boolean, nullable=False),
    _text("reason"),
    _text("by"),
)

decision = _stamped(
    "decision",
    _text("subject_id", index=True),
    _text("content_hash"),
    _text("action"),
    _text("reason"),
    _text("by"),
    _text("label", nullable=True),
    _json("variants", nullable=True),
    _text("rule", nullable=True),
    _json("written"),
)

template_choice = _stamped(
    "template_choice",
    _text("language", index=True),
    _text("kind"),
    _json("masculine"),
    _json("feminine"),
    _text("reason"),
    _text("by"),
)

approval = _stamped(
    "approval",
    _text("instrument"),
    _text("language"),
    _text("action"),
    _text("data_hash"),
    _json("figures"),
    _json("gates"),
    _text("by"),
    _text("override", nullable=True),
    sa.Index(None, "instrument", "language"),
)

audit = _stamped(
    "audit",
    _text("actor"),
    _text("action"),
    _text("subject"),
    _json("before"),
    _json("after"),
)

release = _stamped(
    "release",
    _text("version"),
    sa.Column("frozen_position", sa.BigInteger, nullable=False),
    _json("languages"),
    _text("sums_sha256"),
    _text("instrument"),
    sa.UniqueConstraint("instrument", "version"),
)

run = sa.Table(
    "run",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _text("command"),
    sa.Column("pid", sa.Integer, nullable=False),
    _text("state"),
    sa.Column("done", sa.Integer, nullable=False),
    sa.Column("total", sa.Integer, nullable=False),
    sa.Column("started_at", UtcDateTime, nullable=False),
    sa.Column("heartbeat_at", UtcDateTime, nullable=False),
    _text("message"),
)
"""Executions of long commands; the one table whose rows change, because they are watched."""
