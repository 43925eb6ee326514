"""Parts, sides and clauses of questions."""

from __future__ import annotations

import pytest

from engine.retrieval.planning.words import clauses


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "Who appoints the master that allocates berths?",
            ["master that allocates berths", "Who appoints the"],
        ),
        # Outside the clause there is no word to search for.
        ("When was the city that hosts the court founded?", []),
        ("Who allocates a berth?", []),
    ],
)
def test_clauses(question: str, expected: list[str]) -> None:
    assert clauses(question, "en") == expected
