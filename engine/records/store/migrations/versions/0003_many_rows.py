"""On PostgreSQL, delete hops and hits by a trigger: foreign keys were a third of the time to save a case."""

from alembic import op

from engine.records.store.tables import replace_keys_by_trigger

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Replace the foreign keys by the trigger; stored data is unchanged."""
    if op.get_bind().dialect.name != "postgresql":
        return
    replace_keys_by_trigger(op.get_bind())
