"""The sample corpus without vectors, investigated."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from engine.corpus.protocol import Corpus
from engine.investigation import Case
from engine.investigation.record import Investigation
from engine.settings import preset

DAY = date(2026, 6, 1)
Investigate = Callable[..., Investigation]


def investigated(corpus: Corpus, question: str, **changes: Any) -> Investigation:
    """An investigation run to its end on one day."""
    case = Case(corpus, question, preset("quick").changed(**changes), day=DAY)
    for _ in case.run():
        continue
    return case.investigation()


@pytest.fixture(scope="session")
def delegation(meridia: Corpus) -> Investigation:
    return investigated(
        meridia,
        "Can a manager with limited authority grant an agent broader powers than those in the register?",
    )
