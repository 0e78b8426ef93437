"""Control items, raters who leave, consent, ethics, and how far projects were read."""

import sqlalchemy as sa
from alembic import op

from corpus.store.tables import UtcDateTime

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Rows that are there already get these defaults; new ones bring their own values.
    json, text = sa.JSON(none_as_null=True), sa.Text()
    op.add_column("item", sa.Column("making", json, nullable=False, server_default="{}"))
    op.add_column("assignment", sa.Column("state", text, nullable=False, server_default="active"))
    op.add_column("people", sa.Column("contact", text, nullable=True))
    op.add_column("people", sa.Column("demographics", json, nullable=False, server_default="{}"))
    _create(
        "consent",
        sa.Column("rater_id", sa.Text(), nullable=False),
        sa.Column("publish", sa.Boolean(), nullable=False),
        sa.Column("text_sha256", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
    )
    op.create_index(op.f("ix_consent_rater_id"), "consent", ["rater_id"])
    _create(
        "ethics",
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("number", sa.Text(), nullable=False),
        sa.Column("consent_text", sa.Text(), nullable=False),
    )
    _create(
        "pull_mark",
        sa.Column("assignment_id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("seen_until", UtcDateTime(timezone=True), nullable=True),
        sa.Column("tasks", sa.Integer(), nullable=False),
        sa.Column("problems", sa.JSON(none_as_null=True), nullable=False),
    )
    op.create_index(op.f("ix_pull_mark_assignment_id"), "pull_mark", ["assignment_id"])


def _create(table: str, *columns: sa.Column) -> None:
    op.create_table(
        table,
        sa.Column("position", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("origin", sa.String(length=16), nullable=False),
        sa.Column("made_by", sa.String(length=200), nullable=False),
        *columns,
        sa.PrimaryKeyConstraint("position", name=op.f(f"pk_{table}")),
    )
