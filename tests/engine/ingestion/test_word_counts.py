"""Words that are counted on from before are those that would be counted anew."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.embedded.block import Block
from engine.ingestion.words import WordCounts

texts = st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=4)


def block(words: list[int]) -> Block:
    keys, numbers = np.unique(np.asarray(words, np.uint64), return_inverse=True)
    return Block({"words.key": keys, "tokens.word": numbers.astype(np.uint16)})


@given(texts, texts, texts)
def test_what_changes_is_counted(
    stays: list[list[int]], gone: list[list[int]], come: list[list[int]]
) -> None:
    before = WordCounts.none().changed([], [block(words) for words in (*stays, *gone)])
    found = before.changed([block(words) for words in gone], [block(words) for words in come])
    anew = WordCounts.none().changed([], [block(words) for words in (*stays, *come)])
    assert found.keys.tolist() == anew.keys.tolist()
    assert found.counts.tolist() == anew.counts.tolist()
    every = [word for words in (*stays, *come) for word in words]
    asked = np.arange(7, dtype=np.uint64)
    assert found.of(asked).tolist() == [every.count(word) for word in range(7)]
