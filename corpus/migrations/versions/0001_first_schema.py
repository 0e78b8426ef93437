"""The first schema."""

import sqlalchemy as sa
from alembic import op

from corpus.store.tables import UtcDateTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('approval',
    sa.Column('position', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('at', UtcDateTime(timezone=True), nullable=False),
    sa.Column('origin', sa.String(length=16), nullable=False),
    sa.Column('made_by', sa.String(length=200), nullable=False),
    sa.Column('instrument', sa.Text(), nullable=False),
    sa.Column('language', sa.Text(), nullable=False),
    sa.Column('action', sa.Text(), nullable=False),
    sa.Column('data_hash', sa.Text(), nullable=False),
    sa.Column('figures', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('gates', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('by', sa.Text(), nullable=False),
    sa.Column('override', sa.Text(), nullable=True),
    sa.PrimaryKeyConstraint('position', name=op.f('pk_approval'))
    )
    op.create_index(op.f('ix_approval_instrument_language'), 'approval', ['instrument', 'language'], unique=False)
    op.create_table('audit',
    sa.Column('position', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('at', UtcDateTime(timezone=True), nullable=False),
    sa.Column('origin', sa.String(length=16), nullable=False),
    sa.Column('made_by', sa.String(length=200), nullable=False),
    sa.Column('actor', sa.Text(), nullable=False),
    sa.Column('action', sa.Text(), nullable=False),
    sa.Column('subject', sa.Text(), nullable=False),
    sa.Column('before', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('after', sa.JSON(none_as_null=True), nullable=False),
    sa.PrimaryKeyConstraint('position', name=op.f('pk_audit'))
    )
    op.create_table('batch',
    sa.Column('position', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('at', UtcDateTime(timezone=True), nullable=False),
    sa.Column('origin', sa.String(length=16), nullable=False),
    sa.Column('made_by', sa.String(length=200), nullable=False),
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('instrument', sa.Text(), nullable=False),
    sa.Column('language', sa.Text(), nullable=False),
    sa.Column('form', sa.Text(), nullable=False),
    sa.Column('seed', sa.Integer(), nullable=False),
    sa.Column('raters_planned', sa.Integer(), nullable=False),
    sa.Column('design', sa.JSON(none_as_null=True), nullable=False),
    sa.PrimaryKeyConstraint('position', name=op.f('pk_batch')),
    sa.UniqueConstraint('id', name=op.f('uq_batch_id'))
    )
    op.create_table('candidate',
    sa.Column('position', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('at', UtcDateTime(timezone=True), nullable=False),
    sa.Column('origin', sa.String(length=16), nullable=False),
    sa.Column('made_by', sa.String(length=200), nullable=False),
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('instrument', sa.Text(), nullable=False),
    sa.Column('language', sa.Text(), nullable=False),
    sa.Column('source_key', sa.Text(), nullable=False),
    sa.Column('label', sa.Text(), nullable=False),
    sa.Column('reason', sa.Text(), nullable=False),
    sa.Column('variants', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('strategy', sa.Text(), nullable=False),
    sa.Column('flags', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('evidence', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('run_id', sa.Text(), nullable=True),
    sa.Column('content_hash', sa.Text(), nullable=False),
    sa.PrimaryKeyConstraint('position', name=op.f('pk_candidate'))
    )
    op.create_index(op.f('ix_candidate_id'), 'candidate', ['id'], unique=False)
    op.create_index(op.f('ix_candidate_instrument_language'), 'candidate', ['instrument', 'language'], unique=False)
    op.create_table('decision',
    sa.Column('position', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('at', UtcDateTime(timezone=True), nullable=False),
    sa.Column('origin', sa.String(length=16), nullable=False),
    sa.Column('made_by', sa.String(length=200), nullable=False),
    sa.Column('subject_id', sa.Text(), nullable=False),
    sa.Column('content_hash', sa.Text(), nullable=False),
    sa.Column('action', sa.Text(), nullable=False),
    sa.Column('reason', sa.Text(), nullable=False),
    sa.Column('by', sa.Text(), nullable=False),
    sa.Column('label', sa.Text(), nullable=True),
    sa.Column('variants', sa.JSON(none_as_null=True), nullable=True),
    sa.Column('rule', sa.Text(), nullable=True),
    sa.PrimaryKeyConstraint('position', name=op.f('pk_decision'))
    )
    op.create_index(op.f('ix_decision_subject_id'), 'decision', ['subject_id'], unique=False)
    op.create_table('form',
    sa.Column('position', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('at', UtcDateTime(timezone=True), nullable=False),
    sa.Column('origin', sa.String(length=16), nullable=False),
    sa.Column('made_by', sa.String(length=200), nullable=False),
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('definition', sa.JSON(none_as_null=True), nullable=False),
    sa.PrimaryKeyConstraint('position', name=op.f('pk_form')),
    sa.UniqueConstraint('id', 'version', name=op.f('uq_form_id_version'))
    )
    op.create_table('log_position',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('value', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_log_position'))
    )
    op.create_table('people',
    sa.Column('position', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('at', UtcDateTime(timezone=True), nullable=False),
    sa.Column('origin', sa.String(length=16), nullable=False),
    sa.Column('made_by', sa.String(length=200), nullable=False),
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('name', sa.Text(), nullable=True),
    sa.Column('address', sa.Text(), nullable=True),
    sa.PrimaryKeyConstraint('position', name=op.f('pk_people'))
    )
    op.create_index(op.f('ix_people_id'), 'people', ['id'], unique=False)
    op.create_table('quality_estimate',
    sa.Column('position', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('at', UtcDateTime(timezone=True), nullable=False),
    sa.Column('origin', sa.String(length=16), nullable=False),
    sa.Column('made_by', sa.String(length=200), nullable=False),
    sa.Column('translation_key', sa.Text(), nullable=False),
    sa.Column('estimator', sa.Text(), nullable=False),
    sa.Column('model', sa.Text(), nullable=False),
    sa.Column('revision', sa.Text(), nullable=False),
    sa.Column('score', sa.Float(), nullable=True),
    sa.Column('reason', sa.Text(), nullable=True),
    sa.PrimaryKeyConstraint('position', name=op.f('pk_quality_estimate')),
    sa.UniqueConstraint('translation_key', 'estimator', 'model', 'revision', name=op.f('uq_quality_estimate_translation_key_estimator_model_revision'))
    )
    op.create_table('release',
    sa.Column('position', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('at', UtcDateTime(timezone=True), nullable=False),
    sa.Column('origin', sa.String(length=16), nullable=False),
    sa.Column('made_by', sa.String(length=200), nullable=False),
    sa.Column('version', sa.Text(), nullable=False),
    sa.Column('frozen_position', sa.BigInteger(), nullable=False),
    sa.Column('languages', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('sums_sha256', sa.Text(), nullable=False),
    sa.Column('instrument', sa.Text(), nullable=False),
    sa.PrimaryKeyConstraint('position', name=op.f('pk_release')),
    sa.UniqueConstraint('instrument', 'version', name=op.f('uq_release_instrument_version'))
    )
    op.create_table('run',
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('command', sa.Text(), nullable=False),
    sa.Column('pid', sa.Integer(), nullable=False),
    sa.Column('state', sa.Text(), nullable=False),
    sa.Column('done', sa.Integer(), nullable=False),
    sa.Column('total', sa.Integer(), nullable=False),
    sa.Column('started_at', UtcDateTime(timezone=True), nullable=False),
    sa.Column('heartbeat_at', UtcDateTime(timezone=True), nullable=False),
    sa.Column('message', sa.Text(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_run'))
    )
    op.create_table('source',
    sa.Column('position', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('at', UtcDateTime(timezone=True), nullable=False),
    sa.Column('origin', sa.String(length=16), nullable=False),
    sa.Column('made_by', sa.String(length=200), nullable=False),
    sa.Column('key', sa.Text(), nullable=False),
    sa.Column('instrument', sa.Text(), nullable=False),
    sa.Column('dataset', sa.Text(), nullable=False),
    sa.Column('row', sa.Integer(), nullable=False),
    sa.Column('text', sa.Text(), nullable=False),
    sa.Column('explicit_id', sa.Text(), nullable=True),
    sa.Column('stereotype_id', sa.Integer(), nullable=True),
    sa.Column('attributes', sa.JSON(none_as_null=True), nullable=False),
    sa.PrimaryKeyConstraint('position', name=op.f('pk_source')),
    sa.UniqueConstraint('key', name=op.f('uq_source_key'))
    )
    op.create_table('translation',
    sa.Column('position', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('at', UtcDateTime(timezone=True), nullable=False),
    sa.Column('origin', sa.String(length=16), nullable=False),
    sa.Column('made_by', sa.String(length=200), nullable=False),
    sa.Column('key', sa.Text(), nullable=False),
    sa.Column('text_sent', sa.Text(), nullable=False),
    sa.Column('language', sa.Text(), nullable=False),
    sa.Column('engine', sa.Text(), nullable=False),
    sa.Column('model', sa.Text(), nullable=False),
    sa.Column('version', sa.Text(), nullable=False),
    sa.Column('text', sa.Text(), nullable=False),
    sa.Column('characters_billed', sa.Integer(), nullable=False),
    sa.PrimaryKeyConstraint('position', name=op.f('pk_translation')),
    sa.UniqueConstraint('key', name=op.f('uq_translation_key'))
    )
    op.create_table('assignment',
    sa.Column('position', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('at', UtcDateTime(timezone=True), nullable=False),
    sa.Column('origin', sa.String(length=16), nullable=False),
    sa.Column('made_by', sa.String(length=200), nullable=False),
    sa.Column('batch_id', sa.Text(), nullable=False),
    sa.Column('rater_id', sa.Text(), nullable=False),
    sa.Column('item_ids', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('channel', sa.Text(), nullable=False),
    sa.Column('external_id', sa.Text(), nullable=True),
    sa.ForeignKeyConstraint(['batch_id'], ['batch.id'], name=op.f('fk_assignment_batch_id')),
    sa.PrimaryKeyConstraint('position', name=op.f('pk_assignment'))
    )
    op.create_index(op.f('ix_assignment_batch_id'), 'assignment', ['batch_id'], unique=False)
    op.create_table('exclusion',
    sa.Column('position', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('at', UtcDateTime(timezone=True), nullable=False),
    sa.Column('origin', sa.String(length=16), nullable=False),
    sa.Column('made_by', sa.String(length=200), nullable=False),
    sa.Column('rater_id', sa.Text(), nullable=False),
    sa.Column('batch_id', sa.Text(), nullable=False),
    sa.Column('excluded', sa.Boolean(), nullable=False),
    sa.Column('reason', sa.Text(), nullable=False),
    sa.Column('by', sa.Text(), nullable=False),
    sa.ForeignKeyConstraint(['batch_id'], ['batch.id'], name=op.f('fk_exclusion_batch_id')),
    sa.PrimaryKeyConstraint('position', name=op.f('pk_exclusion'))
    )
    op.create_index(op.f('ix_exclusion_batch_id'), 'exclusion', ['batch_id'], unique=False)
    op.create_table('item',
    sa.Column('position', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('at', UtcDateTime(timezone=True), nullable=False),
    sa.Column('origin', sa.String(length=16), nullable=False),
    sa.Column('made_by', sa.String(length=200), nullable=False),
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('batch_id', sa.Text(), nullable=False),
    sa.Column('instrument', sa.Text(), nullable=False),
    sa.Column('subject_kind', sa.Text(), nullable=False),
    sa.Column('subject_id', sa.Text(), nullable=False),
    sa.Column('variant', sa.Text(), nullable=False),
    sa.Column('purpose', sa.Text(), nullable=False),
    sa.Column('shown', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('content_hash', sa.Text(), nullable=False),
    sa.Column('weight', sa.Float(), nullable=False),
    sa.ForeignKeyConstraint(['batch_id'], ['batch.id'], name=op.f('fk_item_batch_id')),
    sa.PrimaryKeyConstraint('position', name=op.f('pk_item')),
    sa.UniqueConstraint('id', name=op.f('uq_item_id'))
    )
    op.create_index(op.f('ix_item_batch_id'), 'item', ['batch_id'], unique=False)
    op.create_table('rating_revision',
    sa.Column('position', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('at', UtcDateTime(timezone=True), nullable=False),
    sa.Column('origin', sa.String(length=16), nullable=False),
    sa.Column('made_by', sa.String(length=200), nullable=False),
    sa.Column('item_id', sa.Text(), nullable=False),
    sa.Column('rater_id', sa.Text(), nullable=False),
    sa.Column('state', sa.Text(), nullable=False),
    sa.Column('answers', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('reasons', sa.JSON(none_as_null=True), nullable=False),
    sa.Column('source', sa.Text(), nullable=False),
    sa.Column('source_id', sa.Text(), nullable=False),
    sa.Column('source_revision', sa.Text(), nullable=False),
    sa.Column('answered_at', UtcDateTime(timezone=True), nullable=True),
    sa.Column('lead_time_s', sa.Float(), nullable=True),
    sa.ForeignKeyConstraint(['item_id'], ['item.id'], name=op.f('fk_rating_revision_item_id')),
    sa.PrimaryKeyConstraint('position', name=op.f('pk_rating_revision'))
    )
    op.create_index(op.f('ix_rating_revision_item_id'), 'rating_revision', ['item_id'], unique=False)
    op.execute("INSERT INTO log_position (id, value) VALUES (1, 0)")


def downgrade() -> None:
    op.drop_index(op.f('ix_rating_revision_item_id'), table_name='rating_revision')
    op.drop_table('rating_revision')
    op.drop_index(op.f('ix_item_batch_id'), table_name='item')
    op.drop_table('item')
    op.drop_index(op.f('ix_exclusion_batch_id'), table_name='exclusion')
    op.drop_table('exclusion')
    op.drop_index(op.f('ix_assignment_batch_id'), table_name='assignment')
    op.drop_table('assignment')
    op.drop_table('translation')
    op.drop_table('source')
    op.drop_table('run')
    op.drop_table('release')
    op.drop_table('quality_estimate')
    op.drop_index(op.f('ix_people_id'), table_name='people')
    op.drop_table('people')
    op.drop_table('log_position')
    op.drop_table('form')
    op.drop_index(op.f('ix_decision_subject_id'), table_name='decision')
    op.drop_table('decision')
    op.drop_index(op.f('ix_candidate_instrument_language'), table_name='candidate')
    op.drop_index(op.f('ix_candidate_id'), table_name='candidate')
    op.drop_table('candidate')
    op.drop_table('batch')
    op.drop_table('audit')
    op.drop_index(op.f('ix_approval_instrument_language'), table_name='approval')
    op.drop_table('approval')
