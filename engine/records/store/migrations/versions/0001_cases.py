"""The first tables of cases; a new database gets the current tables (``engine.records.store.opening``)."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Do nothing: databases start at this version."""
    raise NotImplementedError
