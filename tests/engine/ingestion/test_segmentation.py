from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ingestion.segmentation import cut, numbered_paragraphs

LETTERS = st.text(st.sampled_from("ab (1)2.\n;:,。§第"), max_size=400)


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


def test_items_below_a_stem_are_no_paragraphs_unless_asked() -> None:
    text = "The authority shall:\n\n1. keep books;\n\n2. report."
    assert len(texts(text, items=False)) == 1
    assert len(texts(text)) == 3


@pytest.mark.parametrize(
    ("text", "longest", "expected"),
    [
        ("short", 10, ["short"]),
        ("  padded  ", 6, ["padded"]),
        ("one two three", 9, ["one two", "three"]),
        ("First one. Second one.", 14, ["First one.", "Second one."]),
        ("a b c\n\nd e f\n\ng h i", 12, ["a b c\n\nd e f", "g h i"]),
        ("第一句。第二句。第三句。", 8, ["第一句。第二句。", "第三句。"]),
        ("unbreakable", 4, ["unbr", "eaka", "ble"]),
        ("Rule:\n(a) aaaa\n(b) bbbb\n(c) cccc", 20, ["Rule:\n(a) aaaa", "(b) bbbb\n(c) cccc"]),
    ],
)
def test_cut(text: str, longest: int, expected: list[str]) -> None:
    assert [text[piece.start : piece.end] for piece in cut(text, longest)] == expected


def test_the_rest_of_a_paragraph_is_marked() -> None:
    text = "(1) " + "word " * 10 + "\n(2) short"
    pieces = cut(text, 30)
    assert [(piece.number, piece.continued) for piece in pieces] == [("1", False), ("1", True), ("2", False)]


@given(LETTERS, st.integers(1, 60))
def test_pieces_are_short_in_order_and_lose_no_letter(text: str, longest: int) -> None:
    pieces = cut(text, longest)
    assert all(0 <= piece.end - piece.start <= longest for piece in pieces)
    assert all(left.end <= right.start for left, right in pairwise(pieces))
    assert "".join("".join(text[p.start : p.end].split()) for p in pieces) == "".join(text.split())
