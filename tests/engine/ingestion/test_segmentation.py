from __future__ import annotations

import pytest

from engine.ingestion.segmentation import numbered_paragraphs


def texts(text: str, **options: bool) -> list[tuple[str | None, str]]:
    return [(piece.number, text[piece.start : piece.end]) for piece in numbered_paragraphs(text, **options)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(1) One.\n(2) Two.", [("1", "(1) One."), ("2", "(2) Two.")]),
        ("(1) One.\n\n(1a) More.\n\n(2) Two.", [("1", "(1) One."), ("1a", "(1a) More."), ("2", "(2) Two.")]),
        ("In this Act:\n\n(1) a;\n\n(2) b.", [(None, "In this Act:"), ("1", "(1) a;"), ("2", "(2) b.")]),
        ("1. One.\n2. Two.", [("1", "1. One."), ("2", "2. Two.")]),
        ("1- الأول\n2- الثاني", [("1", "1- الأول"), ("2", "2- الثاني")]),
        ("(١) الأول\n(٢) الثاني", [("1", "(١) الأول"), ("2", "(٢) الثاني")]),
        # A gap is a repealed paragraph; a jump is another list.
        ("(1) One.\n(4) Four.", [("1", "(1) One."), ("4", "(4) Four.")]),
        ("(1) One.\n(40) persons.", [(None, "(1) One.\n(40) persons.")]),
        ("(7) Seven.\n(8) Eight.", [(None, "(7) Seven.\n(8) Eight.")]),
        ("(1) See (2) and (3) below.", [(None, "(1) See (2) and (3) below.")]),
        # Items stay with their paragraph.
        ("(1) All:\n(a) x;\n(b) y.\n(2) None.", [("1", "(1) All:\n(a) x;\n(b) y."), ("2", "(2) None.")]),
        ("(1) All:\n1. x;\n2. y.\n(2) None.", [("1", "(1) All:\n1. x;\n2. y."), ("2", "(2) None.")]),
        ("No numbers at all.", [(None, "No numbers at all.")]),
        ("", [(None, "")]),
    ],
)
def test_numbered_paragraphs(text: str, expected: list[tuple[str | None, str]]) -> None:
    assert texts(text) == expected
