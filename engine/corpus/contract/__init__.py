# Names of tests describe them.
# ruff: noqa: D102
"""The contract of a corpus store: tests that every store must pass.

A store's test module inherits ``CorpusContract`` and provides the toy corpus in its store::

    class TestEmbedded(CorpusContract):
        @pytest.fixture(scope="class")
        @classmethod
        def corpus(cls, tmp_path_factory):
            write_corpus(folder := tmp_path_factory.mktemp("corpus"), toy_contents(further=True))
            return open_corpus(folder)

The toy corpus is in ``engine.corpus.toy``. Each small protocol has its own kit.
"""

from __future__ import annotations

import numpy as np

from engine.corpus.contract.kits import (
    BrowsingContract,
    DenseContract,
    JournalsContract,
    LexicalContract,
    LinkedContract,
    NamesContract,
    SparseContract,
    TextContract,
    ValidityContract,
    rows_of,
)
from engine.corpus.protocol import Corpus
from engine.corpus.toy import toy_contents
from engine.model import Direction


class CorpusContract(
    TextContract,
    LexicalContract,
    DenseContract,
    SparseContract,
    LinkedContract,
    NamesContract,
    ValidityContract,
    BrowsingContract,
    JournalsContract,
):
    """All tests. A subclass provides the fixture ``corpus``: the toy corpus in its store."""

    def test_counts(self, corpus: Corpus) -> None:
        info = corpus.info()
        assert (len(corpus), corpus.name, corpus.embedding) == (8, "harbour", "toy")
        assert (info.documents, info.passages, info.entities) == (3, 8, 4)
        assert list(info.languages.items()) == [("en", 7), ("de", 1)]
        assert dict(info.references_by_relation) == {"exception_to": 1, "cites": 5}
        assert dict(info.references_by_status) == {"resolved": 4, "unresolved": 1, "ambiguous": 1}
        assert corpus.ontology is None

    def test_everything_comes_back_as_it_went_in(self, corpus: Corpus) -> None:
        contents = toy_contents()
        assert corpus.passages(np.arange(8, dtype=np.int32)) == list(contents.passages)
        assert corpus.passages(rows_of(7, 0)) == [contents.passages[7], contents.passages[0]]
        assert corpus.documents() == list(contents.documents)
        assert corpus.sections(range(5)) == list(contents.sections)
        assert corpus.entities([3, 0]) == [contents.entities[3], contents.entities[0]]
        assert list(corpus.all_references()) == list(contents.references)
        assert corpus.references([4, 0]) == [contents.references[4], contents.references[0]]

    def test_empty_questions_have_empty_answers(self, corpus: Corpus) -> None:
        nothing = rows_of()
        assert corpus.passages(nothing) == []
        assert corpus.rows([]).shape == (0,)
        assert corpus.vectors(nothing).shape[0] == 0
        assert corpus.entities_of(nothing) == []
        assert corpus.search_lexical([], "en", 5) == []
        assert corpus.score_lexical([], "en", rows_of(1)).shape == (0, 1)
        for links in (
            corpus.neighbours(nothing, None, Direction.OUT),
            corpus.siblings(nothing, 5),
            corpus.by_entity(nothing, 5),
        ):
            assert [len(column) for column in (links.origins, links.rows, links.weights)] == [0, 0, 0]
