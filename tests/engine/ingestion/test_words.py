"""Index terms made word by word are those of the analyzer."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.corpus.embedded.block import Block, Postings, hashed, postings_of
from engine.ingestion.indexing import get_context
from engine.ingestion.words import (
    collect_contexts,
    collect_titles,
    heading_postings,
    put_words,
    text_postings,
    tokenise,
)
from engine.language.analysis import analyzer
from engine.language.entities import words_of
from engine.model import Document, Passage

DOCUMENT = Document("bgb", "Bürgerliches Gesetzbuch", "de", aliases=("Bürgerliches Gesetzbuch", "BGB"))
TEXTS = st.text() | st.text("§ ().1234aeöÄ™\u0301ß\u0645\u0627\u062f\u0629第条，x-")
LANGUAGES = st.sampled_from(["de", "en", "ar", "zh", "fr"])


def passages_of(texts: list[tuple[str, str]]) -> list[Passage]:
    return [
        Passage(f"p{n}", "bgb", None, n, text, language, label=f"§ {n}", headings=("Buch 1", text[:9]))
        for n, (text, language) in enumerate(texts)
    ]


def same(one: Postings, other: Postings) -> bool:
    pairs = ((getattr(one, name), getattr(other, name)) for name in Postings._fields)
    return all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in pairs)


@settings(deadline=None)
@given(st.lists(st.tuples(TEXTS, LANGUAGES), max_size=6))
def test_postings_are_those_of_the_terms(texts: list[tuple[str, str]]) -> None:
    passages = passages_of(texts)
    terms = [analyzer(language).terms(text) for text, language in texts]
    assert same(text_postings(passages, tokenise(passages)), postings_of(terms))
    around = [
        [term for piece in get_context(one, DOCUMENT) for term in analyzer(one.language).terms(piece)]
        for one in passages
    ]
    assert same(heading_postings(collect_contexts([DOCUMENT], passages, headings=True)), postings_of(around))


def test_a_title_stands_above_one_provision() -> None:
    def passage(row: int, number: str | None, *headings: str) -> Passage:
        return Passage(f"p{row}", "bgb", None, row, "Text", "de", number=number, headings=headings)

    passages = [
        passage(0, "1", "Buch 1", "Beginn der Rechtsfähigkeit"),
        passage(1, "2", "Buch 1", "Volljährigkeit"),
        passage(2, "2", "Buch 1", "Volljährigkeit"),
        passage(3, "3", "Buch 2"),
        passage(4, "4", "Buch 2"),
        passage(5, None),
    ]
    titles = heading_postings(collect_titles(passages, headings=True))
    assert titles.lengths.tolist() == [2, 1, 1, 0, 0, 0]
    assert hashed("volljahr") in titles.hashes.tolist()
    assert heading_postings(collect_titles(passages, headings=False)).lengths.tolist() == [0] * 6


def test_words_of_a_block() -> None:
    passages = passages_of([("Der Vertrag, der Vertrag", "de"), ("", "de"), ("Der", "en")])
    words = tokenise(passages)
    block = Block({})
    put_words(block, words)
    assert words.keys == [("de", "Der"), ("de", "Vertrag"), ("de", "der"), ("en", "Der")]
    assert block["tokens.word"].tolist() == [0, 1, 2, 1, 3]
    assert block["passages.tokens"].tolist() == [len(words_of(one.text)) for one in passages]
    assert block["words.name"].tolist() == [True, True, False, True]
    assert block["words.key"].tolist()[0] == hashed("de Der")
