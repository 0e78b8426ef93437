"""The database schema and its versions, kept by Alembic migrations in `corpus/migrations`."""

from __future__ import annotations

from importlib import resources

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from corpus.errors import WorkspaceError
from corpus.store.connection import reading, writing


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(resources.files("corpus") / "migrations"))
    return config


def upgrade_schema(engine: sa.Engine) -> None:
    """Brings the database to the schema of this version of the product; safe to repeat.

    The write lock is held over the whole upgrade, so two processes cannot run it at once.
    """
    with writing(engine) as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(727001)"))
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def check_schema(engine: sa.Engine) -> None:
    """Makes sure that the database has the schema this version of the product expects.

    Raises:
        WorkspaceError: if it has none, an older one or a newer one.
    """
    with reading(engine) as connection:
        found = MigrationContext.configure(connection).get_current_revision()
    script = ScriptDirectory.from_config(_config())
    expected = script.get_current_head()
    if found == expected:
        return
    if found is None:
        raise WorkspaceError("The database is empty; run `stereoscope init` to set it up.")
    known = {revision.revision for revision in script.walk_revisions()}
    if found in known:
        raise WorkspaceError(
            "The database was made by an older version; run `stereoscope init` again to upgrade it."
        )
    raise WorkspaceError("The database was made by a newer version; install that version.")
