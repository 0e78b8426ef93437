"""Explained ratings, and which texts of earlier decisions a person wrote."""

import sqlalchemy as sa
from alembic import op

from corpus.store.tables import UtcDateTime

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _note_written(sa.JSON(none_as_null=True))
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
