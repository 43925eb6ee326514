"""The store of reviews on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.review.store import ReviewStore


def open_reviews() -> ReviewStore:
    """The reviews of the database that the settings name. Raises as ``CaseStore``."""
    from engine.operator_settings import operator_settings
    from engine.review.store import ReviewStore

    return ReviewStore(operator_settings().cases_address)
