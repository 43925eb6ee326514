"""Parts, sides and clauses of questions."""

from __future__ import annotations

import pytest

from engine.retrieval.planning.structure import clauses, sides


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Compare the berth dues with the pilot dues", ["the berth dues", "the pilot dues"]),
        ("How do acts differ from regulations?", ["acts", "regulations"]),
        (
            "Who has won more titles, Lisa Raymond or Liezel Huber?",
            ["Who has won more titles Lisa Raymond", "Who has won more titles Liezel Huber"],
        ),
        ("Who allocates a berth or a quay?", []),
        ("", []),
    ],
)
def test_sides(question: str, expected: list[str]) -> None:
    assert sides(question, "en") == expected


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


def test_a_language_without_a_file_has_no_structure() -> None:
    assert sides("Compare a berth with a quay", "xx") == clauses("the mother of the owner of it", "xx") == []
