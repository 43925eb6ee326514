"""Reviews on SQLite and on a real PostgreSQL server, and cases to be reviewed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.review.store import ReviewStore
from tests.engine.records.store.conftest import (
    address,
    database,
    made,
    record,
    server,
    small,
    store,
    template,
)

__all__ = ["address", "database", "made", "record", "server", "small", "store", "template"]


@pytest.fixture
def reviews(address: str) -> Iterator[ReviewStore]:
    """The reviews of the database of ``store``."""
    found = ReviewStore(address)
    yield found
    found.close()
