# A test's name says what it tests.
# ruff: noqa: D102
"""The contract of ``Texts``."""

from __future__ import annotations

import numpy as np

from engine.corpus.contract.values import RELATIONS, pairs, rows_of, weights
from engine.corpus.protocol import Texts
from engine.corpus.toy import toy_contents
from engine.model import Relation


class TextContract:
    """The cases of ``Texts``, over the toy corpus."""

    def test_numbers_of_rows(self, corpus: Texts) -> None:
        assert corpus.document_numbers(rows_of(0, 4, 5, 7)).tolist() == [0, 0, 1, 2]
        assert corpus.section_numbers(rows_of(0, 1, 3, 5)).tolist() == [0, 2, 3, -1]
        assert corpus.rows(["p7", "nobody", "p0", ""]).tolist() == [7, -1, 0, -1]
        assert corpus.ids(rows_of(7, 0, 7)) == ["p7", "p0", "p7"]
        assert corpus.ids(rows_of()) == []
        assert [rows.tolist() for rows in corpus.by_document(["rules", "nobody", "code"])] == [
            [5, 6],
            [],
            [0, 1, 2, 3, 4],
        ]

    def test_the_tree_of_a_document(self, corpus: Texts) -> None:
        numbers = corpus.document_sections(0)
        assert [section.id for section in corpus.sections(numbers.tolist())] == [
            section.id for section in toy_contents().sections
        ]
        assert corpus.document_sections(1).tolist() == []

    def test_the_sections_around_sections(self, corpus: Texts) -> None:
        assert corpus.section_parents(rows_of(0, 1, 2, 3, 4)).tolist() == [-1, -1, 1, 1, -1]

    def test_where_the_numbers_of_a_document_stand(self, corpus: Texts) -> None:
        told = corpus.printed_numbers(0)
        if told is not None:
            assert {number: told[number] for number in told} == {
                "1": ([], [1]),
                "1.1": ([], [2]),
                "1.2": ([], [3]),
                "I": ([], [4]),
            }

    def test_what_bears_a_number_one_of_each_document(self, corpus: Texts) -> None:
        assert corpus.numbered("1.2").tolist() == [2]
        assert corpus.numbered(" 1.2. ").tolist() == [2]
        assert corpus.numbered("i").tolist() == [4]
        assert corpus.numbered("7").tolist() == []

    def test_bare_headings(self, corpus: Texts) -> None:
        assert np.flatnonzero(corpus.bare_headings(np.arange(8, dtype=np.int32))).tolist() == [0, 4, 6]

    def test_siblings_from_near_to_far(self, corpus: Texts) -> None:
        found = weights(corpus.siblings(rows_of(3), 50))
        assert set(found) == {(0, 0), (0, 1), (0, 2), (0, 4)}
        same_section, chapter_head, preamble = found[(0, 2)], found[(0, 1)], found[(0, 0)]
        assert same_section > chapter_head > preamble > 0

    def test_siblings_stay_in_the_document_and_its_limit(self, corpus: Texts) -> None:
        assert pairs(corpus.siblings(rows_of(6), 50)) == {(0, 5)}
        limited = corpus.siblings(rows_of(1, 3, 5), 1)
        documents = corpus.document_numbers(np.unique(limited.rows))
        assert np.bincount(documents).max() == 1
        assert (limited.evidence == -1).all()

    def test_neighbours_in_reading_order_are_next_to(self, corpus: Texts) -> None:
        links = corpus.siblings(rows_of(4), 50)
        relation = dict(zip(links.rows.tolist(), links.relations.tolist(), strict=True))
        assert RELATIONS[relation[3]] is Relation.NEXT_TO
