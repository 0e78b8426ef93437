"""Chosen templates, explained ratings, texts written by a person, and an audit trail that nobody changes."""

import sqlalchemy as sa
from alembic import op

from corpus.store.tables import UtcDateTime

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

REFUSAL = "the audit trail is never changed"


def upgrade() -> None:
    json = sa.JSON(none_as_null=True)
    op.add_column("decision", sa.Column("written", json, nullable=False, server_default="[]"))
    _note_written(json)
    op.create_table(
        "template_choice",
        sa.Column("position", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("origin", sa.String(length=16), nullable=False),
        sa.Column("made_by", sa.String(length=200), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("masculine", json, nullable=False),
        sa.Column("feminine", json, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_template_choice")),
    )
    op.create_index(op.f("ix_template_choice_language"), "template_choice", ["language"])
    op.create_table(
        "explanation",
        sa.Column("position", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("origin", sa.String(length=16), nullable=False),
        sa.Column("made_by", sa.String(length=200), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("rater_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_explanation_item_id")),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_explanation")),
    )
    op.create_index(op.f("ix_explanation_item_id"), "explanation", ["item_id"])
    if op.get_bind().dialect.name == "postgresql":
        _protect_audit_postgresql()
    else:
        _protect_audit_sqlite()


def _note_written(json: sa.JSON) -> None:
    """Notes which texts of the decisions so far generation never gave."""
    candidate = sa.table("candidate", sa.column("id"), sa.column("variants", json))
    decision = sa.table(
        "decision",
        sa.column("position"),
        sa.column("subject_id"),
        sa.column("variants", json),
        sa.column("written", json),
    )
    connection = op.get_bind()
    changed = sa.select(decision).where(decision.c.variants.is_not(None))
    for row in connection.execute(changed).all():
        generated = sa.select(candidate.c.variants).where(candidate.c.id == row.subject_id)
        texts = {
            text for found in connection.execute(generated).scalars() for text in found.values()
        }
        written = sorted(name for name, text in row.variants.items() if text not in texts)
        this = decision.c.position == row.position
        connection.execute(sa.update(decision).where(this).values(written=written))


def _protect_audit_sqlite() -> None:
    # INSERT OR REPLACE deletes the old row without asking a trigger of DELETE.
    replaces = "WHEN EXISTS (SELECT 1 FROM audit WHERE position = NEW.position) "
    for event, condition in (("UPDATE", ""), ("DELETE", ""), ("INSERT", replaces)):
        op.execute(
            f"CREATE TRIGGER audit_refuses_{event.lower()} BEFORE {event} ON audit {condition}"
            f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
        )


def _protect_audit_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{REFUSAL}'; END $$"
    )
    op.execute(
        "CREATE TRIGGER audit_refuses_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()"
    )
