"""The sample corpus without vectors, investigated."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from engine.answers.answer import answer
from engine.answers.record import Answer
from engine.corpus.protocol import Corpus
from engine.investigation import Case
from engine.investigation.record import Investigation
from engine.llm import Meter
from engine.settings import preset
from tests.engine.llm.server import ScriptedServer

DAY = date(2026, 6, 1)
Investigate = Callable[..., Investigation]
Ask = Callable[..., Answer]


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


@pytest.fixture
def ask(meridia: Corpus, delegation: Investigation) -> Ask:
    """Have a scripted model answer; the meter's ledger must be what the server counted."""

    def asked(script: Any, *, meter: Meter | None = None, unsupported: bool = True) -> Answer:
        meter = meter or Meter()
        with ScriptedServer(script) as server:
            made = answer(delegation, meridia, model=server.connect(), meter=meter, unsupported=unsupported)
            assert meter.spent.prompt_tokens == server.counted.prompt_tokens
            assert meter.spent.completion_tokens == server.counted.completion_tokens
        return made

    return asked
