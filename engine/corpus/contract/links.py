# A test's name says what it tests.
# ruff: noqa: D102
"""The contract of ``Linked``."""

from __future__ import annotations

from engine.corpus.contract.values import RELATIONS, pairs, rows_of, weights
from engine.corpus.protocol import Corpus, Linked
from engine.model import Direction, Relation


class LinkedContract:
    """The cases of ``Linked``, over the toy corpus."""

    def test_references_link_passages_both_ways(self, corpus: Linked) -> None:
        out = corpus.neighbours(rows_of(5, 1), None, Direction.OUT)
        assert pairs(out) == {(0, 0), (1, 2), (1, 3)}
        back = corpus.neighbours(rows_of(2, 0, 3), None, Direction.IN)
        assert pairs(back) == {(0, 1), (1, 5), (2, 1)}
        quoted = corpus.references(out.evidence.tolist())
        assert {reference.text for reference in quoted} == {"harbour", "section 2"}

    def test_the_head_of_a_section_is_the_best_target(self, corpus: Linked) -> None:
        found = weights(corpus.neighbours(rows_of(1), None, Direction.OUT))
        assert found[(0, 2)] == 0.5, "the confidence of the reference"
        assert 0 < found[(0, 3)] < found[(0, 2)]

    def test_links_are_distinct_and_the_strongest_stays(self, corpus: Linked) -> None:
        links = corpus.neighbours(rows_of(5), [Relation.CITES], Direction.OUT)
        assert links.rows.tolist() == [0]
        assert corpus.references(links.evidence.tolist())[0].grammar == "names"
        assert corpus.neighbours(rows_of(7), None, Direction.OUT).rows.tolist() == [], "no link to itself"

    def test_relations_are_told_apart(self, corpus: Linked) -> None:
        assert corpus.neighbours(rows_of(1), [Relation.CITES], Direction.OUT).rows.tolist() == []
        links = corpus.neighbours(rows_of(1, 5), [Relation.EXCEPTION_TO], Direction.OUT)
        assert {RELATIONS[number] for number in links.relations.tolist()} == {Relation.EXCEPTION_TO}

    def test_references_of_passages_both_ways(self, corpus: Corpus) -> None:
        made = corpus.references_from(rows_of(5, 0, 2))
        assert (made.origins.tolist(), made.numbers.tolist()) == ([0, 0, 2], [2, 3, 1])
        lead_here = corpus.references_to(rows_of(2, 7, 3, 0))
        assert (lead_here.origins.tolist(), lead_here.numbers.tolist()) == ([0, 1, 3], [0, 5, 3])
        assert corpus.citation_counts().tolist() == [1, 0, 1, 0, 0, 0, 0, 1]
