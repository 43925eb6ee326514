"""References by place: what is found, and what it resolves to."""

from __future__ import annotations

import pytest

from engine.language.references import Resolver
from engine.model import Document, Passage, Section, SectionKind, Status
from tests.tables import table

ACT = Document("act", "Harbour Act", "en")
SECTIONS = [
    Section("act/p1", "act", None, SectionKind.PART, "1", "Berths", 0, 3),
    Section("act/p1/c1", "act", "act/p1", SectionKind.CHAPTER, "1", "", 0, 1),
    Section("act/p1/c2", "act", "act/p1", SectionKind.CHAPTER, "2", "", 1, 3),
    Section("act/p2", "act", None, SectionKind.PART, "2", "Fees", 3, 4),
]


def resolved(text: str, place: int) -> list[tuple[str, str | None, str]]:
    """(text, target, status) of the references of a text that stands at a place of the act."""
    parts = [
        ("act/p1/c1", "1", None),
        ("act/p1/c2", "2", "1"),
        ("act/p1/c2", "2", "2"),
        ("act/p2", "3", None),
    ]
    passages = [
        Passage(
            f"act/{number}/{paragraph}",
            "act",
            section,
            row,
            text if row == place else "Text.",
            "en",
            SectionKind.SECTION,
            number,
            paragraph,
        )
        for row, (section, number, paragraph) in enumerate(parts)
    ]
    found = Resolver([ACT], SECTIONS, passages).references(passages[place])
    assert all(one.confidence < 1 for one in found if one.status is Status.RESOLVED)
    return [(one.text, one.target_id, str(one.status)) for one in found]


@pytest.mark.parametrize(
    ("text", "place", "target"),
    table(__file__, "test_resolved"),
)
def test_resolved(text: str, place: int, target: str) -> None:
    ((_, reached, status),) = resolved(text, place)
    assert (reached, status) == (target, "resolved")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("the preceding section", 0),
        ("the next section", 3),
        ("the preceding paragraph", 3),
        ("the preceding chapter", 0),
        ("the provisions of this Schedule", 1),
    ],
)
def test_there_is_no_such_place(text: str, place: int) -> None:
    assert resolved(text, place) == []
