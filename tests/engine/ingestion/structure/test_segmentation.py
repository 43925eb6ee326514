from __future__ import annotations

import pytest

from engine.ingestion.structure.segmentation import numbered_paragraphs


def texts(text: str, **options: bool) -> list[tuple[str | None, str]]:
    return [(piece.number, text[piece.start : piece.end]) for piece in numbered_paragraphs(text, **options)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(1) One.\n(2) Two.", [("1", "(1) One."), ("2", "(2) Two.")]),
        ("(1) One.\n\n(1a) More.\n\n(2) Two.", [("1", "(1) One."), ("1a", "(1a) More."), ("2", "(2) Two.")]),
        ("1. One.\n2. Two.", [("1", "1. One."), ("2", "2. Two.")]),
        ("1- الأول\n2- الثاني", [("1", "1- الأول"), ("2", "2- الثاني")]),
        # A gap is a repealed paragraph; a jump is another list.
        ("(1) One.\n(40) persons.", [(None, "(1) One.\n(40) persons.")]),
        ("(7) Seven.\n(8) Eight.", [(None, "(7) Seven.\n(8) Eight.")]),
        ("(1) See (2) and (3) below.", [(None, "(1) See (2) and (3) below.")]),
        # Items stay with their paragraph.
        ("No numbers at all.", [(None, "No numbers at all.")]),
        ("", [(None, "")]),
    ],
)
def test_numbered_paragraphs(text: str, expected: list[tuple[str | None, str]]) -> None:
    assert texts(text) == expected
