from __future__ import annotations

import random

import pytest

from engine.ingestion.readers.pdf.glyphs import Sign, is_reversed, order_text
from tests.engine.ingestion.readers.pdf.drawing import from_right_to_left

GAP = 2.0


@pytest.mark.parametrize(
    "text",
    [
        "بعد الاطلاع على الدستور،",
        "رقم (39) لسنة 2022",
        "في 31/12/2022 وما بعده",
        "لا تقل عن 2,000 درهم",
        "باستخدام Python في التحليل",
    ],
)
def test_a_line_is_read_from_the_right(text: str) -> None:
    signs = from_right_to_left(text)
    random.Random(1).shuffle(signs)
    assert order_text(signs, GAP, backwards=True) == text


def test_a_mark_follows_its_letter() -> None:
    signs = from_right_to_left("قدم")
    mark = Sign("\u064f", signs[1].left + 2, signs[1].left + 4, 10)
    assert order_text([mark, *signs], GAP, backwards=True) == "قد\u064fم"


def test_letters_of_one_glyph_are_turned_where_they_came_backwards() -> None:
    signs = [Sign("س", 10, 16, 10), Sign("ال", 4, 10, 10), Sign("م", -2, 4, 10)]
    assert order_text(signs, GAP, backwards=True) == "سلام"
    assert order_text(signs, GAP, backwards=False) == "سالم"
    assert is_reversed(["ال", "إل", "لا"])
    assert not is_reversed(["لا", "لإ", "ال"])


def test_what_only_draws_a_word_out_is_left_out() -> None:
    signs = [Sign("ب", 14, 20, 10), Sign("د", 13.2, 14, 10), Sign("\u0640", 8, 13.2, 10), Sign("ن", 2, 8, 10)]
    assert order_text(signs, GAP, backwards=True) == "بن"
