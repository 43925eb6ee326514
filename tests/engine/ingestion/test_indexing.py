from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.ingestion.gathering import Collection
from engine.ingestion.indexing import EMBEDDING_BATCH, context_of, lexical_terms, passage_vectors
from engine.ingestion.progress import silent
from engine.model import Document, Passage

DOCUMENT = Document("bgb", "Bürgerliches Gesetzbuch", "de", aliases=("Bürgerliches Gesetzbuch", "BGB"))


class LengthModel:
    """Embeds a text as its length, and remembers what it was asked."""

    spec, languages, dimensions, calls = "length", frozenset({"en"}), 2, 0

    def __init__(self) -> None:
        self.batches: list[int] = []

    def encode(self, texts: Sequence[str], kind: str = "passage") -> NDArray[np.float32]:
        assert kind == "passage"
        self.batches.append(len(texts))
        return np.asarray([[len(text), 1.0] for text in texts], np.float32)


def test_context() -> None:
    passage = Passage("p", "bgb", None, 0, "x", label="§ 1", headings=("Buch 1", "Beginn"))
    assert context_of(passage, DOCUMENT) == ("Bürgerliches Gesetzbuch", "BGB", "§ 1", "Buch 1", "Beginn")


def test_terms_are_those_of_the_passages_language() -> None:
    passages = [
        Passage("p", "bgb", None, 0, "Verträge", "de"),
        Passage("q", "bgb", None, 1, "contracts", "en"),
    ]
    collection = Collection([DOCUMENT], [], passages)
    texts, contexts = lexical_terms(collection, silent, headings=True)
    assert texts == [["vertrag"], ["contract"]]
    assert "bgb" in contexts[0]
    assert lexical_terms(collection, silent, headings=False)[1] == [[], []]


def test_every_vector_stands_in_its_row_and_unread_languages_have_none() -> None:
    model = LengthModel()
    count = EMBEDDING_BATCH * 2 + 3
    passages = [
        Passage(f"p{n}", "d", None, n, "x" * (1 + n * 7 % 50), "ar" if n % 10 == 0 else "en")
        for n in range(count)
    ]
    vectors, missing = passage_vectors(passages, model, silent, headings=False)
    assert missing == sum(passage.language == "ar" for passage in passages)
    expected = [0 if passage.language == "ar" else len(passage.text) for passage in passages]
    assert vectors[:, 0].tolist() == expected
    assert max(model.batches) <= EMBEDDING_BATCH
