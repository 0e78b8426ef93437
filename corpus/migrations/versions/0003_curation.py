"""Chosen templates, texts written by a person, and an audit trail that nobody changes."""

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
    if op.get_bind().dialect.name == "postgresql":
        _protect_audit_postgresql()
    else:
        _protect_audit_sqlite()


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
