"""The first tables of cases. Databases of this version exist and are only brought up to date: a new database
gets the present tables at once (``engine.records.store.opening``)."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """No database is brought up to this version."""
    raise NotImplementedError
