"""Provisions that are looked up are those that are found where a document is looked through."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.language.addresses import CONTAINERS
from engine.language.references.provisions import Provisions, make_layout
from engine.language.references.targets import Neighbours
from engine.model import SectionKind

KINDS = (SectionKind.ARTICLE, SectionKind.RULE, SectionKind.PARAGRAPH, *sorted(CONTAINERS))


def both(corpus: Corpus) -> tuple[Provisions, Provisions]:
    """Provisions that are looked up by their numbers, and those of documents that are looked through."""
    documents = corpus.documents()
    passages = corpus.passages(np.arange(len(corpus), dtype=np.int32))
    every = sum(len(corpus.document_sections(number)) for number in range(len(documents)))
    sections = corpus.sections(list(range(every)))
    plain = make_layout(documents, sections, passages)
    told = replace(plain, numbers=corpus.printed_numbers)
    return Provisions(documents, sections, passages, told), Provisions(documents, sections, passages, plain)


@pytest.fixture(params=["meridia", "harbour"])
def corpus(request: pytest.FixtureRequest) -> Corpus:
    found: Corpus = request.getfixturevalue(request.param)
    return found


def test_the_neighbouring_numbers_one_are_the_same(corpus: Corpus) -> None:
    looked_up, whole = map(Neighbours, both(corpus))
    compared = 0
    for document in range(len(corpus.documents())):
        for kind in KINDS:
            for key in ("1", "3", "9999"):
                found = looked_up.neighbouring_numbers(document, kind, key, 4)
                assert found == whole.neighbouring_numbers(document, kind, key, 4), (document, kind, key)
                compared += len(found)
    assert compared > 20


def test_what_was_looked_up_is_found_again_where_all_of_it_is_read(corpus: Corpus) -> None:
    looked_up, whole = both(corpus)
    for document in range(len(corpus.documents())):
        keys = list(whole.numbers(document))
        for key in keys:
            looked_up.numbered(document, key)
        for row in looked_up.rows_of(document):
            one, other = looked_up.at(row), whole.at(row)
            assert (one is None) == (other is None)
            assert one is None or other is None or looked_up.all[one] == whole.all[other]
