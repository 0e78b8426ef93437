"""Alembic's entry: runs on the connection that `corpus.store.schema` hands over."""

from alembic import context

from corpus.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
context.run_migrations()
