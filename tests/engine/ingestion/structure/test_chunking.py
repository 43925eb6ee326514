from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ingestion.structure.segmentation import LONGEST_SENTENCE, cut

LETTERS = st.text(st.sampled_from("ab (1)2.\n;:,。§第"), max_size=400)


def cut_texts(text: str, longest: int, language: str = "en") -> list[str]:
    return [text[piece.start + piece.overlap : piece.end] for piece in cut(text, longest, language)]


@pytest.mark.parametrize(
    ("text", "longest", "expected"),
    [
        ("short", 10, ["short"]),
        ("  padded  ", 6, ["padded"]),
        # A sentence stays whole up to twice the limit.
        ("one two three", 9, ["one two three"]),
        ("one two three four five", 9, ["one two", "three", "four five"]),
        ("First one. Second one.", 14, ["First one.", "Second one."]),
        ("a b c\n\nd e f\n\ng h i", 12, ["a b c\n\nd e f", "g h i"]),
        ("第一句。第二句。第三句。", 8, ["第一句。第二句。", "第三句。"]),
        ("unbreakable", 4, ["unbr", "eaka", "ble"]),
        (
            "Rule one:\n(a) aaaaaaaa\n(b) bbbb\n(c) cccc",
            24,
            ["Rule one:\n(a) aaaaaaaa", "(b) bbbb\n(c) cccc"],
        ),
    ],
)
def test_cut(text: str, longest: int, expected: list[str]) -> None:
    assert cut_texts(text, longest, "zh" if "第" in text else "en") == expected


def test_a_short_item_stays_with_the_words_before_the_list() -> None:
    stem = "The authority keeps a register of all of the following:"
    text = f"Before the list stands a sentence of its own.\n{stem}\n(a) names;\n(b) dates;\n(c) places."
    (with_stem,) = [piece for piece in cut_texts(text, 90) if stem in piece]
    assert "(a) names;" in with_stem


@given(LETTERS, st.integers(1, 60))
def test_pieces_are_short_in_order_and_lose_no_letter(text: str, longest: int) -> None:
    pieces = cut(text, longest)
    assert all(0 <= piece.end - piece.start - piece.overlap <= LONGEST_SENTENCE * longest for piece in pieces)
    assert all(piece.overlap <= longest // 4 for piece in pieces)
    assert all(left.end <= right.start + right.overlap for left, right in pairwise(pieces))
    assert all(left.start < right.start for left, right in pairwise(pieces))
    assert "".join("".join(text[p.start + p.overlap : p.end].split()) for p in pieces) == "".join(
        text.split()
    )
