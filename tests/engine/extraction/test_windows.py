from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.extraction.prompting import AROUND_PASSAGE, OVERLAP, _cut, _pieces
from engine.llm.prompt import most_tokens
from engine.model import Passage


@given(st.lists(st.integers(1, 60), max_size=40), st.integers(60, 200))
def test_every_piece_is_in_a_window_and_windows_overlap(sizes: list[int], most: int) -> None:
    windows = list(_cut(sizes, most))
    assert sorted({place for first, stop in windows for place in range(first, stop)}) == list(
        range(len(sizes))
    )
    for first, stop in windows:
        assert first < stop
        assert sum(sizes[first:stop]) <= most
    for (first, stop), (again, further) in pairwise(windows):
        assert first < again <= stop < further, "each goes on from the one before"
        assert sum(sizes[again:stop]) <= OVERLAP * most


@given(st.text(st.sampled_from("ab .;\nßع条"), max_size=400), st.integers(70, 100))
def test_the_pieces_of_a_passage_are_its_text(text: str, tokens: int) -> None:
    passage = Passage("p", "d", None, 0, text)
    pieces = list(_pieces(passage, tokens))
    covered = [place for piece in pieces for place in range(piece.start, piece.stop)]
    assert covered == sorted(set(covered))
    assert not "".join(sign for place, sign in enumerate(text) if place not in set(covered)).strip()
    for piece in pieces:
        assert piece.text.strip()
        assert most_tokens(piece.text) <= tokens - AROUND_PASSAGE
        assert piece.text == text[piece.start : piece.stop]
