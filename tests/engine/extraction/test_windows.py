from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.protocol import Corpus
from engine.extraction.windows import AROUND_PASSAGE, OVERLAP, Piece, _cut, _pieces, windows_of
from engine.llm.estimating import most_tokens
from engine.model import Passage

READER = "openai:scripted 1"


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


def test_pieces_go_by_their_place_in_the_window(tariff: Corpus) -> None:
    (document,) = tariff.documents()
    second = windows_of(tariff, document, 1000, READER)[1]
    named = second.named()
    assert list(named)[:2] == ["P1", "P2"]
    assert named["P1"] == second.pieces[0]
    assert isinstance(named["P1"], Piece)
