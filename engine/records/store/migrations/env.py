"""Entry point of alembic: runs each migration on the given connection."""

from alembic import context

from engine.records.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    # SQLite changes a table by recreating it.
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
