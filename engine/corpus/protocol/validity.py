"""What is in force when."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Protocol

from engine.corpus.protocol.values import Mask


class Validity(Protocol):
    """What is in force when."""

    def in_force(self, day: date) -> Mask:
        """Which passages are in force on a day, shape (passages,)."""
        ...

    def out_of_force(self, day: date) -> Mask:
        """Which passages are known to be no longer in force on a day, shape (passages,).

        What is not yet in force is not among them, nor what nothing is known of.
        """
        ...

    def with_status(self, statuses: Sequence[str]) -> Mask:
        """Which passages have one of these statuses, their document's where they have none of their
        own; in any case of letters; shape (passages,)."""
        ...
