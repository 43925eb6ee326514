"""Whether two machines make the same blocks of the same files: the same code, Python and libraries."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from engine.ingestion.ledger import LIBRARIES, makers, version_of

# The parts of the answer that are no version of a library.
_CODE, _PYTHON = "code of the engine", "Python"


def versions_here() -> dict[str, str]:
    """Everything that the content of blocks is made by, by name."""
    python = sys.version.replace("\n", " ")
    return {_CODE: makers(), _PYTHON: python} | {name: version_of(name) for name in LIBRARIES}


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """What differs, in words. The code's key covers the versions too, so it is told only where it is all."""
    names = [name for name in here if name != _CODE and here[name] != there.get(name)]
    told = [f"{name} {there.get(name, 'none')} instead of {here[name]}" for name in names]
    return ", ".join(told) or "the code of the engine, or its grammars, are others"
