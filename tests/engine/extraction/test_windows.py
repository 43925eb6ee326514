from __future__ import annotations

from itertools import pairwise

import numpy as np
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


def test_a_piece_larger_than_a_window_stands_alone() -> None:
    assert list(_cut([500, 10, 10], 100)) == [(0, 1), (1, 3)]


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


def test_windows_of_a_document(tariff: Corpus) -> None:
    (document,) = tariff.documents()
    windows = windows_of(tariff, document, 1000, READER)
    rows = {piece.passage.id for window in windows for piece in window.pieces}
    assert len(windows) > 3
    assert rows == {passage.id for passage in tariff.passages(np.arange(len(tariff), dtype=np.int32))}
    assert len({window.key for window in windows}) == len(windows)
    assert windows == windows_of(tariff, document, 1000, READER)
    other = windows_of(tariff, document, 1000, "openai:another 1")
    assert not {window.key for window in windows} & {window.key for window in other}


def test_pieces_go_by_their_place_in_the_window(tariff: Corpus) -> None:
    (document,) = tariff.documents()
    second = windows_of(tariff, document, 1000, READER)[1]
    named = second.named()
    assert list(named)[:2] == ["P1", "P2"]
    assert named["P1"] == second.pieces[0]
    assert isinstance(named["P1"], Piece)
