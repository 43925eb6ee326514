"""A database of cases."""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal


class Everyone(Enum):
    """The owner value for all owners, for the operator; an enum, so that no owner's key can equal it."""

    EVERYBODY = "everybody"


EVERYBODY: Final = Everyone.EVERYBODY
# The owner of matters: a hash of the user's key, empty for the machine itself; or all owners.
Owner = str | Literal[Everyone.EVERYBODY]
