"""Cases that are kept in a database."""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal


class Everyone(Enum):
    """Whose cases are read where the operator reads all of them. No value that somebody may be known by, and
    none that stands for nobody, is this one."""

    EVERYBODY = "everybody"


EVERYBODY: Final = Everyone.EVERYBODY
# By what the owner of matters is known: a hash, empty for the machine itself; or all owners.
Owner = str | Literal[Everyone.EVERYBODY]
