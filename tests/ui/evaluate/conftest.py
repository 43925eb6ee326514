"""A desk over the sample corpus, without vectors, and over a corpus that carries no questions."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from ui.calls import answer
from ui.evaluation import CALLS, EvaluationDesk
from ui.shelf import open_library

VISITOR = "somebody-who-asks-for-figures"
LONG = 60.0


@pytest.fixture
def desk(sample_folder: Path, corpus_folder: Path) -> EvaluationDesk:
    return EvaluationDesk(open_library([sample_folder, corpus_folder]))


def ask(desk: EvaluationDesk, do: str, **more: Any) -> dict[str, Any]:
    """The answer to one request of the visitor."""
    return answer(desk, CALLS, {"do": do, "visitor": VISITOR, **more})


def over(desk: EvaluationDesk, job: str) -> dict[str, Any]:
    """The last answer of a poll, once the evaluation is over."""
    until = time.monotonic() + LONG
    while (told := ask(desk, "poll", job=job))["state"] == "running":
        assert time.monotonic() < until, "the evaluation did not end"
        time.sleep(0.02)
    return told
